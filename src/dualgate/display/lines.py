"""A line for people, with its tone; whoever holds the terminal turns the tone into a colour."""

from enum import StrEnum
from typing import NamedTuple


class Tone(StrEnum):
    PLAIN = "plain"
    QUIET = "quiet"
    GOOD = "good"
    BAD = "bad"


class Line(NamedTuple):
    text: str
    tone: Tone = Tone.PLAIN
