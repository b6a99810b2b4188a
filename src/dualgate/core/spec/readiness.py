"""Specification -> its workflow, and whether a run can start from it: errors and open questions stop a run."""

from collections.abc import Sequence
from dataclasses import asdict, replace

from dualgate.core.values.problems import Severity, error, has_errors
from dualgate.core.values.specification import Kind, Specification
from dualgate.core.values.vocabulary import Workflow
from dualgate.errors import SpecError

NOTHING_TO_PROVE = "nothing_to_prove"
"""The code of the error that there are no criteria, which ralph does not need."""
GIVEN_ANSWERS = {Workflow.TDD: {"prompt": 0}, Workflow.RALPH: {"prompt": 1}}
"""A given workflow answers whether a short text is a criterion or a prompt."""
WRITE_CRITERIA = (
    "Under a heading 'Acceptance Criteria', write one bullet or tick box for each, such as '- [ ] AC-1: …'. "
    "'dualgate check' shows what was read as what."
)
ONLY_TASKS = (
    "There are only tasks; the tdd workflow needs acceptance criteria. Without --workflow tdd, ralph works on it."
)
ANSWER = (
    "Rewrite these lines, answer when dualgate asks at a terminal, or take the first reading of each question "
    "and approve each command with --yes."
)


def decided_workflow(spec: Specification, given: Workflow | None) -> Workflow:
    """The given workflow, else the one that fits; a document with errors needs what tdd needs."""
    if given is not None:
        return given
    if has_errors(spec.problems):
        return Workflow.TDD
    return spec.workflow if spec.criteria else Workflow.RALPH


def for_workflow(spec: Specification, given: Workflow | None) -> Specification:
    """The specification as a given workflow takes it.

    ralph takes any text as its prompt, so errors only warn and nothing is asked; tdd needs criteria.
    """
    if given is Workflow.RALPH and spec.text.strip():
        others = (problem for problem in spec.problems if problem.code != NOTHING_TO_PROVE)
        problems = tuple(replace(problem, severity=Severity.WARNING) for problem in others)
        return replace(spec, questions=(), problems=problems)
    if given is Workflow.RALPH:
        return replace(spec, questions=(), problems=(error("empty", "The prompt is empty."),))
    if given is Workflow.TDD and not spec.criteria and not has_errors(spec.problems):
        return replace(spec, problems=(*spec.problems, error(NOTHING_TO_PROVE, ONLY_TASKS)))
    return spec


def commands_of(spec: Specification) -> tuple[str, ...]:
    """The commands that criteria of kind check need, each once."""
    return tuple(dict.fromkeys(each.command for each in spec.of_kind(Kind.CHECK) if each.command))


def require_sound(spec: Specification, name: str) -> None:
    """Raise SpecError with every error of the specification and its line."""
    errors = [problem for problem in spec.problems if problem.severity is Severity.ERROR]
    if errors:
        raise SpecError(
            "\n".join(f"{place(name, problem.line)}: {problem.message}" for problem in errors),
            WRITE_CRITERIA if not spec.criteria else "'dualgate check' shows what was read as what.",
            {"problems": [{"line": problem.line, "message": problem.message} for problem in errors]},
        )


def require_ready(spec: Specification, name: str, unapproved: Sequence[str] = ()) -> Specification:
    """Return the specification, or raise SpecError with its errors, else its open questions and unapproved commands."""
    require_sound(spec, name)
    asked = [
        f"{place(name, question.line)}: {question.text} (1) {question.readings[0]} (2) {question.readings[1]}"
        for question in spec.questions
    ]
    lines = [
        *(("The specification can be read in two ways:", *asked) if asked else ()),
        *(
            ("Commands of the specification are not approved:", *(f"  {each}" for each in unapproved))
            * bool(unapproved)
        ),
    ]
    if lines:
        questions = [asdict(question) for question in spec.questions]
        raise SpecError("\n".join(lines), ANSWER, {"questions": questions, "commands": list(unapproved)})
    return spec


def place(name: str, line: int | None) -> str:
    """FILE:LINE, or the file alone."""
    return f"{name}:{line}" if line else name
