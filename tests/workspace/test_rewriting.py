"""While tests are rewritten, their files are not frozen; everything else is."""

from dataclasses import replace
from pathlib import Path

import pytest

from dualgate.core.values.probes import WeakCriterion
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import Phase
from dualgate.testing import passed
from dualgate.workspace.phase_rules import FROZEN, TESTS_ONLY
from dualgate.workspace.worktree import WorkTree
from tests.workspace.places import CODE, a_project, a_worktree, in_phase

WEAK = WeakCriterion(id="AC-1", reason="it notices nothing", tests=("tests/test_weak.py::test_ac1",))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = a_project(tmp_path / "project")
    (root / "tests").mkdir(exist_ok=True)
    (root / "tests" / "test_weak.py").write_text("def test_ac1(): pass\n")
    (root / "tests" / "test_good.py").write_text("def test_ac2(): assert 1\n")
    return root


@pytest.fixture
def worktree(project: Path, tmp_path: Path) -> WorkTree:
    return a_worktree(project, tmp_path)


def rewriting(worktree: WorkTree) -> LoopState:
    state = in_phase(Phase.GREEN, worktree)
    results = tuple(
        passed(name, id=f"tests/{file}::{name}", file=f"tests/{file}")
        for file, name in (("test_weak.py", "test_ac1"), ("test_good.py", "test_ac2"))
    )
    proof = replace(state.proof, proven=results, proven_tree=worktree.present, rewriting=(WEAK,))
    return replace(state, phase=Phase.RED, proof=proof)


def test_the_file_of_the_weak_test_may_change(project: Path, worktree: WorkTree) -> None:
    state = rewriting(worktree)
    (project / "tests" / "test_weak.py").write_text("def test_ac1(): assert 2\n")
    (project / "tests" / "test_more.py").write_text("def test_ac1_more(): assert 3\n")

    assert worktree.settle(state).violations == ()
    assert (project / "tests" / "test_weak.py").read_text() == "def test_ac1(): assert 2\n"


def test_code_and_other_tests_are_reverted(project: Path, worktree: WorkTree) -> None:
    state = rewriting(worktree)
    (project / "code.py").write_text("x = 3\n")
    (project / "tests" / "test_good.py").write_text("def test_ac2(): pass\n")

    violations = worktree.settle(state).violations

    assert {each.path: each.rule for each in violations} == {
        "code.py": TESTS_ONLY,
        "tests/test_good.py": FROZEN,
    }
    assert (project / "code.py").read_text() == CODE


def test_the_changes_since_a_tree_can_be_added_to_another(project: Path, worktree: WorkTree) -> None:
    red = worktree.present
    (project / "code.py").write_text("x = 3\n")
    proven = worktree.settle(in_phase(Phase.GREEN, worktree)).tree
    (project / "tests" / "test_weak.py").write_text("def test_ac1(): assert 2\n")
    worktree.settle(rewriting(worktree))

    made = worktree.with_changes(red, proven)

    assert worktree.read(made, "code.py") == CODE.encode()
    assert worktree.read(made, "tests/test_weak.py") == b"def test_ac1(): assert 2\n"


def test_code_is_reverted_also_if_the_weak_tests_are_gone(project: Path, worktree: WorkTree) -> None:
    state = rewriting(worktree)
    state = replace(state, proof=replace(state.proof, rewriting=(replace(WEAK, tests=()),)))
    (project / "code.py").write_text("x = 3\n")
    (project / "tests" / "test_weak_again.py").write_text("def test_ac1(): assert 2\n")

    assert {each.path: each.rule for each in worktree.settle(state).violations} == {"code.py": TESTS_ONLY}


def test_sources_are_changed_files_that_are_neither_tests_nor_documents(project: Path, worktree: WorkTree) -> None:
    state = in_phase(Phase.GREEN, worktree)
    for path in ("fee.py", "rates.json", "README.md", "tests/test_fee.py", "tests/data.json"):
        (project / path).write_text("1")

    assert worktree.settle(state).sources == ("fee.py", "rates.json")
    assert worktree.settle(replace(state, phase=Phase.REFACTOR)).sources == ()


def test_names_that_stand_in_no_source_are_told(project: Path, worktree: WorkTree) -> None:
    (project / "fee.py").write_text("def fee(x): return x\n")
    (project / "README.md").write_text("rate")
    (project / "tests" / "test_rate.py").write_text("def test_rate(): tax()")
    worktree.settle(in_phase(Phase.GREEN, worktree))

    assert worktree.unmentioned({"fee", "rate", "tax"}) == {"rate", "tax"}
    assert worktree.unmentioned({"fee"}) == frozenset()


def test_a_script_has_the_name_of_its_file_and_a_module_what_is_defined_in_it(
    project: Path, worktree: WorkTree
) -> None:
    (project / "double.sh").write_text("echo $(($1 + $1))\n")
    (project / "fee.py").write_text("def other(x): return x\n")
    worktree.settle(in_phase(Phase.GREEN, worktree))

    assert worktree.unmentioned({"double", "fee"}) == {"fee"}
