"""`dualgate hook …` as hosts call it: always exit 0, and nothing but the answer on standard output."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from dualgate.hooks.answers import HOSTS, SILENT
from dualgate.hooks.entry import is_hook_call
from tests.hooks.conftest import git

pytestmark = pytest.mark.whole


def call(home: dict[str, str], given: bytes, *words: str, **more: str) -> tuple[int, str, str]:
    environment = {"PATH": os.environ["PATH"], **home, **more}
    command = [sys.executable, "-m", "dualgate", "hook", *words]
    done = subprocess.run(command, input=given, capture_output=True, env=environment, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def payload(root: Path, **more: object) -> bytes:
    return json.dumps({"session_id": "s", "cwd": str(root), "last_assistant_message": "Done.", **more}).encode()


CALLS = [
    (["hook", "stop", "--host", "claude"], True),
    (["hook", "start", "--host", "copilot"], True),
    (["hook", "stop", "--host", "other"], False),
    (["hook", "stop", "--help"], False),
    (["hook", "stop", "--host", "claude", "--budget", "60s"], False),
    (["hook"], False),
    ([], False),
]


@pytest.mark.parametrize(("arguments", "is_call"), CALLS)
def test_only_the_words_of_settings_take_the_short_way(arguments: list[str], is_call: bool) -> None:
    assert is_hook_call(arguments) is is_call


BROKEN = [b"", b"{", b"[]", b"null", b"\xff\xfe\x00", b'"text"', b"[" * 100_000]


@pytest.mark.parametrize("given", BROKEN)
def test_broken_input_lets_the_agent_stop_and_says_so(given: bytes, home: dict[str, str]) -> None:
    code, out, err = call(home, given, "stop", "--host", "claude")

    assert (code, err) == (0, "")
    assert "no JSON object" in json.loads(out)["systemMessage"]


@pytest.mark.parametrize("host", HOSTS)
def test_an_unchanged_tree_is_answered_in_silence(host: str, repository: Path, home: dict[str, str]) -> None:
    started = call(home, payload(repository), "start", "--host", host)
    stopped = call(home, payload(repository), "stop", "--host", host)

    assert started == (0, "", "")
    assert stopped == (0, f"{SILENT[host]}\n" if SILENT[host] else "", "")


def test_the_short_way_loads_nothing_that_takes_long(repository: Path, home: dict[str, str]) -> None:
    call(home, payload(repository), "start", "--host", "claude")
    code = (
        "import sys; from dualgate.__main__ import main; sys.argv = ['dualgate', 'hook', 'stop', '--host', 'claude'];"
        "main(); print(sorted({'click', 'msgspec', 'dataclasses', 'jinja2', 'inspect'} & set(sys.modules)))"
    )
    environment = {"PATH": os.environ["PATH"], **home}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, input=payload(repository), capture_output=True, env=environment, check=True)

    assert done.stdout.decode() == "[]\n"


def test_an_error_of_ours_is_a_note_and_the_stop_is_looked_at_again(repository: Path, home: dict[str, str]) -> None:
    call(home, payload(repository), "start", "--host", "codex")
    (repository / "code.py").write_text("two = 2\n")
    records = Path(home["HOME"]) / ".bp-sessions" / ".hooks"
    for lock in records.glob("*"):
        lock.with_suffix(".lock").mkdir()  # which cannot be opened as a file
    code, out, err = call(home, payload(repository), "stop", "--host", "codex")

    assert (code, err) == (0, "")
    assert "the hook failed, and the work was not verified: IsADirectoryError" in json.loads(out)["systemMessage"]


def test_nothing_is_verified_inside_a_call_of_a_run(repository: Path, home: dict[str, str]) -> None:
    (repository / "code.py").write_text("two = 2\n")

    assert call(home, payload(repository), "stop", "--host", "claude", DUALGATE_OWNER="a:1") == (0, "", "")
    assert not (Path(home["HOME"]) / ".bp-sessions").exists()


def test_an_edit_without_a_run_is_allowed_in_silence(repository: Path, home: dict[str, str]) -> None:
    given = payload(repository, tool_name="Write", tool_input={"file_path": "tests/test_a.py", "content": ""})

    for host in HOSTS:
        assert call(home, given, "edit", "--host", host) == (0, "", "")
    assert call(home, b"broken", "edit", "--host", "claude") == (0, "", "")


def test_a_folder_without_a_repository_is_left_alone(tmp_path: Path, home: dict[str, str]) -> None:
    assert call(home, payload(tmp_path), "stop", "--host", "gemini") == (0, "{}\n", "")


def test_a_wrong_call_does_not_block_an_agent(home: dict[str, str], tmp_path: Path) -> None:
    code, out, err = call(home, payload(tmp_path), "stop", "--host", "other")

    assert code == 1
    assert out == ""
    assert "other" in err


def test_a_program_of_the_project_is_not_taken_for_git(repository: Path, home: dict[str, str]) -> None:
    planted = repository / "git"
    planted.write_text("#!/bin/sh\ntouch ran\n")
    planted.chmod(0o755)
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "planted")
    path = f"{repository}:{os.environ['PATH']}"
    call(home, payload(repository), "start", "--host", "claude", PATH=path)
    call(home, payload(repository), "stop", "--host", "claude", PATH=path)

    assert not (repository / "ran").exists()
