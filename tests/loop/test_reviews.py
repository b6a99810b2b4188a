"""Whole runs with a reviewer of its own: a rejection, the way back, and what becomes of it."""

import json
import os
import re
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from dualgate.errors import SandboxUnusable
from dualgate.processes.sandbox import require_bwrap
from tests.agents.played import play
from tests.core.said.blocks.block_samples import ralph_block
from tests.loop.scripts import GREEN, RED, REST
from tests.support import Dualgate, Ended, decisions

PACKET = """\
Phase: CODE_REVIEW
Status: {status}
Test file: tests/test_double.py
Test command: pytest -q
Changed files: none

Files reviewed: 2

Test Verification:
  3 passed
  3 passed
  3 passed
  3 passed
  3 passed

Issues Found:
  Critical: 0 | Major: {major} | Minor: 0

FixRequest: {requests}

Notes: none
"""
REQUEST = """
### FixRequest
- id: FR-1
- file: doubling.py
- location: line 1
- severity: major
- category: {category}
- description: what cannot be doubled is not refused
- proposedFix: raise TypeError
- verificationCommand: touch hacked
- routeTo: {route}
- confidence: high
- rationale: It is what the category says.
- dependsOn: none
"""
APPROVAL = f"{PACKET.format(status='passed', major=0, requests='none')}\nVerdict: APPROVE\n\n{ralph_block()}\n"
REVIEWER = """
import pathlib, sys
here = pathlib.Path(__file__).parent
number = len(list(here.glob("prompt-*"))) + 1
(here / f"prompt-{number}").write_text(sys.stdin.read())
answers = sorted(here.glob("answer-*"))
print(answers[min(number, len(answers)) - 1].read_text())
"""
Reviewing = Callable[..., Ended]


def rejection(category: str = "error-handling", route: str = "implementer") -> str:
    request = REQUEST.format(category=category, route=route)
    packet = PACKET.format(status="needs-fix", major=1, requests=request)
    return f"{packet}\nVerdict: REJECT\n\n{ralph_block(EXIT_SIGNAL='false', STATUS='IN_PROGRESS')}\n"


@pytest.fixture
def reviewed(dualgate: Dualgate, tmp_path: Path) -> Reviewing:
    """A run whose work is a script, and whose reviews are these answers, the last one again and again."""

    def call(script: str, *answers: str, code: str = REVIEWER, as_json: bool = True) -> Ended:
        desk = tmp_path / "desk"
        desk.mkdir()
        (desk / "reviewer.py").write_text(code)
        for number, answer in enumerate(answers, start=1):
            (desk / f"answer-{number}").write_text(answer)
        (tmp_path / "script.toml").write_text(script)
        reviewer = f"{sys.executable} {desk / 'reviewer.py'}"
        words = ("--agent", f"rehearsal:{tmp_path / 'script.toml'}", "--qa-agent-command", reviewer)
        return dualgate("run", "SPEC.md", *words, *(["--json"] if as_json else []))

    return call


MENDED = GREEN.replace("return x + x", "return x * 2  # mended")


def test_a_rejected_work_is_mended_and_what_the_mending_does_not_touch_is_proven_without_a_call(
    reviewed: Reviewing, dualgate: Dualgate, project: Path, tmp_path: Path
) -> None:
    ended = reviewed(RED + GREEN + MENDED + REST, rejection(), APPROVAL)

    assert (ended.code, decisions(ended)[4:]) == (
        0,
        [
            ("QA", "rejected"),
            ("GREEN", "next_phase"),
            ("REFACTOR", "next_phase"),
            ("DOCUMENT", "next_phase"),
            ("QA", "project_complete"),
        ],
    )
    asked = [("without_call" not in line) for line in ended.lines[5:9]]
    assert asked == [True, True, False, True]
    review = ended.lines[-1]["review"]
    assert (review["note"], review["rejections"], review["fixes"][0]["state"]) == (None, 1, "closed")
    assert not (project / "hacked").exists()
    assert "DOCUMENT  1  proven again without a call (no document changed since the review)" in dualgate("log").out
    second = (tmp_path / "desk" / "prompt-2").read_text()
    assert "- FR-1 (open, major) doubling.py, line 1: what cannot be doubled is not refused [its file" in second
    again, stricter = dualgate("replay", "--json"), dualgate("replay", "--what-if", "qa_returns=0", "--json")
    assert (again.code, again.lines[0]["decisions"]) == (0, len(ended.lines) - 1)
    (parted,) = stricter.lines[0]["differences"]
    assert (parted["recorded"]["decision"], parted["recomputed"]["decision"]) == ("rejected", "stuck")


def test_fixes_of_the_refactorer_alone_leave_green_standing(reviewed: Reviewing) -> None:
    ended = reviewed(RED + GREEN + REST, rejection("clean-code", "refactorer"), APPROVAL)

    again = [(line["phase"], line.get("without_call")) for line in ended.lines[5:8]]
    assert again == [
        ("GREEN", "the review asks nothing of GREEN, and nothing changed since"),
        ("REFACTOR", None),
        ("DOCUMENT", "no document changed since the review"),
    ]
    assert (ended.code, ended.lines[5]["tests"]["green_runs"]) == (0, 2)


def test_the_fourth_rejection_halts(reviewed: Reviewing) -> None:
    ended = reviewed(RED + GREEN + REST, rejection())

    qa = [decision for phase, decision in decisions(ended) if phase == "QA"]
    assert (ended.code, qa) == (3, ["rejected", "rejected", "rejected", "stuck"])
    assert "QA rejected 4 times" in ended.lines[-1]["halt_reason"]


def test_the_findings_of_a_rejection_are_on_the_terminal_and_in_status_and_log(
    reviewed: Reviewing, dualgate: Dualgate
) -> None:
    ended = reviewed(RED + GREEN + REST, rejection(), as_json=False)

    finding = re.compile(r"open +FR-1 major doubling\.py:1.*: what cannot be doubled is not refused")
    run, status, log = ended.out, dualgate("status").out, dualgate("log").out
    assert re.search(rf"QA +1  {finding.pattern}", run)
    assert len(finding.findall(run.split("\nSession  ")[1])) == 1  # in the summary of the halt
    assert len(finding.findall(status)) == 1
    assert "║ Rejected:   4 times, last" in status
    assert finding.search(log)
    (fix,) = json.loads(dualgate("status", "--json").out)["review"]["fixes"]
    assert (fix["id"], fix["state"]) == ("FR-1", "open")


def test_a_reviewer_who_edits_is_undone_told_and_does_not_pass(
    reviewed: Reviewing, project: Path, tmp_path: Path
) -> None:
    edits = REVIEWER + "if number == 1: open('doubling.py', 'w').write('broken')\n"

    ended = reviewed(RED + GREEN + REST, APPROVAL, code=edits)

    assert (ended.code, decisions(ended)[4:]) == (0, [("QA", "continue"), ("QA", "project_complete")])
    assert (project / "doubling.py").read_text() == "def double(x): return x + x"
    assert "- doubling.py: a review may not change files; reverted" in (tmp_path / "desk" / "prompt-2").read_text()


def test_a_review_without_a_verdict_rejects(reviewed: Reviewing) -> None:
    ended = reviewed(RED + GREEN + REST, APPROVAL.replace("Verdict: APPROVE", "Looks good to me."), APPROVAL)

    assert (ended.code, decisions(ended)[4]) == (0, ("QA", "rejected"))
    assert "counts as REJECT" in ended.lines[4]["reasons"][0]


def test_a_packet_that_says_failed_keeps_a_phase_from_ending(dualgate: Dualgate, tmp_path: Path) -> None:
    says = "says = '''\nPhase: GREEN\nStatus: failed\nNotes: none\n'''\n"
    failed = GREEN.replace('phase = "GREEN"\n', f'phase = "GREEN"\n{says}')
    (tmp_path / "script.toml").write_text(RED + failed + GREEN + REST)

    ended = dualgate("run", "SPEC.md", "--agent", f"rehearsal:{tmp_path / 'script.toml'}", "--json")

    assert (ended.code, decisions(ended)[1:3]) == (0, [("GREEN", "continue"), ("GREEN", "next_phase")])
    assert (ended.lines[1]["gate_2"], ended.lines[1]["reasons"][-1]) == (
        False,
        "the GREEN packet says Status: failed",
    )
    assert ended.lines[-1]["review"]["note"].startswith("no other agent is configured for the review")
    assert json.loads(dualgate("status", "--json").out)["status"] == "completed"


LOOKS_CLOSER = (
    REVIEWER
    + """
import re, subprocess
shown = re.search("^    (.* --file) PATH$", (here / f"prompt-{number}").read_text(), re.MULTILINE)
whole = subprocess.run(f"{shown[1]} table.py", shell=True, capture_output=True, text=True)
(here / "whole").write_text(whole.stdout + whole.stderr)
"""
)


def test_a_contradicting_review_is_asked_for_again_and_the_rest_of_the_diff_can_be_seen(
    reviewed: Reviewing, project: Path, tmp_path: Path
) -> None:
    table = "".join(f"ROW_{number} = {number}  # one of many{' rows' * 20}\\n" for number in range(2000))
    large = f'[[turn.write]]\npath = "table.py"\ntext = "{table}"\n'
    doubtful = APPROVAL.replace("Verdict:", "Critical: AC-2 is not implemented.\n\nVerdict:")

    ended = reviewed(RED + GREEN + large + REST, doubtful, APPROVAL, code=LOOKS_CLOSER)

    desk = tmp_path / "desk"
    first, second = (desk / "prompt-1").read_text(), (desk / "prompt-2").read_text()
    assert (ended.code, decisions(ended)[4:]) == (0, [("QA", "continue"), ("QA", "project_complete")])
    assert "contradicts its verdict APPROVE: 'Critical: AC-2 is not implemented.'; decide for one" in second
    assert "    +def double(x): return x + x\n" in first
    assert "test_ac1_numbers: absent before, failed in RED, passed now" in first
    assert ("- table.py (new, +2000 -0)\n" in first, "ROW_1999" in first) == (True, False)
    assert "+ROW_1999 = 1999" in (desk / "whole").read_text()


def test_a_removed_test_must_be_justified(reviewed: Reviewing, tmp_path: Path) -> None:
    removing = RED.replace('phase = "RED"\n', 'phase = "RED"\ndelete = ["tests/test_old.py"]\n')
    answered = APPROVAL.replace("Verdict:", "T-1: justified tests/test_old.py:1 it was empty\n\nVerdict:")

    ended = reviewed(removing + GREEN + REST, APPROVAL, answered)

    assert (ended.code, decisions(ended)[4:]) == (0, [("QA", "continue"), ("QA", "project_complete")])
    assert ended.lines[4]["reasons"] == [
        "T-1: the review does not answer whether removing tests/test_old.py::test_old is justified"
    ]
    assert "-def test_old" in (tmp_path / "desk" / "prompt-1").read_text()


EDITING = """
if not os.path.exists(os.path.join(here, "edited")):
    open(os.path.join(here, "edited"), "w").close()
    with open("doubling.py", "a") as file:
        file.write("# a person was here\\n")
"""


def test_edits_of_a_person_while_the_reviewer_can_only_read_stay_and_are_reviewed(
    dualgate: Dualgate, project: Path, tmp_path: Path, environment: dict[str, str]
) -> None:
    result = {"type": "result", "subtype": "success", "is_error": False, "result": APPROVAL, "session_id": "s"}
    played = play(tmp_path / "desk", "claude", json.dumps(result).encode() + b"\n", code=EDITING)
    (tmp_path / "script.toml").write_text(RED + GREEN + REST)
    words = ("--agent", f"rehearsal:{tmp_path / 'script.toml'}", "--qa-agent", "claude", "--json")

    ended = dualgate("run", "SPEC.md", *words, PATH=played["PATH"], ANTHROPIC_API_KEY="none")

    first, second = [line for line in ended.lines if line.get("phase") == "QA" and "decision" in line]
    assert ended.code == 0, ended.out
    assert first["reasons"] == ["a person changed files during the review, which has not seen them: doubling.py"]
    assert (first["decision"], second["decision"]) == ("continue", "project_complete")
    assert (project / "doubling.py").read_text().endswith("# a person was here\n")
    assert ended.lines[-1]["touched"]["person"] == ["doubling.py"]


WAITING = """#!/bin/sh
cat > /dev/null
echo asked > {desk}/asked
cat {desk}/edited > /dev/null
cat {desk}/approval
"""


@pytest.fixture
def edited_meanwhile(project: Path, tmp_path: Path) -> str:
    """The command of a reviewer that waits while a person edits the code during its first call."""
    desk = tmp_path / "desk"
    desk.mkdir()
    for name in ("asked", "edited"):
        os.mkfifo(desk / name)
    (desk / "approval").write_text(APPROVAL)
    (desk / "reviewer").write_text(WAITING.format(desk=desk))
    (desk / "reviewer").chmod(0o755)

    def person() -> None:
        for text in ("# a person was here\n", ""):
            (desk / "asked").read_text()
            with (project / "doubling.py").open("a") as file:
                file.write(text)
            (desk / "edited").write_text("done")

    threading.Thread(target=person, daemon=True).start()
    return str(desk / "reviewer")


def test_what_a_person_edits_while_a_command_reviews_can_be_restored(
    dualgate: Dualgate, project: Path, script: str, edited_meanwhile: str
) -> None:
    ended = dualgate("run", "SPEC.md", "--agent", script, "--qa-agent-command", edited_meanwhile)

    way_back = re.search(r"if this change is yours: dualgate (snapshot restore \S+ doubling\.py)", ended.out)
    assert way_back, ended.out
    assert "a person was here" not in (project / "doubling.py").read_text()
    assert dualgate(*way_back[1].split(), "--yes").code == 0
    assert (project / "doubling.py").read_text().endswith("# a person was here\n")


@pytest.mark.whole
def test_what_a_person_edits_while_a_command_reviews_in_the_sandbox_stays(
    rehearse: Dualgate, project: Path, tmp_path: Path, edited_meanwhile: str
) -> None:
    try:
        require_bwrap(os.environ)
    except SandboxUnusable as error:
        pytest.skip(error.message)
    sandbox = {"DUALGATE_SANDBOX_WRITABLE": str(tmp_path / "desk")}

    ended = rehearse(RED + GREEN + REST, "--qa-agent-command", edited_meanwhile, "--sandbox", "bwrap", **sandbox)

    assert ended.code == 0, ended.out
    assert (project / "doubling.py").read_text().endswith("# a person was here\n")
    assert ended.lines[-1]["touched"]["person"] == ["doubling.py"]
