"""A file that grows is heard byte by byte, each of them once."""

import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dualgate.agents.launch import Listener
from dualgate.agents.output import LONGEST_LINE, OutputReader
from dualgate.agents.registry import FORMATS
from dualgate.core.values.answer import CallEnd
from tests.agents.recordings import NOW


@given(st.lists(st.tuples(st.binary(max_size=40), st.integers(1, 50)), max_size=8))
def test_every_byte_is_heard_once_however_it_is_written_and_read(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[bytes, int]]
) -> None:
    path = tmp_path_factory.mktemp("output") / "stdout"
    heard: list[bytes] = []
    with Listener(path, heard.append) as listener, path.open("wb", buffering=0) as file:
        for piece, most in steps:
            file.write(piece)
            listener.catch_up(most)
        listener.hear_out(1 << 30)

    assert b"".join(heard) == b"".join(piece for piece, _ in steps)


def test_a_file_that_is_not_there_yet_says_nothing(tmp_path: Path) -> None:
    heard: list[bytes] = []
    with Listener(tmp_path / "stdout", heard.append) as listener:
        listener.catch_up()
        (tmp_path / "stdout").write_bytes(b"late")
        listener.hear_out(1 << 30)

    assert heard == [b"late"]


def test_a_file_that_is_begun_anew_is_heard_anew(tmp_path: Path) -> None:
    heard: list[bytes] = []
    (tmp_path / "stdout").write_bytes(b"before")
    with Listener(tmp_path / "stdout", heard.append) as listener:
        listener.catch_up()
        (tmp_path / "stdout").write_bytes(b"now")
        listener.hear_out(1 << 30)

    assert heard == [b"before", b"now"]


def test_a_flood_is_heard_in_parts_while_the_program_runs(tmp_path: Path) -> None:
    heard: list[bytes] = []
    (tmp_path / "stdout").write_bytes(bytes(100))
    with Listener(tmp_path / "stdout", heard.append) as listener:
        listener.catch_up(most=30)

    assert sum(map(len, heard)) == 30


def test_of_a_flood_no_more_is_heard_out_than_may_be_said(tmp_path: Path) -> None:
    heard: list[bytes] = []
    with (tmp_path / "stdout").open("wb") as file:
        file.truncate(1 << 40)
    with Listener(tmp_path / "stdout", heard.append) as listener:
        listener.catch_up(most=30)
        listener.hear_out(limit=100)
        listener.hear_out(limit=50)

    assert sum(map(len, heard)) == 100


def test_200_megabytes_without_a_newline_are_read_in_bounded_memory(tmp_path: Path) -> None:
    with (tmp_path / "stdout").open("wb") as file:
        file.write(b'{"type": "assistant", ')
        file.truncate(200 << 20)
    reader = OutputReader(FORMATS)
    tracemalloc.start()
    try:
        with Listener(tmp_path / "stdout", reader.feed) as listener:
            listener.hear_out(1 << 30)
        answer = reader.finish(CallEnd(now=NOW))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert answer.agent is None
    assert peak < 3 * LONGEST_LINE
