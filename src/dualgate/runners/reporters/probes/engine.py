"""Run the tests once to see what they run, then once for each probe, each time in a fork of the collected tests."""

from __future__ import annotations

import gc
import os
import resource
import sys
import tempfile
import time
from typing import TYPE_CHECKING, Any

from . import children
from .assertions import Watch
from .begin import PROJECT
from .children import Child, Line
from .expectations import changed_codes, unwrapped
from .ledger import KILLED, LEFT_OUT, PASSED, SURVIVING, UNKNOWN, Ledger
from .outputs import remove_outputs

if TYPE_CHECKING:
    from ..channel import Channel
    from .switches import Switches

FOR_ALL_TESTS = 0.5
FOR_FUNCTIONS = 0.8
CPU_LEAST, CPU_TIMES = 3, 6
WALL_LEAST, WALL_TIMES = 10.0, 8.0
MOST_CRASHES = 20
MOST_FORKS = 6


class Engine:
    """Drives a test runner: `tests` has methods to collect and run tests, and to go on in a fork."""

    def __init__(self, switches: Switches, plan: dict[str, Any], tests: Any, channel: Channel) -> None:
        self.switches = switches
        self.ledger = Ledger(switches.book, plan["groups"])
        self.tests = tests
        self.channel = channel
        self.begin = time.monotonic()
        self.seconds = float(plan["seconds"])
        self.room = plan["room"]
        self.outputs: list[str] = plan.get("outputs", [])
        self.number: str = plan.get("number", "")
        self.line: Line | None = None
        self.early: list[int] = []
        self.tried: int = 0
        self.total: int = 0

    @property
    def deadline(self) -> float:
        return self.begin + self.seconds

    def measure(self) -> bool:
        """Everything; returns True in a fork that has to collect the tests now, and then calls `collected`."""
        if not self.ledger.book.probes and not self.switches.takes_all:
            self.tell_all()
            return False
        made = self.fork()
        if isinstance(made, Line):
            self.line = made
            return True
        patience = self.deadline + WALL_LEAST
        how = made.follow(patience, self.hear)
        if not self.ledger.tests:
            self.problem(f"the tests cannot be collected for probes: the process {how}")
        elif how != children.ENDED:
            self.problem(f"the process of the probes {how}")
        for number in self.ledger.plan(early=True) if self.ledger.tests else ():
            if self.try_early(number):
                return True
        self.tell_all()
        return False

    def fork(self, cpu: float | None = None) -> Child | Line:
        sys.stdout.flush()
        sys.stderr.flush()
        remove_outputs(PROJECT, self.outputs, self.number)
        made = children.fork(cpu)
        if isinstance(made, Line):
            # a fork cannot report for its parent
            self.channel.give_up()
            if self.line is not None:
                os.close(self.line.descriptor)
            self.tests.go_on_in_fork()
            tempfile.tempdir = tempfile.mkdtemp(dir=self.room)
            os.environ["PYTEST_DEBUG_TEMPROOT"] = tempfile.tempdir
        return made

    def hear(self, told: dict[str, Any]) -> None:
        if "problem" in told:
            self.problem(told["problem"])
        elif "progress" in told:
            self.channel.put("progress", done=told["progress"], total=told["total"])
            self.channel.flush()
        elif "book" in told:
            self.switches.book.adopt(told["book"])
        else:
            self.ledger.hear(told)

    def problem(self, text: str) -> None:
        self.channel.put("problem", text=text)
        self.channel.flush()

    def collected(self) -> None:
        """In a fork, with the tests collected: all that is to be tried in it. Does not return."""
        assert self.line is not None
        if self.early:
            self.run_tests(self.early, self.line)
        else:
            self.cover()
            self.try_expectations()
            self.try_functions()
        self.line.end()

    # the first run

    def cover(self) -> None:
        line = self.line
        assert line is not None
        # what no collection of garbage looks at, no fork has to copy
        gc.freeze()
        at_import = sorted(self.switches.ran)
        told = {"tests": self.tests.names_and_reach(), "at_import": at_import}
        self.ledger.hear(told)
        if self.switches.takes_all:
            line.tell(book=self.switches.book.unchanged_places())
        for text in self.switches.problems:
            line.tell(problem=text)
        line.tell(**told)
        waiting = self.ledger.order()
        for _ in range(MOST_CRASHES):
            waiting = self.cover_some(waiting, line)
            if not waiting:
                break
        unrun = [test.name for test in self.ledger.tests if not test.outcome]
        self.ledger.is_whole = not unrun
        line.tell(whole=not unrun)
        if unrun:
            line.tell(problem=f"the time for probes was too short for {len(unrun)} of {len(self.ledger.tests)} tests")

    def cover_some(self, waiting: list[int], line: Line) -> list[int]:
        """Run tests in a fork until one breaks it off; returns those that are left."""
        made = self.fork()
        if isinstance(made, Line):
            self.run_covered(waiting, made)
            made.end()
            os._exit(1)
        done: set[int] = set()

        def listen(told: dict[str, Any]) -> None:
            done.add(told["covered"])
            self.ledger.cover(told)
            line.tell(**told)

        how = made.follow(self.deadline, listen)
        left = [index for index in waiting if index not in done]
        if how == children.BROKE_OFF and left:
            self.ledger.cover({"covered": left[0], "outcome": how, "seconds": 0.0, "cpu": 0.0, "hits": []})
            line.tell(covered=left[0], outcome=how, seconds=0.0, cpu=0.0, hits=[])
            return left[1:]
        return []

    def run_covered(self, waiting: list[int], line: Line) -> None:
        for position, index in enumerate(waiting):
            is_asked = self.ledger.tests[index].name in self.ledger.of_test
            if not is_asked and time.monotonic() > self.begin + self.seconds * FOR_ALL_TESTS:
                return
            self.switches.ran.clear()
            began, cpu = time.monotonic(), time.process_time()
            following = waiting[position + 1] if position + 1 < len(waiting) else None
            with Watch(self.tests.function(index) if is_asked else None) as watch:
                ended = self.tests.run(index, following)
            line.tell(
                covered=index,
                outcome=ended.outcome,
                seconds=round(time.monotonic() - began, 4),
                cpu=round(time.process_time() - cpu, 4),
                hits=sorted(ended.hits),
                asserted=watch.reached,
            )

    # one run for each expected literal

    def try_expectations(self) -> None:
        """Name the tests of groups that pass whatever they expect."""
        line = self.line
        assert line is not None
        for index, test in enumerate(self.ledger.tests):
            is_asked = test.name in self.ledger.of_test and test.outcome == PASSED
            if is_asked and time.monotonic() < self.deadline and self.expects_nothing(index):
                line.tell(unexpecting=index)

    def expects_nothing(self, index: int) -> bool:
        """Whether a test passes with each of its expected literals changed; False if it has none."""
        function = self.tests.function(index)
        tried = False
        for code in changed_codes(function):
            tried = True
            made = self.fork()
            if isinstance(made, Line):
                unwrapped(function).__code__ = code
                self.run_tests([index], made)
                made.end()
                os._exit(1)
            heard: list[dict[str, Any]] = []
            self.follow(made, [index], self.deadline, heard)
            if not any(each.get("outcome") == PASSED for each in heard):
                return False
        return tried

    # one run for each probe

    def try_functions(self) -> None:
        line = self.line
        assert line is not None
        planned = [number for number in self.ledger.plan(early=False) if self.ledger.candidates(number, False)]
        has_early = bool(self.ledger.plan(early=True))
        until = self.begin + self.seconds * (FOR_FUNCTIONS if has_early else 1.0)
        self.total = len(planned)
        for number in self.ledger.endless_last(planned):
            self.try_one(number, until, line)
        for group, asked in enumerate(self.ledger.groups):
            if asked["breaks_unchanged"]:
                self.try_unchanged(group, until, line)

    def try_unchanged(self, group: int, until: float, line: Line) -> None:
        for number in self.ledger.unchanged(group):
            if group in self.ledger.proven or time.monotonic() >= until:
                return
            if number not in self.ledger.results:
                self.total += 1
                self.try_one(number, until, line)

    def try_one(self, number: int, until: float, line: Line) -> None:
        candidates = self.ledger.candidates(number, False)
        if time.monotonic() >= until:
            told = result(number, LEFT_OUT)
        else:
            self.tried += 1
            line.tell(progress=self.tried, total=self.total)
            told = self.try_in_forks(number, candidates, until)
        self.ledger.note(told)
        line.tell(**told)

    def try_in_forks(self, number: int, candidates: list[int], until: float) -> dict[str, Any]:
        """Run the tests in a fork; after a test that ends its process, those behind it in another one."""
        heard: list[dict[str, Any]] = []
        waiting, how = candidates, children.ENDED
        for _ in range(MOST_FORKS):
            made = self.fork()
            if isinstance(made, Line):
                self.switches.activate(number)
                self.run_tests(waiting, made)
                made.end()
                os._exit(1)
            ended = self.follow(made, waiting, until, heard)
            how = how if ended == children.ENDED else ended
            begun = [told["begins"] for told in heard if "begins" in told]
            waiting = waiting[waiting.index(begun[-1]) + 1 :] if begun and begun[-1] in waiting else []
            if ended != children.BROKE_OFF or not waiting:
                break
        return self.judge(number, how, heard)

    def try_early(self, number: int) -> bool:
        """True in the fork that has to collect the tests."""
        candidates = self.ledger.candidates(number, True)
        if not candidates:
            return False
        if time.monotonic() >= self.deadline:
            self.ledger.note(result(number, LEFT_OUT))
            return False
        made = self.fork(cpu=CPU_LEAST * 10)
        if isinstance(made, Line):
            self.line, self.early = made, candidates
            self.switches.activate(number)
            self.tests.select([self.ledger.tests[index].name for index in candidates])
            return True
        heard: list[dict[str, Any]] = []
        how = self.follow(made, candidates, self.deadline, heard)
        self.ledger.note(self.judge(number, how, heard))
        return False

    def run_tests(self, candidates: list[int], line: Line) -> None:
        """Run the tests that decide something; then others, until one fails."""
        noticed: set[int] = set()
        failed = False
        for position, index in enumerate(candidates):
            test = self.ledger.tests[index]
            groups = [group for group in self.ledger.of_test.get(test.name, ()) if group not in self.ledger.proven]
            if failed and (not groups or noticed.issuperset(groups)):
                continue
            limit = int(time.process_time() + CPU_LEAST + CPU_TIMES * test.cpu) + 1
            children.limit(resource.RLIMIT_CPU, limit)
            line.tell(begins=index)
            following = candidates[position + 1] if position + 1 < len(candidates) else None
            ended = self.tests.run_named(test.name, None if following is None else self.ledger.tests[following].name)
            if ended is None:
                line.tell(missing=index)
                continue
            line.tell(ran=index, outcome=ended.outcome, crashed=ended.crashed)
            if ended.outcome in ("failed", "error"):
                failed = True
                noticed.update(() if ended.crashed else groups)

    def follow(self, child: Child, candidates: list[int], until: float, heard: list[dict[str, Any]]) -> str:
        longest = max([self.ledger.tests[index].seconds for index in candidates], default=0.0)
        alone = time.monotonic() + WALL_LEAST + WALL_TIMES * longest * max(1, len(candidates))
        return child.follow(min(alone, until + WALL_LEAST), heard.append)

    def judge(self, number: int, how: str, told: list[dict[str, Any]]) -> dict[str, Any]:
        by_name = self.ledger.tests
        killed = [by_name[each["ran"]].name for each in told if each.get("outcome") in ("failed", "error")]
        crashed = [by_name[each["ran"]].name for each in told if each.get("crashed")]
        passed = [by_name[each["ran"]].name for each in told if each.get("outcome") == PASSED]
        missing = [each for each in told if "missing" in each]
        if killed or (missing and how == children.ENDED):
            state = KILLED
        elif how != children.ENDED or not told:
            state = UNKNOWN
        else:
            state = SURVIVING
        survived = [name for name in passed if name in self.ledger.of_test]
        return {**result(number, state), "killed": killed, "survived": survived, "crashed": crashed, "why": how}

    # the report

    def changed(self) -> set[int]:
        """Marks of code that changed."""
        return {probe.entry for probe in self.switches.book.probes.values() if probe.place.changed}

    def tell_all(self) -> None:
        book, put = self.switches.book, self.channel.put
        for number, told in self.ledger.results.items():
            probe = book.probes[number]
            put(
                "probe",
                file=probe.place.file,
                line=probe.line,
                function=probe.place.name,
                kind=probe.kind,
                text=probe.text,
                state=told["state"],
                killed=told["killed"],
                survived=told["survived"],
                crashed=told["crashed"],
            )
        for each in self.ledger.functions():
            put("function", **each)
        for file, first, last in self.ledger.unrun():
            put("unrun", file=file, first=first, last=last)
        unfit = [
            [t.name, t.outcome] for t in self.ledger.tests if t.name in self.ledger.of_test and t.outcome != PASSED
        ]
        known = {test.name for test in self.ledger.tests}
        unknown = sorted(name for name in self.ledger.of_test if name not in known) if known else []
        unasserted = [t.name for t in self.ledger.tests if t.outcome == PASSED and t.asserted is False]
        hollow = {"unasserted": unasserted, "unexpecting": [t.name for t in self.ledger.tests if t.unexpecting]}
        failing = [t.name for t in self.ledger.tests if t.outcome not in ("", PASSED) and t.hits & self.changed()]
        put("tests", ran=list(self.ledger.ran()), unfit=unfit, unknown=unknown, failing=failing, **hollow)
        put("finished", seconds=round(time.monotonic() - self.begin, 3))
        self.channel.flush()


def result(number: int, state: str) -> dict[str, Any]:
    return {"probe": number, "state": state, "killed": [], "survived": [], "crashed": []}
