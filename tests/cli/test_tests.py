"""dualgate tests, as a user calls it."""

import json
import sys
from pathlib import Path

import pytest

from tests.support import Dualgate

KEYS = ["runner", "command", "exit_code", "complete", "trusted", "counts", "tests", "problems"]


def write_tests(project: Path, text: str) -> None:
    (project / "tests" / "test_old.py").write_text(text)


def test_a_green_run_ends_with_0_and_a_table(dualgate: Dualgate) -> None:
    ended = dualgate("tests")

    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("pytest  1 passed (")


def test_a_failing_test_ends_with_1_and_is_named_with_place_and_message(dualgate: Dualgate, project: Path) -> None:
    write_tests(project, "def test_a():\n    assert 1 == 2\n")

    ended = dualgate("tests")

    assert ended.code == 1
    assert ended.out.splitlines()[1:] == [
        "failed tests/test_old.py::test_a (tests/test_old.py:2)",
        "    assert 1 == 2",
    ]


def test_the_run_as_json(dualgate: Dualgate) -> None:
    ended = dualgate("tests", "--json")

    (record,) = ended.lines
    assert list(record)[:8] == KEYS
    assert [test["id"] for test in record["tests"]] == ["pytest::tests/test_old.py::test_old"]
    assert (record["trusted"], record["exit_code"], record["command"]) == (True, 0, f"{sys.executable} -m pytest -q")


NO_RESULT = [
    ("raise SystemExit(0)", "tests cannot be believed"),
    ("", "nothing ran"),
    ("import pytest\n@pytest.mark.skip\ndef test_a(): pass", "nothing passed"),
    ("import os\ndef test_a(): os._exit(0)", "the run broke off"),
]


@pytest.mark.parametrize("text", [text for text, _ in NO_RESULT], ids=[why for _, why in NO_RESULT])
def test_no_trustworthy_result_ends_with_3(dualgate: Dualgate, project: Path, text: str) -> None:
    write_tests(project, text)

    assert dualgate("tests").code == 3


def test_a_time_limit_that_is_met_ends_with_3(dualgate: Dualgate, project: Path) -> None:
    write_tests(project, "import time\ndef test_a(): time.sleep(600)")

    ended = dualgate("tests", "--timeout", "2s")

    assert ended.code == 3
    assert "not to be believed: the test run did not end by itself: timed_out" in ended.out


def test_a_project_without_tests_ends_with_3_and_what_to_do(
    dualgate: Dualgate, project: Path, environment: dict[str, str]
) -> None:
    del environment["DUALGATE_TEST_COMMAND"]
    for path in ("conftest.py", "tests/test_old.py"):
        (project / path).unlink()

    ended = dualgate("tests", "--json")

    assert (ended.code, ended.lines[0]["trusted"], ended.lines[0]["complete"]) == (3, False, False)
    assert "No tests were found that can be run." in ended.lines[0]["problems"][0]


def test_a_command_that_is_not_there_ends_with_3(dualgate: Dualgate) -> None:
    ended = dualgate("tests", "--test-command", "no-such-program")

    assert (ended.code, ended.err) == (3, "")
    assert "There is no program 'no-such-program'." in ended.out


def test_suites_are_listed_with_their_reasons_and_not_run(
    dualgate: Dualgate, project: Path, environment: dict[str, str]
) -> None:
    del environment["DUALGATE_TEST_COMMAND"]
    write_tests(project, "raise SystemExit(9)")

    ended, as_json = dualgate("tests", "--list"), dualgate("tests", "--list", "--json")

    assert (ended.code, as_json.code) == (0, 0)
    assert "    because there is a conftest.py; " in ended.out
    assert [suite["name"] for suite in as_json.lines[0]["suites"]] == ["pytest"]


def test_only_some_tests_are_run(dualgate: Dualgate, project: Path) -> None:
    write_tests(project, "def test_a(): pass\ndef test_b(): assert 0")

    assert dualgate("tests", "--only", "tests/test_old.py::test_a").code == 0
    assert dualgate("tests", "--only", "pytest::tests/test_old.py::test_b").code == 1


def test_several_ids_may_follow_one_word(dualgate: Dualgate, project: Path) -> None:
    write_tests(project, "def test_a(): pass\ndef test_b(): pass\ndef test_c(): assert 0")

    ended = dualgate("tests", "--only", "tests/test_old.py::test_a", "pytest::tests/test_old.py::test_b", "--json")

    assert (ended.code, ended.lines[0]["counts"]["total"]) == (0, 2)


def test_one_suite_of_several_is_run(dualgate: Dualgate, project: Path, environment: dict[str, str]) -> None:
    del environment["DUALGATE_TEST_COMMAND"]
    (project / ".venv" / "bin").mkdir(parents=True)
    (project / ".venv" / "bin" / "python").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    (project / ".venv" / "bin" / "python").chmod(0o755)
    (project / "part").mkdir()
    (project / "part" / "setup.py").touch()
    (project / "part" / "test_part.py").write_text("def test_part(): assert 0")

    assert dualgate("tests", "--suite", "pytest").code == 0
    assert dualgate("tests", "--suite", "part").code == 1
    both = dualgate("tests", "--json").lines[0]
    assert [test["id"] for test in both["tests"]] == [
        "pytest::tests/test_old.py::test_old",
        "part::test_part.py::test_part",
    ]


def test_a_run_is_compared_with_an_earlier_one(dualgate: Dualgate, project: Path) -> None:
    write_tests(project, "def test_a(): pass\ndef test_b(): assert 0\ndef test_c(): pass")
    (project / "before.json").write_text(dualgate("tests", "--json").out)
    write_tests(project, "def test_a(): assert 0\ndef test_b(): pass\ndef test_d(): assert 1")

    ended, as_json = (
        dualgate("tests", "--against", "before.json"),
        dualgate("tests", "--against", "before.json", "--json"),
    )

    assert ended.out.splitlines()[-4:] == [
        "tests/test_old.py::test_a fails, and did not before",
        "tests/test_old.py::test_c is gone",
        "tests/test_old.py::test_b passes, and failed before",
        "tests/test_old.py::test_d is new",
    ]
    assert as_json.lines[0]["against"]["vanished"] == ["pytest::tests/test_old.py::test_c"]


AGAINST = [
    ("def test_a(): pass\ndef test_b(): assert 0", 0, "tests/test_old.py::test_b failed before too"),
    ("def test_a(): pass", 1, "tests/test_old.py::test_b is gone"),
    ("def test_b(): assert 0", 1, "tests/test_old.py::test_a is gone"),
    ("def test_a(): assert 0\ndef test_b(): assert 0", 1, "tests/test_old.py::test_a fails, and did not before"),
    (
        "import pytest\ndef test_a(): pass\n@pytest.mark.skip\ndef test_b(): assert 0",
        1,
        "tests/test_old.py::test_b is skipped, and was not before",
    ),
    (
        "import pytest\ndef test_a(): pass\n@pytest.mark.xfail\ndef test_b(): assert 0",
        1,
        "tests/test_old.py::test_b is skipped, and was not before",
    ),
    (
        "def test_a(): pass\ndef test_b(): pass\ndef test_c(): assert 0",
        1,
        "tests/test_old.py::test_c is new, and fails",
    ),
    ("def test_a(): pass\ndef test_c(): assert 0", 0, "tests/test_old.py::test_b is tests/test_old.py::test_c now"),
    ("def test_a(): pass\ndef test_b(): pass\ndef test_c(): pass", 0, "tests/test_old.py::test_c is new"),
]


@pytest.mark.parametrize(("text", "code", "told"), AGAINST)
def test_beside_an_earlier_run_what_is_worse_decides_and_is_named(
    dualgate: Dualgate, project: Path, text: str, code: int, told: str
) -> None:
    write_tests(project, "def test_a(): pass\ndef test_b(): assert 0")
    (project / "before.json").write_text(dualgate("tests", "--json").out)
    write_tests(project, text)

    ended = dualgate("tests", "--against", "before.json")

    assert ended.code == code
    assert told in ended.out.splitlines()


WRONG_REPORTS = [
    ("{", "before.json is no JSON"),
    ("[]", "before.json has no list 'tests'"),
    (json.dumps({"tests": ["x"]}), "before.json: 'tests[0].id' is no text"),
    (json.dumps({"tests": [{"id": "a", "outcome": "fine"}]}), "before.json: 'tests[0].outcome' is 'fine'"),
    (json.dumps({"tests": [{"id": "a", "outcome": []}]}), "before.json: 'tests[0].outcome' is []"),
]


@pytest.mark.parametrize(("text", "told"), WRONG_REPORTS)
def test_a_report_that_is_none_is_named_with_its_field(dualgate: Dualgate, project: Path, text: str, told: str) -> None:
    (project / "before.json").write_text(text)

    ended = dualgate("tests", "--against", "before.json")

    assert ended.code == 2
    assert told in ended.err


WRONG_WORDS = [
    (("tests/test_old.py::test_a",), "say --only before the ids of tests"),
    (("--suite", "web"), "There is no suite 'web'. There are: pytest."),
    (("--timeout", "soon"), "'soon' is no duration"),
    (("--timeout", "0"), "'0' is no duration"),
    (("--against", "nowhere.json"), "nowhere.json cannot be read"),
    (("--runner", "abacus"), "'abacus' is invalid"),
]


@pytest.mark.parametrize(("words", "told"), WRONG_WORDS)
def test_a_wrong_word_is_a_wrong_usage_and_no_result(dualgate: Dualgate, words: tuple[str, ...], told: str) -> None:
    ended = dualgate("tests", *words)

    assert ended.code == 2
    assert told in ended.err


LEAVING_OUT = "[pytest]\naddopts = -q -k 'not test_bad'\n"
GOOD_AND_BAD = "def test_good(): pass\ndef test_bad(): assert 0\n"


def test_a_run_out_of_which_tests_were_taken_is_not_believed(dualgate: Dualgate, project: Path) -> None:
    write_tests(project, GOOD_AND_BAD)
    (project / "pytest.ini").write_text(LEAVING_OUT)

    ended = dualgate("tests", "--json")

    (record,) = ended.lines
    assert (ended.code, record["trusted"]) == (3, False)
    assert record["problems"][0].startswith("tests were deselected by -k not test_bad; if that is intended, say so in")


def test_tests_may_be_left_out_where_they_were_before_or_the_command_says_so(
    dualgate: Dualgate, project: Path, tmp_path: Path
) -> None:
    write_tests(project, GOOD_AND_BAD)
    (project / "pytest.ini").write_text(LEAVING_OUT)
    earlier = tmp_path / "earlier.json"
    earlier.write_text(dualgate("tests", "--json").out)
    command = f"{sys.executable} -m pytest -k 'not test_bad'"

    assert dualgate("tests", "--against", str(earlier)).code == 0
    assert dualgate("tests", "--test-command", command).code == 0


def test_tests_that_are_gone_with_another_configuration_are_not_passed_over(
    dualgate: Dualgate, project: Path, tmp_path: Path
) -> None:
    write_tests(project, GOOD_AND_BAD)
    earlier = tmp_path / "earlier.json"
    earlier.write_text(dualgate("tests", "--json").out)
    (project / "pytest.ini").write_text("[pytest]\npython_functions = test_good\n")

    ended = dualgate("tests", "--json", "--against", str(earlier))

    (record,) = ended.lines
    assert (ended.code, record["against"]["vanished"]) == (3, ["pytest::tests/test_old.py::test_bad"])
    assert "the effective configuration changed: " in record["problems"][0]


def test_a_run_that_changes_the_code_is_not_believed(dualgate: Dualgate, project: Path) -> None:
    write_tests(project, "def test_a():\n    with open(__file__, 'a') as file: file.write('# more')\n")

    ended = dualgate("tests", "--json")

    (record,) = ended.lines
    assert (ended.code, record["problems"]) == (3, ["the work tree changed while the tests ran: tests/test_old.py"])


def test_what_was_set_up_is_set_up_again_only_when_a_lock_file_changes(dualgate: Dualgate, project: Path) -> None:
    command = f"{sys.executable} -m pytest -q"
    (project / "dualgate.toml").write_text(f'test_command = "{command}"\nsetup = "echo x >> ran.txt"\n')
    times = []
    for lock in ("one", "one", "two"):
        (project / "uv.lock").write_text(lock)
        assert dualgate("tests").code == 0
        times.append(len((project / "ran.txt").read_text().split()))

    assert times == [1, 1, 2]
