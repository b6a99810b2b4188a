"""Recorded outputs of real CLIs, each with what must be read from it: tests/data/<agent>."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from dualgate.agents.output import OutputReader, read_output
from dualgate.agents.outputs import FORMATS
from dualgate.core.answer import Answer, CallEnd
from dualgate.core.vocabulary import Ending

DATA = Path(__file__).parent.parent / "data"
RECORDED_AT = datetime(2026, 11, 15, 18, 42, tzinfo=UTC)
TEXT_COMPARED = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    agent: str
    name: str
    expected: dict[str, Any]
    end: CallEnd

    @property
    def path(self) -> Path:
        return DATA / self.agent / self.name

    def __str__(self) -> str:
        return f"{self.agent}/{self.name}"


def recordings(agent: str) -> Iterator[Recording]:
    """Every recorded output; one that nothing is expected of is an error."""
    index = json.loads((DATA / agent / "index.json").read_text())
    expected = json.loads((DATA / agent / "expected.json").read_text())
    assert index.keys() == expected.keys()
    for name, run in index.items():
        errors = DATA / agent / f"{name}.stderr"
        end = CallEnd(
            now=RECORDED_AT,
            exit_code=run["exit"],
            ending=Ending.TIMED_OUT if run["killed"] else Ending.EXITED,
            stderr=errors.read_text() if errors.exists() else "",
        )
        yield Recording(agent=agent, name=name, expected=expected[name], end=end)


def read(recording: Recording) -> Answer:
    with recording.path.open("rb") as file:
        return read_output(file, FORMATS, recording.end)


def shown(answer: Answer) -> dict[str, Any]:
    """An answer in the form in which the expected values are written."""
    failure, usage = answer.failure, answer.usage
    resets_at = failure.resets_at if failure else None
    return {
        "agent": answer.agent,
        "format": answer.format.value,
        "failure": failure.kind.value if failure else None,
        "resets_at": resets_at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if resets_at else None,
        "text": answer.text[-TEXT_COMPARED:],
        "session_id": answer.session_id,
        "model": answer.model,
        "usage": {"input": usage.input, "output": usage.output, "cached": usage.cached} if usage else None,
        "cost_usd": answer.cost_usd,
        "turns": answer.turns,
        "denied": list(answer.denied),
        "questions": list(answer.questions),
        "retries": answer.retries,
    }


def events(recording: Recording) -> list[dict[str, Any]]:
    """The events of a recording, those of them that are whole."""
    found: list[dict[str, Any]] = []
    for line in recording.path.read_text().splitlines():
        try:
            value = json.loads(line)
        except ValueError:
            continue
        found += value if isinstance(value, list) else [value]
    return found


def as_lines(items: list[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(item).encode() + b"\n" for item in items)


def read_bytes(content: bytes, end: CallEnd) -> Answer:
    reader = OutputReader(FORMATS)
    reader.feed(content)
    return reader.finish(end)


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.just("error_max_turns"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every container in a value, with each key or position in it."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield value, key
        yield from places(inner)


def damaged(items: list[dict[str, Any]], place: int, value: Any) -> list[dict[str, Any]]:
    """The same events with another value in one of their fields, at any depth."""
    copy: list[dict[str, Any]] = json.loads(json.dumps(items))
    found = [(container, key) for container, key in places(copy) if container is not copy]
    container, key = found[place % len(found)]
    container[key] = value
    return copy
