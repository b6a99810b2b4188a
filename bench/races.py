"""Two runs that begin at once in one work tree: one goes on, the other is refused, every time."""

import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

ROUNDS = 200
RACER = """
import sys
from pathlib import Path
from dualgate.errors import SessionLocked
from dualgate.store.lease import owned
from dualgate.testing import NOW

tree = Path(sys.argv[1])
for _ in range(int(sys.argv[2])):
    sys.stdin.readline()
    try:
        with owned(tree, tree / "s", {"HOME": sys.argv[1]}, NOW) as owner:
            print(owner.epoch, flush=True)
            sys.stdin.readline()
    except SessionLocked:
        print("refused", flush=True)
        sys.stdin.readline()
    print("out", flush=True)
"""


def race(tree: Path, rounds: int) -> list[list[str]]:
    """What the two were told in each round: the number of the owner, and that it was refused."""
    words = [sys.executable, "-c", RACER, str(tree), str(rounds)]
    with ExitStack() as both:
        racers = [
            both.enter_context(subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
            for _ in range(2)
        ]

        def step() -> list[str]:
            for racer in racers:
                assert racer.stdin
                racer.stdin.write("\n")
                racer.stdin.flush()
            return sorted(racer.stdout.readline().strip() for racer in racers if racer.stdout)

        seen = []
        for _ in range(rounds):
            seen.append(step())
            step()
        return seen


def one_each_time(rounds: int) -> list[list[str]]:
    return [[str(number), "refused"] for number in range(1, rounds + 1)]


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        started = time.perf_counter()
        seen = race(Path(name), ROUNDS)
        spent = time.perf_counter() - started
    wrong = sum(found != meant for found, meant in zip(seen, one_each_time(ROUNDS), strict=True))
    print(f"{ROUNDS} races for one work tree, {wrong} without one winner and one refused, {spent:.1f} s")
    if wrong:
        sys.exit(1)
