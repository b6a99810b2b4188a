"""What a call of dualgate gave back."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import psutil


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]


Dualgate = Callable[..., Ended]
LeftRunning = Callable[[], list[psutil.Process]]


def decisions(ended: Ended) -> list[tuple[str, str]]:
    """Phase and decision of each call of a run."""
    return [(line["phase"], line["decision"]) for line in ended.lines[:-1]]
