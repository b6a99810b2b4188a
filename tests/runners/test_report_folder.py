"""The channel between a reporter and the runner: what is written by others, cut or torn."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dualgate.core.values.control import Activity, Control
from dualgate.runners.report_folder import MOST_REPORTS, Event, ReportFolder, open_report_folder
from dualgate.runners.reporters.channel import Channel, claim
from dualgate.testing import a_control


@pytest.fixture
def folder() -> Iterator[ReportFolder]:
    events: list[Event] = []
    with open_report_folder(["a", "b\n[::]"], events.append) as made:
        yield made


@pytest.fixture
def channel(folder: ReportFolder, monkeypatch: pytest.MonkeyPatch) -> Iterator[Channel]:
    monkeypatch.setenv("DUALGATE_RUN", str(folder.path))
    claimed = claim()
    assert claimed is not None
    yield claimed[0]
    os.close(claimed[0].descriptor)


def followed(folder: ReportFolder, is_over: bool = True) -> list[Activity]:
    seen: list[Activity] = []
    plain = a_control()
    folder.follow(Control(cancel=plain.cancel, clock=plain.clock, on_activity=seen.append), is_over)
    return seen


def tell(channel: Channel, *names: str, **values: Any) -> None:
    for name in names:
        channel.put(name, **values)
    channel.flush()


def test_what_is_told_arrives_with_how_far_the_tests_are(folder: ReportFolder, channel: Channel) -> None:
    tell(channel, "collected", ids=["a", "b"])
    tell(channel, "start", "result", id="a")
    tell(channel, "start", id="b")

    (activity,) = followed(folder)

    assert (activity.text, activity.done, activity.total) == ("b", 1, 2)
    assert [event["event"] for event in folder.reports[0].events] == ["collected", "start", "result", "start"]


def test_the_modules_of_a_reporter_are_imported_without_compiling_them(folder: ReportFolder) -> None:
    names = sorted(path.stem for path in (folder.path / folder.package).glob("*.py"))
    told = (
        "import importlib, sys\n"
        "sys.path.insert(0, sys.argv[1])\n"
        "sys.addaudithook(lambda name, given: print(given[1]) if name == 'compile' else None)\n"
        "for name in sys.argv[3:]: importlib.import_module(f'{sys.argv[2]}.{name}')\n"
    )

    ended = subprocess.run(
        [sys.executable, "-c", told, folder.path, folder.package, *names], capture_output=True, text=True, check=True
    )

    assert "pytest_reporter" in names
    assert str(folder.path) not in ended.stdout


def test_the_key_and_the_names_are_gone_once_claimed(folder: ReportFolder, channel: Channel) -> None:
    assert "DUALGATE_RUN" not in os.environ
    assert not (folder.path / "key-00").exists()
    assert not (folder.path / "report-00").exists()


def test_the_tests_asked_for_are_handed_over_as_they_are(folder: ReportFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DUALGATE_RUN", str(folder.path))

    claimed = claim()

    assert claimed is not None
    assert claimed[1] == ["a", "b\n[::]"]
    os.close(claimed[0].descriptor)


def test_lines_of_somebody_else_end_the_reading(folder: ReportFolder, channel: Channel) -> None:
    tell(channel, "start", id="a")
    forged = b"0" * 24 + b" " + json.dumps([{"event": "finished", "exit": 0}]).encode() + b"\n"
    os.pwrite(channel.descriptor, forged, channel.written)

    followed(folder)

    assert folder.reports[0].problem == "somebody else wrote into the report"
    assert [event["event"] for event in folder.reports[0].events] == ["start"]


def test_a_line_that_is_overwritten_is_known(folder: ReportFolder, channel: Channel) -> None:
    tell(channel, "start", id="a")
    os.pwrite(channel.descriptor, b"x", 30)

    followed(folder)

    assert folder.reports[0].problem == "somebody else wrote into the report"


def test_what_was_read_already_cannot_be_overwritten(folder: ReportFolder, channel: Channel) -> None:
    tell(channel, "start", id="a")
    followed(folder, is_over=False)
    os.pwrite(channel.descriptor, b"x" * 20, 0)
    tell(channel, "result", id="a")

    followed(folder)

    assert [event["event"] for event in folder.reports[0].events] == ["start", "result"]


def test_half_a_line_is_read_when_it_is_whole(folder: ReportFolder, channel: Channel) -> None:
    tell(channel, "start", id="a")
    whole = os.pread(folder.files[0].descriptor, 10, 0)
    os.pwrite(channel.descriptor, b"\0" * 10, 0)
    followed(folder, is_over=False)
    os.pwrite(channel.descriptor, whole, 0)

    followed(folder)

    assert (folder.reports[0].problem, len(folder.reports[0].events)) == ("", 1)


def test_a_long_report_goes_over_from_one_part_of_the_file_to_the_next(folder: ReportFolder, channel: Channel) -> None:
    for number in range(3000):
        tell(channel, "start", id=f"{number} " + "x" * 500)

    followed(folder)

    assert (folder.reports[0].problem, len(folder.reports[0].events)) == ("", 3000)


def test_a_report_that_was_cut_is_known(folder: ReportFolder, channel: Channel) -> None:
    tell(channel, "start", id="a")
    followed(folder, is_over=False)
    os.ftruncate(channel.descriptor, 3)

    followed(folder)

    assert folder.reports[0].problem == "the report was cut while it was written"


def test_a_closed_descriptor_that_means_another_file_now_is_not_written_to(
    folder: ReportFolder, channel: Channel, tmp_path: Path
) -> None:
    other = os.open(tmp_path / "theirs", os.O_WRONLY | os.O_CREAT)
    os.dup2(other, channel.descriptor)

    tell(channel, "start", id="a")
    os.close(other)

    assert (tmp_path / "theirs").read_bytes() == b""


def test_more_runs_than_reports_are_said(folder: ReportFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    taken = []
    for _ in range(MOST_REPORTS + 1):
        monkeypatch.setenv("DUALGATE_RUN", str(folder.path))
        taken.append(claim())

    assert taken[-1] is None
    assert folder.was_full
    for claimed in taken[:-1]:
        assert claimed is not None
        os.close(claimed[0].descriptor)


def test_a_run_without_a_desk_is_left_alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DUALGATE_RUN", str(tmp_path / "gone"))

    assert claim() is None
