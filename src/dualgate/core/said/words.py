"""Final text -> hints outside of any block: completion marks, errors, the kind of work. Hints decide nothing."""

import re

from dualgate.core.said.blocks import BlockKind
from dualgate.core.values.vocabulary import WorkType

_MARKERS = re.compile(
    r"^[ \t]*(<promise>\s*COMPLETE\s*</promise>|LOOP_COMPLETE|<loop-complete\s*/?>(?:\s*</loop-complete>)?)[ \t]*\r?$",
    re.MULTILINE,
)
# an error as a program prints it: at the start of a line, followed by its message
_ERROR_LINE = re.compile(
    r"^[ \t>]{0,8}(?:[-*] )?(?:\*\*)?(?:"
    r"(?:[A-Za-z_][\w.]{0,80})?(?:Error|Exception|Failure)(?:\*\*)?:(?:\*\*)?[ \t]*\S"
    r"|(?:error|fatal|panic|ERROR)(?:\[[\w-]+\]| TS\d+)?:[ \t]*\S"
    r"|FAILED[ \t]+\S+::|--- FAIL: \S|npm ERR! \S|E {3}\S|thread '[^']{1,40}' panicked at "
    r"|[\w./\\-]{1,200}(?::\d+){1,2}: (?:fatal )?error: \S|[\w./\\-]{1,200}\(\d+,\d+\): error "
    r").{0,400}$",
    re.MULTILINE,
)
_COMPLETION = re.compile(
    r"\b(?:all (?:tasks|work|items|tests)\b.{0,20}\b(?:are |is )?(?:done|complete|completed|finished|pass(?:ing)?)"
    r"|everything (?:is )?(?:done|complete|finished|passes)"
    r"|no remaining work|nothing left to do|project is complete)\b",
    re.IGNORECASE,
)
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)", re.MULTILINE)
_CODE = ("    ", "\t")
_NO_SENTENCE = ("#", ">", "|")
"""First characters of a heading, a quotation and a table."""
_AFTER_A_QUESTION = "\"'”’)*_`"
_QUESTION_KEPT = 500
# The first match counts, so the more specific patterns come first.
KINDS = {
    WorkType.TESTING: r"\b(?:wrote|added|adding|fixed|fixing|writing) (?:\w+ ){0,3}tests?\b",
    WorkType.DOCUMENTATION: r"\b(?:documented|documenting|README|docstrings?|changelog)\b|\bdocs?/",
    WorkType.REFACTORING: r"\b(?:refactor\w*|renamed|extracted|simplified|deduplicat\w+)\b",
    WorkType.IMPLEMENTATION: r"\b(?:implement\w*|added|built|created|wrote)\b",
}


def markers(text: str) -> tuple[str, ...]:
    """Completion marks of other agent loops, each on its own line. They are claims and decide nothing."""
    return tuple(dict.fromkeys(match[1] for match in _MARKERS.finditer(text)))


def says_complete(text: str) -> bool:
    """Whether the text claims completion. It counts only without a block, and never ends a run by itself."""
    return _COMPLETION.search(text) is not None


def closing_question(text: str) -> str:
    """The question that ends the answer, before its status block; the agent answered earlier questions itself."""
    prose = text.rpartition(BlockKind.RALPH_STATUS.opening)[0] or text
    last = next((line.rstrip() for line in reversed(prose.splitlines()) if line.strip()), "")
    is_code = last.startswith(_CODE) or len(_FENCE.findall(prose)) % 2 == 1
    question = last.strip()[-_QUESTION_KEPT:]
    asks = question.rstrip(_AFTER_A_QUESTION).endswith("?") and any(map(str.isalpha, question))
    return question if asks and not is_code and not last.lstrip().startswith(_NO_SENTENCE) else ""


def shown_error(text: str) -> str:
    """The last error in the form in which programs print errors; prose about errors does not count."""
    found = [match[0].strip() for match in _ERROR_LINE.finditer(text)]
    return found[-1] if found else ""


def guessed_work_type(text: str) -> WorkType | None:
    """The kind of work, guessed from the text, for an answer that does not state it."""
    return next((kind for kind, words in KINDS.items() if re.search(words, text, re.IGNORECASE)), None)
