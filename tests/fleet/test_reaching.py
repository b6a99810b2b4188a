"""Every command about a session or its tree reaches a worktree by its name, from the person's own folder."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from dualgate.cli.commands import dualgate
from dualgate.core.values.reaching import REACHING
from tests.fleet.conftest import Called, Making
from tests.fleet.places import committed, everything, git
from tests.loop.scripts import RED

Agent = tuple[str, str]
OTHERS = {
    "analyze": "a file",
    "agents": "the machine",
    "agents try": "the machine",
    "check": "a specification",
    "completions": "the shell",
    "dashboard": "every session",
    "demo": "a project of its own",
    "guard": "a group",
    "hook": "a group",
    "hook edit": "started by a coding agent in its folder",
    "hook start": "started by a coding agent in its folder",
    "hook stop": "started by a coding agent in its folder",
    "init": "a new project",
    "mcp": "has --root",
    "new": "a specification",
    "notify": "the machine",
    "notify queue": "the queue of the repository",
    "notify test": "the machine",
    "parse": "a file",
    "prompts": "a group",
    "prompts diff": "files of the project, to be committed",
    "prompts eject": "files of the project, to be committed",
    "prompts install": "files of the project, to be committed",
    "prompts list": "files of the project, to be committed",
    "prompts show": "files of the project, to be committed",
    "queue": "the queue of the repository",
    "queue add": "the queue of the repository",
    "queue list": "the queue of the repository",
    "queue remove": "the queue of the repository",
    "queue run": "the queue of the repository",
    "run": "makes the worktree",
    "schema": "no project",
    "snapshot": "a group",
    "traces": "a group",
    "worktrees": "all of them",
    "worktrees list": "all of them",
    "worktrees path": "takes the name",
    "worktrees remove": "takes the name",
    "worktrees restore": "takes the name",
}
"""Commands that are about something else than one session or its tree."""


def walked(group: click.Group, before: str = "") -> Iterator[tuple[str, click.Command]]:
    with click.Context(group) as context:
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            assert command is not None
            yield f"{before}{name}", command
            if isinstance(command, click.Group):
                yield from walked(command, f"{before}{name} ")


def test_every_command_takes_the_name_or_is_about_something_else() -> None:
    taking = {name for name, command in walked(dualgate) if any("--worktree" in each.opts for each in command.params)}

    assert taking - {"run"} == {*REACHING} - {"log show"}  # which click does not list
    assert {name for name, _ in walked(dualgate)} - taking == OTHERS.keys() - {"run"}


def test_the_page_lists_the_commands_that_take_the_name() -> None:
    text = Path("docs/worktrees.md").read_text()
    (listed,) = re.findall(r"These commands take `--worktree NAME`:\n\n(.*?)\n\n", text, re.DOTALL)

    assert {*re.findall(r"`([^`]+)`", listed)} == {
        name if name == "prompts next" else name.partition(" ")[0] for name in REACHING
    }


@pytest.fixture
def proven(repository: Path, call: Called, honest: Agent) -> Path:
    """A worktree with a proven session whose work is committed."""
    git(repository, "config", "user.name", "A")
    git(repository, "config", "user.email", "a@example.org")
    ended = call(repository, "run", "SPEC.md", "--worktree", "x", *honest, "--commit", "run", "--json")
    assert ended.code == 0, ended.err
    return repository.parent / "doubling.worktrees" / "x"


def test_evidence_of_a_worktree_is_read_from_the_checkout(repository: Path, call: Called, proven: Path) -> None:
    before = everything(repository)
    there = "--worktree", "x"

    listed = json.loads(call(repository, "snapshot", "list", *there, "--json").out)["snapshots"]
    first = listed[0]["id"]
    assert listed == json.loads(call(proven, "snapshot", "list", "--json").out)["snapshots"]
    assert "doubling.py" in call(repository, "snapshot", "diff", first, *there).out
    assert "SPEC.md" in call(repository, "snapshot", "show", first, *there).out
    assert call(repository, "replay", *there).code == 0
    assert "3 passed" in call(repository, "tests", *there).out
    assert call(repository, "verify", "--base", "main", "--session", *there).code == 0
    assert call(repository, "sessions", *there, "--json").lines[0]["sessions"][0]["project"] == str(proven)
    assert call(repository, "guard", "check", "--since", first, "--phase", "RED", *there).code == 0
    assert call(repository, "traces", "export", "--file", "-", *there).code == 0
    assert call(repository, "memory", *there).code == 0
    assert everything(repository) == before


def test_a_snapshot_of_a_worktree_is_restored_from_the_checkout(repository: Path, call: Called, make: Making) -> None:
    folder, before = make("x"), everything(repository)
    saved = call(repository, "snapshot", "save", "--worktree", "x")
    (folder / "conftest.py").write_text("broken(")
    (command,) = re.findall(r"dualgate (snapshot restore .*)", saved.out)

    ended = call(repository, *command.split(), "--yes")

    assert (ended.code, (folder / "conftest.py").read_text()) == (0, "")
    assert "Undo with: dualgate snapshot restore --worktree x " in ended.out
    assert everything(repository) == before


def test_a_pull_request_is_prepared_from_the_checkout(
    repository: Path, tmp_path: Path, call: Called, proven: Path
) -> None:
    git(repository, "init", "-q", "--bare", str(tmp_path / "remote.git"))
    git(repository, "remote", "add", "origin", str(tmp_path / "remote.git"))

    refused = call(repository, "pr", "--draft", "--worktree", "x")
    accepted = call(repository, "resume", "--worktree", "x", "--commit", "run")
    ended = call(repository, "pr", "--draft", "--worktree", "x")

    assert "dualgate resume --worktree x --commit run, then: dualgate pr --worktree x" in refused.err
    assert (accepted.code, "dualgate/x" in ended.out) == (0, True)
    assert git(repository, "rev-parse", "--abbrev-ref", "HEAD") == "main"


def test_printed_commands_work_in_the_folder_that_the_person_is_in(
    repository: Path, tmp_path: Path, call: Called
) -> None:
    (tmp_path / "stuck.toml").write_text(RED + '\n[[turn]]\nphase = "GREEN"\n' * 9)
    agent = "--agent", f"rehearsal:{tmp_path / 'stuck.toml'}"

    ended = call(repository, "run", "SPEC.md", "--worktree", "x", *agent)
    told = call(repository, "status", "--worktree", "x")
    inside = call(repository.parent / "doubling.worktrees" / "x", "status")
    ways = call(repository, "status", "--worktree", "x", "--json").lines[0]["next"]

    assert ended.code == 3
    assert "dualgate resume --worktree x --reset" in ended.out
    assert "dualgate resume --worktree x --reset" in told.out
    assert "dualgate resume --reset" in inside.out
    assert ways[0]["command"].startswith("dualgate resume --worktree x")
    refused = call(repository, "answer", "yes", "--worktree", "x")
    assert (refused.code, "dualgate status --worktree x" in refused.err) == (1, True)
    assert call(repository, *ways[-1]["command"].split()[1:], "--json").code in (0, 3)


def test_files_that_a_person_names_are_their_own(repository: Path, call: Called, proven: Path) -> None:
    there = "--worktree", "x"

    call(repository, "report", "--output", "r.html", *there)
    call(repository, "traces", "export", *there, "--file", "t.json")
    (repository / "earlier.json").write_text(call(repository, "tests", *there, "--json").out)
    compared = call(repository, "tests", *there, "--against", "earlier.json")
    verified = call(repository, "verify", *there, "--base", "main", "--session", "--md", "v.md")

    assert (compared.code, verified.code) == (0, 0), verified.err
    assert [(repository / name).is_file() for name in ("r.html", "t.json", "v.md")] == [True] * 3
    assert not [name for name in ("r.html", "t.json", "v.md") if (proven / name).exists()]
    assert "--worktree" not in (repository / "v.md").read_text()
    assert "--worktree x" not in call(repository, "report", *there, "--format", "md").out


def test_looking_at_a_worktree_runs_nothing(repository: Path, call: Called, make: Making) -> None:
    folder = make("x")
    committed(folder, **{"conftest.py": "open('ran', 'w')\n"})

    assert call(repository, "tests", "--list", "--worktree", "x").code == 0
    assert call(repository, "doctor", "--worktree", "x", "--agent", "rehearsal:honest").code == 0
    assert call(repository, "config", "--worktree", "x").code == 0
    assert call(repository, "prompts", "next", "SPEC.md", "--worktree", "x").code == 0

    assert not [place for place in (folder, repository) if (place / "ran").exists()]
