"""A person's specification: a file, a text of the command line or standard input, and the readings that were chosen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from dualgate.core.spec.readiness import GIVEN_ANSWERS, commands_of, decided_workflow, for_workflow
from dualgate.core.spec.reading import read_specification
from dualgate.core.spec.validation import RUNS, proposed_validation, validation_states
from dualgate.core.values.specification import Question, Specification
from dualgate.core.values.vocabulary import Workflow
from dualgate.errors import SpecError
from dualgate.settings import Settings

PROMPTS = ("PROMPT.md", ".ralph/PROMPT.md")
COMMAND_LINE = "(command line)"
STANDARD_INPUT = "(standard input)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A text with its name, which is the path of its file if it has one."""

    name: str
    text: str
    answers: Mapping[str, int] = field(default_factory=dict)
    """The chosen readings by question key, from 0."""
    approved: tuple[str, ...] = ()
    """Commands that a person approved, besides those of the setting `checks`."""
    beside: tuple[str, ...] = ()
    """Other prompts that were found and are not used."""

    @property
    def is_file(self) -> bool:
        return self.name not in (COMMAND_LINE, STANDARD_INPUT)

    def read(self, settings: Settings) -> Specification:
        """The specification by the chosen readings, as the given workflow takes it."""
        return self.read_as(settings.workflow, settings.spec.criteria_headings)

    def read_as(self, workflow: Workflow | None, criteria_headings: Sequence[str]) -> Specification:
        given = GIVEN_ANSWERS[workflow] if workflow else {}
        read = read_specification(self.text, self.name, {**given, **self.answers}, words=criteria_headings)
        return for_workflow(read, workflow)

    def approved_commands(self, read: Specification, settings: Settings) -> tuple[str, ...]:
        """The commands of criteria, and the validation commands, that may be run."""
        may_run = {*settings.checks.values(), *self.approved}
        found = (*commands_of(read), *self.approved_validation(read))
        return tuple(command for command in found if command in may_run)

    def approved_validation(self, read: Specification) -> tuple[str, ...]:
        """The validation commands that a person approved."""
        states = validation_states(read, self.approved)
        return tuple(command for command, state in states.items() if state == RUNS)

    def unapproved_validation(self, read: Specification, settings: Settings) -> tuple[str, ...]:
        """The validation commands that a person may approve; without approval they are not run."""
        may_run = {*settings.checks.values(), *self.approved}
        return tuple(command for command in proposed_validation(read) if command not in may_run)

    def validation_states(self, read: Specification, settings: Settings) -> dict[str, str]:
        """Each validation command with what a run does with it."""
        return validation_states(read, {*settings.checks.values(), *self.approved})

    def unapproved_commands(self, read: Specification, settings: Settings) -> tuple[str, ...]:
        """The commands of criteria that a person has to approve; ralph runs none."""
        if decided_workflow(read, settings.workflow) is Workflow.RALPH:
            return ()
        may_run = self.approved_commands(read, settings)
        return tuple(command for command in commands_of(read) if command not in may_run)


def decided(read: Specification, settings: Settings) -> Settings:
    """The settings with a definite workflow: the given one, else that of the document."""
    return settings.but(workflow=decided_workflow(read, settings.workflow))


def read_document(project: Path, file: Path) -> Document:
    try:
        return Document(name=str(file), text=(project / file).read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise SpecError(f"{file} cannot be read: {error.strerror}.", "Give the path of a Markdown file.") from error
    except UnicodeDecodeError as error:
        raise SpecError(f"{file} is not UTF-8 text: byte {error.start}.", "Save it as UTF-8.") from error


def find_prompt(project: Path, settings: Settings) -> Document:
    """The prompt of a ralph run for which no file is named."""
    if settings.workflow is not Workflow.RALPH:
        raise SpecError(
            "No specification is given.", ("Give the path of a file. Only --workflow ralph works without one.")
        )
    found = [name for name in PROMPTS if (project / name).is_file()]
    if not found:
        raise SpecError(
            f"There is no {' or '.join(PROMPTS)} here.",
            "Give the path of a prompt, or begin with: dualgate prompts show ralph > PROMPT.md",
        )
    return replace(read_document(project, Path(found[0])), beside=tuple(found[1:]))


def first_readings(document: Document, settings: Settings) -> Document:
    """Answer every open question with its first reading; an answer may lead to another question."""
    while unanswered := unanswered_questions(document, document.read(settings)):
        taken = {question.key: 0 for question in unanswered}
        document = replace(document, answers={**document.answers, **taken})
    return document


def unanswered_questions(document: Document, read: Specification) -> list[Question]:
    return [question for question in read.questions if question.key not in document.answers]
