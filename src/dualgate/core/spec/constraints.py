"""Sentence -> the paths that it forbids to change. 'Do not change the API in `api.py`' forbids no path."""

import re

from dualgate.core.spec.wording import plain

_ENDINGS = (
    "py|pyi|js|jsx|ts|tsx|mjs|cjs|json|toml|ya?ml|cfg|ini|md|rst|txt|lock|go|rs|java|kt|rb|php|c|h|cc|cpp|hpp|cs|sh"
    "|sql|html|css|xml|env|proto|gradle|swift|scala|ex|exs|vue|svelte"
)
_BARE = rf"(?:[\w.@-]+/)*[\w.@*-]+\.(?:{_ENDINGS})\b|(?:[\w.@-]+/)+(?:\*{{1,2}})?(?=[\s,;.)]|$)"
_PATH = re.compile(rf"(?:`(?P<code>[^`\s()]+)`|(?P<bare>{_BARE}))", re.IGNORECASE)
_PATHS = rf"(?P<paths>(?:(?:`[^`\s()]+`|{_BARE})(?:\s*(?:,|and|or|&|nor)\s*(?:the )?)?)+)"
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
_UNCHANGED = r"(?:untouched|unchanged|unmodified|off[- ]limits|read-only|frozen|as (?:it|they) (?:is|are))"
_SHALL = r"(?:must|should|shall)"
_NOT = r"(?:do not|don['’]t|never|must not|mustn['’]t|should not|may not)"
# an order to the one who works; 'The tool must not modify x.toml' is behaviour
_BEGINS = r"(?:^|(?<=[.;:,!?(]\s)|(?<=[-–—]\s)|(?<=\bbut\s)|(?<=\band\s)|(?<=\bplease\s))"
_WE = r"(?:(?:you|we|agents?|the agent|this (?:change|work|pr)|the (?:change|pr))\s+)?"
_THESE = r"(?:(?:these|the following)(?: files| folders| paths)? )?"
# 'stays unchanged after a failed import' is behaviour too
_ENDS = r"(?=\s*(?:[.;,:!?)(–—-]|$|because\b|since\b|as it\b|as they\b|at all\b|in this\b|for\b|until\b))"
_FORBIDDING = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_BEGINS}{_WE}{_NOT}\s+{_CHANGE}\s+{_FILLER}{_PATHS}",
        rf"{_BEGINS}(?:no (?:changes?|edits?|modifications?) (?:to|in|of)|avoid {_CHANGING})\s+{_FILLER}{_PATHS}",
        rf"\bwithout {_CHANGING}\s+{_FILLER}{_PATHS}",
        rf"{_BEGINS}{_THE}{_PATHS}\s*(?:{_SHALL}|may|can|is|are)\s*(?:not|never)\s*(?:to )?be {_CHANGED}{_ENDS}",
        rf"{_BEGINS}{_THE}{_PATHS}\s*(?:{_SHALL}\s+)?(?:stays?|remains?|is|are|be)(?: left)? {_UNCHANGED}{_ENDS}",
        rf"{_BEGINS}{_THESE}(?:{_SHALL} not be {_CHANGED}|{_NOT} {_CHANGE}|{_UNCHANGED}(?: files)?)\s*:\s*{_PATHS}",
        rf"{_BEGINS}(?:leave|keep)\s+{_FILLER}{_PATHS}\s*(?:alone|as is|{_UNCHANGED}){_ENDS}",
    )
)


def forbidden_paths(text: str) -> tuple[str, ...]:
    """Paths that a text forbids to change; empty if the forbidden thing itself is no path."""
    words = plain(text)
    for found in filter(None, (pattern.search(words) for pattern in _FORBIDDING)):
        named = [match["code"] or match["bare"] for match in _PATH.finditer(found["paths"])]
        if all(_LIKE_A_PATH.fullmatch(path) for path in named):
            return tuple(path.removeprefix("./") for path in named)
    return ()
