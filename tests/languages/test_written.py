"""Tests that are found by the syntax of a file alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dualgate.languages.written import written_cases

JAVASCRIPT = """
test('one', () => {});
describe('group', () => {
  it('two', async () => {});
  describe("inner", () => { it(`three`, function () {}); });
  it.skip('four', () => {});
});
describe.skip('later', () => { it('five', () => {}); });
test.each([1])('n %s', () => {});
test(`n ${1}`, () => {});
for (const n of [1]) { test('six', () => {}); }
helper('seven', () => {});
"""
GO = """package x
func TestA(t *testing.T) {}
func FuzzB(f *testing.F) {}
func TestMain(m *testing.M) {}
func Testing(t *testing.T) {}
func helper() {}
"""
RUST = """
#[test]
fn one() {}
mod group {
    /// Of two.
    #[tokio::test]
    // why
    #[ignore]
    async fn two() {}
    fn helper() {}
}
#[cfg(test)]
fn three() {}
"""
CASES = [
    ("a.test.ts", JAVASCRIPT, ["one", "group/two", "group/inner/three", "group/four-", "later/five-"]),
    ("a_test.go", GO, ["TestA", "FuzzB"]),
    ("tests/a.rs", RUST, ["one", "group/two-"]),
    ("a.test.js", "test('one', () => {", []),
    ("a_test.go", "package x\nfunc {", []),
    ("tests/a.rs", "fn {", []),
    ("a.rb", "test", []),
]


@pytest.mark.parametrize(("path", "text", "names"), CASES)
def test_certain_tests_are_found_by_name(path: str, text: str, names: list[str]) -> None:
    found = written_cases(path, text.encode())

    assert ["/".join(each.names) + "-" * each.is_idle for each in found] == names


def test_layout_makes_no_other_test_and_other_words_do() -> None:
    one, same, other = (
        written_cases("a.test.js", text.encode())[0].form
        for text in ("test('a', () => { b(1) });", "test('a', () => {\n  b(1)\n});", "test('a', () => { b(2) });")
    )

    assert one == same != other


@given(st.binary())
def test_no_bytes_are_too_odd(content: bytes) -> None:
    for path in ("a.js", "a.ts", "a.go", "a.rs"):
        written_cases(path, content)
