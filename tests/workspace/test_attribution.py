"""Agent, tests, person: three sets that never mix."""

from pathlib import Path

import pytest

from dualgate.core.values.changes import is_output
from dualgate.core.values.vocabulary import Phase
from dualgate.testing import NOW
from dualgate.workspace.others import OtherTrees
from dualgate.workspace.outputs import output_patterns
from dualgate.workspace.phase_rules import FROZEN
from dualgate.workspace.saved import SavedSnapshots
from dualgate.workspace.worktree import CHANGED_MEANWHILE, WorkTree
from tests.workspace.places import CODE, TEST, a_project, a_worktree, git, in_phase


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return a_project(tmp_path / "project")


@pytest.fixture
def worktree(project: Path, tmp_path: Path) -> WorkTree:
    return a_worktree(project, tmp_path)


LEARNED = [
    ("one file each time", ["out.txt"], ["out.txt"], ["code.py"], ["out.txt"], ["out2.txt", "sub/out.txt"]),
    ("another number", ["run-1.log"], ["run-2.log"], ["code.py"], ["run-77.log"], ["run-x.log", "walk-1.log"]),
    ("a random name", ["t-0a1b2c3d"], ["t-ffee0011"], ["code.py"], ["t-abcdef99"], ["u-abcdef99"]),
    (
        "a uuid",
        ["0a1b2c3d-0a1b-4a1b-8a1b-0a1b2c3d4e5f.db"],
        ["ffffffff-0000-4fff-9fff-0a1b2c3d4e5f.db"],
        ["code.py"],
        ["12345678-90ab-4cde-8f01-234567890abc.db"],
        ["code.db"],
    ),
    ("a temporary name", ["tmpab12_x9k.txt"], ["tmpzz00aaaa.txt"], ["code.py"], ["tmp________.txt"], ["tmp_code.txt"]),
    ("a number that stays", ["v1.txt"], ["v1.txt"], ["code.py"], ["v1.txt"], ["v2.txt"]),
    ("a folder of its own", ["htmlcov/a.html"], ["htmlcov/b.html"], ["code.py"], ["htmlcov/js/x.js"], ["html/a"]),
    ("a folder of the project", ["src/gen.txt"], ["src/gen.txt"], ["src/code.py"], ["src/gen.txt"], ["src/new.py"]),
    ("signs of a pattern", ["a[1].txt"], ["a[1].txt"], ["code.py"], ["a[1].txt"], ["a1.txt"]),
]


@pytest.mark.parametrize(
    ("first", "second", "others", "theirs", "not_theirs"), [case[1:] for case in LEARNED], ids=[c[0] for c in LEARNED]
)
def test_what_test_runs_write_is_known_from_two_of_them(
    first: list[str], second: list[str], others: list[str], theirs: list[str], not_theirs: list[str]
) -> None:
    patterns = output_patterns(first, second, [*others, *first, *second])

    assert [path for path in theirs if not is_output(path, patterns)] == []
    assert [path for path in not_theirs if is_output(path, patterns)] == []


def test_an_edit_between_two_calls_is_a_persons_and_stays(project: Path, worktree: WorkTree) -> None:
    state = in_phase(Phase.GREEN, worktree)
    (project / "tests" / "test_x.py").write_text("def test_a():\n    assert 2 == 3\n")
    (project / "theirs.py").write_text("x = 1\n")

    edits = worktree.edited(state)

    assert edits is not None
    assert (edits.created, edits.modified, edits.deleted) == (("theirs.py",), ("tests/test_x.py",), ())
    moved = in_phase(Phase.GREEN, worktree, start_tree=edits.start_tree, proven_tree=edits.proven_tree)
    (project / "agents.py").write_text("y = 1\n")
    changes = worktree.settle(moved)
    assert (changes.created, changes.violations) == (("agents.py",), ())
    assert (project / "tests" / "test_x.py").read_text() == "def test_a():\n    assert 2 == 3\n"
    assert worktree.edited(moved) is None


def test_a_persons_edit_does_not_bless_what_the_agent_did_before_it(project: Path, worktree: WorkTree) -> None:
    state = in_phase(Phase.GREEN, worktree)
    (project / "agents.py").write_text("y = 1\n")
    worktree.settle(state)
    (project / "theirs.py").write_text("x = 1\n")

    edits = worktree.edited(state)

    assert edits is not None
    assert edits.created == ("theirs.py",)
    assert edits.start_tree not in (worktree.present, state.proof.start_tree)


def test_what_a_person_does_to_the_history_is_not_the_agents(project: Path, tmp_path: Path) -> None:
    git(project, "init", "-q")
    git(project, "add", ".")
    git(project, "commit", "-qm", "first")
    worktree = a_worktree(project, tmp_path)
    git(project, "commit", "-q", "--amend", "-m", "second")

    assert worktree.edited(in_phase(Phase.GREEN, worktree)) is None
    assert worktree.settle(in_phase(Phase.GREEN, worktree)).violations == ()


def test_what_tests_write_is_neither_the_agents_nor_a_violation(project: Path, worktree: WorkTree) -> None:
    for number in (1, 2):
        (project / "htmlcov").mkdir(exist_ok=True)
        (project / "htmlcov" / f"page{number}.html").write_text("x")
        (project / "tests" / "last-run.txt").write_text(str(number))
        written = worktree.written_since()
    outputs = worktree.learned(("htmlcov/page1.html", "tests/last-run.txt"), written)
    for phase in (Phase.GREEN, Phase.DOCUMENT, Phase.QA):
        state = in_phase(phase, worktree, outputs=outputs)
        (project / "htmlcov" / f"{phase}.html").write_text("x")
        (project / "tests" / "last-run.txt").write_text(phase)

        changes = worktree.settle(state)

        assert (changes.paths, changes.violations) == ((), ())
        assert changes.outputs == (f"htmlcov/{phase}.html", "tests/last-run.txt")


def test_what_steers_is_never_an_output(project: Path, worktree: WorkTree) -> None:
    state = in_phase(Phase.GREEN, worktree, outputs=("htmlcov/*",))
    (project / "htmlcov").mkdir()
    (project / "htmlcov" / "conftest.py").write_text("collect_ignore = []")

    assert [each.rule for each in worktree.settle(state).violations] == [FROZEN]
    (project / "htmlcov").mkdir(exist_ok=True)
    (project / "htmlcov" / "conftest.py").write_text("collect_ignore = []")
    assert worktree.after_run(("htmlcov/*",)) == ("htmlcov/conftest.py",)
    assert not (project / "htmlcov" / "conftest.py").exists()


def test_a_run_that_spoils_the_tree_is_told_and_put_right(project: Path, worktree: WorkTree) -> None:
    before = worktree.present
    (project / "tests" / "test_x.py").write_text("")
    (project / "report.xml").write_text("x")

    assert worktree.after_run(("report.xml",)) == ("tests/test_x.py",)
    assert (project / "tests" / "test_x.py").read_text() == TEST
    assert worktree.present != before
    assert worktree.edited(in_phase(Phase.GREEN, worktree)) is None


def test_tests_may_remove_what_killed_tests_left(project: Path, worktree: WorkTree) -> None:
    before = worktree.present
    (project / "scratch.tmp").write_text("half")
    worktree.expect_leftovers(before)
    worktree.settle(in_phase(Phase.RED, worktree))

    (project / "scratch.tmp").unlink()
    assert worktree.after_run(()) == ()
    assert not (project / "scratch.tmp").exists()

    (project / "code.py").unlink()
    assert worktree.after_run(()) == ("code.py",)


def test_what_a_person_wrote_while_the_tests_ran_can_be_had_back(project: Path, tmp_path: Path) -> None:
    worktree = a_worktree(project, tmp_path)
    (project / "code.py").write_text("# an hour of work")

    assert worktree.after_run(()) == ("code.py",)

    assert (project / "code.py").read_text() == CODE
    with SavedSnapshots(project, tmp_path / "snapshots.db", tmp_path / "session") as saved:
        kept = next(each for each in saved.catalog.all() if each.label == CHANGED_MEANWHILE)
        saved.restore(kept, ["code.py"], NOW)
    assert (project / "code.py").read_text() == "# an hour of work"


def test_nothing_below_another_owner_is_ever_reverted(project: Path, tmp_path: Path) -> None:
    owned: list[Path] = []
    saved = SavedSnapshots(project, tmp_path / "objects.db")
    worktree = WorkTree(saved, saved.look_anew(), lambda: NOW, others=OtherTrees(project, lambda: owned))
    state, before = in_phase(Phase.QA, worktree), worktree.present
    owned.append(project / "trees" / "fix")
    for path in ("trees/fix/code.py", "trees/fix2/code.py"):
        (project / path).parent.mkdir(parents=True)
        (project / path).write_text("x = 1\n")

    changes = worktree.settle(state)
    owned.clear()
    (project / "trees" / "fix" / "code.py").write_text("x = 2\n")
    worktree.become(before, "a roll-back")
    worktree.settle(state)

    assert [each.path for each in changes.violations] == ["trees/fix2/code.py"]
    assert (project / "trees" / "fix" / "code.py").read_text() == "x = 2\n"


def test_a_linked_worktree_is_no_part_of_the_tree_around_it_unless_it_was(project: Path, tmp_path: Path) -> None:
    git(project, "init", "-q")
    git(project, "add", ".")
    git(project, "commit", "-qm", "first")
    git(project, "worktree", "add", "-q", "trees/fix")
    saved = SavedSnapshots(project, tmp_path / "objects.db")
    first = saved.save("first", NOW)
    # an agent declares a folder of the work a worktree
    (project / ".git" / "worktrees" / "fake").mkdir()
    (project / ".git" / "worktrees" / "fake" / "gitdir").write_text(f"{project}/tests/.git\n")
    (project / "tests" / ".git").write_text(f"gitdir: {project}/.git/worktrees/fake\n")
    second = saved.save("second", NOW)

    assert [path for path, _ in saved.seen_as(first).entries(first.tree) if path.startswith("trees")] == []
    assert second.tree == first.tree


@pytest.mark.parametrize("phase", [Phase.GREEN, Phase.QA])
def test_a_linked_worktree_that_begins_in_a_hidden_place_during_a_run_is_left_alone_and_no_other_folder(
    project: Path, tmp_path: Path, phase: Phase
) -> None:
    git(project, "init", "-q")
    (project / "conftest.py").write_text("")
    git(project, "add", ".")
    git(project, "commit", "-qm", "first")
    worktree = a_worktree(project, tmp_path)
    state, before = in_phase(phase, worktree), worktree.present
    for number, place in enumerate((".claude/worktrees/a", ".worktrees/b", ".cargo", "worktrees/c")):
        git(project, "worktree", "add", "-q", "-b", f"side{number}", place)
    (project / ".claude" / "worktrees" / "faked").mkdir()
    (project / ".claude" / "worktrees" / "faked" / "conftest.py").write_text("x = 1\n")

    changes = worktree.settle(state)
    (project / ".claude" / "worktrees" / "a" / "conftest.py").write_text("mine = True\n")
    worktree.become(before, "a roll-back")

    told = {*changes.paths, *(each.path for each in changes.violations)}
    assert not [path for path in told if path.startswith((".claude/worktrees/a", ".worktrees/"))]
    assert {".cargo/conftest.py", "worktrees/c/conftest.py", ".claude/worktrees/faked/conftest.py"} <= told
    assert (project / ".claude" / "worktrees" / "a" / "conftest.py").read_text() == "mine = True\n"


def test_an_edit_in_a_review_that_anybody_may_have_made_is_kept_and_named_with_the_way_back(
    project: Path, worktree: WorkTree
) -> None:
    (project / "code.py").write_text("theirs = True\n")

    (reverted,) = worktree.settle(in_phase(Phase.QA, worktree)).violations

    assert (reverted.path, reverted.reverted, bool(reverted.kept)) == ("code.py", True, True)


def test_ignore_rules_of_red_cover_new_outputs_in_later_phases_and_hide_no_work(
    project: Path, worktree: WorkTree
) -> None:
    start = worktree.present
    (project / ".gitignore").write_text("*.log\nout/\ncode.py\n")
    worktree.settle(in_phase(Phase.RED, worktree))
    proof = {"start_tree": start, "red_tree": worktree.present, "proven_tree": worktree.present}
    (project / "out").mkdir()
    for name in ("app.log", "out/page.html", "out/answer.py", "code.py", "notes.db"):
        (project / name).write_text("new")

    changes = worktree.settle(in_phase(Phase.DOCUMENT, worktree, **proof))

    assert [each.path for each in changes.violations] == ["code.py", "notes.db", "out/answer.py"]
    assert (changes.outputs, changes.learned) == (("app.log", "out/page.html"),) * 2
    assert (changes.paths, (project / "code.py").read_text()) == ((), CODE)


def test_ignore_rules_from_after_red_cover_nothing(project: Path, worktree: WorkTree) -> None:
    state = in_phase(Phase.QA, worktree, red_tree=worktree.present)
    (project / ".gitignore").write_text("*.log\n")
    (project / "app.log").write_text("new")

    assert {each.path for each in worktree.settle(state).violations} == {".gitignore", "app.log"}
