"""The form of a status block for a prompt, and block, prompt, token -> whether the block answers this call."""

from collections.abc import Iterator

from dualgate.core.said.blocks.ralph_text import FORMS
from dualgate.core.said.blocks.scan import BlockKind, decode, scan
from dualgate.core.values.problems import Problem, error
from dualgate.core.values.ralph_status import RalphStatus
from dualgate.core.values.vocabulary import Phase, SuiteStatus, WorkStatus, WorkType

_INDENT = "    "
# the kind of work of a phase; BUILD has every kind
_WORK = {
    Phase.RED: WorkType.TESTING,
    Phase.GREEN: WorkType.IMPLEMENTATION,
    Phase.REFACTOR: WorkType.REFACTORING,
    Phase.DOCUMENT: WorkType.DOCUMENTATION,
    Phase.QA: WorkType.TESTING,
}
_LINES = {Phase.QA: "why you approve or reject"}
_LINE = "what comes next"
# every value is illegal, so that a form that comes back unchanged ends nothing
_CHOICES = {
    "STATUS": " | ".join(WorkStatus),
    "TASKS_COMPLETED_THIS_LOOP": "n",
    "FILES_MODIFIED": "n",
    "TESTS_STATUS": " | ".join(SuiteStatus),
    "EXIT_SIGNAL": "true | false",
}


def status_form(phase: Phase, token: str) -> str:
    """All fields with placeholders, and the token of the call; indented, so that a prompt holds no block."""
    work = _WORK.get(phase) or " | ".join(WorkType)
    choices = _CHOICES | {"WORK_TYPE": work, "RECOMMENDATION": _LINES.get(phase, _LINE)}
    fields = (f"{name}: <{choices[name]}>" for name in FORMS)
    kind = BlockKind.RALPH_STATUS
    return "\n".join(f"{_INDENT}{line}" for line in (kind.opening, *fields, f"CALL: {token}", kind.closing))


def why_not_of_this_call(text: str, fields: RalphStatus, prompt: str, token: str) -> tuple[Problem, ...]:
    """Why the last block of an answer is not its own; a block without a token may be. Unknown parts are empty."""
    return tuple(_foreign(text, fields, prompt, token))


def _foreign(text: str, fields: RalphStatus, prompt: str, token: str) -> Iterator[Problem]:
    if fields.call and token and fields.call != token:
        yield error(
            "other_call", f"the block belongs to another call: CALL is {fields.call}, and this call is {token}", "CALL"
        )
    elif prompt and _bare(_block(text)) in _bare(prompt):
        yield error("quoted", "the block is copied from the prompt word for word, so it does not count")


def _block(text: str) -> str:
    words = decode(text)
    last = scan(words, BlockKind.RALPH_STATUS).last
    return last.raw if last else words.strip()


def _bare(text: str) -> str:
    return "\n".join(line.strip() for line in text.splitlines())
