"""Phase, alone: the blocks need this word of the vocabulary, and nothing else of it."""

from enum import StrEnum


class Phase(StrEnum):
    RED = "RED"
    GREEN = "GREEN"
    REFACTOR = "REFACTOR"
    DOCUMENT = "DOCUMENT"
    QA = "QA"
    BUILD = "BUILD"
