"""Reports of whole runs: written by themselves at the end, made again by `dualgate report`, and never in the way."""

import json
import os
import shutil
from pathlib import Path

import jsonschema
import pytest

from dualgate.core.report.schemas import schema
from tests.loop.scripts import GREEN, RED, REST
from tests.support import Dualgate

JOURNALS = sorted((Path(__file__).parents[1] / "data" / "journals" / "format2").iterdir())
ON = {"DUALGATE_REPORT": "html"}


@pytest.fixture
def environment(environment: dict[str, str]) -> dict[str, str]:
    return environment | ON


def session_of(home: Path) -> Path:
    return home / "home" / ".bp-sessions" / "doubling"


def test_a_run_writes_its_report_and_names_it(rehearse: Dualgate, dualgate: Dualgate, tmp_path: Path) -> None:
    ended = rehearse(RED + GREEN + REST)

    page = session_of(tmp_path) / "report.html"
    assert (ended.code, ended.lines[-1]["report"]) == (0, str(page))
    assert page.stat().st_mode & 0o777 == 0o600
    text = page.read_text()
    assert "<h1>Proven</h1>" in text
    assert '<span class="k">def</span> <span class="f">double</span>' in text
    assert json.loads(dualgate("status", "--json").out)["report"] == str(page)
    assert f"Report   {page}" in dualgate("status").out


def test_a_report_is_made_again_in_every_format_also_of_an_archived_session(
    rehearse: Dualgate, dualgate: Dualgate, tmp_path: Path
) -> None:
    identity = rehearse(RED + GREEN + REST).lines[-1]["session_id"]
    document = json.loads(dualgate("report", "--format", "json").out)
    jsonschema.validate(document, schema("report"))
    assert [diff["phase"] for diff in document["diffs"]] == ["RED", "GREEN", "DOCUMENT"]
    assert dualgate("report", "--commit").out.startswith("Doubling\n\nProven: 2 of 2 criteria hold")

    dualgate("sessions", "archive")

    assert not (session_of(tmp_path) / "report.html").exists()
    assert dualgate("report", identity[:8], "--pr").out.startswith("**Proven**")
    written = dualgate("report", identity[:8])
    assert written.code == 0
    assert "/archive/" in written.out
    assert dualgate("report").code == 1


def test_a_report_without_snapshots_says_so(rehearse: Dualgate, dualgate: Dualgate, tmp_path: Path) -> None:
    rehearse(RED, DUALGATE_MAX_ITERATIONS="1")
    shutil.rmtree(tmp_path / "home" / ".bp-sessions" / ".snapshots")

    document = json.loads(dualgate("report", "--format", "json").out)

    assert document["diffs"] == []
    assert document["diff_note"].startswith("The snapshots of this session are gone")
    assert not (tmp_path / "home" / ".bp-sessions" / ".snapshots").exists()


def test_a_halted_run_has_a_report_with_the_ways_on(dualgate: Dualgate, tmp_path: Path) -> None:
    ended = dualgate("run", "SPEC.md", "--agent", "rehearsal:lying", "--report", "all")

    page = (session_of(tmp_path) / "report.html").read_text()
    assert ended.code == 3
    assert f"Report   {session_of(tmp_path)}/report.html" in ended.out
    assert "<h1>Halted in " in page
    assert "dualgate resume --reset" in page
    assert {path.name for path in session_of(tmp_path).glob("report.*")} == {"report.html", "report.md", "report.json"}


def test_a_report_that_cannot_be_written_changes_nothing(rehearse: Dualgate, tmp_path: Path) -> None:
    session_of(tmp_path).mkdir(parents=True)
    (session_of(tmp_path) / "report.html").mkdir()

    ended = rehearse(RED + GREEN + REST)

    assert (ended.code, ended.lines[-1]["report"], ended.lines[-1]["proven"]) == (0, None, True)
    told = [line for line in ended.err.splitlines() if "report" in line]
    assert len(told) == 1
    assert told[0].startswith("dualgate: The report is not written: ")


@pytest.mark.parametrize("recorded", JOURNALS, ids=[path.name for path in JOURNALS])
def test_journals_of_older_versions_have_a_report(recorded: Path, dualgate: Dualgate, tmp_path: Path) -> None:
    shutil.copytree(recorded, tmp_path / "old")

    shown = dualgate("report", "--output", "-", PRP_SESSION_DIR=str(tmp_path / "old"))

    assert shown.code == 0
    assert shown.out.startswith("<!doctype html>")


def test_a_damaged_journal_is_named(dualgate: Dualgate, tmp_path: Path) -> None:
    shutil.copytree(JOURNALS[0], tmp_path / "old")
    with (tmp_path / "old" / "journal.jsonl").open("a") as journal:
        journal.write("{}\n")

    shown = dualgate("report", PRP_SESSION_DIR=str(tmp_path / "old"))

    assert (shown.code, shown.out) == (1, "")
    assert "journal.jsonl:" in shown.err


def test_a_report_can_go_to_a_file_of_its_own(dualgate: Dualgate, tmp_path: Path) -> None:
    shutil.copytree(JOURNALS[0], tmp_path / "old")

    shown = dualgate(
        "report", "--format", "md", "--output", str(tmp_path / "night.md"), PRP_SESSION_DIR=str(tmp_path / "old")
    )

    assert shown.out == f"Report: {tmp_path / 'night.md'}{os.linesep}"
    assert (tmp_path / "night.md").read_text().startswith("# ")


@pytest.mark.parametrize("words", [("--pr", "--commit"), ("--open", "--pr"), ("--open", "--format", "md")])
def test_words_that_do_not_go_together_are_refused(words: tuple[str, ...], dualgate: Dualgate) -> None:
    assert dualgate("report", *words).code == 2
