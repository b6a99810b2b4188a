"""The registry of formats: whose an output is, is never in doubt."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dualgate.agents.registry import FORMATS
from tests.agents.recordings import DATA

RECORDED = sorted(
    path
    for index in DATA.glob("*/index.json")
    for name in json.loads(index.read_text("utf-8"))
    if (path := index.parent / name)
)


def events_in(path: Path) -> Iterator[dict[str, Any]]:
    text = path.read_text(encoding="utf-8")
    for part in [text, *text.splitlines()]:
        try:
            value = json.loads(part)
        except ValueError:
            continue
        yield from (each for each in (value if isinstance(value, list) else [value]) if isinstance(each, dict))


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_no_event_is_claimed_by_another_agent_than_its_own(path: Path) -> None:
    claimed = {each.name for each in FORMATS for event in events_in(path) if each.claims(event)}

    assert len(claimed) <= 1
    assert all(path.parent.name.startswith(name) for name in claimed)
