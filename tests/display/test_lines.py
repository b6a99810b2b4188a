"""Lines that fit a terminal."""

from hypothesis import given
from hypothesis import strategies as st

from dualgate.display.lines import Line, Tone, cut, fitted, shown, width


def test_a_line_that_is_too_long_goes_on_below_between_words() -> None:
    line = Line(text="GREEN     2  not yet: three tests fail", tone=Tone.BAD)

    assert fitted(line, 26) == [
        line._replace(text="GREEN     2  not yet:"),
        line._replace(text="             three tests"),
        line._replace(text="             fail"),
    ]


def test_a_line_that_fits_stays_as_it_is_and_an_empty_one_too() -> None:
    assert [line.text for line in fitted(Line(text="    Next   go on"), 40)] == ["    Next   go on"]
    assert [line.text for line in fitted(Line(text=""), 40)] == [""]


def test_an_agent_is_told_without_the_folder_of_its_script() -> None:
    assert shown("rehearsal:/home/somebody/plays/lying.toml") == "rehearsal:lying.toml"
    assert shown("opencode:provider/model") == "opencode:provider/model"
    assert shown("command:/usr/bin/agent --quiet") == "command:/usr/bin/agent --quiet"
    assert shown("x" * 70) == "x" * 60 + "…"


@given(st.text(), st.integers(0, 60), st.integers(2, 100))
def test_no_line_is_wider_than_the_terminal_or_steers_it(text: str, hang: int, columns: int) -> None:
    parts = fitted(Line(text=text, hang=hang), columns)

    assert all(len(part.text) <= columns and part.text.isprintable() for part in parts)


@given(st.text(st.sampled_from("ab 料金e\u0301 ")), st.integers(0, 60), st.integers(4, 60))
def test_wide_characters_are_counted_as_two_columns(text: str, hang: int, columns: int) -> None:
    parts = fitted(Line(text=text, hang=hang), columns)

    assert all(width(part.text) <= columns for part in parts)
    assert "".join("".join(part.text for part in parts).split()) == "".join(text.split())


@given(st.text(), st.integers(0, 40))
def test_a_text_is_cut_to_what_fits(text: str, columns: int) -> None:
    short = cut(text, columns)

    assert (width(short) <= columns, short == text) == (True, width(text) <= columns)
