from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from dualgate.core.machine.resuming import CutOff
from dualgate.core.values.state import Proof
from dualgate.session.added_outputs import added_outputs
from dualgate.testing import a_state

MORE = "[guard]\noutputs = ['known.db', 'more.db']\n"
LESS = b"[guard]\noutputs = ['known.db']\n"
BROKEN = b"[guard\n"
STATE = a_state(proof=Proof(start_tree="s"))
HALTED = CutOff(started=cast("Any", None), spec="", state=STATE, before=STATE, tree="t")


def added(project: Path, found: CutOff, before: bytes | None, *known: str) -> tuple[tuple[str, ...], list[str]]:
    told: list[str] = []
    host = SimpleNamespace(project=project, environment={"HOME": str(project)}, tell=told.append)
    return added_outputs(found, known, cast("Any", host), lambda _tree, _path: before), told


@pytest.mark.parametrize(
    ("before", "known", "patterns"),
    [
        (None, (), ("known.db", "more.db")),
        (LESS, (), ("more.db",)),  # an agent wrote the other
        (LESS, ("known.db",), ("more.db",)),
        (MORE.encode(), ("known.db",), ()),
        (BROKEN, ("known.db",), ("more.db",)),
    ],
)
def test_patterns_that_a_person_wrote_since_the_session_stopped_are_added(
    tmp_path: Path, before: bytes | None, known: tuple[str, ...], patterns: tuple[str, ...]
) -> None:
    (tmp_path / "dualgate.toml").write_text(MORE)

    assert added(tmp_path, HALTED, before, *known) == (patterns, [])


def test_before_any_work_every_pattern_is_a_persons(tmp_path: Path) -> None:
    (tmp_path / "dualgate.toml").write_text(MORE)
    begun = CutOff(started=cast("Any", None), spec="", state=a_state(), before=a_state())

    assert added(tmp_path, begun, LESS) == (("known.db", "more.db"), [])


@pytest.mark.parametrize(("text", "testing"), [(MORE, True), ("[guard\n", False)])
def test_a_file_that_an_agent_may_have_changed_or_that_is_invalid_adds_nothing_and_is_named(
    tmp_path: Path, text: str, testing: bool
) -> None:
    (tmp_path / "dualgate.toml").write_text(text)
    found = CutOff(started=cast("Any", None), spec="", state=STATE, before=STATE, tree="t", testing=testing)

    patterns, (told,) = added(tmp_path, found, LESS)

    assert patterns == ()
    assert told.startswith("guard.outputs is unchanged")
