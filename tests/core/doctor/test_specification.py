"""Checks of a specification."""

from dualgate.core.doctor.checkup import Health
from dualgate.core.doctor.specification import check_spec
from dualgate.core.values.problems import error, warning
from dualgate.core.values.specification import Question, Specification


def test_errors_fail_and_what_a_run_asks_about_warns() -> None:
    spec = Specification(
        title="Doubling",
        goal="",
        criteria=(),
        text="",
        questions=(Question(key="k", line=7, text="No boxes.", readings=("tasks", "context")),),
        problems=(error("x", "is not filled in", line=2), warning("y", "is vague")),
    )

    checks = list(check_spec(spec, "a.md", ["make lint"]))

    assert [(check.health, check.seen) for check in checks] == [
        (Health.FAIL, "a.md:2: is not filled in"),
        (Health.WARN, "a.md: is vague"),
        (Health.WARN, "a.md:7: No boxes. (1) tasks (2) context"),
        (Health.WARN, "`make lint` is not approved"),
    ]
