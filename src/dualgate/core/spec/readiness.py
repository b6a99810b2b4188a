"""Specification -> whether a run can start from it: errors and open questions stop a run."""

from dualgate.core.values.problems import Severity
from dualgate.core.values.specification import Specification
from dualgate.errors import SpecError

_WRITE_CRITERIA = (
    "Under a heading 'Acceptance Criteria', write one bullet or tick box for each, such as '- [ ] AC-1: …'. "
    "'dualgate check' shows what was read as what."
)


def require_ready(spec: Specification, name: str) -> Specification:
    """Return the specification, or raise SpecError with its errors and open questions."""
    errors = [problem for problem in spec.problems if problem.severity is Severity.ERROR]
    lines = [f"{_place(name, problem.line)}: {problem.message}" for problem in errors]
    asked = [
        f"{_place(name, question.line)}: {question.text} (1) {question.readings[0]} (2) {question.readings[1]}"
        for question in spec.questions
    ]
    if lines:
        raise SpecError("\n".join(lines), _WRITE_CRITERIA if not spec.criteria else f"See: dualgate check {name}")
    if asked:
        raise SpecError(
            "\n".join(("The specification can be read in two ways:", *asked)),
            "Rewrite these lines, answer at a terminal, or take the first reading of each with --yes.",
        )
    return spec


def _place(name: str, line: int | None) -> str:
    return f"{name}:{line}" if line else name
