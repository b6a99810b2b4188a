"""How fast blocks are found: MB/s over ordinary agent text, and how the time grows with the text."""

import time
from collections.abc import Callable

from dualgate.core.said.blocks.last_block import read_block

MEGABYTE = 1_000_000
BLOCK = """\
---RALPH_STATUS---
STATUS: COMPLETE
TASKS_COMPLETED_THIS_LOOP: 1
FILES_MODIFIED: 2
TESTS_STATUS: PASSING
WORK_TYPE: IMPLEMENTATION
EXIT_SIGNAL: true
RECOMMENDATION: All tasks complete, tests passing
---END_RALPH_STATUS---
"""
PROSE = """\
I looked at `src/parser.py` and changed how the tail is read — the diff is small; see below.

```python
def tail(text: str) -> str:
    return text[text.rfind("\\n") + 1 :]
```
--- a/src/parser.py
+++ b/src/parser.py
- [x] AC-1: a torn line is passed over
"""
TEXTS: dict[str, Callable[[int], str]] = {
    "ordinary text, a block at its end": lambda size: _filled(PROSE, size) + BLOCK,
    "openings without closings": lambda size: _filled("---RALPH_STATUS---\n", size),
    "closings without openings": lambda size: _filled("---END_RALPH_STATUS---\n", size),
    "empty blocks": lambda size: _filled("---RALPH_STATUS---\n---END_RALPH_STATUS---\n", size),
    "almost delimiters": lambda size: _filled("---RALPH_STATUS--- x\n---END_RALPH_STATUS---x\n", size),
    "one block as long as the text": lambda size: BLOCK.replace("\n", "\n" + _filled("x: y\n", size), 1),
    "one line": lambda size: "x" * size,
    "one line of dashes": lambda size: "-" * size,
    "one line of JSON": lambda size: '{"status": "exit_signal", "a": [' + _filled("[1],", size) + "0]}",
}


def main() -> None:
    text = TEXTS["ordinary text, a block at its end"](20 * MEGABYTE)
    for name, given in (("str", text), ("bytes", text.encode())):
        print(f"{len(given) / MEGABYTE / _seconds(given):8.0f} MB/s over 20 MB of ordinary text as {name}")
    print("growth of time from 2 to 20 to 200 MB (10 is linear)")
    for name, write in TEXTS.items():
        small, middle, large = (_seconds(write(size * MEGABYTE)) for size in (2, 20, 200))
        print(f"{middle / small:8.1f} {large / middle:6.1f}   {name} ({200 / large:.0f} MB/s)")


def _filled(piece: str, size: int) -> str:
    return piece * (size // len(piece))


def _seconds(text: str | bytes) -> float:
    """The best of the tries that fit into a second, since the worst tells of the machine."""
    tries: list[float] = []
    while sum(tries) < 1 and len(tries) < 5:
        begin = time.perf_counter()
        read_block(text)
        tries.append(time.perf_counter() - begin)
    return min(tries)


if __name__ == "__main__":
    main()
