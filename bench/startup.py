"""How long dualgate takes to start, beside an interpreter that does nothing. CPU time of whole processes."""

import os
import statistics
import sys
import tempfile
from collections.abc import Sequence

from dualgate.core.said.blocks import emit_ralph_status
from dualgate.core.values.ralph_status import RalphStatus
from dualgate.core.values.vocabulary import WorkStatus

ROUNDS = 15
NOTHING = ("-c", "pass")
ONLY_CLICK = ("-c", "import click")
AN_ANSWER = emit_ralph_status(RalphStatus(status=WorkStatus.IN_PROGRESS, recommendation="Next: go on")) + "\n"
STARTS = {
    "dualgate --version": ("-m", "dualgate", "--version"),
    "dualgate": ("-m", "dualgate"),
    "dualgate --help": ("-m", "dualgate", "--help"),
    "dualgate run --help": ("-m", "dualgate", "run", "--help"),
    "dualgate resume --help": ("-m", "dualgate", "resume", "--help"),
    "dualgate sessions --help": ("-m", "dualgate", "sessions", "--help"),
}
# without its compiled files no program starts as it does for users
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def main() -> None:
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as answer:
        answer.write("some words of an agent that is at work\n" * 120 + AN_ANSWER)
        answer.flush()
        parse = ("-m", "dualgate", "parse", "--json", answer.name)
        bases = {"python -c pass": NOTHING, "import click": ONLY_CLICK}
        measured = interleaved({**bases, **STARTS, "dualgate parse, 5 KB": parse})
    base = measured["python -c pass"]
    for name, seconds in measured.items():
        print(f"{name:<24} {seconds * 1000:7.1f} ms CPU   {seconds / base:5.2f} × python -c pass")
    least = measured["dualgate --version"] + measured["import click"] - base
    print(
        f"dualgate run --help   {measured['dualgate run --help'] / least:.2f} × --version and click together (aim: 1.5)"
    )


def interleaved(commands: dict[str, Sequence[str]]) -> dict[str, float]:
    """The median CPU time of each, in rounds, so that a change of the machine's mood meets all alike."""
    taken: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(ROUNDS):
        for name, words in commands.items():
            taken[name].append(cpu_seconds(words))
    return {name: statistics.median(times) for name, times in taken.items()}


def cpu_seconds(words: Sequence[str]) -> float:
    quiet = os.open(os.devnull, os.O_WRONLY)
    actions = [(os.POSIX_SPAWN_DUP2, quiet, 1)]
    process = os.posix_spawn(sys.executable, [sys.executable, *words], ENVIRONMENT, file_actions=actions)
    _, status, usage = os.wait4(process, 0)
    os.close(quiet)
    if status:
        raise SystemExit(f"{' '.join(words)} ended with {status}")
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    main()
