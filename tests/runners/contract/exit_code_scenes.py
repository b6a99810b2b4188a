"""A command that tells of nothing but its end, as `make test` or `cargo test` do."""

import sys

from dualgate.core.values.suite import FailureKind
from tests.runners.contract.lives import Contender, Expected, Life, Scene

ONE = "the whole command is one test"


def _does(text: str, expected: Expected | None = None) -> Scene:
    return Scene(files={"check.py": f"import os, sys, time\n{text}\n"}, expected=expected)


ON_EXIT_CODE = Contender(
    name="exit code",
    runner="exit-code",
    command=(sys.executable, "check.py"),
    scenes={
        Life.PASS: _does("print('fine')"),
        # an exit code does not say why
        Life.FAIL: _does("sys.exit('no')", Expected(outcomes={"failed": 1}, kinds=(FailureKind.OTHER,))),
        Life.HANG: _does("time.sleep(600)"),
        Life.CRASH: _does("os.abort()"),
        Life.HUGE_OUTPUT: _does("for _ in range(20): print('x' * (1 << 20))"),
        # two or one, the command is one
        Life.SAME_NAME: _does("print('a a')", Expected(outcomes={"passed": 1})),
        Life.NOISE: _does("print('1..1\\nnot ok 1 - a\\n<testcase/>')"),
    },
    lacks={
        Life.ERROR: ONE,
        Life.SKIP: ONE,
        Life.XFAIL: ONE,
        Life.BROKEN_FILE: ONE,
        Life.NO_TESTS: "a command that tests nothing ends like one whose tests pass",
        Life.UNICODE: ONE,
        Life.PARAMETRISED: ONE,
        Life.CLASSES: ONE,
        Life.PARALLEL: ONE,
        Life.RANDOM_ORDER: ONE,
    },
)
