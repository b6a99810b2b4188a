"""Sentence -> the paths that it forbids to change. 'Do not change the API in `api.py`' forbids no path."""

import re

from dualgate.core.spec.wording import plain

_ENDINGS = (
    "py|pyi|js|jsx|ts|tsx|mjs|cjs|json|toml|ya?ml|cfg|ini|md|rst|txt|lock|go|rs|java|kt|rb|php|c|h|cc|cpp|hpp|cs|sh"
    "|sql|html|css|xml|env|proto|gradle|swift|scala|ex|exs|vue|svelte"
)
_BARE = rf"(?:[\w.@-]+/)*[\w.@*-]+\.(?:{_ENDINGS})\b|(?:[\w.@-]+/)+(?:\*{{1,2}})?(?=[\s,;.)]|$)"
_PATH = re.compile(rf"(?:`(?P<code>[^`\s()]+)`|(?P<bare>{_BARE}))", re.IGNORECASE)
_PART_OF_A_PATH = re.compile(r"[`/]|\.\w")
_NEXT = r"(?:\s*(?:,|and|or|&|nor)\s*(?:the |(?:anything|everything|files?) (?:in|under) )?|\s+(?=`))"
_PATHS = rf"(?P<paths>(?:(?:`[^`\s()]+`|{_BARE}){_NEXT}?)+)"
_LIKE_A_PATH = re.compile(
    rf"[\w.@*/-]*(?:/[\w.@*-]*|\.(?:{_ENDINGS}))|\.[\w-]+|[\w-]+/|Makefile|Dockerfile|Procfile|LICENSE"
)
# between 'change' and the path; any other word means that something inside the path is meant
_FILLER = (
    r"(?:(?:to|in|inside|under|within|of|at|any|anything|everything|the|our|files?|folders?|director(?:y|ies)|modules?"
    r"|contents?|code|existing|vendored|generated|legacy)\s+)*"
)
_THE = r"(?:the )?(?:(?:files?|folders?|director(?:y|ies)|modules?) )?"
_CHANGE = r"(?:touch|modify|change|edit|alter|rewrite|delete|remove|rename|move)"
_CHANGING = r"(?:touching|modifying|changing|editing|altering|rewriting|deleting|removing|renaming|moving)"
_CHANGED = r"(?:touched|modified|changed|edited|altered|rewritten|deleted|removed|renamed|moved)"
_UNCHANGED = (
    r"(?:untouched|unchanged|unmodified|off[- ]limits|read-only|frozen|(?:byte-)?identical|as (?:it|they) (?:is|are))"
)
_SHALL = r"(?:must|should|shall)"
_NOT = r"(?:do not|don['’]t|never|must not|mustn['’]t|should not|may not)"
# an order to the one who works; 'The tool must not modify x.toml' is behaviour
_BEGINS = r"(?:^|(?<=[.;:,!?(]\s)|(?<=[-–—]\s)|(?<=\bbut\s)|(?<=\band\s)|(?<=\bplease\s))"
_WE = r"(?:(?:you|we|agents?|the agent|this (?:change|work|pr)|the (?:change|pr))\s+)?"
_THESE = r"(?:(?:these|the following)(?: files| folders| paths)? )?"
_THINGS = r"(?:(?:tests?|files?|code|anything|everything|nothing|modules?) (?:in|under|of|inside|below) )?"
# 'stays unchanged after a failed import', 'except for the version' and 'in place' say something else
_OTHERWISE = r"(?:except|unless|but\b|other than|apart from|besides|if\b|when\b|while\b|on\b|directly|in place)"
_ENDS = (
    r"(?=\s*(?:[.;,:!?)(–—]|-\s|$|because\b|since\b|as it\b|as they\b|at all\b|in this\b|for\b|until\b|or\b|and\b))"
    rf"(?!\s*[,(–—-]?\s*{_OTHERWISE})"
)
_SUBJECT = rf"{_BEGINS}{_THINGS}{_THE}{_PATHS}\s*"
_FORBIDDING = tuple(
    re.compile(f"{pattern}{_ENDS}", re.IGNORECASE)
    for pattern in (
        rf"{_BEGINS}{_WE}{_NOT}\s+{_CHANGE}\s+{_FILLER}{_PATHS}",
        rf"{_BEGINS}(?:no (?:changes?|edits?|modifications?) (?:to|in|of)|avoid {_CHANGING})\s+{_FILLER}{_PATHS}",
        rf"\bwithout {_CHANGING}\s+{_FILLER}{_PATHS}",
        rf"{_SUBJECT}(?:{_SHALL}|may|can|is|are)\s*(?:not|never)\s*(?:to )?(?:(?:be )?{_CHANGED}|change)",
        rf"{_BEGINS}(?:\w+ )?(?:files?|folders?|code) \({_PATHS}\)\s*{_SHALL} (?:not|never) (?:be {_CHANGED}|change)",
        rf"{_BEGINS}{_PATHS}\s*[:–—-]\s*{_NOT} {_CHANGE}",
        rf"{_SUBJECT}(?:{_SHALL}\s+)?(?:stays?|remains?|is|are|be)(?: left)? {_UNCHANGED}",
        rf"{_BEGINS}no files? (?:in|under|of|inside|below) {_PATHS}\s*(?:is|are|(?:may|must|shall) be) {_CHANGED}",
        rf"{_BEGINS}{_THESE}(?:{_SHALL} not be {_CHANGED}|{_NOT} {_CHANGE}|{_UNCHANGED}(?: files)?)\s*:\s*{_PATHS}",
        rf"{_BEGINS}(?:leave|keep)\s+{_FILLER}{_PATHS}\s*(?:alone|as is|{_UNCHANGED})",
    )
)
_QUOTED = re.compile(r"[\"“”][^\"“”\n]{0,200}[\"“”]")
# words after which somebody else's sentence follows
_TOLD = re.compile(
    r"\b(?:said|says?|such as|like|reads?|comments?|message|text|shows?|prints?|warns?|see|user|writes?)\b[^.;]{0,30}"
    r":\s*$",
    re.IGNORECASE,
)
_NOTE = re.compile(r"^\[![A-Z]+\]\s*")


def forbidden_paths(text: str) -> tuple[str, ...]:
    """Paths that a text forbids to change; empty if the forbidden thing itself is no path."""
    joined = plain(text).replace(":\n", ": ").replace("\n", ", ")
    words = _QUOTED.sub('""', _NOTE.sub("", joined))
    if not _PART_OF_A_PATH.search(words):  # each pattern needs one, and takes longer to find none
        return ()
    for found in filter(None, (pattern.search(words) for pattern in _FORBIDDING)):
        named = [match["code"] or match["bare"] for match in _PATH.finditer(found["paths"])]
        is_meant = all(_LIKE_A_PATH.fullmatch(path) for path in named)
        if is_meant and not _TOLD.search(words[: found.start()]):
            return tuple(path.removeprefix("./") for path in named)
    return ()
