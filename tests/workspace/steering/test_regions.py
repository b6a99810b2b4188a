"""Tests inside sources: named, compared without their layout, and put back while the rest of the file stays."""

import pytest

from dualgate.workspace.steering.change import Extension
from dualgate.workspace.steering.regions import (
    broken_regions,
    growth_of_regions,
    has_regions,
    regions,
    with_proven_tests,
    without_added_tests,
)

RUST = """//! Adds.
//!
//! ```
//! assert_eq!(x::add(1, 1), 2);
//! ```

/// Adds two.
///
/// ```
/// assert_eq!(x::add(1, 2), 3);
/// ```
/// ```text
/// no test
/// ```
pub fn add(a: i32, b: i32) -> i32 {
    a + b
}

#[cfg(not(test))]
fn only_outside() {}

#[test]
fn adds() { assert_eq!(add(1, 1), 2); }

#[cfg(test)]
mod tests {
    use super::*;
    #[tokio::test]
    async fn inner() { assert_eq!(add(2, 2), 4, "}}"); }
}
"""
PYTHON = '''"""A module."""


def add(a, b):
    """Add.

    >>> add(1, 2)
    3
    """
    return a + b


class C:
    def m(self):
        """More.

        >>> C().m()
        1
        """
        return 1
'''
VITEST = (
    "export const a = 1\n\nif (import.meta.vitest) {\n  const { it } = import.meta.vitest\n  it('x', () => {})\n}\n"
)
MACRO = "pub fn a() {}\n\nproptest! {\n    #[test]\n    fn c(b: bool) { prop_assert!(b); }\n}\n"
MARKDOWN = "# Use\n\n    >>> add(1, 2)\n    3\n\nMore.\n"


def test_tests_in_sources_have_names() -> None:
    assert list(regions("src/lib.rs", RUST.encode())) == [
        "fn adds",
        "mod tests",
        "example of the module",
        "example of fn add",
    ]
    assert list(regions("a.py", PYTHON.encode())) == ["module.add", "module.C.m"]
    assert list(regions("a.ts", VITEST.encode())) == ["vitest"]
    assert list(regions("a.md", MARKDOWN.encode())) == ["examples"]


# path, text, what is changed and to what, what breaks by it
BREAKS = [
    ("src/lib.rs", RUST, ("add(2, 2), 4", "add(2, 2), 5"), ("mod tests",)),
    ("src/lib.rs", RUST, ("#[test]\n", "#[test]\n#[ignore]\n"), ("fn adds",)),
    ("src/lib.rs", RUST, ("    #[tokio::test]", "    fn add() {}\n    #[tokio::test]"), ("mod tests",)),
    ("src/lib.rs", RUST, ("#[cfg(test)]", "#[cfg(all(test, lax))]"), ("mod tests",)),
    ("src/lib.rs", MACRO, ("prop_assert!(b)", ""), ("fn c",)),
    ("src/lib.rs", RUST, ("x::add(1, 2), 3", "x::add(1, 2), 4"), ("example of fn add",)),
    ("src/lib.rs", RUST, ("/// ```\n/// assert_eq!", "/// ```ignore\n/// assert_eq!"), ("example of fn add",)),
    ("src/lib.rs", RUST, ("x::add(1, 1), 2);\n//!", "x::add(1, 1), 3);\n//!"), ("example of the module",)),
    ("a.py", PYTHON, ("3\n", "4\n"), ("module.add",)),
    ("a.py", PYTHON, (">>> C().m()\n        1", "Gone."), ("module.C.m",)),
    ("a.ts", VITEST, ("it('x', () => {})", ""), ("vitest",)),
    ("a.md", MARKDOWN, ("    3", "    4"), ("examples",)),
]
FREE = [
    (
        "src/lib.rs",
        RUST,
        ("    #[tokio::test]", "    use std::fmt;\n    #[test]\n    fn more() {}\n    #[tokio::test]"),
    ),
    ("src/lib.rs", RUST, ("    a + b", "    b + a")),
    ("src/lib.rs", RUST, ("fn adds() { assert_eq!(add(1, 1), 2); }", "fn adds() {\n    assert_eq!(add(1, 1), 2,);\n}")),
    ("src/lib.rs", RUST, ("#[cfg(not(test))]", "#[test]\nfn new() {}\n\n#[cfg(not(test))]")),
    ("src/lib.rs", MACRO, ("pub fn a() {}", "pub fn a() -> i32 { 1 }")),
    ("src/lib.rs", "/// ```\n/// b()\n/// ```\nfn a<T: Copy>() {}\n", ("<T: Copy>", "< T:Copy >")),
    ("src/lib.rs", RUST, ("/// no test", "/// none")),
    ("a.py", PYTHON, ("return a + b", "return b + a")),
    ("a.py", PYTHON, ("Add.", "Add two numbers.")),
    ("a.py", PYTHON, ("    3\n", "    3\n    >>> add(0, 0)\n    0\n")),
    ("a.py", PYTHON, ("    >>> add(1, 2)", "    >>> add(0, 0)\n    0\n    >>> add(1, 2)")),
    ("a.py", PYTHON, ("class C:\n", 'class C:\n    """A class.\n\n    >>> C().m()\n    1\n    """\n\n')),
    ("a.md", MARKDOWN, ("    >>>", "    >>> from adding import add\n    >>>")),
    ("a.ts", VITEST, ("a = 1", "a = 2")),
    ("a.ts", VITEST, ("it('x', () => {})", 'it("x", () => {}); // why')),
    ("a.md", MARKDOWN, ("More.", "Much more.")),
]


@pytest.mark.parametrize(("path", "text", "change", "broken"), BREAKS)
def test_a_changed_test_in_a_source_is_seen(
    path: str, text: str, change: tuple[str, str], broken: tuple[str, ...]
) -> None:
    assert change[0] in text
    assert broken_regions(path, text.encode(), text.replace(*change, 1).encode()) == broken


@pytest.mark.parametrize(("path", "text", "change"), FREE)
def test_the_rest_of_a_source_is_free(path: str, text: str, change: tuple[str, str]) -> None:
    assert change[0] in text
    assert broken_regions(path, text.encode(), text.replace(*change, 1).encode()) == ()


MENDED = [
    ("src/lib.rs", RUST, ("add(2, 2), 4", "add(2, 2), 5"), ("    a + b", "    b + a")),
    ("src/lib.rs", RUST, ("#[test]\n", "#[test]\n#[ignore]\n"), ("    a + b", "    b + a")),
    ("src/lib.rs", RUST, ("x::add(1, 2), 3", "x::add(1, 2), 4"), ("    a + b", "    b + a")),
    ("src/lib.rs", RUST, (RUST[RUST.index("#[cfg(test)]") :], ""), ("    a + b", "    b + a")),
    ("a.ts", VITEST, ("it('x', () => {})", ""), ("a = 1", "a = 2")),
    ("src/lib.rs", RUST, ("fn adds", "fn adds_no_more"), ("    a + b", "    b + a")),
    ("a.py", PYTHON, ("def add", "def plus"), ("return 1", "return 2")),
    ("a.ts", VITEST, (VITEST[VITEST.index("if") :], ""), ("a = 1", "a = 2")),
]


@pytest.mark.parametrize(("path", "text", "wrong", "free"), MENDED)
def test_tests_are_put_back_and_other_edits_stay(
    path: str, text: str, wrong: tuple[str, str], free: tuple[str, str]
) -> None:
    wanted = text.replace(*free, 1)

    mended = with_proven_tests(path, text.encode(), wanted.replace(*wrong, 1).encode())

    assert mended.decode() == wanted


def test_examples_in_docstrings_are_put_back_with_the_docstring() -> None:
    present = PYTHON.replace("    3\n", "    4\n").replace("a + b", "b + a").replace("class C", "class Ä")

    mended = with_proven_tests("a.py", PYTHON.encode(), present.replace("class Ä", "class C").encode())

    assert mended.decode() == PYTHON.replace("a + b", "b + a")


def test_a_file_that_cannot_be_read_any_more_has_lost_its_tests() -> None:
    assert broken_regions("a.py", PYTHON.encode(), b"def (") == ("module.add", "module.C.m")
    assert with_proven_tests("a.py", PYTHON.encode(), b"\xff") == PYTHON.encode()


def test_a_file_of_tests_is_no_source_with_tests() -> None:
    assert has_regions("src/lib.rs", RUST.encode())
    assert not has_regions("tests/lib.rs", RUST.encode())
    assert not has_regions("a.py", PYTHON.encode() + b"\ndef test_a(): pass\n")
    assert not has_regions("a.py", b"x = 1\n")


def test_tests_that_are_added_to_a_rust_source_are_found_and_taken_out_again() -> None:
    code = RUST.replace("a + b", "b + a")
    more = code.replace("    #[tokio::test]", "    #[test]\n    fn more() {}\n    #[tokio::test]")
    more += "\n#[cfg(test)]\nmod more {\n    #[test]\n    fn x() {}\n}\n"

    assert growth_of_regions("src/lib.rs", RUST.encode(), more.encode()) == Extension(adds=True)
    assert growth_of_regions("src/lib.rs", RUST.encode(), code.encode()) == Extension()
    assert without_added_tests("src/lib.rs", RUST.encode(), more.encode()).decode().strip() == code.strip()
    assert without_added_tests("src/lib.rs", RUST.encode(), code.encode()) == code.encode()


def test_the_reason_says_what_is_no_addition_to_the_tests_of_a_source() -> None:
    macro = RUST.replace("    #[tokio::test]", "    macro_rules! assert_eq { () => {} }\n    #[tokio::test]")

    assert growth_of_regions("src/lib.rs", RUST.encode(), macro.encode()) == Extension(
        reason="existing tests use the name `assert_eq`: give the new one another name", adds=True
    )
