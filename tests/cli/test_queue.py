"""dualgate queue as a user calls it: adding, listing, removing, and requests that are refused."""

import json
import shlex
from pathlib import Path

import pytest

from tests.support import Dualgate

QUESTION = "# A\n\n## Features\n\n- it adds\n- it subtracts\n"


@pytest.fixture
def repository(project: Path) -> Path:
    from tests.fleet.places import committed

    committed(project)
    return project


def spec(project: Path, name: str, lines: str = "") -> str:
    path = project / "specs" / f"{name}.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"# {name}\n{lines}\n## Acceptance Criteria\n\n- AC-1: {name}(2) is 4\n")
    return f"specs/{name}.md"


def test_a_queue_is_listed_in_the_order_it_was_filled_with_what_each_job_waits_for(
    dualgate: Dualgate, repository: Path
) -> None:
    one, two = spec(repository, "one"), spec(repository, "two", "\n**Depends on:** one\n")

    added = dualgate("queue", "add", one, two, "--priority", "3")

    assert added.out == (
        "one is in the queue\ntwo is in the queue, after one\n"
        "No agent is named for one, two: give --agent, or 'agent' in dualgate.toml\n"
        "Start it with: dualgate queue run\n"
    )
    assert dualgate("queue").out == dualgate("queue", "list").out
    assert dualgate("queue").out == (
        "one  queued         -  priority 3\ntwo  queued         -  priority 3\n    waits for one\n"
        "2 jobs: 2 queued; go on with 2 jobs: dualgate queue run\n"
    )
    document = json.loads(dualgate("queue", "list", "--json").out)
    assert [(job["id"], job["needs"], job["priority"]) for job in document["jobs"]] == [
        ("one", [], 3),
        ("two", ["one"], 3),
    ]
    assert document["owner"] is None


def test_a_misspelt_agent_is_an_error_before_the_night_and_a_command_is_an_agent(
    dualgate: Dualgate, repository: Path
) -> None:
    one = spec(repository, "one")

    wrong = dualgate("queue", "add", one, "--agent", "claud")
    right = dualgate("queue", "add", one, "--with", "--agent-command 'my agent'")

    assert (wrong.code, wrong.err.splitlines()[0]) == (1, "dualgate: There is no agent 'claud'.")
    assert "Did you mean claude?" in wrong.err
    assert (right.code, "No agent is named" in right.out) == (0, False)
    assert json.loads(dualgate("queue", "list", "--json").out)["jobs"][0]["agent"] == "command:my agent"


@pytest.mark.parametrize(
    "words",
    [
        ("--agent", "rehearsal:../s.toml"),
        ("--with", "--agent=rehearsal:../s.toml"),
        ("--with", "--fallback rehearsal:../s.toml"),
    ],
)
def test_a_rehearsal_script_is_seen_from_where_the_person_is(
    dualgate: Dualgate, repository: Path, words: tuple[str, ...]
) -> None:
    script = repository.parent / "s.toml"
    script.write_text('[[turn]]\nphase = "BUILD"\n')
    one = spec(repository, "one")

    added = dualgate("queue", "add", one, *words)

    assert added.code == 0, added.err
    (file,) = (repository.parent / "home" / ".bp-sessions" / ".queues").glob("*.jsonl")
    assert f"rehearsal:{script}" in " ".join(json.loads(file.read_text())["data"]["words"])
    gone = dualgate("queue", "add", one, "--agent", "rehearsal:gone.toml")
    assert (gone.code, "There is no rehearsal script 'gone.toml'" in gone.err) == (1, True)
    assert dualgate("queue", "add", one, "--agent", "rehearsal:lying").code == 0


COMMANDS = [
    ("sh agent.sh", "agent.sh"),
    ("FAST=1 sh agent.sh --quick", "agent.sh"),
    ("sh -c 'exec ./agent.sh'", "./agent.sh"),
    ("sh logs/agent", "logs/agent"),
    ("sh ../outside.sh", "../outside.sh"),
    ("sh tracked.sh", ""),
    ("sh agent.local.sh", ""),
    ("sh missing.sh", ""),
    ("sh {0}/agent.sh", ""),
]


@pytest.mark.parametrize(("command", "missing"), COMMANDS)
def test_a_file_of_a_command_that_the_worktree_will_not_have_is_named(
    dualgate: Dualgate, repository: Path, command: str, missing: str
) -> None:
    from tests.fleet.places import committed

    committed(repository, **{"tracked.sh": "", ".gitignore": "logs/\n"})
    (repository / "logs").mkdir()
    for name in ("agent.sh", "agent.local.sh", "logs/agent", "../outside.sh"):
        (repository / name).write_text("exit 1\n")
    command = command.format(repository)

    added = dualgate("queue", "add", spec(repository, "one"), "--with", shlex.join(["--agent-command", command]))

    told = f"The worktree of a job will not have {missing} of '{command}': commit it, or give its whole path\n"
    assert added.out == f"one is in the queue\n{told if missing else ''}Start it with: dualgate queue run\n"


def test_a_job_is_removed_by_any_of_its_names(dualgate: Dualgate, repository: Path) -> None:
    dualgate("queue", "add", spec(repository, "one"), spec(repository, "two"))

    removed = dualgate("queue", "remove", "specs/one.md")

    assert (removed.code, removed.out) == (0, "one is removed from the queue\n")
    assert [job["id"] for job in json.loads(dualgate("queue", "list", "--json").out)["jobs"]] == ["two"]
    missing = dualgate("queue", "remove", "tow")
    assert (missing.code, missing.err) == (
        1,
        "dualgate: There is no job 'tow' in the queue.\nDid you mean two? 'dualgate queue list' lists them.\n",
    )


REFUSED = [
    (("add", "gone.md"), 1, "There is no file gone.md"),
    (("add", "../outside.md"), 1, "is not in the repository"),
    (("add", "question.md"), 1, "question.md"),
    (("add", "specs/one.md", "--after", "two"), 1, "it needs 'two', which is not in the queue"),
    (("add", "specs/one.md", "--after", "a, b"), 1, "Give the option again for each job: --after a --after b\n"),
    (("add", "specs/one.md", "--with", "--dry-run"), 2, "--with takes options of 'dualgate run' that start a run"),
    (("add", "specs/one.md", "--with", "other.md"), 2, "unexpected extra argument"),
    (("add", "specs/one.md", "--with", "--no-such-option"), 2, "--no-such-option"),
    (("add", "specs/one.md", "--with", "'"), 2, "--with cannot be read: No closing quotation"),
    (("add", "specs/one.md", "--with", "--help"), 2, "--with takes options of 'dualgate run' that start a run"),
    (("run", "--between", "late"), 2, "give hours of the day such as 22:00-07:00"),
    (("run", "--reserve", "some"), 2, "give a share or a number of an hour"),
    (("run", "--reserve", "20%"), 2, "claude and codex, if all jobs name one of them"),
    (("run", "--jobs", "0"), 2, "--jobs"),
]


@pytest.mark.parametrize(("words", "code", "text"), REFUSED)
def test_a_request_that_cannot_be_met_is_refused_before_anything_starts(
    dualgate: Dualgate, repository: Path, words: tuple[str, ...], code: int, text: str
) -> None:
    spec(repository, "one")
    (repository / "question.md").write_text(QUESTION)
    (repository.parent / "outside.md").write_text("# A\n")

    ended = dualgate("queue", *words)

    assert (ended.code, text in ended.err) == (code, True), ended.err
    assert dualgate("queue").out.startswith("The queue is empty.")


def test_a_folder_without_git_or_commits_is_refused(dualgate: Dualgate, project: Path) -> None:
    from tests.fleet.places import git

    spec(project, "one")
    for words in (("add", "specs/one.md"), ("list",), ("run",)):
        assert dualgate("queue", *words).code == 1
    git(project, "init", "-q")

    ended = dualgate("queue", "add", "specs/one.md")

    assert (ended.code, "has no commit yet" in ended.err) == (1, True)


def test_an_empty_queue_ends_at_once_and_one_session_folder_for_all_is_refused(
    dualgate: Dualgate, repository: Path
) -> None:
    ended = dualgate("queue", "run")
    assert (ended.code, ended.out.splitlines()[0]) == (
        0,
        "The queue is empty. Add a specification with: dualgate queue add SPEC",
    )

    refused = dualgate("queue", "run", PRP_SESSION_DIR=str(repository.parent / "sessions"))

    assert (refused.code, "all jobs would share one session folder" in refused.err) == (1, True)


def test_a_job_that_was_added_after_a_run_of_the_queue_has_not_ended_and_the_list_names_the_command(
    dualgate: Dualgate, repository: Path
) -> None:
    dualgate("queue", "run")
    dualgate("queue", "add", spec(repository, "one"))

    assert dualgate("queue", "list").out.splitlines()[-1] == "1 job: 1 queued; go on with 1 job: dualgate queue run"


def test_a_damaged_queue_is_named_and_not_changed(dualgate: Dualgate, repository: Path) -> None:
    dualgate("queue", "add", spec(repository, "one"))
    (file,) = (repository.parent / "home" / ".bp-sessions" / ".queues").glob("*.jsonl")
    file.write_bytes(b"\xff\n" + file.read_bytes())
    before = file.read_bytes()

    for words in (("list",), ("run",), ("remove", "one")):
        ended = dualgate("queue", *words)
        assert (ended.code, ":1: the line is no event of a queue" in ended.err) == (1, True)

    assert file.read_bytes() == before


def test_jobs_that_need_a_removed_one_are_named_with_the_way_on(dualgate: Dualgate, repository: Path) -> None:
    dualgate("queue", "add", spec(repository, "one"), spec(repository, "two", "\n**Depends on:** one\n"))

    removed = dualgate("queue", "remove", "one")

    assert removed.out == (
        "one is removed from the queue\n"
        "two cannot start now: it needs 'one', which is not in the queue.\n"
        "If that is merged: dualgate queue add specs/two.md --done NAME\n"
    )
    assert "Did you mean" not in dualgate("queue", "add", "specs/two.md", "--done", "one").err
