"""The frame of reading: any bytes, cut anywhere, through a format made for the purpose."""

import json
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dualgate.agents.formats import Doing, Event, OutputFormat
from dualgate.agents.output import TEXT_KEPT, OutputReader, read_output
from dualgate.core.values.answer import Answer, AnswerFormat, CallEnd, Ending, Failure, Trouble

END = CallEnd(now=datetime(2026, 11, 15, tzinfo=UTC))


@dataclass
class EchoReader:
    seen: list[str] = field(default_factory=list)
    doing: Doing = field(default_factory=Doing)

    def feed(self, event: Event) -> None:
        self.seen.append(str(event.get("say", "?")))

    def finish(self, end: CallEnd) -> Answer:
        return Answer(text=" ".join(self.seen))


def oops(text: str, end: CallEnd) -> Answer | None:
    return Answer(agent="echo", failure=Failure(kind=Trouble.QUOTA)) if text == "echo: no money\n" else None


ECHO = OutputFormat(name="echo", claims=lambda event: event.get("type") == "echo", reader=EchoReader, read_text=oops)


def an_event(say: str, type_: str = "echo") -> str:
    return json.dumps({"type": type_, "say": say})


def read(content: bytes | str, end: CallEnd = END, cuts: tuple[int, ...] = ()) -> Answer:
    data = content.encode() if isinstance(content, str) else content
    reader = OutputReader([ECHO])
    places = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    for start, stop in pairwise(places):
        reader.feed(data[start:stop])
    return reader.finish(end)


ONE, TWO = an_event("one"), an_event("two")
SHAPES = [
    (f"{ONE}\n{TWO}\n", AnswerFormat.LINES, "one two"),
    (f"{ONE}\r\n{TWO}", AnswerFormat.LINES, "one two"),
    (ONE, AnswerFormat.JSON, "one"),
    (f"[{ONE},{TWO}]", AnswerFormat.LIST, "one two"),
    (json.dumps(json.loads(ONE), indent=2), AnswerFormat.JSON, "one"),
    (json.dumps([json.loads(ONE), json.loads(TWO)], indent=2), AnswerFormat.LIST, "one two"),
    (f"Warning: noise\n{ONE}\nmore noise\n{TWO}\n", AnswerFormat.LINES, "one two"),
    (f"Warning: noise\n{json.dumps(json.loads(ONE), indent=2)}\n", AnswerFormat.JSON, "one"),
    (f"{ONE}{TWO}\n", AnswerFormat.LINES, "one two"),
    (f"{an_event('zero', 'other')}\n{ONE}\n", AnswerFormat.LINES, "zero one"),
]


@pytest.mark.parametrize(("content", "shape", "text"), SHAPES)
def test_the_format_is_detected(content: str, shape: AnswerFormat, text: str) -> None:
    answer = read(content)

    assert (answer.agent, answer.format, answer.text, answer.failure) == ("echo", shape, text, None)


@given(st.sampled_from([shape[0] for shape in SHAPES]), st.lists(st.integers(0, 500), max_size=5))
def test_output_cut_at_any_byte_gives_the_same_answer(content: str, cuts: list[int]) -> None:
    assert read(content, cuts=tuple(cuts)) == read(content)


def test_a_last_line_that_was_cut_is_noted() -> None:
    answer = read(f"{ONE}\n{TWO[:-4]}")

    assert (answer.text, answer.problems) == ("one", ("1 lines begin like JSON and are not",))


PROSE = "The stream looks like this, if I remember it rightly from the last time I saw it:\n"
BLOCK = "---RALPH_STATUS---\nSTATUS: IN_PROGRESS\nEXIT_SIGNAL: false\n---END_RALPH_STATUS---\n"


@pytest.mark.parametrize("content", [f"{PROSE}{ONE}\nThat is all.\n", f"{ONE}\n{BLOCK}", f"I got:\n{ONE}\n{BLOCK}"])
def test_prose_that_quotes_an_event_is_prose(content: str) -> None:
    answer = read(content)

    assert (answer.agent, answer.failure, answer.text) == (None, None, content)


def test_a_stream_behind_a_line_of_noise_is_a_stream() -> None:
    assert read(f"npm WARN x\n{ONE}\n{TWO}\n").agent == "echo"


@pytest.mark.parametrize("odd", [b"\xff", b" x", b"\xef\xbb\xbf"])
def test_a_long_event_that_is_not_perfect_is_read(odd: bytes) -> None:
    event = an_event("y" * 1_500_000).encode()
    content = (
        odd + event if odd == b"\xef\xbb\xbf" else event.replace(b"yy", b"y\xff", 1) if odd == b"\xff" else event + odd
    )

    assert read(content).agent == "echo"


@given(st.integers(0, 4))
def test_a_mark_before_the_first_byte_may_be_cut_anywhere(cut: int) -> None:
    content = b"\xef\xbb\xbf" + ONE.encode()

    assert read(content, cuts=(cut,)) == read(content)
    assert read(content[:cut], cuts=(1,)).text == content[:cut].removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")


def test_deeply_nested_json_does_no_harm() -> None:
    assert read("{" + '"a":{' * 5000 + "}" * 5000 + "}\n" + ONE + "\n").text.endswith("one")


PLAIN = ["All done.\n", "{not json\n", '{"some": "other json"}', "[1, 2, 3]", "x" * 100, "[ok] fine\n"]


@pytest.mark.parametrize("content", PLAIN)
def test_what_nobody_claims_is_plain_text(content: str) -> None:
    answer = read(content)

    assert (answer.agent, answer.text, answer.failure) == (None, content, None)


UNCLAIMED = [
    ('{"some": "other json"}', AnswerFormat.JSON),
    ('[{"a": 1}]', AnswerFormat.LIST),
    ('{"a": 1}\n{"b": 2}\n', AnswerFormat.LINES),
    ("{not json\n", AnswerFormat.TEXT),
    ("[ok] fine\n", AnswerFormat.TEXT),
    ("All done.\n", AnswerFormat.TEXT),
]


@pytest.mark.parametrize(("content", "shape"), UNCLAIMED)
def test_the_format_of_json_that_nobody_claims_is_told(content: str, shape: AnswerFormat) -> None:
    assert read(content).format is shape


def test_plain_text_in_a_clis_own_form_of_failing_is_recognised() -> None:
    answer = read("echo: no money\n", replace(END, exit_code=1))

    assert (answer.agent, answer.failure) == ("echo", Failure(kind=Trouble.QUOTA))


FAILURES = [
    ("", END, Failure(kind=Trouble.EMPTY, message="the answer is empty")),
    (" \n", END, Failure(kind=Trouble.EMPTY, message="the answer is empty")),
    ("boom\n", replace(END, exit_code=3), Failure(kind=Trouble.CRASH, message="exit code 3: boom")),
    ("", replace(END, exit_code=3), Failure(kind=Trouble.CRASH, message="exit code 3")),
    (ONE, replace(END, exit_code=1, stderr="a\nbad\n"), Failure(kind=Trouble.CRASH, message="exit code 1: bad")),
    (ONE, replace(END, exit_code=None, ending=Ending.TIMED_OUT), Failure(kind=Trouble.TIMED_OUT)),
    (ONE, replace(END, exit_code=None, ending=Ending.FLOODED), Failure(kind=Trouble.FLOODED)),
]


@pytest.mark.parametrize(("content", "end", "failure"), FAILURES)
def test_a_call_is_good_only_if_it_ended_by_itself_with_0_and_said_something(
    content: str, end: CallEnd, failure: Failure
) -> None:
    assert read(content, end).failure == failure


def test_of_long_text_the_end_is_kept(tmp_path: Path) -> None:
    with (tmp_path / "out").open("wb") as file:
        for _ in range(20):
            file.write(b"x" * (1 << 20))
        file.write(b"\nthe end\n")

    with (tmp_path / "out").open("rb") as file:
        answer = read_output(file, [ECHO], END)

    assert len(answer.text) == TEXT_KEPT
    assert answer.text.endswith("\nthe end\n")


def test_a_line_longer_than_any_event_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dualgate.agents.output.LONGEST_LINE", 1000)

    answer = read(f"{'{' * 3000}\n{ONE}\n", cuts=(900, 1800, 2700))

    assert answer.text == "one"


@given(st.binary(), st.lists(st.integers(0, 500), max_size=3))
def test_any_bytes_get_an_answer(content: bytes, cuts: list[int]) -> None:
    assert read(content, cuts=tuple(cuts)).agent in (None, "echo")
