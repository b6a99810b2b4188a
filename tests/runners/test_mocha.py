"""Test files that mocha cannot load."""

from pathlib import Path

import pytest

from dualgate.runners.mocha import is_mocha, waiting_file, without_files

PROJECT = Path("/project")
REQUIRED = "Error: Cannot find module '../src/double'\nRequire stack:\n- /project/test/a.test.js\n    at Module\n"
IMPORTED = "Error: Cannot find module '/project/src/double.mjs' imported from /project/test/a.test.js\n    at x\n"
NOT_EXPORTED = (
    "file:///project/test/a.test.js:2\nimport { double } from '../src/double.mjs';\n"
    "SyntaxError: The requested module '../src/double.mjs' does not provide an export named 'double'\n"
)


@pytest.mark.parametrize("output", [REQUIRED, IMPORTED, NOT_EXPORTED])
def test_a_file_that_needs_a_missing_module_of_the_project_waits_for_it(output: str) -> None:
    assert waiting_file(output, PROJECT) == "test/a.test.js"


BROKEN = [
    REQUIRED.replace("../src/double", "chai"),
    REQUIRED.replace("../src/double", "./helper"),
    "SyntaxError: Unexpected token\n",
    "",
]


@pytest.mark.parametrize("output", BROKEN)
def test_a_file_that_cannot_be_loaded_for_another_reason_does_not_wait(output: str) -> None:
    assert waiting_file(output, PROJECT) == ""


def test_a_file_is_left_out_where_mocha_is_called() -> None:
    assert without_files(("npx", "mocha", "test"), ["a b.js"]) == ("npx", "mocha", "--ignore", "a b.js", "test")
    script = ("sh", "-c", "export A=1; mocha --reporter xunit")
    assert without_files(script, ["a b.js"])[2] == "export A=1; mocha --ignore 'a b.js' --reporter xunit"
    assert without_files(script, []) == script


def test_mocha_is_known_by_its_call() -> None:
    assert is_mocha("node_modules/.bin/mocha test")
    assert not is_mocha("jest --config mocha.json")
