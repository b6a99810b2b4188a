"""Changed documents of a project: which count, and which files of a folder of documents are none."""

from dataclasses import replace
from pathlib import Path

import pytest

from dualgate.core.evidence.documents import CODE, EMPTY, NAMES_NOTHING, NOT_TEXT
from dualgate.core.values.changes import Uncounted
from dualgate.core.values.specification import starting_states
from dualgate.core.values.vocabulary import Phase
from dualgate.testing import NOW, a_spec
from dualgate.workspace.phase_rules import DOCUMENTS_ONLY, NOTHING_FROZEN, Freeze
from dualgate.workspace.saved import SavedSnapshots
from dualgate.workspace.worktree import WorkTree
from tests.workspace.places import a_project, in_phase


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return a_project(tmp_path / "project")


def a_worktree(project: Path, folder: Path, title: str = "", frozen: Freeze = NOTHING_FROZEN) -> WorkTree:
    saved = SavedSnapshots(project, folder / "snapshots.db", folder / "session")
    return WorkTree(saved, saved.look_anew(*frozen.spec), lambda: NOW, frozen=frozen, title=title)


def write(project: Path, path: str, text: str) -> None:
    (project / path).parent.mkdir(parents=True, exist_ok=True)
    (project / path).write_text(text)


def test_a_new_mode_or_an_empty_file_documents_nothing(project: Path, tmp_path: Path) -> None:
    write(project, "README.md", "# Read\n")
    worktree = a_worktree(project, tmp_path)
    write(project, "docs/empty.md", "\n")
    (project / "README.md").chmod(0o700)

    changes = worktree.settle(in_phase(Phase.DOCUMENT, worktree))

    assert (changes.documents, changes.uncounted) == ((), (Uncounted(path="docs/empty.md", reason=EMPTY),))


def test_a_document_is_judged_by_its_new_text_and_by_what_changed(project: Path, tmp_path: Path) -> None:
    worktree = a_worktree(project, tmp_path, title="Weather reports")
    state = replace(in_phase(Phase.RED, worktree), criteria_states=starting_states(a_spec(1).criteria))
    write(project, "code.py", "def double(): return 2\n")
    write(project, "data/table.json", "{}\n")
    write(project, "docs/code.md", "In code.py.")
    write(project, "docs/criterion.md", "AC-1 is met.")
    write(project, "docs/data.md", "See data/table.json.")
    write(project, "docs/title.md", "Reports of the weather are new.")
    write(project, "docs/other.md", "Nothing that anybody asked for.")
    write(project, "docs/binary.rst", "a\0b")
    write(project, "docs/adr/0001-x.md", "# X\n\nContext: one two\nDecision: one two\nConsequences: one two\n")

    changes = worktree.settle(state)

    assert changes.decision_records == ("docs/adr/0001-x.md",)
    assert changes.documents == (
        "docs/adr/0001-x.md",
        "docs/code.md",
        "docs/criterion.md",
        "docs/data.md",
        "docs/title.md",
    )
    assert {each.path: each.reason for each in changes.uncounted} == {
        "docs/binary.rst": NOT_TEXT,
        "docs/other.md": NAMES_NOTHING,
    }


def test_the_specification_is_no_document_of_the_run(project: Path, tmp_path: Path) -> None:
    write(project, "SPEC.md", "- [ ] AC-1: x\n")
    worktree = a_worktree(project, tmp_path, frozen=Freeze(spec=frozenset({"SPEC.md"})))
    write(project, "SPEC.md", "- [x] AC-1: x\n")

    changes = worktree.settle(in_phase(Phase.GREEN, worktree))

    assert (changes.modified, changes.documents, changes.uncounted) == (("SPEC.md",), (), ())


def test_code_beside_documents_may_change_and_does_not_count(project: Path, tmp_path: Path) -> None:
    worktree = a_worktree(project, tmp_path)
    write(project, "docs/conf.py", "project = 'x'\n")
    write(project, "docs/examples/use.js", "use()\n")
    write(project, "docs/logo.png", "picture")

    changes = worktree.settle(in_phase(Phase.DOCUMENT, worktree))

    assert (changes.documents, changes.violations) == ((), ())
    assert changes.uncounted == (
        Uncounted(path="docs/conf.py", reason=CODE, is_code=True),
        Uncounted(path="docs/examples/use.js", reason=CODE, is_code=True),
    )


@pytest.mark.parametrize("path", ["docs/__init__.py", "doc/lib/core.py"])
def test_a_package_in_a_folder_of_documents_is_code(project: Path, tmp_path: Path, path: str) -> None:
    write(project, "doc/lib/__init__.py", "")
    worktree = a_worktree(project, tmp_path)
    write(project, path, "x = 1\n")

    (found,) = worktree.settle(in_phase(Phase.DOCUMENT, worktree)).violations

    assert (found.path, found.rule) == (path, DOCUMENTS_ONLY)
