"""The doubling project in other languages than Python: what is there, and what a run writes."""

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest


@dataclass(frozen=True, slots=True, kw_only=True)
class Kit:
    program: str
    command: str
    given: Mapping[str, str]
    """The files of the project, with a test that passes."""
    test: str
    """The path of the tests."""
    tests: str
    """The tests of both criteria."""
    another: str
    """A test more."""
    weaker: tuple[str, str]
    """Words of a test, and the words that weaken it."""
    source: str
    """The path of the code."""
    stub: str
    code: str
    variables: Mapping[str, str]
    homes: Mapping[str, str] = field(default_factory=dict)
    """Variables that name a folder of whoever runs the tests, and where it is in the home if they are not set."""

    def script(self, phase: str, **files: str) -> str:
        """A turn that writes files: `test` and `source`."""
        paths = {"test": self.test, "source": self.source}
        written = "".join(
            f"[[turn.write]]\npath = \"{paths[name]}\"\ntext = '''{text}'''\n" for name, text in files.items()
        )
        return f'[[turn]]\nphase = "{phase}"\n{written}'

    def lay_out(self, project: Path) -> dict[str, str]:
        """Make a project of this language out of the one in Python; returns variables for its runs."""
        for path in ("tests/test_old.py", "conftest.py"):
            (project / path).unlink()
        for path, text in self.given.items():
            (project / path).parent.mkdir(parents=True, exist_ok=True)
            (project / path).write_text(text)
        homes = {name: os.environ.get(name, str(Path.home() / folder)) for name, folder in self.homes.items()}
        return {"DUALGATE_TEST_COMMAND": self.command, **self.variables, **homes}


NODE = Kit(
    program="node",
    command="node --test --test-reporter=tap test/",
    given={
        "package.json": '{"type": "module"}\n',
        "test/old.test.js": "import test from 'node:test';\n\ntest('old', () => {});\n",
    },
    test="test/double.test.js",
    tests="""import test from 'node:test';
import assert from 'node:assert';
import { double } from '../double.js';

test('ac1 numbers', () => {
  assert.equal(double(2), 4);
});

test('ac2 texts', () => {
  assert.equal(double("a"), "aa");
});
""",
    another="\ntest('lists', () => {\n  assert.deepEqual(double([1]).length, 2);\n});\n",
    weaker=('assert.equal(double("a"), "aa");', ""),
    source="double.js",
    stub="export function double() { throw new Error('not implemented'); }\n",
    code="export function double(x) { return Array.isArray(x) ? [...x, ...x] : x + x; }\n",
    variables={},
)
_GO = """package doubling

func Double(x int) int {{ return {} }}

func DoubleText(x string) string {{ return {} }}
"""
GO = Kit(
    program="go",
    command="go test -json -count=1 ./...",
    given={
        "go.mod": "module doubling\n\ngo 1.19\n",
        "doubling.go": "// Package doubling doubles.\npackage doubling\n\nfunc one() int { return 1 }\n",
        "old_test.go": 'package doubling\n\nimport "testing"\n\nfunc TestOld(t *testing.T) { _ = one() }\n',
    },
    test="double_test.go",
    tests="""package doubling

import "testing"

func TestAC1Numbers(t *testing.T) {
	if got := Double(2); got != 4 {
		t.Errorf("got %d", got)
	}
}

func TestAC2Texts(t *testing.T) {
	if got := DoubleText("a"); got != "aa" {
		t.Errorf("got %s", got)
	}
}
""",
    another='\nfunc TestMore(t *testing.T) {\n\tif Double(0) != 0 {\n\t\tt.Error("not 0")\n\t}\n}\n',
    weaker=('got != "aa"', "false"),
    source="double.go",
    stub=_GO.format("7", '""'),
    code=_GO.format("x + x", "x + x"),
    variables={"GOFLAGS": "-mod=mod", "GOTOOLCHAIN": "local"},
)
_LIBRARY = "pub fn one() -> i32 {\n    1\n}\n"
_INSIDE = """
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old() {
        assert_eq!(one(), 1);
    }
}
"""
_RUST = """pub fn double(x: i32) -> i32 {
    NUMBER
}
pub fn double_text(x: &str) -> String {
    TEXT
}
"""


def _library(number: str, text: str) -> str:
    return _LIBRARY + _RUST.replace("NUMBER", number).replace("TEXT", text) + _INSIDE


RUST = Kit(
    program="cargo",
    command="cargo test --offline --no-fail-fast",
    given={
        "Cargo.toml": '[package]\nname = "doubling"\nversion = "0.1.0"\nedition = "2021"\n',
        "Cargo.lock": 'version = 3\n\n[[package]]\nname = "doubling"\nversion = "0.1.0"\n',
        ".gitignore": "target\n",
        "src/lib.rs": _LIBRARY + _INSIDE,
    },
    test="tests/double.rs",
    tests="""use doubling::{double, double_text};

#[test]
fn ac1_numbers() {
    assert_eq!(double(2), 4);
}

#[test]
fn ac2_texts() {
    assert_eq!(double_text("a"), "aa");
}
""",
    another="\n#[test]\nfn zero() {\n    assert_eq!(double(0), 0);\n}\n",
    weaker=('"aa"', 'double_text("a")'),
    source="src/lib.rs",
    stub=_library("x + 100", "x.repeat(9)"),
    code=_library("x + x", "x.repeat(2)"),
    variables={},
    homes={"RUSTUP_HOME": ".rustup", "CARGO_HOME": ".cargo"},
)


def needs(program: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(not shutil.which(program), reason=f"needs {program}")


KITS = [pytest.param(kit, id=kit.program, marks=needs(kit.program)) for kit in (NODE, GO, RUST)]
