"""What a run tells and keeps holds no secret, and a run with secrets in it is decided as any other."""

import json
import os
import sys
from pathlib import Path

import pytest

from dualgate.errors import SandboxUnusable
from dualgate.processes.sandbox import require_bwrap
from tests.loop.scripts import GREEN, RED, REST
from tests.support import Dualgate, decisions

TOKEN = "q7-Zz81mmPq0"
FORM = f"ghp_{'a1b2c3d4' * 5}"
LEAKING = f"""
[[turn]]
phase = "RED"
says = "I used {TOKEN} and {FORM}."
[[turn.write]]
path = "tests/test_double.py"
text = '''
import os
import sys
import pytest
from doubling import double

@pytest.mark.parametrize("token", [os.environ["SERVICE_TOKEN"], "{FORM}"])
def test_ac1_numbers(token):
    print(token)
    assert double(2) == 4, f"Authorization: Bearer {{token}}"

def test_ac2_texts():
    assert double("a") == "aa"
'''
[[turn.write]]
path = "doubling.py"
text = '''
import os
import sys
def double(x): raise NotImplementedError(os.environ["SERVICE_TOKEN"])
'''
[[turn]]
phase = "GREEN"
says = "{TOKEN}"
[[turn.write]]
path = "notes.md"
text = "{TOKEN}"
"""


def kept(folder: Path) -> str:
    """All that is in the session folder. The snapshots of the work tree lie elsewhere, and are as it is."""
    return "\n".join(path.read_text(errors="replace") for path in folder.rglob("*") if path.is_file())


@pytest.mark.whole
def test_no_secret_is_kept_or_told_and_the_decisions_are_the_same(
    rehearse: Dualgate, dualgate: Dualgate, project: Path, tmp_path: Path
) -> None:
    with (project / "SPEC.md").open("a") as spec:
        spec.write("\nThe database is postgres://bob:hunter2@db.\n")
    ended = rehearse(LEAKING + GREEN + REST, SERVICE_TOKEN=TOKEN)
    told = [dualgate(*words, SERVICE_TOKEN=TOKEN) for words in (["log"], ["log", "--json"], ["replay"])]

    assert [decision for _, decision in decisions(ended)] == [
        "next_phase",
        "continue",
        *["next_phase"] * 3,
        "project_complete",
    ]
    assert [call.code for call in (ended, *told)] == [0, 0, 0, 0]
    everything = "\n".join(
        (ended.out, ended.err, *(call.out for call in told), kept(tmp_path / "home/.bp-sessions/doubling"))
    )
    assert "[redacted:SERVICE_TOKEN]" in everything
    assert [secret for secret in (TOKEN, FORM, "hunter2") if secret in everything] == []
    assert "6 of 6 probes killed" in everything
    assert "cannot be probed" not in everything
    assert (project / "notes.md").read_text() == TOKEN


def test_a_command_with_a_secret_of_the_environment_is_known_again_when_the_run_goes_on(
    dualgate: Dualgate, tmp_path: Path
) -> None:
    agent = tmp_path / "agent.sh"
    agent.write_text(f"#!/bin/sh\necho \"$1\" > {tmp_path}/given\necho 'no status'\n")
    agent.chmod(0o755)
    words = ("--agent-command", f"{agent} {TOKEN}", "--max-iterations", "1")
    dualgate("run", "SPEC.md", *words, SERVICE_TOKEN=TOKEN)
    dualgate("reset", SERVICE_TOKEN=TOKEN)
    (tmp_path / "given").unlink()

    resumed, unknown = dualgate("resume", SERVICE_TOKEN=TOKEN), dualgate("reset")
    without = dualgate("resume")

    assert (resumed.code, unknown.code, without.code) == (3, 0, 1)
    assert (tmp_path / "given").read_text() == f"{TOKEN}\n"
    assert "contained a secret, which the journal does not store: [redacted:SERVICE_TOKEN]" in without.err


WRITING_AT_HOME = """
from pathlib import Path

{at_once}
def test_cache():
    (Path.home() / "tool").mkdir()
    assert True
"""


@pytest.mark.parametrize("at_once", ["", '(Path.home() / "tool").mkdir()'], ids=["a test fails", "no test is run"])
@pytest.mark.whole
def test_a_baseline_that_fails_because_of_the_sandbox_says_so(
    rehearse: Dualgate, dualgate: Dualgate, project: Path, at_once: str
) -> None:
    try:
        require_bwrap(os.environ)
    except SandboxUnusable as error:
        pytest.skip(error.message)
    name = "conftest.py" if at_once else "test_cache.py"
    (project / "tests" / name).write_text(WRITING_AT_HOME.format(at_once=at_once))

    ended = rehearse(RED + GREEN + REST, "--sandbox", "bwrap")

    told = ended.err if at_once else dualgate("log").out
    assert "read-only; sandbox.writable allows to write there" in told
    assert ("--sandbox none runs them without it" in told) is bool(at_once)


@pytest.mark.whole
def test_a_run_in_the_sandbox_is_proven_and_cannot_reach_its_own_record(
    rehearse: Dualgate, dualgate: Dualgate, project: Path, tmp_path: Path
) -> None:
    try:
        require_bwrap(os.environ)
    except SandboxUnusable as error:
        pytest.skip(error.message)
    reaching = (
        """run = ["rm -rf $HOME/.bp-sessions/*", "echo x > $HOME/x; ls $HOME/.bp-sessions > seen; rm -f $HOME/x"]"""
    )
    ended = rehearse(RED.replace('phase = "RED"', f'phase = "RED"\n{reaching}') + GREEN + REST, "--sandbox", "bwrap")
    told = dualgate("status", "--json")

    assert [call.code for call in (ended, told)] == [0, 0]
    assert ended.lines[-1]["proven"]
    assert (project / "seen").read_text() == ""
    assert not (tmp_path / "home" / "x").exists()


@pytest.mark.whole
def test_a_request_from_the_sandbox_is_refused_and_recorded_and_a_link_in_its_place_leads_nowhere(
    rehearse: Dualgate, dualgate: Dualgate, project: Path, tmp_path: Path
) -> None:
    try:
        require_bwrap(os.environ)
    except SandboxUnusable as error:
        pytest.skip(error.message)
    kept = tmp_path / "home" / "notes"
    kept.mkdir()
    (kept / "1-skip.json").write_text("{}")
    asking = f"{sys.executable} -m dualgate guide approve-everything 2> said; env -i {sys.executable} -m dualgate abort"
    linking = "cd $HOME/.bp-sessions/.attempts/*/ && mv requests sent && ln -s $HOME/notes requests"
    # of programs below /tmp, the sandbox shows those of the PATH
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))

    asked = RED.replace('phase = "RED"', f'phase = "RED"\nrun = ["{asking}"]')
    rehearse(asked, "--sandbox", "bwrap", "--max-iterations", "1", PATH=path)
    told = dualgate("log", "--json").lines
    linked = RED.replace('phase = "RED"', f'phase = "RED"\nrun = ["{linking}"]')
    rehearse(linked, "--fresh", "--sandbox", "bwrap", "--max-iterations", "1")

    refused = [event["data"]["request"] for event in told if event["kind"] == "request.refused"]
    assert refused == ["guide approve-everything", "abort"]
    assert "The attempt is recorded." in (project / "said").read_text()
    assert (kept / "1-skip.json").exists()


def test_a_sandbox_that_cannot_be_had_is_said_before_anything_is_begun(dualgate: Dualgate, tmp_path: Path) -> None:
    ended = dualgate("run", "SPEC.md", "--agent", "rehearsal", "--sandbox", "bwrap", PATH=str(tmp_path))

    assert (ended.code, "bwrap" in ended.err or "Linux" in ended.err) == (1, True)
    assert not (tmp_path / "home" / ".bp-sessions" / "doubling" / "journal.jsonl").exists()


def test_a_line_that_is_changed_while_nothing_runs_is_named_by_every_command(
    rehearse: Dualgate, dualgate: Dualgate, tmp_path: Path
) -> None:
    rehearse(RED, "--max-iterations", "1")
    session = tmp_path / "home/.bp-sessions/doubling"
    (session / "loop-state.json").write_text("{}")
    rebuilt = dualgate("reset")
    state = json.loads((session / "loop-state.json").read_bytes())
    whole = (session / "journal.jsonl").read_bytes()
    (session / "journal.jsonl").write_bytes(whole.replace(b'"RED"', b'"QA"', 1))
    number = whole[: whole.index(b'"RED"')].count(b"\n") + 1
    identifier = json.loads(whole.splitlines()[0])["data"]["session_id"]

    told = [dualgate(*words) for words in (["status"], ["replay"], ["resume"], ["sessions", "show", identifier])]

    assert (rebuilt.code, state["session_id"]) == (0, identifier)
    assert [call.code for call in told] == [1, 1, 1, 1]
    assert all(f"journal.jsonl:{number}: was changed after it was written" in call.err for call in told)
