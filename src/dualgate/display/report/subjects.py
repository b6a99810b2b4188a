"""The title of a specification and a phase -> the subject of a commit, plain or as conventional commits have it."""

import re

from dualgate.core.values.vocabulary import Phase

TYPES = ("build", "chore", "ci", "docs", "feat", "fix", "perf", "refactor", "revert", "style", "test")
CONVENTIONAL = re.compile(rf"(?P<type>{'|'.join(TYPES)})(?P<scope>\([^()]+\))?(?P<mark>!?): +(?P<text>\S.*)")
_TYPE_OF = {Phase.RED: "test", Phase.REFACTOR: "refactor", Phase.DOCUMENT: "docs"}
"""The type of a phase whose commit does not hold the work itself."""
_WORK = {
    Phase.RED: "failing tests",
    Phase.GREEN: "implementation",
    Phase.REFACTOR: "refactoring",
    Phase.DOCUMENT: "documents",
    Phase.QA: "review",
    Phase.BUILD: "tasks",
}
"""The content of the commit of each phase, for its subject."""
_FIXING = re.compile(r"(?:fix(?:es|ed)?|bug(?:fix)?)\b[:\s]*", re.IGNORECASE)
# rules of projects want a small letter at the beginning, which a name such as HTTP cannot have
_NAME = re.compile(r"\w*[A-Z0-9]\w*[A-Z0-9]|\w[A-Z]")
_VERBS = {"feat": "add", "fix": "correct", "test": "cover", "refactor": "simplify", "docs": "describe"}


def is_conventional(subject: str) -> bool:
    return CONVENTIONAL.fullmatch(subject) is not None


def plain_parts(title: str, phase: Phase | None) -> tuple[str, str]:
    """The text and the end of a subject; the end is never cut off."""
    return title, f": {_WORK[phase]}" if phase else ""


def conventional_parts(title: str, phase: Phase | None) -> tuple[str, str]:
    """The type and the text of a subject. A title that has a type keeps it for the work itself."""
    found = CONVENTIONAL.fullmatch(title)
    fixing = _FIXING.match(title)
    given = found["type"] if found else "fix" if fixing else "feat"
    own = _TYPE_OF.get(phase) if phase else None
    scope = (found["scope"] or "") if found else ""
    mark = found["mark"] if found and not own else ""
    text = found["text"] if found else title[fixing.end() :] if fixing else title
    kind = own or given
    return f"{kind}{scope}{mark}: ", _begun_small(text.rstrip(". ") or title, kind)


def _begun_small(text: str, kind: str) -> str:
    if not text[:1].isupper():
        return text
    if _NAME.match(text):
        return f"{_VERBS.get(kind, 'change')} {text}"
    return f"{text[0].lower()}{text[1:]}"
