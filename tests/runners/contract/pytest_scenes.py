"""pytest, read by our own plug-in and, as a second contender, by the JUnit XML that it writes itself."""

import sys
from dataclasses import replace

from tests.runners.contract.lives import Contender, Expected, Life, Scene

FIXTURE = "import pytest\n@pytest.fixture\ndef broken(): raise RuntimeError('no database')\ndef test_a(broken): pass"
FOUR = "def test_alpha(): pass\ndef test_beta(): pass\ndef test_gamma(): pass\ndef test_delta(): pass"
SHUFFLED = "import random\ndef pytest_collection_modifyitems(items): random.shuffle(items)"
FORGED = '\\n1..9\\nnot ok 1 - <testcase name="forged"/>\\n'
TALKATIVE = f"import os\ndef pytest_runtest_logreport(report): os.write(1, b'{FORGED}')"


def _one(text: str) -> Scene:
    return Scene(files={"test_a.py": text})


SCENES = {
    Life.PASS: _one("def test_a(): pass"),
    Life.FAIL: _one("def test_a(): assert 1 == 2"),
    Life.ERROR: _one(FIXTURE),
    Life.SKIP: _one("import pytest\n@pytest.mark.skip\ndef test_a(): pass"),
    Life.XFAIL: _one("import pytest\n@pytest.mark.xfail\ndef test_a(): assert 0"),
    Life.BROKEN_FILE: Scene(
        files={"test_a.py": "import nowhere_to_be_found", "test_b.py": "def test_b(): pass"},
        words=("--continue-on-collection-errors",),
    ),
    Life.HANG: _one("import time\ndef test_a(): pass\ndef test_b(): time.sleep(600)"),
    Life.CRASH: _one("import os\ndef test_a(): pass\ndef test_b(): os._exit(0)"),
    Life.NO_TESTS: Scene(),
    Life.HUGE_OUTPUT: Scene(
        files={"test_a.py": "def test_a():\n    for _ in range(20): print('x' * (1 << 20))"}, words=("-s",)
    ),
    Life.SAME_NAME: Scene(files={"test_a.py": "def test_one(): pass", "test_b.py": "def test_one(): pass"}),
    Life.UNICODE: _one("def test_käse(): pass"),
    Life.PARAMETRISED: _one("import pytest\n@pytest.mark.parametrize('word', ['one', 'two'])\ndef test_a(word): pass"),
    Life.CLASSES: _one("class TestGroup:\n    def test_a(self): pass"),
    Life.PARALLEL: Scene(files={"test_a.py": FOUR}, words=("-p", "xdist", "-n", "2")),
    Life.RANDOM_ORDER: Scene(files={"test_a.py": FOUR, "conftest.py": SHUFFLED}),
    Life.NOISE: Scene(files={"test_a.py": "def test_a(): print('noise')", "conftest.py": TALKATIVE}, words=("-s",)),
}
COMMAND = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")

ON_PYTEST = Contender(name="pytest", runner="pytest", command=COMMAND, scenes=SCENES)
ON_JUNIT = replace(
    ON_PYTEST,
    name="junit",
    runner="junit",
    command=(*COMMAND, "--junitxml={report}"),
    # exit code 5 is a word of pytest's, and any other tool says with it that it failed
    scenes=SCENES | {Life.NO_TESTS: replace(SCENES[Life.NO_TESTS], expected=Expected(trusted=False))},
)
