"""Probes in real projects: tests that look at values notice them, hollow tests do not, and nothing is written."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from dualgate.core.values.probes import ProbeKind, ProbePlan, ProbeReport, ProbeState
from tests.runners.probing import (
    PYTEST,
    a_plan,
    a_project,
    killed_value_probes,
    probe_command,
    probe_pytest,
    states,
)
from tests.spawner import Spawner

FEES = '''"""Fees."""
RATE = 3


def fee(amount):
    """How much it costs."""
    if amount <= 10:
        return 0
    return amount * RATE
'''
HOLLOW = """
from unittest import mock
import fees
from fees import fee


def test_good():
    assert fee(10) == 0
    assert fee(11) == 33


def test_without_assertion():
    fee(11)


def test_swallowed():
    try:
        assert fee(11) == 33
    except AssertionError:
        pass


def test_mirrored():
    assert fee(11) == fee(11)


def test_patched():
    with mock.patch("fees.fee", return_value=33):
        assert fees.fee(11) == 33


def test_callable():
    assert callable(fee)


def test_not_none():
    assert fee(11) is not None


def test_isinstance():
    assert isinstance(fee(11), object)
"""
HOLLOW_TESTS = ("without_assertion", "swallowed", "mirrored", "patched", "callable", "not_none", "isinstance")


def test_only_a_test_that_looks_at_values_notices_that_they_change(spawner: Spawner, tmp_path: Path) -> None:
    project = a_project(tmp_path, {"fees.py": FEES, "test_fees.py": HOLLOW})
    before = {path.name: path.read_bytes() for path in project.iterdir()}
    names = [f"test_fees.py::test_{name}" for name in ("good", *HOLLOW_TESTS)]

    report = probe_pytest(spawner, project, a_plan({"fees.py": ""}, names))

    assert report.problems == ()
    assert killed_value_probes(report, names[0])
    assert [name for name in names[1:] if killed_value_probes(report, name)] == []
    assert {path.name: path.read_bytes() for path in project.iterdir()} == before
    assert {probe.kind for probe in report.probes} >= {
        ProbeKind.GUESSED_STUB,
        ProbeKind.NONE_STUB,
        ProbeKind.RAISE_STUB,
        ProbeKind.MUTANT,
    }
    stub = next(probe for probe in report.probes if probe.text == "returns 1")
    assert (stub.file, stub.line, stub.function, stub.state) == ("fees.py", 5, "fee", ProbeState.KILLED)
    assert "tests::test_fees.py::test_without_assertion" in stub.survived
    assert {name.rpartition("_")[2] for name in report.ran} == {
        *("good", "assertion", "swallowed", "mirrored", "none", "isinstance"),
    }


def test_a_constant_of_the_module_is_broken_before_it_is_imported(spawner: Spawner, tmp_path: Path) -> None:
    project = a_project(tmp_path, {"fees.py": FEES, "test_fees.py": HOLLOW})
    old = FEES.replace("RATE = 3", "RATE = 2")

    report = probe_pytest(spawner, project, a_plan({"fees.py": old}, ["test_fees.py::test_good"]))

    assert states(report) == {"fees.py:2 `3` → `4`": "killed", "fees.py:2 `3` → `0`": "killed"}
    assert report.ran == ("tests::test_fees.py::test_good",)


def test_a_file_that_a_conftest_imports_is_broken_too(spawner: Spawner, tmp_path: Path) -> None:
    project = a_project(tmp_path, {"fees.py": FEES, "test_fees.py": HOLLOW, "conftest.py": "import fees\n"})

    report = probe_pytest(spawner, project, a_plan({"fees.py": FEES.replace("3", "2")}, ["test_fees.py::test_good"]))

    assert states(report) == {"fees.py:2 `3` → `4`": "killed", "fees.py:2 `3` → `0`": "killed"}


def test_lines_that_no_test_runs_are_named(spawner: Spawner, tmp_path: Path) -> None:
    tests = "from fees import fee\n\ndef test_fee():\n    assert fee(2) == 0\n"
    project = a_project(tmp_path, {"fees.py": FEES, "test_fees.py": tests})

    report = probe_pytest(spawner, project, a_plan({"fees.py": ""}, ["test_fees.py::test_fee"]))

    assert [(each.file, each.first, each.last) for each in report.unrun] == [("fees.py", 9, 9)]
    assert [(each.name, each.tests) for each in report.functions] == [("", 1), ("fee", 1)]


def test_an_unchanged_function_is_broken_only_where_the_plan_asks_for_it(spawner: Spawner, tmp_path: Path) -> None:
    project = a_project(tmp_path, {"fees.py": FEES, "test_fees.py": HOLLOW})
    names = ["test_fees.py::test_good", "test_fees.py::test_mirrored"]

    nothing = probe_pytest(spawner, project, a_plan({"fees.py": FEES}, names))
    report = probe_pytest(spawner, project, a_plan({}, names, keep=True))

    assert (nothing.probes, nothing.functions) == ((), ())
    assert killed_value_probes(report, names[0])
    assert not killed_value_probes(report, names[1])
    assert report.ran == tuple(f"tests::{name}" for name in names)


@pytest.mark.parametrize("old", [FEES.replace("RATE = 3", "RATE = 2"), FEES.replace("Fees", "Costs")])
def test_an_unchanged_function_of_a_changed_file_is_broken_for_what_is_kept(
    spawner: Spawner, tmp_path: Path, old: str
) -> None:
    tests = "from fees import fee\n\ndef test_small():\n    assert fee(2) == 0\n"
    project = a_project(tmp_path, {"fees.py": FEES, "test_fees.py": tests})

    report = probe_pytest(spawner, project, a_plan({"fees.py": old}, ["test_fees.py::test_small"], keep=True))

    assert [probe.text for probe in killed_value_probes(report, "test_fees.py::test_small")] == [
        "returns 1",
        "returns 'x'",
    ]
    assert [each.name for each in report.functions if each.name] == []


def test_a_probe_that_never_ends_is_unknown_and_the_others_go_on(spawner: Spawner, tmp_path: Path) -> None:
    loop = "def count(n):\n    while n > 0:\n        n -= 1\n    return n\n"
    tests = "from loop import count\n\ndef test_count():\n    assert count(3) == 0\n"
    project = a_project(tmp_path, {"loop.py": loop, "test_loop.py": tests})

    found = states(probe_pytest(spawner, project, a_plan({"loop.py": ""}, ["test_loop.py::test_count"])))

    assert found["loop.py:3 `n -= 1` left out"] == "unknown"
    assert found["loop.py:1 returns 1"] == "killed"


def test_tests_that_end_their_process_move_away_or_print_much_do_no_harm(spawner: Spawner, tmp_path: Path) -> None:
    tests = """
import os, signal, sys, threading, unittest, warnings
import pytest
from fees import fee

@pytest.fixture(scope="session")
def shared():
    return fee(11)

def test_shared_first(shared):
    assert shared == 33

def test_shared_second(shared):
    assert shared == 33

def test_dies():
    if fee(11) != 33:
        os._exit(0)

def test_kills_its_group():
    if fee(11) != 33:
        os.killpg(0, signal.SIGKILL)

def test_moves(tmp_path):
    os.chdir(tmp_path)
    assert fee(11) == 33

def test_prints(capfd):
    os.write(1, b"x" * 100000)
    assert fee(11) == 33 and len(capfd.readouterr().out) == 100000

def test_thread():
    found = []
    thread = threading.Thread(target=lambda: found.append(fee(11)))
    thread.start()
    thread.join()
    assert found == [33]

class Case(unittest.TestCase):
    def test_case(self):
        self.assertEqual(fee(11), 33)

@pytest.mark.parametrize("amount", [11, 12])
def test_parameter(amount):
    assert fee(amount) == 3 * amount

def test_fails_anyway():
    assert fee(11) == 34

def test_exits():
    if fee(11) != 33:
        sys.exit(0)
"""
    project = a_project(tmp_path, {"fees.py": FEES, "test_fees.py": tests})
    good = ("shared_first", "shared_second", "moves", "prints", "thread", "parameter[12]", "exits")
    names = [f"test_fees.py::test_{name}" for name in good] + ["test_fees.py::Case::test_case"]
    bad = [f"test_fees.py::test_{name}" for name in ("dies", "kills_its_group", "fails_anyway")]

    report = probe_pytest(spawner, project, a_plan({"fees.py": ""}, [*names, *bad]), "-W", "error")

    assert [name for name in names if not killed_value_probes(report, name)] == []
    assert [name for name in bad if killed_value_probes(report, name)] == []
    assert report.problems == (
        "test_fees.py::test_fails_anyway cannot be probed: without a probe the result is 'failed'",
    )


def test_a_failure_is_noticed_without_being_written_out(spawner: Spawner, tmp_path: Path) -> None:
    tests = """
import os
from fees import fee

class Shy:
    def __repr__(self):
        os._exit(0)

def test_fee():
    shy = Shy()
    assert fee(11) == 33
"""
    project = a_project(tmp_path, {"fees.py": FEES, "test_fees.py": tests})

    report = probe_pytest(
        spawner, project, a_plan({"fees.py": ""}, ["test_fees.py::test_fee"]), "--showlocals", "--full-trace"
    )

    assert killed_value_probes(report, "test_fees.py::test_fee")


def test_probes_that_do_not_fit_into_the_time_are_counted(spawner: Spawner, tmp_path: Path) -> None:
    slow = "import time\nfrom fees import fee\n\ndef test_slow():\n    end = time.monotonic() + 0.6\n"
    slow += "    while time.monotonic() < end:\n        pass\n    assert fee(11) == 33\n"
    project = a_project(tmp_path, {"fees.py": FEES, "test_fees.py": slow})

    report = probe_pytest(spawner, project, a_plan({"fees.py": ""}, ["test_fees.py::test_slow"], seconds=1))

    assert report.left_out == sum(probe.state is ProbeState.LEFT_OUT for probe in report.probes) > 0


def test_nothing_to_measure_takes_no_run(tmp_path: Path) -> None:
    assert probe_command(tmp_path, ProbePlan(before={"README.md": ""}), "false").problems == ()


def test_another_language_is_named(tmp_path: Path) -> None:
    report = probe_command(tmp_path, a_plan({"a.py": ""}, ["x"]), "false", runner="go")

    assert report.problems == ("suite 'tests' is not measured: probes exist for Python only",)
    assert not report.measured


@pytest.mark.whole
def test_unittest_is_measured_too(tmp_path: Path) -> None:
    tests = """
import unittest
from fees import fee

class Fees(unittest.TestCase):
    def test_good(self):
        self.assertEqual(fee(11), 33)
    def test_hollow(self):
        fee(11)
"""
    project = a_project(tmp_path, {"fees.py": FEES, "test_fees.py": tests})
    names = ["test_fees.Fees.test_good", "test_fees.Fees.test_hollow"]

    plan = a_plan({"fees.py": ""}, names)
    report = probe_command(project, plan, sys.executable, "-B", "-m", "unittest", runner="unittest")

    assert report.problems == ()
    assert killed_value_probes(report, names[0])
    assert not killed_value_probes(report, names[1])


@pytest.mark.whole
def test_a_wrapper_and_the_options_of_the_project_hold(tmp_path: Path) -> None:
    ini = "[pytest]\naddopts = -n 2 --cov=fees -x --junitxml=report.xml\nfilterwarnings = error\n"
    project = a_project(tmp_path, {"fees.py": FEES, "tests/test_fees.py": HOLLOW, "pytest.ini": ini, "conftest.py": ""})
    script = f"cd . && {' '.join(PYTEST)} tests"

    plan = a_plan({"fees.py": ""}, ["tests/test_fees.py::test_good"])
    report = probe_command(project, plan, "sh", "-c", script, variables={})

    assert report.problems == ()
    assert killed_value_probes(report, "tests/test_fees.py::test_good")
    assert sorted(path.name for path in project.iterdir()) == ["conftest.py", "fees.py", "pytest.ini", "tests"]


@pytest.mark.whole
def test_a_test_that_starts_a_program_is_run_in_a_copy(tmp_path: Path) -> None:
    tests = """
import subprocess, sys

def cost(amount):
    return subprocess.run([sys.executable, "-m", "fees", amount], capture_output=True, text=True, check=True).stdout

def test_good():
    assert cost("11") == "33\\n"

def test_hollow():
    cost("11")

def test_elsewhere():
    assert subprocess.run([sys.executable, "-c", "print(1)"]).returncode == 0
"""
    source = FEES + "\n\nif __name__ == '__main__':\n    import sys\n    print(fee(int(sys.argv[1])))\n"
    project = a_project(tmp_path, {"fees.py": source, "test_fees.py": tests})
    names = [f"test_fees.py::test_{name}" for name in ("good", "hollow", "elsewhere")]

    report = probe_command(project, a_plan({"fees.py": ""}, names), *PYTEST)

    assert report.ran == ()
    assert [(each.test.rpartition("_")[2], str(each.state)) for each in report.apart] == [
        ("good", "killed"),
        ("hollow", "surviving"),
        ("elsewhere", "unknown"),
    ]
    assert sorted(path.name for path in project.iterdir() if path.name != "__pycache__") == ["fees.py", "test_fees.py"]


def test_a_script_is_run_in_a_copy_without_its_changed_code(spawner: Spawner, tmp_path: Path) -> None:
    tests = """
import subprocess, sys

def test_good():
    assert b"2.0" in subprocess.run([sys.executable, "tool.py"], capture_output=True).stdout

def test_hollow():
    assert subprocess.run([sys.executable, "tool.py"], capture_output=True).returncode == 0
"""
    project = a_project(tmp_path, {"tool.py": "import sys\nprint('2.0')\n", "test_tool.py": tests})
    plan = a_plan({"tool.py": "import sys\n"}, ["test_tool.py::test_good", "test_tool.py::test_hollow"])

    assert apart(probe_pytest(spawner, project, plan)) == {
        "good": ("killed", ""),
        "hollow": ("surviving", "it also passes without the changed code of `tool.py`"),
    }


def test_changed_data_is_empty_in_a_copy(spawner: Spawner, tmp_path: Path) -> None:
    tests = """
import json
from pathlib import Path
RATES = Path(__file__).parent / "rates.json"

def test_good():
    assert json.loads(RATES.read_text())["at"] == 20

def test_there():
    assert RATES.is_file()

def test_parsed():
    assert isinstance(json.loads(RATES.read_text()), dict)
"""
    project = a_project(tmp_path, {"rates.json": '{"at": 20}', "test_rates.py": tests, "empty.py": '"""Rates."""\n'})
    plan = a_plan({"empty.py": ""}, [f"test_rates.py::test_{name}" for name in ("good", "there", "parsed")])

    found = apart(probe_pytest(spawner, project, replace(plan, data=("rates.json", "gone.csv"))))

    hollow = ("surviving", "it also passes when `rates.json`, `empty.py` is empty")
    assert found == {"good": ("killed", ""), "there": hollow, "parsed": hollow}


def test_what_is_kept_is_broken_as_a_whole_in_a_copy(spawner: Spawner, tmp_path: Path) -> None:
    tests = """
import json, subprocess, sys
import shop

def test_callable():
    assert callable(shop.fee)

def test_library():
    assert json.loads("1") == 1

def test_constant():
    assert shop.RATE == 3

def test_family():
    assert issubclass(shop.Missing, LookupError)

def test_elsewhere():
    assert subprocess.run([sys.executable, "-c", "print(1)"]).returncode == 0

def test_started():
    assert subprocess.run([sys.executable, "-m", "shop"], capture_output=True).returncode == 0
"""
    shop = """
RATE = 3

class Missing(LookupError):
    pass

def fee(amount):
    return amount * RATE

if __name__ == "__main__":
    print(fee(2))
"""
    project = a_project(tmp_path, {"shop.py": shop, "test_shop.py": tests})
    names = ("callable", "library", "constant", "family", "elsewhere", "started")

    found = apart(
        probe_pytest(spawner, project, a_plan({}, [f"test_shop.py::test_{name}" for name in names], keep=True))
    )

    assert {name: state for name, (state, _) in found.items()} == {
        **dict.fromkeys(("callable", "library", "started"), "surviving"),
        **dict.fromkeys(("constant", "family"), "killed"),
        "elsewhere": "unknown",
    }
    assert found["library"][1] == "it runs no code of the project"
    assert found["started"][1] == "it also passes when every function of the project returns a constant"


def test_a_test_that_fails_in_a_copy_is_not_judged(spawner: Spawner, tmp_path: Path) -> None:
    tests = "from pathlib import Path\n\ndef test_place():\n    assert str(Path.cwd()) == {!r}\n"
    project = a_project(tmp_path, {"a.txt": "1", "test_place.py": tests.format(str(tmp_path))})

    found = probe_pytest(spawner, project, replace(a_plan({}, ["test_place.py::test_place"]), data=("a.txt",)))

    assert apart(found) == {"place": ("unknown", "the test fails in a copy of the project")}


def apart(report: ProbeReport) -> dict[str, tuple[str, str]]:
    """Name of each test that ran in a copy -> its state, and what is said of it."""
    return {each.test.rpartition("_")[2]: (str(each.state), each.reason) for each in report.apart}


def test_a_test_that_passes_without_reaching_an_assertion_is_named(spawner: Spawner, tmp_path: Path) -> None:
    tests = "from fees import CASES, fee\n\ndef test_cases():\n    for case in CASES:\n        assert fee(case) == 0\n"
    project = a_project(tmp_path, {"fees.py": f"CASES = []\n{FEES}", "test_fees.py": f"{tests}\n{HOLLOW}"})
    names = ["test_fees.py::test_cases", "test_fees.py::test_good"]

    report = probe_pytest(spawner, project, a_plan({"fees.py": ""}, names))

    assert report.unasserted == ("tests::test_fees.py::test_cases",)


def test_a_test_that_passes_whatever_it_expects_is_named(spawner: Spawner, tmp_path: Path) -> None:
    code = "class Any:\n    def __eq__(self, other):\n        return True\n\ndef fee(amount):\n    return Any()\n"
    tests = "from fees import fee\n\ndef test_any():\n    assert fee(100) == 2\n\ndef test_type():\n    assert fee(1)\n"
    project = a_project(tmp_path, {"fees.py": code, "test_fees.py": tests})

    report = probe_pytest(
        spawner, project, a_plan({"fees.py": ""}, ["test_fees.py::test_any", "test_fees.py::test_type"])
    )

    assert report.unexpecting == ("tests::test_fees.py::test_any",)
