"""Heading -> Role: what the lists, tables and paragraphs below it are. Words only; structure is read elsewhere."""

import re
from collections.abc import Iterable
from enum import StrEnum


class Role(StrEnum):
    CRITERIA = "criteria"
    TASKS = "tasks"
    TASK = "task"
    """The heading itself is a task, and what stands below it belongs to it."""
    VALIDATION = "validation"
    EXPECTED = "expected"
    """The expected behaviour of a bug report."""
    WANTED = "wanted"
    """The wish of a feature request."""
    SCENARIO = "scenario"
    CONTEXT = "context"
    EXCLUDED = "excluded"
    """Not to be done, or not part of the work; no heading below it changes that."""
    FORBIDDEN = "forbidden"
    """Its items are paths that must not change."""
    PLAIN = "plain"
    """The words say nothing."""


_NUMBERING = re.compile(r"^(?:§?\s*(?:\d+(?:\.\d+)*|[ivx]+|[a-z])[.):]\s*|\d+(?:\.\d+)*\s+[-–—:]?\s*)", re.IGNORECASE)
_REMARK = re.compile(r"\s*(?:\*?\([^()]*\)\*?|\[[^\[\]]*\])\s*$")
_DECORATION = re.compile(r"[*_`]|[^\w\s&/'’().:,#+-]")

_SCENARIO = re.compile(
    r"^(?:acceptance )?(?:scenario(?: outline| template)?|example(?=\s*(?:#?\d[\d.]*\s*)?:))\s*(?:#?\d[\d.]*\s*)?"
    r"(?:[:–—-]\s*(?P<name>.*))?$",
    re.IGNORECASE,
)
_TASK = re.compile(r"^task\s+#?\d+(?:\.\d+)*\s*(?:[:.–—-]|$)", re.IGNORECASE)

# what a heading says, the first row that fits; the words are looked for in a heading without numbers and decoration
_WORDS: tuple[tuple[Role, str], ...] = (
    (
        Role.EXCLUDED,
        r"\bout[- ]of[- ]scope\b|\bnon[- ]?goals?\b|\bnot in scope\b|\bexclu(?:ded|sions)\b|\bwon['’]?t(?: have)?\b"
        r"|^optional$|\bnice[- ]to[- ]haves?\b|\b(?:should|could)[ -]haves?\b|\bstretch goals?\b|^future\b|\bdeferred\b"
        r"|^later$|\bopen questions?\b|^source(?:s| reference| material)?$|\breferences?$|\bdefinition of ready\b"
        r"|\banti[- ]?patterns?\b|^review (?:&|and) acceptance checklist|^execution status"
        r"|^prerequisites?\b|^(?:hardware|installation) requirements",
    ),
    (
        Role.EXCLUDED,
        r"\bsteps to reproduce\b|^reproduc(?:tion|e)\b|^how to reproduce|^actual\b|^current (?:behaviou?r|state)"
        r"|^environment$|^additional context|^screenshots?|^logs?$",
    ),
    (
        Role.EXCLUDED,
        # courtesies of issue forms, and records that a tool fills in
        r"code of conduct|^before (?:submitting|you)|pre-?submission|^preflight|willing to (?:submit|contribute|open)"
        r"|^dev agent record|^change ?log$|^qa results|^agent model used|^comments from the discussion"
        r"|^history$|^transcript"
        r"|^(?:example|sample) (?:session|conversation|output)|superseded|\brejected\b|\bobsolete\b|\bdeprecated\b"
        r"|\b(?:of|in) the old\b|^previous\b|requirements? (?:gathering|traceability|we rejected|elicitation)"
        r"|criteria for (?:choosing|selecting|picking)|^entry criteria|^how (?:the )?(?:acceptance|success"
        r"|requirements?)\b"
        r"|tests? we already have|^removed requirements|requirements? of the environment|^environment requirements"
        r"|^non-?requirements|^type of change|^affected (?:platforms?|versions?)|^questions?$|^priority$|^severity$",
    ),
    (
        Role.FORBIDDEN,
        r"^(?:do not|don['’]t|never|must not) (?:touch|change|modify|edit)|^(?:files|paths) (?:not to|you may not)"
        r"|^off[- ]limits|^untouchable|^(?:frozen|protected) (?:files|paths|folders)|^never$|^must not$"
        r"|^do not$|^don['’]ts?$",
    ),
    (Role.PLAIN, r"^in[- ]scope$|^included$"),
    (Role.VALIDATION, r"\bvalidation\b|^(?:how to )?verif(?:y|ication)(?: commands?| steps?)?$|^quality gates?$"),
    (
        Role.EXPECTED,
        r"^(?:what (?:is|was|did you|do you) )?expect(?:ed)?(?: (?:behaviou?r|results?|outcomes?|output"
        r"|to happen|to see))?\??$",
    ),
    (
        Role.WANTED,
        r"^(?:describe the )?solution you(?:['’]d| would) like|^(?:proposed|desired) (?:solution|behaviou?r)",
    ),
    (
        Role.CRITERIA,
        r"\bacceptance\b|^acs?$|^unchanged behaviou?r|^regressions?(?: prevention)?$|^backwards?[- ]compatib"
        r"|^must keep working"
        r"|musskriterien|功能需求|\bsuccess criteri(?:a|on)\b|\bcriteri(?:a|on)\b|\brequirements?\b"
        r"|definition of done|^dod$"
        r"|^done when\b|conditions? of satisfaction|définition de fini|critères de succès|kabul kriterleri|要件"
        r"|^must(?:[- ]haves?)?$|^musts$|measurable outcomes"
        r"|abnahmekriteri(?:en|um)|akzeptanzkriteri(?:en|um)|anforderungen|critères? d['’]acceptation|exigences"
        r"|criterios? de (?:aceptación|aceptacion|éxito)|requisitos|critérios? de (?:aceitação|aceite)"
        r"|criteri di accettazione|requisiti|acceptatiecriteria|kryteria akceptacji|критерии приемки|критерии приёмки"
        r"|验收标准|驗收標準|受け入れ(?:基準|条件)|受入(?:基準|条件)|인수 (?:기준|조건)",
    ),
    (
        Role.TASKS,
        r"\btasks?\b|\bto-?dos?\b|\bcheck-?list\b|\b(?:work|action) items?\b|implementation (?:plan|steps)|^plan$"
        r"|^next steps$|steps to implement|^(?:high|medium|low)(?:est)? priority|^backlog$|^in progress$|aufgaben"
        r"|tâches|tareas|tarefas",
    ),
    (
        Role.CONTEXT,
        r"^files(?: to (?:change|create|modify|touch))?$|^(?:relevant|affected|changed) files|^implementation$"
        r"|^steps$|\bbackground\b|\bcontext\b|\bnotes?\b|\boverview\b|\bkey entities\b|\bassumptions?\b|\bscope\b"
        r"|\bdependenc(?:y|ies)\b|\bglossary\b|\brisks?\b|\bconstraints?\b|\bexamples?\b|\bdesign\b|\bapi\b|\bgotchas?\b|\bmotivation\b|^why\b"
        r"|\bapproach\b|\brationale\b|\brelated\b|\bresources\b|\bguardrails\b|\bdata model\b",
    ),
)
_TABLE = tuple((role, re.compile(words, re.IGNORECASE)) for role, words in _WORDS)
# without criteria elsewhere, a list below such a heading may be meant as criteria
PERHAPS_CRITERIA = re.compile(
    r"\b(?:features?|functionality|behaviou?rs?|rules?|user stories|stories|specifications?|specs|deliverables?"
    r"|validations?|edge cases?"
    r"|test (?:scenarios|cases)|performance|security|error handling)\b",
    re.IGNORECASE,
)
# of these, the ones that mostly mean it
LIKELY_CRITERIA = re.compile(
    r"\b(?:features?|functionality|user stories|requirements?|deliverables?|specifications?|specs|what we want)\b",
    re.IGNORECASE,
)
# headings whose statements may be meant as criteria beside those of another section
BESIDE_CRITERIA = re.compile(
    r"\b(?:business rules|edge cases?|test (?:scenarios|cases)|performance|security|error handling|behaviou?rs?)\b",
    re.IGNORECASE,
)
GOAL = (
    re.compile(r"^(?:feature |project |business )?(?:goals?|objectives?)\b", re.IGNORECASE),
    re.compile(
        r"^(?:executive )?(?:summary|overview|description|introduction|problem(?: statement)?)\b", re.IGNORECASE
    ),
    re.compile(r"^(?:describe the bug|bug description|what|context|background|purpose)\b", re.IGNORECASE),
)


def bare(heading: str) -> str:
    """A heading without numbering, decoration, remarks such as '(mandatory)', and its last colon."""
    words = _DECORATION.sub("", _REMARK.sub("", " ".join(heading.split()))).strip().rstrip(":").strip()
    return _NUMBERING.sub("", words).strip() or words


def role_of(heading: str, more: Iterable[str] = ()) -> Role:
    """The role that a heading gives to the text below it; `more` are further words for criteria."""
    if heading.strip().startswith("~~"):
        return Role.EXCLUDED
    words = bare(heading)
    if any(word.casefold() in words.casefold() for word in more if word.strip()):
        return Role.CRITERIA
    if _SCENARIO.match(words):
        return Role.SCENARIO
    if _TASK.match(words):
        return Role.TASK
    return next((role for role, pattern in _TABLE if pattern.search(_seen(role, heading, words))), Role.PLAIN)


def _seen(role: Role, heading: str, words: str) -> str:
    """The words to look at: 'Requirements (superseded)' is excluded by its remark."""
    return f"{words} {heading}" if role is Role.EXCLUDED and "superseded" in heading.casefold() else words


_SURE = re.compile(
    r"^(?:(?:key|core|main|general|basic|product|project|business|user|stakeholder|software|technical|functional"
    r"|non[- ]?functional|quality|performance|security|feature|detailed|mandatory|must[- ]have|hard|high[- ]level|new)"
    r"[ ,&/and-]*)*requirements?\b",
    re.IGNORECASE,
)


_HOLDING = re.compile(
    r"^unchanged behaviou?r|^regressions?(?: prevention)?$|^backwards?[- ]compatib|^must keep working", re.IGNORECASE
)


def says_holding(heading: str) -> bool:
    """Whether a heading says that the criteria below it are true already."""
    return _HOLDING.search(bare(heading)) is not None


class Certainty(StrEnum):
    """How surely a heading for criteria means criteria."""

    CERTAIN = "certain"
    LIKELY = "likely"
    """'Requirements': it may also list what a program needs to run."""
    OPEN = "open"
    """'Emission Requirements': it may be about anything."""


def certainty_of(heading: str) -> Certainty:
    words = bare(heading)
    if "requirement" not in words.casefold():
        return Certainty.CERTAIN
    return Certainty.LIKELY if _SURE.match(words) else Certainty.OPEN


def scenario_name(heading: str) -> str:
    found = _SCENARIO.match(bare(heading))
    return (found["name"] or "").strip() if found else ""


_STORY = re.compile(r"^(?:user\s+)?story\s*[-#:]?\s*(?P<number>\d+(?:\.\d+)*)\b", re.IGNORECASE)
_STORY_ID = re.compile(r"^(?P<id>(?:US|STORY|EPIC|FEAT|UC)[-_ ]?\d+(?:\.\d+)*)\b", re.IGNORECASE)
_REQUIREMENT = re.compile(r"^requirement\s*[-#:]?\s*(?P<number>\d+(?:\.\d+)*)\b", re.IGNORECASE)


_UNNUMBERED = re.compile(r"^(?:user\s+)?story\b\s*[-–—:]", re.IGNORECASE)


def is_unnumbered_story(heading: str) -> bool:
    """Whether a heading is that of a story without a number: 'Story: Pay'."""
    return _UNNUMBERED.match(bare(heading)) is not None and not story_of(heading)


def story_of(heading: str) -> str:
    """The prefix that a story's heading gives to its criteria, such as US1 or REQ2; empty if it is no story."""
    words = bare(heading)
    if found := _STORY.match(words):
        return f"US{found['number']}"
    if found := _REQUIREMENT.match(words):
        return f"REQ{found['number']}"
    found = _STORY_ID.match(words)
    return found["id"].replace(" ", "") if found else ""
