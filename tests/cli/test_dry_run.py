import shutil
from pathlib import Path

from dualgate.store.owners import is_owned
from tests.session.commit_kit import a_hook, begun, fingerprint, git
from tests.support import Dualgate


def test_a_dry_run_shows_everything_and_leaves_nothing(
    dualgate: Dualgate, project: Path, environment: dict[str, str]
) -> None:
    before = sorted(project.rglob("*")), sorted(Path(environment["HOME"]).rglob("*"))

    bounded = ("--max-duration", "8h", "--max-cost", "5", "--calls", "1200", "--budget", "QA.tokens=900")
    ended = dualgate("run", "SPEC.md", "--agent-command", "false", "--dry-run", *bounded)

    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("Dry run: no agent is asked, no test is run, nothing is written.\n")
    for words in (
        "Spec     SPEC.md: Doubling, 2 criteria",
        "RED       tester       false; halts after 3 without progress, 5 with the same error",
        "GREEN     when 2 full runs of one tree are green",
        "-m pytest -q  (pytest;",
        "100 iterations in a phase, 8h",
        "at most $5.00 (max_cost)",
        "at most 900 tokens (budget.QA.tokens)",
        "at most 1,200 in an hour (max_calls_per_hour)",
        "an agent that asks must decide by itself",
        "phase RED, iteration 1 of at most 100",
        "- AC-2 (new, no test): double(",
    ):
        assert words in ended.out
    assert (sorted(project.rglob("*")), sorted(Path(environment["HOME"]).rglob("*"))) == before


def test_a_dry_run_for_programs_is_one_object(dualgate: Dualgate) -> None:
    ended = dualgate("run", "SPEC.md", "--agent", "rehearsal", "--dry-run", "--json", "--on-question", "halt")

    (told,) = ended.lines
    assert [phase["phase"] for phase in told["phases"]] == ["RED", "GREEN", "REFACTOR", "DOCUMENT", "QA"]
    assert (told["phases"][4]["agent"], told["limits"]["halt_on_question"]) == ("rehearsal", True)
    assert (told["suites"][0]["name"], told["in_the_way"]) == ("pytest", None)
    assert told["prompt"].startswith("# Doubling")


def test_the_specification_can_be_named_as_other_loops_name_a_prompt(dualgate: Dualgate) -> None:
    ended = dualgate("run", "-P", "SPEC.md", "--agent-command", "false", "--dry-run")
    twice = dualgate("run", "SPEC.md", "--prompt-file", "SPEC.md", "--agent-command", "false", "--dry-run")

    assert (ended.code, "Spec     SPEC.md: Doubling, 2 criteria" in ended.out) == (0, True)
    assert (twice.code, "give one of them" in twice.err) == (2, True)


def test_a_dry_run_over_a_task_list_shows_the_list_and_what_is_not_used(dualgate: Dualgate, project: Path) -> None:
    (project / ".ralph").mkdir()
    for name in ("PROMPT.md", ".ralph/PROMPT.md", "IMPLEMENTATION_PLAN.md", "fix_plan.md"):
        (project / name).write_text("# Do it\n\n- [x] one\n- [ ] two\n")

    ended = dualgate("run", "--workflow", "ralph", "--agent-command", "false", "--dry-run")
    (told,) = dualgate("run", "--workflow", "ralph", "--agent-command", "false", "--dry-run", "--json").lines

    for words in (
        "Prompt   PROMPT.md: Do it\n",
        "Tasks    IMPLEMENTATION_PLAN.md: 1 done, 1 open\n",
        "Not used the prompt .ralph/PROMPT.md: PROMPT.md is there too, and comes first\n",
        "         the task list fix_plan.md: IMPLEMENTATION_PLAN.md is there too, and comes first\n",
    ):
        assert words in ended.out
    assert told["tasks"] == {
        "file": "IMPLEMENTATION_PLAN.md",
        "gone": False,
        "done": 1,
        "open": ["two"],
        "unmarked": [],
    }
    assert len(told["unused"]) == 2


def test_a_dry_run_says_that_nothing_can_be_proven_without_tests(dualgate: Dualgate, project: Path) -> None:
    shutil.rmtree(project / "tests")
    (project / "conftest.py").unlink()
    (project / "PROMPT.md").write_text("Do it.\n")
    words = ("run", "--workflow", "ralph", "--agent-command", "false", "--dry-run")

    ended = dualgate(*words, DUALGATE_TEST_COMMAND="")

    assert "Tasks    none yet\n" in ended.out
    assert (
        "Tests    none are configured, and none were found; tests that the agent writes are found and run\n"
        in ended.out
    )


def test_a_dry_run_says_what_a_run_would_be_refused_for(dualgate: Dualgate, project: Path) -> None:
    dualgate("run", "SPEC.md", "--agent", "rehearsal:lying")
    dualgate("reset")

    paused = dualgate("run", "SPEC.md", "--agent", "rehearsal", "--dry-run")
    fresh = dualgate("run", "SPEC.md", "--agent", "rehearsal", "--dry-run", "--fresh")
    wrong = dualgate("run", "GONE.md", "--agent", "rehearsal", "--dry-run")

    assert "has not ended. Continue with: dualgate resume." in paused.out
    assert "has not ended" not in fresh.out
    assert (wrong.code, "GONE.md cannot be read" in wrong.err) == (1, True)
    assert not is_owned(project)


def test_a_dry_run_shows_the_commits_and_the_request_and_writes_nothing(
    dualgate: Dualgate, project: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    begun(project)
    git(project, "remote", "add", "origin", "https://me:secret@github.example/o/r")
    git(project, "config", "commit.gpgSign", "true")
    git(project, "config", "gpg.program", f"{tmp_path}/never-run")
    a_hook(tmp_path, "gh", f"touch {tmp_path}/asked", folder="bin")
    a_hook(project, "pre-commit", f"touch {tmp_path}/ran")
    a_hook(project, "commit-msg", "exit 0", mode=0o644)
    words = ("run", "SPEC.md", "--agent-command", "false", "--dry-run", "--commit", "phase", "--pr")
    path = f"{tmp_path / 'bin'}:{environment['PATH']}"
    before = fingerprint(project), sorted(project.rglob("*"))

    ended = dualgate(*words, PATH=path, DUALGATE_COMMIT_COAUTHOR="Bo <bo@example.org>")
    (told,) = dualgate(*words, "--json", PATH=path).lines
    without = dualgate(*words)

    base = git(project, "rev-parse", "HEAD").strip()
    for row in (
        f"Commit   one commit for each phase that passes, on the new branch dualgate/doubling, from {base[:12]}",
        "Hooks    pre-commit; ignored, since not executable: commit-msg",
        "Author   Ann <ann@example.org>, signed; the signature is tried when the run starts",
        "Trailers Dualgate-Phase, Dualgate-Session, Dualgate-Evidence, Co-authored-by: Bo <bo@example.org>",
        "Request  push to origin, https://github.example/o/r; then to the main branch with gh, if it is logged in",
    ):
        assert row in ended.out
    assert (ended.code, told["commits"]["base"], told["commits"]["request"]["program"]) == (0, base, "gh")
    assert "nothing would be pushed to origin, and the commands printed" in without.out
    assert (fingerprint(project), sorted(project.rglob("*"))) == before
    assert not {"ran", "asked"}.intersection(each.name for each in tmp_path.iterdir())


def test_a_dry_run_says_why_commits_would_be_refused(dualgate: Dualgate, project: Path) -> None:
    words = ("run", "SPEC.md", "--agent-command", "false", "--dry-run", "--pr")
    without = dualgate(*words)
    begun(project)
    moved = dualgate(*words, "--branch", "a..b")
    no_remote = dualgate(*words)

    assert without.code == 1
    assert "a run would be refused: " in without.out
    assert (moved.code, "'a..b' is no name for a branch" in moved.out) == (1, True)
    assert (no_remote.code, "Request  would not be opened: No remote is named" in no_remote.out) == (0, True)
