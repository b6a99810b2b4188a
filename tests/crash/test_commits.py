"""Runs that commit, killed at each line of the journal about a commit: none is lost, none is made twice."""

from pathlib import Path

import pytest

from tests.conftest import Dying
from tests.session.commit_kit import begun, git
from tests.support import Dualgate

BRANCH = "dualgate/doubling"
STARTED = (14, 24, 37)
"""The lines of an honest run without probes that begin a commit; the next line records it."""


@pytest.fixture
def environment(environment: dict[str, str]) -> dict[str, str]:
    return environment | {"DUALGATE_SENSITIVITY": "off", "DUALGATE_COMMIT": "phase"}


@pytest.mark.parametrize("moment", ["before", "torn", "after"])
@pytest.mark.parametrize("number", [line + later for line in STARTED for later in (0, 1)])
def test_a_kill_within_a_commit_neither_loses_nor_doubles_it(
    dying: Dying, dualgate: Dualgate, project: Path, number: int, moment: str
) -> None:
    begun(project)
    head = git(project, "rev-parse", "HEAD")
    code = dying(number, moment)
    last = git(project, "for-each-ref", "--format=%(contents:subject)", f"refs/heads/{BRANCH}").split("\n")[0]

    ended = dualgate("resume", "--json")

    assert (code, ended.code) == (-9, 0)
    subjects = git(project, "log", "--format=%s", BRANCH).splitlines()
    assert subjects == ["Doubling: documents", "Doubling: implementation", "Doubling: failing tests", "first"]
    assert last in ("", *subjects)
    assert len(ended.lines[-1]["commits"]["made"]) == 3
    assert git(project, "rev-parse", "HEAD") == head
