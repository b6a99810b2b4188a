"""Specification -> checks: errors fail, open questions, unapproved commands and warnings warn."""

from collections.abc import Iterator, Sequence

from dualgate.core.doctor.checkup import Check, Health, worth_a_look
from dualgate.core.spec.readiness import place
from dualgate.core.values.problems import Severity
from dualgate.core.values.specification import Specification

NAME = "specification"
HEALTH = {Severity.ERROR: Health.FAIL, Severity.WARNING: Health.WARN}


def check_spec(spec: Specification, name: str, unapproved: Sequence[str] = ()) -> Iterator[Check]:
    for problem in spec.problems:
        seen = f"{place(name, problem.line)}: {problem.message}"
        yield Check(name=NAME, health=HEALTH[problem.severity], seen=seen)
    for question in spec.questions:
        first, second = question.readings
        seen = f"{place(name, question.line)}: {question.text} (1) {first} (2) {second}"
        yield worth_a_look(NAME, seen, "answer when the run asks, or take the first reading with --yes")
    for command in unapproved:
        yield worth_a_look(
            NAME, f"`{command}` is not approved", "approve it when the run asks, with --yes or in checks"
        )
