"""Test files that cannot be loaded or compiled: red if something of the project is missing, else broken."""

from pathlib import Path

import pytest

from dualgate.core.values.suite import CaseOutcome, CaseResult, FailureKind
from dualgate.runners.go import GoSources
from dualgate.runners.junit import waiting_id
from dualgate.runners.unbuilt import files_missing_work, is_missing_in_go, is_missing_module, with_waiting_files

PROJECT = Path("/project")
MISSING_MODULES = [
    "Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/project/src/a.js' imported from /project/test/a.test.js",
    "SyntaxError: The requested module '../src/a.js' does not provide an export named 'a'",
    "Error: Cannot find module '../src/a'\nRequire stack:\n- /project/test/a.test.js",
    "Cannot find module '../src/a' from 'test/a.test.js'",
    'Error: Failed to resolve import "../src/a" from "test/a.test.ts". Does the file exist?',
    "test/a.test.ts:1:10 - error TS2307: Cannot find module '../src/a' or its corresponding type declarations.",
    "error TS2305: Module '\"../src/a\"' has no exported member 'b'.",
]
OTHER_MISTAKES = [
    "Error: Cannot find module 'left-pad'",
    "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'left-pad' imported from /project/test/a.test.js",
    "SyntaxError: The requested module 'node:fs' does not provide an export named 'a'",
    "Error: Cannot find module './helper'",
    "Error: Cannot find module '../test/helper'",
    "Error: Cannot find module '/project/node_modules/x/index.js'",
    "Error: Cannot find module '/elsewhere/a.js'",
    "SyntaxError: Unexpected token ')'",
    "ReferenceError: describ is not defined",
    "",
]


@pytest.mark.parametrize("message", MISSING_MODULES)
def test_a_file_that_needs_a_missing_module_of_the_project_waits_for_it(message: str) -> None:
    assert is_missing_module(message, "test/a.test.js", PROJECT)


@pytest.mark.parametrize("message", OTHER_MISTAKES)
def test_a_file_that_cannot_be_loaded_for_another_reason_is_broken(message: str) -> None:
    assert not is_missing_module(message, "test/a.test.js", PROJECT)


MISSING_IN_GO = [
    "./a_test.go:6:5: undefined: Double",
    "./a_test.go:6:5: undefined: Double\n./a_test.go:9:8: undefined: Cart\n./a_test.go:10:1: too many errors",
    "./a_test.go:6:5: undefined: double",
    "./a_test.go:6:5: undefined: shop.Double",
    "./a_test.go:6:5: c.Total undefined (type Cart has no field or method Total)",
    "./a_test.go:6:5: unknown field n in struct literal of type Cart",
    "./a_test.go:6:5: too many arguments in call to Double\n\thave (number, number)\n\twant (int)",
    "sub/a_test.go:5:2: package example/m/nope is not in GOROOT (/usr/lib/go/src/example/m/nope)",
    "sub/a_test.go:5:2: no required module provides package example/m/nope; to add it:",
    "vet: ./a_test.go:6:5: undefined: Double",
]
BROKEN_IN_GO = [
    "./a_test.go:6:5: syntax error: unexpected }",
    "./a_test.go:6:5: undefined: Double\n./a_test.go:7:5: declared and not used: x",
    './a_test.go:6:5: "fmt" imported and not used',
    "./a_test.go:6:5: undefined: strings",
    "./a.go:6:5: undefined: Double",
    "a_test.go:5:2: no required module provides package example/other; to add it:",
    "a_test.go:5:2: package exampl is not in GOROOT",
    "",
]


@pytest.mark.parametrize("message", MISSING_IN_GO)
def test_a_go_package_whose_tests_need_missing_names_waits_for_them(message: str) -> None:
    assert is_missing_in_go(message, "example/m", lambda _: "double(2) + x.double")


@pytest.mark.parametrize("message", BROKEN_IN_GO)
def test_a_go_package_that_does_not_compile_for_another_reason_is_broken(message: str) -> None:
    assert not is_missing_in_go(message, "example/m", lambda _: "strings.Split(strings.X)")


def test_the_tests_of_a_go_package_that_waits_are_those_of_all_its_files(tmp_path: Path) -> None:
    (tmp_path / "go.mod").write_text("module m\n")
    (tmp_path / "a_test.go").write_text("package m\n\nfunc TestA(t *testing.T) { B() }\n")
    (tmp_path / "old_test.go").write_text("package m\n\nfunc TestOld(t *testing.T) {}\n")

    found = GoSources(folder=tmp_path, root=tmp_path).waiting("m", "./a_test.go:3:30: undefined: B")

    assert [(each.id, each.file, each.kind, each.uncollected) for each in found] == [
        ("m::TestA", "a_test.go", FailureKind.MISSING, True),
        ("m::TestOld", "old_test.go", FailureKind.MISSING, True),
    ]


def rust(code: str, text: str, file: str = "tests/a.rs") -> str:
    return f"error[{code}]: {text}\n --> {file}:1:5\n  |\n1 | x\n"


END = 'error: could not compile `m` (test "a") due to 1 previous error\n'
MISSING_IN_RUST = [
    rust("E0432", "unresolved import `m::double`"),
    rust("E0425", "cannot find function `double` in this scope") + rust("E0599", "no method named `x` found"),
    rust("E0433", "failed to resolve: could not find `cart` in `m`"),
    rust("E0061", "this function takes 1 argument but 2 arguments were supplied"),
]
BROKEN_IN_RUST = [
    rust("E0432", "unresolved import `rand`"),
    rust("E0432", "unresolved import `m::double`") + rust("E0308", "mismatched types"),
    rust("E0425", "cannot find function `double` in this scope", "src/lib.rs"),
    "error: expected one of `!` or `::`, found `x`\n --> tests/a.rs:1:5\n",
    "",
]


@pytest.mark.parametrize("output", MISSING_IN_RUST)
def test_a_rust_file_that_needs_missing_items_waits_for_them(output: str) -> None:
    assert files_missing_work(output + END, "m", lambda _: "") == ("tests/a.rs",)


@pytest.mark.parametrize("output", BROKEN_IN_RUST)
def test_a_rust_file_that_does_not_compile_for_another_reason_is_broken(output: str) -> None:
    assert files_missing_work(output + END, "m", lambda _: "") == ()


INSIDE = "pub fn one() {}\n\n#[cfg(test)]\nmod tests {\n    use super::double;\n}\n"


@pytest.mark.parametrize(("line", "found"), [(5, ("src/lib.rs",)), (1, ())])
def test_tests_inside_of_a_rust_source_wait_for_work_and_its_code_does_not(line: int, found: tuple[str, ...]) -> None:
    output = rust("E0432", "unresolved import `super::double`", "src/lib.rs").replace(":1:5", f":{line}:5")

    assert files_missing_work(output + END, "m", lambda _: INSIDE) == found


def test_a_file_that_waits_is_its_tests(tmp_path: Path) -> None:
    (tmp_path / "a.test.js").write_text("import './a.js';\ntest('one', () => {});\ntest.skip('two', () => {});\n")
    broken = CaseResult(
        id="a.test.js",
        file="a.test.js",
        outcome=CaseOutcome.ERROR,
        kind=FailureKind.BROKEN_FILE,
        message="Cannot find module './a.js'",
    )

    found = list(with_waiting_files([broken], tmp_path, lambda file, names, _: f"{file}::{names[0]}"))

    assert [(each.id, each.outcome) for each in found] == [
        ("a.test.js::one", CaseOutcome.ERROR),
        ("a.test.js::two", CaseOutcome.SKIPPED),
    ]


def test_tests_that_wait_have_the_ids_of_their_tool() -> None:
    jest = "jest --ci --reporters=jest-junit"

    assert waiting_id("vitest --reporter=junit", "a.test.ts", ("g", "x"), ("g", "x")) == "a.test.ts::g > x"
    assert waiting_id(jest, "b.test.cjs", ("g", "x"), ("g", "x")) == "b.test.cjs::g::g x"
    assert waiting_id(jest, "b.test.cjs", ("ac1",), ("g", "x")) == "b.test.cjs::g:: ac1"
    assert waiting_id(jest, "a.test.cjs", ("ac1",), ("ac1",)) == "a.test.cjs:: ac1"
    assert waiting_id(jest, "a.test.cjs", ("g", "x"), ("ac1",)) == "a.test.cjs::g x"
