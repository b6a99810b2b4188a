"""Specifications of growing size: megabytes a second, and how time grows with size, for documents and hard texts."""

import time
from pathlib import Path

from dualgate.core.spec.reading import read_specification

FOLDER = Path(__file__).parents[1] / "tests" / "data" / "specifications"
TIMES = 8
HARD = {
    "task headings": "### Task 1: x\n\ntext\n\n",
    "headings with ids": "### FR-1: x\n\n- a\n\n",
    "open brackets": "- [[[`" + "[" * 30 + " `` ** __ `\n",
    "forbidden paths": "Do not touch `a.py`. Leave it.\n\n",
    "nested lists": "- a\n  - b\n    - c\n      - d\n",
    "one paragraph": "word `code` and [a](b) ",
}


def main() -> None:
    documents = "\n\n".join(path.read_bytes().decode() for path in sorted(FOLDER.glob("*.md")))
    _tell("documents", documents, 5_000_000)
    for name, piece in HARD.items():
        _tell(name, piece, 1_000_000)


def _tell(name: str, piece: str, size: int) -> None:
    small, large = (_seconds(piece * max(1, each // len(piece))) for each in (size // TIMES, size))
    growth = large / small / TIMES
    print(f"{name:<20} {size / large / 1e6:6.2f} MB/s   {TIMES} x the text takes {growth:4.2f} x as long a byte")


def _seconds(text: str) -> float:
    start = time.process_time()
    read_specification(text)
    return time.process_time() - start
