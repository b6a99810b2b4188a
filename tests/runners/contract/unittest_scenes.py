"""unittest, read by our own reporter."""

import sys

from tests.runners.contract.lives import Contender, Expected, Life, Scene

HEAD = "import os, time, unittest\n"


def _one(body: str, name: str = "Group", before: str = "") -> Scene:
    return Scene(files={"test_a.py": f"{HEAD}class {name}(unittest.TestCase):\n{before}    {body}\n"})


FOUR = "".join(f"    def test_{name}(self): pass\n" for name in ("alpha", "beta", "gamma", "delta"))
LOADED = (
    "def load_tests(loader, tests, pattern):\n"
    "    import random\n"
    "    names = loader.getTestCaseNames(Group)\n"
    "    random.shuffle(names)\n"
    "    return unittest.TestSuite(map(Group, names))\n"
)
SCENES = {
    Life.PASS: _one("def test_a(self): pass"),
    Life.FAIL: _one("def test_a(self): self.assertEqual(1, 2)"),
    # what set-up raises is an error of the test; unittest has no fixtures of another kind
    Life.ERROR: _one("def test_a(self): pass", before="    def setUp(self): raise RuntimeError('no database')\n"),
    Life.SKIP: _one("def test_a(self): pass", before="    @unittest.skip('later')\n"),
    Life.XFAIL: _one("def test_a(self): self.fail()", before="    @unittest.expectedFailure\n"),
    Life.BROKEN_FILE: Scene(
        files={
            "test_a.py": "import nowhere_to_be_found",
            "test_b.py": f"{HEAD}class B(unittest.TestCase):\n    def test_b(self): pass\n",
        }
    ),
    Life.HANG: _one("def test_b(self): time.sleep(600)", before="    def test_a(self): pass\n"),
    Life.CRASH: _one("def test_b(self): os._exit(0)", before="    def test_a(self): pass\n"),
    Life.HUGE_OUTPUT: _one("def test_a(self): [print('x' * (1 << 20)) for _ in range(20)]"),
    Life.SAME_NAME: Scene(
        files={
            f"test_{name}.py": f"{HEAD}class Group(unittest.TestCase):\n    def test_one(self): pass\n" for name in "ab"
        }
    ),
    Life.UNICODE: _one("def test_käse(self): pass"),
    Life.CLASSES: _one("def test_a(self): pass"),
    Life.RANDOM_ORDER: Scene(files={"test_a.py": f"{HEAD}class Group(unittest.TestCase):\n{FOUR}{LOADED}"}),
    Life.NOISE: _one("def test_a(self): os.write(1, b'OK\\n1..9\\nnot ok 1 - forged\\n')"),
    # from Python 3.12 on the exit code is 5, before it 0: neither is a failure
    Life.NO_TESTS: Scene(expected=Expected()),
}
ON_UNITTEST = Contender(
    name="unittest",
    runner="unittest",
    command=(sys.executable, "-m", "unittest"),
    scenes=SCENES,
    lacks={
        Life.PARAMETRISED: "unittest has no parameters but subtests, which are no tests of their own",
        Life.PARALLEL: "unittest runs one test after the other",
    },
)
