"""What a terminal sends, and the keys in it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dualgate.cli.keys import Key, KeyReader


@pytest.mark.parametrize(
    ("typed", "keys"),
    [
        (b"pq", ["p", "q"]),
        ("ü漢".encode(), ["ü", "漢"]),
        (b"a\r\x7f\x15", ["a", Key.ENTER, Key.BACKSPACE, Key.CLEAR]),
        (b"\x1b[A\x1b[1;5Dp\x1bOP", ["p"]),
        (b"\x1b[24;80Rp", ["p"]),
        (b"\x1b]lqqq\x1b\\p\x1b]11;rgb:q\x07", ["p"]),
        (b"\x1bq", []),
        (b"\x00\x01", []),
    ],
    ids=["letters", "utf-8", "editing", "arrows", "position", "title and colour", "alt", "control"],
)
def test_only_keys_that_a_person_presses_are_keys(typed: bytes, keys: list[str]) -> None:
    assert KeyReader().read(typed) == keys


def test_escape_alone_is_a_key_once_nothing_follows() -> None:
    reader = KeyReader()

    assert (reader.read(b"\x1b"), reader.is_waiting) == ([], True)
    assert (reader.settle(), reader.is_waiting) == ([Key.ESCAPE], False)


@given(st.lists(st.sampled_from([b"p", b"\x1b[A", b"\x1b]0;q\x07", "é".encode(), b"\x1b[200~"])), st.integers(1, 5))
def test_however_it_is_cut_into_pieces_a_sequence_presses_no_key(parts: list[bytes], size: int) -> None:
    typed = b"".join(parts)
    reader = KeyReader()

    keys = [key for at in range(0, len(typed), size) for key in reader.read(typed[at : at + size])]

    assert keys == ["p" if part == b"p" else "é" for part in parts if part in (b"p", "é".encode())]


def test_an_answer_that_never_ends_is_dropped() -> None:
    reader = KeyReader()

    assert reader.read(b"\x1b]0;" + b"q" * 10_000) == []
    assert (reader.settle(), reader.read(b"p")) == ([], ["p"])
