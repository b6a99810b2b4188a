"""Every runner through the same life. A new one is a file of scenes in `contract`, and a word in the list below."""

import os
import threading
from collections import Counter
from pathlib import Path

import pytest

from dualgate.core.values.suite import Suite, SuiteReport
from dualgate.errors import Interrupted
from dualgate.processes.supervisor import Supervisor
from dualgate.runners.base import Runner
from dualgate.runners.registry import RUNNERS
from dualgate.testing import a_control
from tests.runners.contract.compiled_scenes import ON_CARGO, ON_GO
from tests.runners.contract.exit_code_scenes import ON_EXIT_CODE
from tests.runners.contract.lives import EXPECTED, Contender, Life
from tests.runners.contract.pytest_scenes import ON_JUNIT, ON_PYTEST
from tests.runners.contract.tap_scenes import ON_NODE, ON_TAP
from tests.runners.contract.unittest_scenes import ON_UNITTEST

CONTENDERS = [ON_PYTEST, ON_UNITTEST, ON_JUNIT, ON_TAP, ON_NODE, ON_EXIT_CODE, ON_GO, ON_CARGO]
LIMITS = {Life.HANG: 3.0}
PAIRS = [(contender, life) for contender in CONTENDERS for life in Life if life in contender.scenes]
every_contender = pytest.mark.parametrize("contender", CONTENDERS, ids=[each.name for each in CONTENDERS])
every_pair = pytest.mark.parametrize(
    ("contender", "life"), PAIRS, ids=[f"{contender.name}, {life}" for contender, life in PAIRS]
)


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the pytest that runs this."""
    for name in ("PYTEST_ADDOPTS", "NODE_TEST_CONTEXT"):
        monkeypatch.delenv(name, raising=False)


def a_runner(contender: Contender, life: Life, project: Path) -> Runner:
    if contender.absent:
        pytest.skip(contender.absent)
    scene = contender.scenes[life]
    for name, text in scene.files.items():
        (project / name).write_text(text, encoding="utf-8")
    command = (*contender.command, *scene.words)
    suite = Suite(name="tests", runner=contender.runner, command=command, timeout=LIMITS.get(life, 60.0))
    return RUNNERS[contender.runner](suite, project, Supervisor(os.environ))


def seen(report: SuiteReport) -> dict[str, int]:
    return dict(Counter(str(result.outcome) for result in report.results))


def test_every_runner_in_the_registry_goes_through_this_life() -> None:
    assert {contender.runner for contender in CONTENDERS} == RUNNERS.keys()


@every_contender
def test_a_life_that_a_runner_does_not_have_is_explained(contender: Contender) -> None:
    assert contender.scenes.keys() | contender.lacks.keys() == set(Life)
    assert not contender.scenes.keys() & contender.lacks.keys()


@every_pair
def test_the_report_says_what_happened(contender: Contender, life: Life, tmp_path: Path) -> None:
    expected = contender.scenes[life].expected or EXPECTED[life]

    report = a_runner(contender, life, tmp_path).run(a_control())

    ids = [result.id for result in report.results]
    assert (report.trusted, report.runner) == (expected.trusted, contender.runner), report.problems
    assert not expected.trusted or seen(report) == expected.outcomes
    assert tuple(result.kind for result in report.results if result.kind) == expected.kinds or not expected.kinds
    assert all(any(word in name for name in ids) for word in expected.words)
    assert len(set(ids)) == len(ids)


@every_contender
def test_the_same_tests_have_the_same_ids_in_the_next_run(contender: Contender, tmp_path: Path) -> None:
    runner = a_runner(contender, Life.SAME_NAME, tmp_path)

    assert runner.run(a_control()).results[0].id == runner.run(a_control()).results[0].id


@every_contender
def test_a_stop_is_passed_on(contender: Contender, tmp_path: Path) -> None:
    cancel = threading.Event()
    cancel.set()

    with pytest.raises(Interrupted):
        a_runner(contender, Life.HANG, tmp_path).run(a_control(cancel=cancel))
