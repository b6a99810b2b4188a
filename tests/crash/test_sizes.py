"""Sizes that no run is made for: an answer of a gigabyte, and a project of 50,000 files."""

import json
import sys
from pathlib import Path

import pytest

from dualgate.core.values.vocabulary import Phase
from dualgate.testing import NOW
from dualgate.workspace.phase_rules import NOTHING_FROZEN
from dualgate.workspace.saved import SavedSnapshots
from dualgate.workspace.worktree import WorkTree
from tests.workspace.places import TEST, in_phase, run_python

MEGABYTE = 1 << 20
LITTLE, ALL = 64, 900
"""Megabytes: more than the longest line that is read, and nearly as much as an answer may have."""
TOO_MUCH = 1100
MOST_MORE = 1.25
"""How much more memory a long answer may take than a short one."""
LINE = json.dumps({"type": "assistant", "message": {"content": [{"type": "text", "text": "x" * 900}]}}) + "\n"
KINDS = {"text": "x" * 1023 + "\n", "events": LINE, "one line": "x" * 1024}

ASKING = """
import json, os, resource, sys
from pathlib import Path
from dualgate.agents.command import CommandAgent
from dualgate.processes.supervisor import Supervisor
from dualgate.testing import a_call, a_control

agent = CommandAgent(command=sys.argv[1], project=Path(sys.argv[2]), supervisor=Supervisor(os.environ))
answer = agent.ask(a_call(), a_control()).answer
failure = answer.failure.kind if answer.failure else ""
most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps({"length": len(answer.text), "failure": failure, "memory": most}))
"""
SAYING = """
import sys
piece = {piece!r}.encode() * 256
for _ in range({size} // len(piece)):
    sys.stdout.buffer.write(piece)
"""


def asked(folder: Path, piece: str, megabytes: int) -> dict[str, object]:
    """The answer of a program that says so much, and the memory that dualgate took to read it."""
    (folder / "say.py").write_text(SAYING.format(piece=piece, size=megabytes * MEGABYTE))
    told: dict[str, object] = json.loads(run_python(ASKING, f"{sys.executable} {folder / 'say.py'}", str(folder)))
    return told


@pytest.mark.parametrize("kind", KINDS)
def test_the_memory_for_an_answer_does_not_grow_with_it(tmp_path: Path, kind: str) -> None:
    little, much = (asked(tmp_path, KINDS[kind], size) for size in (LITTLE, ALL))

    assert much["length"] == little["length"]
    assert float(str(much["memory"])) < MOST_MORE * float(str(little["memory"]))


def test_an_answer_of_more_than_a_gigabyte_is_a_flood_in_the_same_memory(tmp_path: Path) -> None:
    little, flood = (asked(tmp_path, KINDS["text"], size) for size in (LITTLE, TOO_MUCH))

    assert (little["failure"], flood["failure"]) == ("", "flooded")
    assert float(str(flood["memory"])) < MOST_MORE * float(str(little["memory"]))


def test_a_project_of_50000_files_is_kept_settled_and_restored(tmp_path: Path) -> None:
    project = tmp_path / "project"
    for folder in range(500):
        (project / f"pkg{folder}").mkdir(parents=True)
        for number in range(100):
            (project / f"pkg{folder}" / f"part{number}.py").write_text(f"x = {folder * number % 97}\n")
    (project / "tests").mkdir()
    (project / "tests" / "test_x.py").write_text(TEST)
    saved = SavedSnapshots(project, tmp_path / "snapshots.db", tmp_path / "session")
    worktree = WorkTree(saved, saved.look_anew(), lambda: NOW, frozen=NOTHING_FROZEN)
    state, before = in_phase(Phase.GREEN, worktree), worktree.present
    (project / "pkg7" / "part7.py").write_text("x = 'changed'\n")
    (project / "pkg7" / "new.py").write_text("x = 1\n")
    (project / "pkg8" / "part8.py").unlink()
    (project / "tests" / "test_x.py").write_text("def test_a(): pass\n")

    changes = worktree.settle(state)
    worktree.become(before, "the tree before it")

    assert (changes.created, changes.modified, changes.deleted) == (
        ("pkg7/new.py",),
        ("pkg7/part7.py",),
        ("pkg8/part8.py",),
    )
    assert [each.path for each in changes.violations] == ["tests/test_x.py"]
    assert worktree.present == before
    assert (project / "pkg8" / "part8.py").read_text() == f"x = {8 * 8 % 97}\n"
