"""The words of a command with their places filled, in an argument list and in a script of the shell."""

from pathlib import Path

import pytest

from dualgate.core.values.suite import Suite
from dualgate.runners.launch import fill_words, suite_environment

TWO = ("a b", "c")
FILLED = [
    (("jest", "-t", "{only}"), TWO, ("jest", "-t", "a b", "c")),
    (("jest", "-t", "{only}"), (), ("jest",)),
    (("pytest", "{only}"), (), ("pytest",)),
    (("{only}",), (), ()),
    (("tool", "--name={only}", "-v"), TWO, ("tool", "--name=a b", "--name=c", "-v")),
    (("tool", "--name={only}", "-v"), (), ("tool", "-v")),
    (("sh", "-c", "cd x && jest -t {only} --ci"), TWO, ("sh", "-c", "cd x && jest -t 'a b' c --ci")),
    (("sh", "-c", "cd x && jest -t {only} --ci"), (), ("sh", "-c", "cd x && jest  --ci")),
    (("tool", "--out={report}"), (), ("tool", "--out=/scratch/report.xml")),
    (("sh", "-c", "OUT={report} tool"), (), ("sh", "-c", "OUT=/scratch/report.xml tool")),
]


@pytest.mark.parametrize(("command", "names", "words"), FILLED)
def test_places_in_a_command_are_filled(
    command: tuple[str, ...], names: tuple[str, ...], words: tuple[str, ...]
) -> None:
    assert fill_words(command, names, Path("/scratch/report.xml")) == words


def test_a_test_name_cannot_become_a_command_of_the_shell() -> None:
    assert fill_words(("sh", "-c", "t {only}"), ["$(touch x); '"])[2] == """t '$(touch x); '"'"''"""


def test_the_tests_do_not_learn_where_the_session_is() -> None:
    suite = Suite(name="tests", command=("make", "test"))
    environment = suite_environment({"PRP_SESSION_DIR": "/session", "HOME": "/home"}, suite, Path("/nowhere"))

    assert (environment["CI"], environment["HOME"], "PRP_SESSION_DIR" in environment) == ("1", "/home", False)


QUIET = "JEST_JUNIT_ADD_FILE_ATTRIBUTE"
SUITES = [
    ("/bin/sh -c 'npx jest'", "", True),
    ("make test", "package.json", True),
    ("make test", "", False),
    ("gotestsum --junitfile {report}", "package.json", False),
    ("/home/node/go test", "package.json", False),
]


@pytest.mark.parametrize(("command", "sign", "is_set"), SUITES)
def test_variables_of_a_language_are_set_for_its_suites_alone(
    tmp_path: Path, command: str, sign: str, is_set: bool
) -> None:
    (tmp_path / (sign or "x")).touch()

    environment = suite_environment({}, Suite(name="tests", command=tuple(command.split())), tmp_path)

    assert (QUIET in environment) is is_set
