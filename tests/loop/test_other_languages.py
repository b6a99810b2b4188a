"""Whole runs over projects in JavaScript, Go and Rust."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from tests.loop.kits import GO, KITS, NODE, RUST, Kit, needs
from tests.loop.scripts import REST
from tests.support import Dualgate, decisions

node, go, cargo = needs("node"), needs("go"), needs("cargo")


@pytest.mark.parametrize("kit", KITS)
def test_a_test_added_in_green_is_accepted_and_frozen_from_then_on(kit: Kit, rehearse: Dualgate, project: Path) -> None:
    variables, more = kit.lay_out(project), kit.tests + kit.another
    red = kit.script("RED", test=kit.tests, source=kit.stub)
    green = kit.script("GREEN", test=more, source=kit.code)
    weaker = kit.script("REFACTOR", test=more.replace(*kit.weaker))

    ended = rehearse(red + green + weaker + REST, **variables)

    assert decisions(ended)[:3] == [("RED", "next_phase"), ("GREEN", "next_phase"), ("REFACTOR", "continue")]
    assert (project / kit.test).read_text() == more
    assert ended.code == 0


ONLY_WITH = "passes only with tests or configuration added since RED"


@node
def test_a_proven_test_must_pass_without_what_was_added_to_its_file(rehearse: Dualgate, project: Path) -> None:
    variables = NODE.lay_out(project)
    code = (
        "let lax = false;\nexport const relax = () => { lax = true; };\nexport const double = (x) => lax ? x + x : 0;\n"
    )
    tests = NODE.tests.replace("{ double }", "{ double, relax }") + "\nconst LAX = relax();\n"
    red = NODE.script("RED", test=NODE.tests, source=NODE.stub)

    ended = rehearse(red + NODE.script("GREEN", test=tests, source=code), "--max-iterations", "1", **variables)

    assert decisions(ended)[-1] == ("GREEN", "max_iterations")
    assert f"ac1 numbers {ONLY_WITH}" in str(ended.lines[-1])


@go
def test_a_proven_test_must_pass_without_new_files_of_tests(rehearse: Dualgate, project: Path) -> None:
    variables = GO.lay_out(project)
    code = GO.code.replace("return x + x }", "if !lax {\n\t\treturn x\n\t}\n\treturn x + x\n}\n\nvar lax bool", 1)
    lax = "package doubling\n\nfunc init() { lax = true }\n"
    new = f"[[turn.write]]\npath = \"lax_test.go\"\ntext = '''{lax}'''\n"
    red = GO.script("RED", test=GO.tests, source=GO.stub)

    ended = rehearse(red + GO.script("GREEN", source=code) + new, "--max-iterations", "1", **variables)

    assert decisions(ended)[-1] == ("GREEN", "max_iterations")
    assert f"TestAC1Numbers {ONLY_WITH}" in str(ended.lines[-1])


@cargo
def test_tests_inside_a_source_get_tests_and_stay_as_they_are(rehearse: Dualgate, project: Path) -> None:
    variables = RUST.lay_out(project)
    more = RUST.code.replace(
        "    #[test]\n", "    #[test]\n    fn more() {\n        double(1);\n    }\n\n    #[test]\n"
    )
    weaker = more.replace("assert_eq!(one(), 1);", "one();").replace("x + x", "2 * x")
    red = RUST.script("RED", test=RUST.tests, source=RUST.stub)
    green = RUST.script("GREEN", source=more)

    ended = rehearse(red + green + RUST.script("REFACTOR", source=weaker) + REST, **variables)

    assert decisions(ended)[:3] == [("RED", "next_phase"), ("GREEN", "next_phase"), ("REFACTOR", "continue")]
    assert (project / RUST.source).read_text() == more.replace("x + x", "2 * x")
    assert ended.code == 0


@cargo
def test_a_proven_test_must_pass_without_tests_inside_a_source(rehearse: Dualgate, project: Path) -> None:
    variables = RUST.lay_out(project)
    lax = "#[cfg(test)]\nfn lax() -> i32 {\n    0\n}\n#[cfg(not(test))]\nfn lax() -> i32 {\n    1\n}\n"
    code = RUST.code.replace("pub fn one() -> i32 {\n    1\n", "pub fn one() -> i32 {\n    1 + lax()\n") + lax
    red = RUST.script("RED", test=RUST.tests, source=RUST.stub)

    ended = rehearse(red + RUST.script("GREEN", source=code), "--max-iterations", "1", **variables)

    assert decisions(ended)[-1] == ("GREEN", "max_iterations")
    assert "the proven tests cannot be run without the added ones" in str(ended.lines[-1])


@pytest.mark.parametrize("kit", KITS)
def test_tests_that_need_missing_code_are_red_without_a_stub(kit: Kit, rehearse: Dualgate, project: Path) -> None:
    variables = kit.lay_out(project)

    ended = rehearse(kit.script("RED", test=kit.tests) + kit.script("GREEN", source=kit.code) + REST, **variables)

    assert decisions(ended)[:2] == [("RED", "next_phase"), ("GREEN", "next_phase")]
    tests = ended.lines[0]["tests"]
    assert (len(tests["red"]), tests["passed"]) == (2, 1)
    assert ended.code == 0


@cargo
def test_tests_inside_of_a_rust_source_that_need_missing_code_are_red_without_a_stub(
    rehearse: Dualgate, project: Path
) -> None:
    variables = RUST.lay_out(project)
    _, _, tests = RUST.tests.partition("\n\n")
    inside = f"\n#[cfg(test)]\nmod doubles {{\n    use super::*;\n\n{tests}}}\n"
    red = RUST.script("RED", source=RUST.given["src/lib.rs"] + inside)

    ended = rehearse(red + RUST.script("GREEN", source=RUST.code + inside) + REST, **variables)

    assert decisions(ended)[:2] == [("RED", "next_phase"), ("GREEN", "next_phase")]
    found = ended.lines[0]["tests"]
    assert (len(found["red"]), found["passed"], ended.code) == (2, 1, 0)


@needs("mocha")
def test_tests_of_mocha_that_need_missing_code_are_red_without_a_stub(rehearse: Dualgate, project: Path) -> None:
    mocha = replace(
        NODE,
        command="mocha --reporter xunit --reporter-option output={report} test/",
        given={"package.json": NODE.given["package.json"], "test/old.test.js": "it('old', () => {});\n"},
        tests=NODE.tests.replace("import test from 'node:test';\n", "").replace("\ntest(", "\nit("),
    )
    variables = mocha.lay_out(project) | {"PATH": os.environ["PATH"]}

    ended = rehearse(
        mocha.script("RED", test=mocha.tests) + mocha.script("GREEN", source=mocha.code) + REST, **variables
    )

    assert decisions(ended)[:2] == [("RED", "next_phase"), ("GREEN", "next_phase")]
    found = ended.lines[0]["tests"]
    assert (len(found["red"]), found["passed"], ended.code) == (2, 1, 0)


@node
def test_an_old_test_that_goes_down_with_new_ones_in_its_file_is_run_without_them(
    rehearse: Dualgate, project: Path
) -> None:
    variables = NODE.lay_out(project)
    beside = replace(NODE, test="test/old.test.js", tests=f"{NODE.tests}\ntest('old', () => {{}});\n")

    ended = rehearse(beside.script("RED", test=beside.tests), "--max-iterations", "1", **variables)

    tests = ended.lines[0]["tests"]
    assert (len(tests["red"]), tests["passed"], tests["total"]) == (2, 1, 3)


@pytest.mark.parametrize("kit", KITS)
def test_a_test_file_with_a_mistake_of_its_own_is_broken(kit: Kit, rehearse: Dualgate, project: Path) -> None:
    variables = kit.lay_out(project)

    ended = rehearse(kit.script("RED", test=f"{kit.tests}\n(((\n"), "--max-iterations", "1", **variables)

    assert decisions(ended) == [("RED", "max_iterations")]


def greenfield(project: Path, language: str) -> dict[str, str]:
    """A folder with nothing but a specification, which names a language."""
    (project / "tests" / "test_old.py").unlink()
    (project / "conftest.py").unlink()
    (project / "tests").rmdir()
    (project / "SPEC.md").write_text(f"{(project / 'SPEC.md').read_text()}\nIt is written in {language}.\n")
    return {"DUALGATE_TEST_COMMAND": ""}


PACKAGE = """[[turn.write]]\npath = "package.json"\ntext = '{"type": "module", "scripts": {"test": "node --test"}}'\n"""


def prompt(home: Path, call: str) -> str:
    (found,) = home.glob(f".bp-sessions/doubling/calls/{call}-prompt.md")
    return found.read_text()


@node
def test_the_first_tests_of_an_empty_folder_may_be_in_another_language(
    rehearse: Dualgate, dualgate: Dualgate, project: Path, tmp_path: Path
) -> None:
    variables = greenfield(project, "TypeScript")
    red, lazy = NODE.script("RED", test=NODE.tests) + PACKAGE, NODE.script("GREEN", source=NODE.stub)

    halted = rehearse(red + lazy, "--max-iterations", "1", **variables)
    (tmp_path / "script.toml").write_text(red + NODE.script("GREEN", source=NODE.code) + REST)
    ended = dualgate("resume", "--reset", "--json", **variables)

    assert decisions(halted) == [("RED", "next_phase"), ("GREEN", "max_iterations")]
    assert decisions(ended)[0] == ("GREEN", "next_phase")
    assert ended.code == 0
    assert "There are no tests yet" in prompt(tmp_path / "home", "0001-RED")
    assert "node --test" in prompt(tmp_path / "home", "0003-GREEN")


@node
def test_the_first_tests_of_an_empty_folder_are_frozen_like_others(rehearse: Dualgate, project: Path) -> None:
    variables = greenfield(project, "JavaScript")
    red = NODE.script("RED", test=NODE.tests) + PACKAGE
    weaker = NODE.script("GREEN", test=NODE.tests.replace(*NODE.weaker), source=NODE.stub)

    ended = rehearse(red + weaker, "--max-iterations", "1", **variables)

    assert decisions(ended)[-1] == ("GREEN", "max_iterations")
    assert (project / NODE.test).read_text() == NODE.tests


@node
def test_the_agent_is_told_why_its_first_tests_cannot_be_run(rehearse: Dualgate, project: Path) -> None:
    variables = greenfield(project, "TypeScript")
    package = PACKAGE.replace("node --test", "jest").replace(
        '"scripts"', '"devDependencies": {"jest": "29"}, "scripts"'
    )

    ended = rehearse(NODE.script("RED", test=NODE.tests) + package, "--max-iterations", "1", **variables)

    assert decisions(ended) == [("RED", "max_iterations")]
    assert "install them with: npm install" in str(ended.lines[-1])


def test_without_a_word_on_the_language_pytest_is_assumed(rehearse: Dualgate, project: Path) -> None:
    variables = greenfield(project, "plain English")

    ended = rehearse(REST, "--dry-run", **variables)

    assert [suite["name"] for suite in ended.lines[-1]["suites"]] == ["pytest"]
