"""The recorded outputs of an agent's CLI, each with how the call ended and what reading it must give."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from dualgate.agents.output import OutputReader, read_output
from dualgate.agents.registry import FORMATS
from dualgate.core.values.answer import Answer, CallEnd, Ending, Trouble

DATA = Path(__file__).parent.parent / "data"
# behind the last of the recordings, which were made with TZ=UTC
NOW = datetime(2026, 11, 15, 18, 56, tzinfo=UTC)
GOOD = CallEnd(now=NOW)
BAD = CallEnd(now=NOW, exit_code=1)
TAIL = 60

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
ANY_JSON = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    path: Path
    end: CallEnd
    expected: Mapping[str, Any]

    @property
    def name(self) -> str:
        return self.path.name

    def __str__(self) -> str:
        return f"{self.path.parent.name}/{self.name}"

    def read(self) -> Answer:
        with self.path.open("rb") as file:
            return read_output(file, FORMATS, self.end)


def recordings(agent: str) -> tuple[Recording, ...]:
    folder = DATA / agent
    index = json.loads((folder / "index.json").read_text(encoding="utf-8"))
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    assert index.keys() == expected.keys()
    return tuple(
        Recording(path=folder / name, end=_end(facts, folder / f"{name}.stderr"), expected=expected[name])
        for name, facts in index.items()
    )


def _end(facts: Mapping[str, Any], stderr: Path) -> CallEnd:
    return CallEnd(
        now=NOW,
        exit_code=facts["exit"],
        ending=Ending.TIMED_OUT if facts["killed"] else Ending.EXITED,
        stderr=stderr.read_text(encoding="utf-8") if stderr.exists() else "",
    )


def recording(agent: str, name: str) -> Recording:
    return next(each for each in recordings(agent) if each.path.name == name)


def said(answer: Answer) -> dict[str, Any]:
    """An answer in the form of the expected values."""
    usage, failure = answer.usage, answer.failure
    resets_at = failure.resets_at if failure else None
    return {
        "agent": answer.agent,
        "format": answer.format.value,
        "failure": failure.kind.value if failure else None,
        "resets_at": resets_at,
        "session_id": answer.session_id,
        "model": answer.model,
        "usage": {"input": usage.input, "output": usage.output, "cached": usage.cached} if usage else None,
        "cost_usd": None if answer.cost_usd is None else round(answer.cost_usd, 9),
        "turns": answer.turns,
        "denied": list(answer.denied),
        "questions": list(answer.questions),
        "retries": answer.retries,
    }


def assert_read_rightly(recorded: Recording) -> None:
    answer, expected = recorded.read(), dict(recorded.expected)
    text, resets_at = expected.pop("text"), expected["resets_at"]
    expected["resets_at"] = resets_at and datetime.fromisoformat(resets_at)
    assert {name: value for name, value in said(answer).items() if name in expected} == expected
    assert (answer.text[-TAIL:] if len(text) == TAIL else answer.text) == text


def kind_of(answer: Answer) -> Trouble | None:
    return answer.failure.kind if answer.failure else None


def events_of(agent: str, name: str) -> list[dict[str, Any]]:
    return events(recording(agent, name))


def events(recorded: Recording) -> list[dict[str, Any]]:
    """The events of a recording, those of them that are whole."""
    found: list[dict[str, Any]] = []
    for line in recorded.path.read_text(encoding="utf-8").splitlines():
        try:
            value = json.loads(line)
        except ValueError:
            continue
        found += value if isinstance(value, list) else [value]
    return found


def as_lines(items: list[Any]) -> bytes:
    return b"".join(json.dumps(item).encode() + b"\n" for item in items)


def read_events(items: list[Any], end: CallEnd) -> Answer:
    return read_bytes(as_lines(items), end)


def read_bytes(content: bytes, end: CallEnd) -> Answer:
    reader = OutputReader(FORMATS)
    reader.feed(content)
    return reader.finish(end)


def damaged(whole: list[dict[str, Any]]) -> st.SearchStrategy[list[Any]]:
    """The same events, with any JSON value in place of any one field, however deep."""
    places = [(number, path) for number, event in enumerate(whole) for path in _paths(event)]

    def damage(place: tuple[int, tuple[Any, ...]], value: Any) -> list[Any]:
        number, path = place
        copy = json.loads(json.dumps(whole))
        holder = copy[number]
        for key in path[:-1]:
            holder = holder[key]
        holder[path[-1]] = value
        return copy  # type: ignore[no-any-return]

    return st.builds(damage, st.sampled_from(places), ANY_JSON)


def _paths(value: Any) -> Iterator[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (key,)
        for path in _paths(inner):
            yield (key, *path)
