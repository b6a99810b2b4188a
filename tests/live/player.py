"""A model that does the work of the doubling project, phase by phase, and what it meets in single calls instead."""

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from dualgate.core.said.blocks import emit_ralph_status, fitting_tests_status
from dualgate.core.values.ralph_status import RalphStatus
from dualgate.core.values.vocabulary import Phase, WorkStatus, WorkType

ASKED = re.compile(r"in phase ([A-Z]+), iteration (\d+) of")
TESTS = """\
def test_ac1_two_becomes_four():
    from doubling import double

    assert double(2) == 4


def test_ac2_a_becomes_aa():
    from doubling import double

    assert double("a") == "aa"
"""
CODE = "def double(value):\n    return value + value\n"
WRITES = {
    (Phase.RED, 1): {"tests/test_double.py": TESTS},
    # the first of GREEN says done and has done nothing, so that there is a second
    (Phase.GREEN, 2): {"doubling.py": CODE},
    (Phase.DOCUMENT, 1): {
        "README.md": "# Doubling\n\nIn doubling.py.\n",
        "docs/usage.md": "Call double(value).\n",
        "docs/adr/0001-double-by-adding.md": (
            "# Double by adding\n\nContext: texts too.\nDecision: add it.\nConsequences: it is short.\n"
        ),
    },
}
CALLS = 6
"""Of the agent, in a run in which nothing goes wrong."""

Step = dict[str, Any]


def done(phase: Phase) -> str:
    block = RalphStatus(
        status=WorkStatus.COMPLETE,
        tasks_completed=1,
        files_modified=1,
        tests_status=fitting_tests_status(phase),
        work_type=WorkType.IMPLEMENTATION,
        exit_signal=True,
        recommendation="done",
    )
    verdict = "Phase: CODE_REVIEW\nStatus: passed\n\nVerdict: APPROVE\n\n" if phase is Phase.QA else ""
    return f"{verdict}{emit_ralph_status(block)}\n"


class Player:
    """One tool call after the other, then it says done. What a call meets `instead`, every request of it meets."""

    def __init__(
        self,
        calls: Callable[[], int] = lambda: 0,
        instead: Mapping[int, Step] = MappingProxyType({}),
    ) -> None:
        self.asked: list[tuple[Phase, int, int]] = []
        """Phase, iteration, and how many prompts of ours the conversation holds: more than one where it was resumed."""
        self.spoken: set[tuple[Phase, str]] = set()
        """Phases, and the protocols of who asked in them, which are the providers' own."""
        self._calls = calls
        self._instead = instead

    def __call__(self, request: Any) -> Step:
        prompts = [number for number, (_, text, _) in enumerate(request.texts) if ASKED.search(text)]
        if not request.has_tools or not prompts:
            return {"text": "ok"}
        if step := self._instead.get(self._calls()):
            return step
        found = ASKED.search(request.texts[prompts[-1]][1])
        assert found
        phase, iteration = Phase(found[1]), int(found[2])
        self.asked.append((phase, iteration, len(prompts)))
        self.spoken.add((phase, request.proto))
        results = sum(is_result for _, _, is_result in request.texts[prompts[-1] :])
        return self.step(phase, iteration, results)

    def step(self, phase: Phase, iteration: int, results: int) -> Step:
        """What follows when so many tools have been used since the prompt."""
        writes = list(WRITES.get((phase, iteration), {}).items())
        if results < len(writes):
            path, content = writes[results]
            return {"tool": "write", "path": path, "content": content}
        return {"text": done(phase)}
