"""How fast answers are read, how the time grows, and how much memory a long stream takes."""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from dualgate.analyzer import add, read_answer, should_exit, start
from dualgate.core.said.blocks import emit_ralph_status
from dualgate.core.values.ralph_status import RalphStatus
from dualgate.core.values.vocabulary import WorkStatus

MEGABYTE = 1 << 20
BLOCK = emit_ralph_status(RalphStatus(status=WorkStatus.IN_PROGRESS, recommendation="Next: go on"))
PROSE = b"I looked at the module and moved the helper to its own file; the tests still pass.\n"
EVENT = json.dumps(
    {
        "type": "assistant",
        "message": {"role": "assistant", "model": "m", "content": [{"type": "text", "text": "words " * 120}]},
        "session_id": "00000000-0000-4000-8000-000000000000",
    }
).encode()
START = b'{"type":"system","subtype":"init","session_id":"s","claude_code_version":"2","model":"m"}\n'
RESULT = json.dumps(
    {"type": "result", "subtype": "success", "is_error": False, "result": BLOCK, "num_turns": 9}
).encode()

# by the high-water mark of its own memory: what getrusage tells of a child holds its parent at the fork
IN_A_CHILD = """
import re, resource, sys
from pathlib import Path
from dualgate.cli.main import main
main(["analyze", "--json", sys.argv[1]])
status = Path("/proc/self/status")
mark = re.search(r"VmHWM:\\s+(\\d+) kB", status.read_text()) if status.exists() else None
print(mark[1] if mark else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def main() -> None:
    print(f"peak memory of 'dualgate analyze' on 1 GB of JSON lines: {peak_memory():.0f} MB")
    for name, make in (("text", a_text), ("JSON lines", a_stream)):
        seconds = {size: timed(make(size * MEGABYTE)) for size in (2, 20, 200)}
        growth = [seconds[20] / seconds[2], seconds[200] / seconds[20]]
        print(f"{name:<11} {20 / seconds[20]:6.0f} MB/s over 20 MB   2→20→200 MB: {growth[0]:.1f}× {growth[1]:.1f}×")


def a_text(size: int) -> bytes:
    return PROSE * (size // len(PROSE)) + BLOCK.encode() + b"\n"


def a_stream(size: int) -> bytes:
    return START + (EVENT + b"\n") * (size // len(EVENT)) + RESULT + b"\n"


def timed(content: bytes) -> float:
    """CPU seconds from the bytes to the decision; the best of three."""
    taken = []
    for _ in range(3):
        begun = time.process_time()
        history = start()
        add(history, read_answer(content))
        should_exit(history)
        taken.append(time.process_time() - begun)
    return min(taken)


def peak_memory() -> float:
    with tempfile.TemporaryDirectory(prefix="dualgate-bench-") as name:
        path = Path(name, "stream.jsonl")
        part = (EVENT + b"\n") * (4 * MEGABYTE // len(EVENT))
        with path.open("wb") as file:
            file.write(START)
            while file.tell() < 1024 * MEGABYTE:
                file.write(part)
            file.write(RESULT + b"\n")
        ended = subprocess.run(
            [sys.executable, "-c", IN_A_CHILD, str(path)], check=True, capture_output=True, text=True
        )
        return int(ended.stdout.splitlines()[-1]) / 1024


if __name__ == "__main__":
    main()
