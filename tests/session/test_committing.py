"""Proven trees become commits on the run's branch; everything else in the repository stays as it is."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from dualgate.core.values.commits import CommitMade
from dualgate.core.values.vocabulary import AgentCommits, CommitUse, Phase, Status
from dualgate.errors import GitFailed
from dualgate.settings.committing import Commits
from tests.session.commit_kit import Bench, Killed, a_hook, a_repository, fingerprint, git


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return a_repository(tmp_path / "shop")


@pytest.fixture
def bench(project: Path, tmp_path: Path) -> Bench:
    return Bench(project, tmp_path / "store").planned()


def work(project: Path) -> None:
    (project / "code.py").write_text("new = 2\n")
    (project / "added.py").write_text("added = 1\n")


def made(bench: Bench) -> CommitMade:
    return bench.state.commits.made[-1]


def test_a_dirty_checkout_stays_as_it_is_byte_by_byte(project: Path, tmp_path: Path) -> None:
    (project / "gone.py").write_text("stashed = 1\n")
    git(project, "stash")
    (project / "staged.txt").write_text("staged\n")
    git(project, "add", "staged.txt")
    (project / "staged.txt").write_text("staged, and edited\n")
    (project / "mine.txt").write_text("untracked\n")
    bench = Bench(project, tmp_path / "store").planned()
    work(project)
    before = fingerprint(project)

    bench.passed(Phase.RED).commit()
    work_of_red = bench.files()
    (project / "code.py").write_text("new = 3\n")
    bench.passed(Phase.GREEN).commit()
    (project / "code.py").write_text("new = 2\n")

    assert fingerprint(project) == before
    assert work_of_red == ["A\tadded.py", "M\tcode.py"]
    assert bench.files() == ["M\tcode.py"]
    assert bench.log() == ["Work of GREEN", "Work of RED", "first"]
    assert bench.log("%an <%ae>")[0] == "Ann <ann@example.org>"


def test_deletions_modes_links_renames_and_strange_names_are_committed(project: Path, bench: Bench) -> None:
    strange = os.fsdecode(b"caf\xe9 \n\t.py")
    (project / "gone.py").rename(project / "moved.py")
    (project / "moved.py").chmod(0o755)
    (project / "link").symlink_to("code.py")
    (project / strange).write_text("x = 1\n")
    shutil.rmtree(project / "pkg")
    (project / "pkg").write_text("a file now\n")
    (project / "code.py").unlink()
    (project / "code.py").mkdir()
    (project / "code.py" / "inner.py").write_text("x = 1\n")

    bench.passed(Phase.GREEN).commit()

    assert bench.reason == ""
    rows = git(project, "ls-tree", "-rz", bench.branch).split("\0")[:-1]
    assert {row.partition("\t")[2]: row[:6] for row in rows} == {
        ".gitignore": "100644",
        "code.py/inner.py": "100644",
        "link": "120000",
        "moved.py": "100755",
        "pkg": "100644",
        strange: "100644",
    }


def test_ignored_files_and_test_outputs_are_left_out(project: Path, bench: Bench) -> None:
    from dualgate.core.values.replacing import replace

    bench.state = replace(bench.state, proof=replace(bench.state.proof, outputs=("out/**",)))
    work(project)
    (project / ".gitignore").write_text("local.cfg\n")
    (project / "local.cfg").write_text("hidden by the run itself\n")
    (project / "out").mkdir()
    (project / "out" / "report.xml").write_text("<x/>\n")

    bench.passed(Phase.GREEN).commit()

    assert bench.files() == ["M\t.gitignore", "A\tadded.py", "M\tcode.py"]
    assert made(bench).left_out == ("local.cfg",)


def test_an_edit_of_a_person_in_a_file_of_the_run_is_committed_and_named(project: Path, tmp_path: Path) -> None:
    (project / "code.py").write_text("mine = 1\n")
    (project / "gone.py").write_text("mine = 1\n")
    bench = Bench(project, tmp_path / "store").planned()
    (project / "code.py").write_text("mine = 1\nruns = 1\n")

    bench.passed(Phase.GREEN).commit()

    assert made(bench).mixed == ("code.py",)
    assert bench.files() == ["M\tcode.py"]


def test_a_phase_without_changes_makes_no_commit_and_is_not_tried_again(project: Path, bench: Bench) -> None:
    work(project)
    bench.passed(Phase.GREEN).commit()
    count = len(bench.events)
    bench.passed(Phase.QA).commit()

    assert len(bench.events) == count


def test_a_project_in_a_folder_of_a_larger_repository_commits_only_its_own_paths(tmp_path: Path) -> None:
    root = a_repository(tmp_path / "mono")
    project = root / "packages" / "shop"
    project.mkdir(parents=True)
    (project / "a.py").write_text("a = 1\n")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "shop")
    bench = Bench(project, tmp_path / "store").planned()
    (project / "a.py").write_text("a = 2\n")
    (root / "elsewhere.txt").write_text("not the run's\n")

    bench.passed(Phase.GREEN).commit()

    assert bench.files() == ["M\tpackages/shop/a.py"]


@pytest.mark.parametrize("dies_at", ["commit.started", "commit.made"])
def test_a_kill_neither_loses_nor_doubles_a_commit(project: Path, bench: Bench, dies_at: str) -> None:
    work(project)
    bench.passed(Phase.RED).dies_at = dies_at
    with pytest.raises(Killed):
        bench.commit()
    bench.dies_at = ""

    bench.commit()
    bench.commit()

    assert bench.log() == ["Work of RED", "first"]
    assert made(bench).commit == git(project, "rev-parse", bench.branch).strip()


def test_a_kill_after_the_commit_was_written_and_before_the_branch_moved_makes_it_again(
    project: Path, bench: Bench
) -> None:
    work(project)
    a_hook(project, "reference-transaction", "exit 1")
    bench.planned().passed(Phase.RED).commit()
    assert "reference-transaction" in bench.reason or "update-ref" in bench.reason
    (project / ".git" / "hooks" / "reference-transaction").unlink()

    bench.planned().commit()

    assert bench.log() == ["Work of RED", "first"]


# hooks


def test_a_hook_that_fails_is_a_refusal_with_its_output_and_is_never_bypassed(project: Path, tmp_path: Path) -> None:
    a_hook(project, "pre-commit", "git diff --cached --name-only; echo 'no good'; exit 3")
    bench = Bench(project, tmp_path / "store").planned()
    work(project)
    before = fingerprint(project)

    bench.passed(Phase.GREEN).commit()
    bench.commit()

    refusal = bench.state.commits.refusal
    assert refusal is not None
    assert (refusal.hook, refusal.reason) == ("pre-commit", "the hook pre-commit exits with 3")
    assert refusal.output == "added.py\ncode.py\nno good"
    assert [event.kind for event in bench.events] == ["commit.planned", "commit.started", "commit.failed"]
    assert fingerprint(project) == before
    assert "dualgate/doubling" not in git(project, "branch")


def test_a_refused_tree_is_committed_with_the_next_phase_once_the_hook_accepts(project: Path, tmp_path: Path) -> None:
    a_hook(project, "pre-commit", "grep -q good code.py")
    bench = Bench(project, tmp_path / "store").planned()
    work(project)
    bench.passed(Phase.RED).commit()
    (project / "code.py").write_text("good = 1\n")

    bench.passed(Phase.GREEN).commit()

    assert bench.log() == ["Work of GREEN", "first"]
    assert bench.files() == ["A\tadded.py", "M\tcode.py"]
    assert bench.reason == ""


FORMATTER = "sed -i 's/  */ /g' added.py && git add added.py"
FIXER = "if grep -q '  ' added.py; then sed -i 's/  */ /g' added.py; exit 1; fi"


@pytest.mark.parametrize("script", [FORMATTER, FIXER])
def test_files_that_a_hook_rewrites_are_committed_if_the_tests_have_the_same_results(
    project: Path, tmp_path: Path, script: str
) -> None:
    a_hook(project, "pre-commit", script)
    tried = []
    bench = Bench(project, tmp_path / "store", prove=lambda _, tree, __: tried.append(tree) or ()).planned()  # type: ignore[func-returns-value]
    (project / "added.py").write_text("added   =   1\n")

    bench.passed(Phase.GREEN).commit()

    assert git(project, "show", f"{bench.branch}:added.py") == "added = 1\n"
    assert (project / "added.py").read_text() == "added   =   1\n"
    assert made(bench).rewritten == ("added.py",)
    assert len(tried) == 1


def test_files_that_a_hook_rewrites_are_refused_if_the_tests_differ(project: Path, tmp_path: Path) -> None:
    a_hook(project, "pre-commit", FORMATTER)
    bench = Bench(project, tmp_path / "store", prove=lambda *_: ("test_x fails",)).planned()
    (project / "added.py").write_text("added   =   1\n")

    bench.passed(Phase.GREEN).commit()

    assert bench.reason.startswith("the hook pre-commit rewrites added.py, and what it makes of them is not proven")
    assert "test_x fails" in bench.reason


def test_a_hook_that_takes_too_long_is_stopped(project: Path, tmp_path: Path) -> None:
    from itertools import count
    from threading import Event

    from dualgate.core.values.control import Control
    from dualgate.processes.supervisor import Supervisor
    from dualgate.workspace.commit_hooks import hook_place
    from dualgate.workspace.commits import commit_of, open_repository, tree_of

    a_hook(project, "pre-commit", "sleep 600")
    repository = open_repository(project)
    head, ticks = commit_of(repository, "HEAD"), count(0, 10)
    tree = tree_of(repository, head)
    with hook_place(repository, tree, head, "dualgate/x", Supervisor(dict(os.environ)), 30) as place:
        ended = place.run("pre-commit", Control(cancel=Event(), clock=lambda: float(next(ticks))))

    assert ended.problem == "did not end within 30 s and was stopped"


def test_a_hook_that_is_not_executable_is_ignored_and_named(project: Path, tmp_path: Path) -> None:
    a_hook(project, "pre-commit", "exit 1", mode=0o644)
    bench = Bench(project, tmp_path / "store").planned()
    work(project)

    bench.passed(Phase.GREEN).commit()

    assert made(bench).notes == ("the hook pre-commit is ignored: it is not executable",)


def test_hooks_of_another_folder_see_the_branch_and_may_write_the_message(project: Path, tmp_path: Path) -> None:
    git(project, "config", "core.hooksPath", ".githooks")
    a_hook(project, "prepare-commit-msg", 'sed -i "1s|^|$(git symbolic-ref --short HEAD): |" "$1"', folder=".githooks")
    a_hook(project, "commit-msg", 'echo "Ticket: 7" >>"$1"', folder=".githooks")
    a_hook(project, "post-commit", f"git log -1 --format=%s >{tmp_path}/after; exit 1", folder=".githooks")
    bench = Bench(project, tmp_path / "store").planned()
    work(project)

    bench.passed(Phase.GREEN).commit()

    assert bench.log()[0] == "dualgate/doubling: Work of GREEN"
    assert bench.log("%(trailers:key=Ticket,valueonly)")[0] == "7"
    assert (tmp_path / "after").read_text() == "dualgate/doubling: Work of GREEN\n"
    assert made(bench).notes == ("the hook post-commit exits with 1, after the commit",)


def test_a_message_hook_that_refuses_or_empties_the_message_refuses_the_commit(project: Path, tmp_path: Path) -> None:
    a_hook(project, "commit-msg", '>"$1"')
    bench = Bench(project, tmp_path / "store").planned()
    work(project)
    bench.passed(Phase.RED).commit()
    assert bench.reason == "a hook left the message empty"

    a_hook(project, "commit-msg", "echo 'type(scope): subject' >&2; exit 1")
    bench.planned().passed(Phase.GREEN).commit()

    assert bench.reason == "the hook commit-msg exits with 1"


def test_a_message_hook_that_asks_for_a_type_gets_one(project: Path, tmp_path: Path) -> None:
    a_hook(project, "commit-msg", 'grep -qE "^[a-z]+: [a-z]" "$1" || exit 1; echo "Ticket: 7" >>"$1"')
    bench = Bench(project, tmp_path / "store").planned()
    work(project)
    bench.passed(Phase.RED).commit()

    assert bench.log()[0] == "feat: work of RED"
    assert bench.log("%(trailers:key=Ticket,valueonly)")[0] == "7"


@pytest.mark.parametrize("what", ["hook", "setting"])
def test_a_hook_or_setting_that_changed_during_the_run_is_not_executed(
    project: Path, bench: Bench, tmp_path: Path, what: str
) -> None:
    work(project)
    if what == "hook":
        a_hook(project, "pre-commit", f"touch {tmp_path}/executed")
    else:
        git(project, "config", "core.sshCommand", f"touch {tmp_path}/executed")

    bench.passed(Phase.GREEN).commit()

    assert bench.reason == "the hooks or the configuration of the repository changed since the run began"
    assert not (tmp_path / "executed").exists()


def test_what_a_hook_does_to_its_index_and_stash_does_not_reach_the_person(project: Path, tmp_path: Path) -> None:
    a_hook(project, "pre-commit", "echo x >>code.py; git stash; git tag mine; git checkout -q -b other; exit 1")
    bench = Bench(project, tmp_path / "store").planned()
    work(project)
    before = fingerprint(project)

    bench.passed(Phase.GREEN).commit()

    assert fingerprint(project) == before


# branches


def test_a_branch_of_another_run_is_left_alone(project: Path, tmp_path: Path) -> None:
    git(project, "branch", "dualgate/doubling")

    bench = Bench(project, tmp_path / "store").planned()
    work(project)
    bench.passed(Phase.GREEN).commit()

    assert bench.branch == "dualgate/doubling-2"
    assert git(project, "log", "--format=%s", "dualgate/doubling") == "first\n"


def test_a_branch_that_somebody_moved_is_not_committed_to(project: Path, bench: Bench) -> None:
    work(project)
    bench.passed(Phase.RED).commit()
    git(project, "branch", "-f", bench.branch, "main")
    (project / "code.py").write_text("new = 3\n")

    bench.passed(Phase.GREEN).commit()

    assert bench.reason.startswith("the branch dualgate/doubling is at ")
    assert bench.log() == ["first"]


def test_a_branch_that_a_person_deleted_is_made_again_after_the_last_commit(project: Path, bench: Bench) -> None:
    work(project)
    bench.passed(Phase.RED).commit()
    git(project, "branch", "-D", bench.branch)
    (project / "code.py").write_text("new = 3\n")

    bench.passed(Phase.GREEN).commit()

    assert bench.log() == ["Work of GREEN", "Work of RED", "first"]


def test_the_current_branch_is_committed_to_if_asked_and_other_staged_work_stays_staged(
    project: Path, tmp_path: Path
) -> None:
    (project / "staged.txt").write_text("staged\n")
    git(project, "add", "staged.txt")
    bench = Bench(project, tmp_path / "store", Commits(when=CommitUse.PHASE, branch="current")).planned()
    work(project)

    bench.passed(Phase.GREEN).commit()

    assert bench.branch == "main"
    assert bench.log() == ["Work of GREEN", "first"]
    assert git(project, "status", "--porcelain") == "A  staged.txt\n"


@pytest.mark.parametrize(("kept", "subjects"), [("squash", ["Work of GREEN", "first"]), ("keep", [])])
def test_commits_of_the_agent_are_squashed_or_kept_and_its_branch_is_not_rewritten(
    project: Path, tmp_path: Path, kept: str, subjects: list[str]
) -> None:
    settings = Commits(when=CommitUse.PHASE, agent=AgentCommits(kept))
    bench = Bench(project, tmp_path / "store", settings).planned()
    work(project)
    git(project, "add", "code.py")
    git(project, "commit", "-qm", "agent")
    tip = git(project, "rev-parse", "main")

    bench.passed(Phase.GREEN).commit()

    assert bench.log() == (subjects or ["Work of GREEN", "agent", "first"])
    assert git(project, "rev-parse", "main") == tip
    assert git(project, "show", f"{bench.branch}:code.py") == "new = 2\n"


def test_a_detached_head_has_a_branch_of_the_run_and_no_current_one(project: Path, tmp_path: Path) -> None:
    git(project, "checkout", "-q", "--detach")
    bench = Bench(project, tmp_path / "store").planned()
    work(project)
    bench.passed(Phase.GREEN).commit()
    assert bench.log() == ["Work of GREEN", "first"]

    with pytest.raises(GitFailed, match="HEAD is detached"):
        Bench(project, tmp_path / "other", Commits(when=CommitUse.RUN, branch="current")).planned()


@pytest.mark.parametrize(
    ("commands", "branch", "reason"),
    [
        ((("branch", "dualgate"),), None, "There is a branch dualgate, so git can have none called dualgate/doubling"),
        ((), "no..name", "'no..name' is no name for a branch"),
        ((), "-x", "'-x' is no name for a branch"),
        ((("commit", "-q", "--allow-empty", "-m", "b"), ("branch", "x", "main~")), "x", "and the work begins at"),
        ((("config", "user.name", ""),), None, "git does not know the author of the commits. 'git var' exits"),
        (
            (("config", "commit.gpgSign", "true"), ("config", "gpg.program", "false")),
            None,
            "git cannot sign the commit. 'git commit-tree' exits",
        ),
        ((("worktree", "add", "-q", "-b", "x", "../linked"),), "x", "is checked out in"),
    ],
)
def test_a_run_that_could_not_commit_is_refused_before_any_work(
    project: Path, tmp_path: Path, commands: tuple[tuple[str, ...], ...], branch: str | None, reason: str
) -> None:
    for words in commands:
        git(project, *words)

    with pytest.raises(GitFailed, match=reason.replace(".", r"\.")) as refused:
        Bench(project, tmp_path / "store", Commits(when=CommitUse.RUN, branch=branch)).planned()

    assert refused.value.next_step


def test_a_repository_without_commits_and_a_folder_without_repository_are_refused(tmp_path: Path) -> None:
    empty, plain = tmp_path / "empty", tmp_path / "plain"
    for place in (empty, plain):
        place.mkdir()
    git(empty, "init", "-q")

    with pytest.raises(GitFailed, match="has no commit yet"):
        Bench(empty, tmp_path / "store").planned()
    with pytest.raises(GitFailed, match="is in no git repository"):
        Bench(plain, tmp_path / "other").planned()


# repositories of many kinds


def test_a_linked_work_tree_commits_to_its_own_branch_and_its_index_follows(project: Path, tmp_path: Path) -> None:
    git(project, "worktree", "add", "-q", "-b", "dualgate/own", "../linked")
    linked = tmp_path / "linked"
    bench = Bench(linked, tmp_path / "store").planned()
    before = fingerprint(project)
    work(linked)

    bench.passed(Phase.GREEN).commit()

    assert bench.branch == "dualgate/own"
    assert git(linked, "status", "--porcelain") == ""
    assert git(linked, "log", "--format=%s") == "Work of GREEN\nfirst\n"
    assert fingerprint(project) == before


def test_changes_in_a_submodule_are_left_out_and_named(project: Path, tmp_path: Path) -> None:
    a_repository(tmp_path / "library")
    git(project, "submodule", "--quiet", "add", str(tmp_path / "library"), "lib")
    git(project, "commit", "-qm", "lib")
    bench = Bench(project, tmp_path / "store").planned()
    work(project)
    (project / "lib" / "code.py").write_text("new = 2\n")

    bench.passed(Phase.GREEN).commit()

    assert bench.files() == ["A\tadded.py", "M\tcode.py"]
    assert made(bench).left_out == ("lib/code.py",)


def test_filters_and_line_ends_are_those_of_git_add(project: Path, tmp_path: Path) -> None:
    git(project, "config", "filter.upper.clean", "tr a-z A-Z")
    git(project, "config", "filter.upper.smudge", "tr A-Z a-z")
    git(project, "config", "filter.pointer.clean", "printf 'version 1\\noid %s\\n' $(sha256sum | cut -c1-8)")
    (project / ".gitattributes").write_text("*.up filter=upper\n*.bin filter=pointer\n*.crlf text eol=crlf\n")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "attributes")
    bench = Bench(project, tmp_path / "store").planned()
    (project / "a.up").write_text("word\n")
    (project / "b.bin").write_bytes(bytes(100))
    (project / "c.crlf").write_bytes(b"line\r\n")

    bench.passed(Phase.GREEN).commit()

    assert git(project, "cat-file", "blob", f"{bench.branch}:a.up") == "WORD\n"
    assert git(project, "cat-file", "blob", f"{bench.branch}:b.bin").startswith("version 1\noid ")
    assert git(project, "cat-file", "blob", f"{bench.branch}:c.crlf") == "line\n"


def test_autocrlf_commits_line_feeds(project: Path, tmp_path: Path) -> None:
    git(project, "config", "core.autocrlf", "true")
    bench = Bench(project, tmp_path / "store").planned()
    (project / "added.txt").write_bytes(b"a\r\nb\r\n")

    bench.passed(Phase.GREEN).commit()

    assert git(project, "cat-file", "blob", f"{bench.branch}:added.txt") == "a\nb\n"


def test_a_sparse_checkout_keeps_the_files_that_it_does_not_show(project: Path, tmp_path: Path) -> None:
    (project / "far").mkdir()
    (project / "far" / "away.py").write_text("far = 1\n")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "far")
    git(project, "sparse-checkout", "set", "near")
    a_hook(project, "pre-commit", "exit 0")
    bench = Bench(project, tmp_path / "store").planned()
    work(project)

    bench.passed(Phase.GREEN).commit()

    assert bench.files() == ["A\tadded.py", "M\tcode.py"]
    assert git(project, "show", f"{bench.branch}:far/away.py") == "far = 1\n"


def test_hooks_are_tried_before_the_commit_at_the_end(project: Path, tmp_path: Path) -> None:
    a_hook(project, "pre-commit", "grep -q good code.py")
    bench = Bench(project, tmp_path / "store", Commits(when=CommitUse.RUN)).planned()
    work(project)

    bench.passed(Phase.RED).commit()
    bench.passed(Phase.GREEN).commit()
    assert bench.reason == "the hook pre-commit exits with 1"
    (project / "code.py").write_text("good = 1\n")
    bench.passed(Phase.REFACTOR).commit()
    assert bench.reason == ""
    assert "dualgate/" not in git(project, "branch")
    bench.passed(Phase.QA, Status.COMPLETED).commit()

    assert [event.kind.removeprefix("commit.") for event in bench.events] == [
        *("planned", "tried", "tried", "started", "made")
    ]
    assert bench.log() == ["Work of QA", "first"]


def test_the_commit_can_be_found_by_its_evidence(project: Path, bench: Bench) -> None:
    work(project)
    bench.passed(Phase.GREEN).commit()

    proven = bench.state.commits.proven
    assert proven is not None
    evidence = bench.log("%(trailers:key=Dualgate-Evidence,valueonly)")[0]
    assert evidence.startswith(f"GREEN tree {proven.tree} journal ")
    assert subprocess.run(["git", "fsck", "--strict"], cwd=project, capture_output=True).returncode == 0
