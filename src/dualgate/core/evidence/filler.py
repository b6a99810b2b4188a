"""Words that say nothing about a change: words of grammar, and words that every document of software uses."""

_GRAMMAR = (
    "a about above after again all also an and any are as at be because been before being below between both but by "
    "can cannot could did do does doing done during each every few for from further had has have having here how if "
    "in into is it its itself just made make makes many may might more most must no nor not now of off on once only "
    "or other our out over own same shall should so some such than that the their them then there these they this "
    "those through to too under until up upon us use used user users uses using very was way we well were what when "
    "where whether which while who why will with within without would you your"
)
_TRADE = (
    "add added adding adds addition additional api app application behavior behaviour better bug bugs build call "
    "called change changed changelog changes class classes clean code command common config configuration content "
    "core correctly create created current data decision default describe described describes description design "
    "detail details developer developers doc docs document documentation documented documents easier easy efficient "
    "end enhance enhanced enhancement enhancements ensure ensures example examples existing feature features file "
    "files first fix fixed fixes follow following follows function functional functionality functions general get "
    "good guide high implement implementation implemented implements important improve improved improvement "
    "improvements improves include included includes including index info information init initial input install "
    "installation interface internal introduce introduced introduction item items key known last later latest level "
    "library like line lines list low main maintainable method methods minor modern module modules name names need "
    "needed needs new next note notes number object old one option options output overview package page part parts "
    "path performance please possible previous process product production project provide provided provides purpose "
    "put quality readme record refactor release released reliable required requirement requirements result results "
    "return returned returns right robust run running runs scalable section see self set setting settings setup "
    "show shows side simple small software solution source stability standard start state status step steps string "
    "support supported supports system tbd team test tested testing tests text thing things time todo type types "
    "update updated updates usage utils value values various version want work working works write written"
)
_FILLER = frozenset(f"{_GRAMMAR} {_TRADE}".split())

TEMPLATE_SENTENCES = (
    "what is the issue that we're seeing",
    "what is the issue we're seeing",
    "what is the change that we're proposing",
    "what becomes easier or more difficult",
    "describe the context and problem statement",
    'chosen option: "option',
    "this section describes the forces at play",
    "this section describes our response to these forces",
    "this section describes the resulting context",
    "the issue motivating this decision",
    "the change that we're proposing or have agreed to implement",
)
"""Sentences of well-known templates for decision records."""


def is_filler(word: str) -> bool:
    return len(word) < 3 or word.casefold() in _FILLER
