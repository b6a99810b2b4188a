"""How problems of blocks are worded, weighed and listed."""

from collections import Counter
from collections.abc import Iterable

from dualgate.core.values.problems import Problem
from dualgate.core.values.problems import error as error
from dualgate.core.values.problems import warning as warning

SHOWN = 80
SAME_KIND_SHOWN = 20
TOLERATED = {
    "bold": "the name stands in bold",
    "case": "the value is not written in its exact case",
    "remark": "a remark follows the value",
}


def tolerated(code: str, name: str, line: int) -> Problem:
    return warning(code, f"{name}: {TOLERATED[code]}", field=name, line=line)


def in_order(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """By line, and of one kind not more than can be read. All of a code weigh alike, so no error is lost."""
    ordered = sorted(problems, key=lambda problem: problem.line or 0)
    counts: Counter[str] = Counter()
    kept: list[Problem] = []
    for problem in ordered:
        counts[problem.code] += 1
        if counts[problem.code] <= SAME_KIND_SHOWN:
            kept.append(problem)
    return tuple(kept)
