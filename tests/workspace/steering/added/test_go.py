"""What may be added to a proven test file in Go, and what is no addition."""

import pytest

from dualgate.workspace.steering.change import Extension
from dualgate.workspace.steering.growth import growth_of

BEFORE = """\
//go:build linux

package shop

import (
	"errors"
	"testing"
)

var errLost = errors.New("lost")

const (
	first = iota
	second
)

type stub struct{ n int }

func (s stub) Total() int { return s.n }

func check(t *testing.T, got, want int) {
	t.Helper()
	if got != want {
		t.Errorf("got %d, want %d", got, want)
	}
}

func TestPrice(t *testing.T) {
	check(t, Price(1), 1)
}

func TestTable(t *testing.T) {
	for _, each := range []int{first, second} {
		t.Run("x", func(t *testing.T) { check(t, each, each) })
	}
}
"""
NEW = "func TestMore(t *testing.T) {\n\tcheck(t, Price(5), 5)\n}\n"


def with_end(text: str) -> str:
    return f"{BEFORE}\n{text}"


def changed(old: str, new: str) -> str:
    assert old in BEFORE
    return BEFORE.replace(old, new, 1)


def in_test(code: str) -> str:
    return with_end(f"func TestMore(t *testing.T) {{\n\t{code}\n}}\n")


ADDED = {
    "a test": with_end(NEW),
    "a test between": changed("func TestTable", f"{NEW}\nfunc TestTable"),
    "a benchmark and an example": with_end(
        "func BenchmarkX(b *testing.B) {}\n\nfunc ExamplePrice() {\n\t// Output: 1\n}\n"
    ),
    "an import": changed('"errors"', '"errors"\n\t"fmt"'),
    "an import in another order": changed('"errors"\n\t"testing"', '"fmt"\n\t"testing"\n\n\t"errors"\n\tx "example/y"'),
    "a helper": with_end("func make5() []int {\n\tlist := []int{}\n\tlist = append(list, 5)\n\treturn list\n}\n"),
    "variables of its own": in_test(
        "total, err := Sum()\n\ttotal, err = Sum()\n\tvar got int\n\tgot = total\n\tgot++\n"
        "\tcart := Cart{}\n\tcart.Items[0] = got\n\tfor i := 0; i < 3; i++ {\n\t\ttotal += i\n\t}\n"
        "\tif n, ok := Find(); ok {\n\t\tn = 2\n\t\t_ = n\n\t}\n\tp := &got\n\t*p = 3\n\t_ = err"
    ),
    "a type with methods": with_end("type fake struct{ n int }\n\nfunc (f *fake) Add() { f.n++ }\n"),
    "constants and variables": with_end(
        'const many = 3\n\nvar rows = []struct{ n int }{{1}, {2}}\n\nvar errMore = errors.New("more")\n\n'
        "var late = func() int { return Price(1) }\n"
    ),
    "a closure": in_test('n := 0\n\tt.Cleanup(func() { n = 1 })\n\tt.Setenv("A", "b")'),
    "a comment": changed("type stub", "// stub is one.\ntype stub"),
}
CHANGED = {
    "a weaker test": changed("check(t, Price(1), 1)", ""),
    "a weaker test beside a new one": changed("check(t, Price(1), 1)", "") + NEW,
    "a test that is gone": changed("func TestPrice(t *testing.T) {\n\tcheck(t, Price(1), 1)\n}\n", ""),
    "a test that is skipped": changed("\tcheck(t, Price(1), 1)", "\tt.Skip()\n\tcheck(t, Price(1), 1)"),
    "a weaker helper": changed("got != want", "false"),
    "a row more": changed("{first, second}", "{first, second, 3}"),
    "another constant": changed("iota", "iota + 1"),
    "a constant before others": changed("\tfirst = iota", "\tzero = iota\n\tfirst"),
    "another variable": changed('errors.New("lost")', "nil"),
    "another method": changed("return s.n", "return 1"),
    "another build": changed("//go:build linux", "//go:build ignore"),
    "another package": changed("package shop", "package shop_test"),
    "an import that is gone": changed('\t"errors"\n', ""),
    "an import of another module": changed('"errors"', 'errors "example/lax"'),
    "a start of the package": with_end("func init() { rate = 0 }\n"),
    "a start of all tests": with_end("func TestMain(m *testing.M) { os.Exit(0) }\n"),
    "a name of the language": with_end("func len(x any) int { return 0 }\n"),
    "a constant of the language": with_end("const true = false\n"),
    "a type of the language": with_end("type error interface{}\n"),
    "a second helper": with_end("func check() {}\n"),
    "a method of an existing type": with_end('func (s stub) String() string { return "" }\n'),
    "a method of a type of the code": with_end('func (c Cart) String() string { return "" }\n'),
    "a variable that is set": in_test("rate = 0"),
    "a variable that is counted": in_test("rate++"),
    "an attribute that is set": in_test("shop.Rate = 0"),
    "a variable that is set in a closure": in_test("func() { errLost = nil }()"),
    "a variable under a hidden name": in_test("{\n\t\trate := 1\n\t\t_ = rate\n\t}\n\trate = 0"),
    "an end of the process": in_test("os.Exit(0)"),
    "an end of the process by a name": in_test("end := os.Exit\n\tend(0)"),
    "the environment": in_test('os.Setenv("RATE", "0")'),
    "code on load": with_end("var _ = lax()\n"),
    "code on load under a name": with_end("var x = lax()\n"),
    "a function that is called on load": with_end("var x = func() int { rate = 0; return 1 }()\n"),
    "all names of a package": changed('"errors"', '"errors"\n\t. "example/lax"'),
    "a package for its effect": changed('"errors"', '"errors"\n\t_ "example/lax"'),
    "a directive": with_end("//go:linkname check lax\nfunc more() {}\n"),
    "no Go": with_end("func {\n"),
}


@pytest.mark.parametrize("after", ADDED.values(), ids=list(ADDED))
def test_an_addition_changes_no_existing_test(after: str) -> None:
    found = growth_of("shop/price_test.go", BEFORE.encode(), after.encode())

    assert found is not None
    assert found.reason == ""


@pytest.mark.parametrize("after", CHANGED.values(), ids=list(CHANGED))
def test_a_change_of_existing_tests_is_no_addition(after: str) -> None:
    found = growth_of("shop/price_test.go", BEFORE.encode(), after.encode())

    assert found is not None
    assert found.reason


REASONS = {
    "a second helper": Extension(
        reason="existing tests use the name `check`: give the new one another name", adds=True
    ),
    "a weaker test beside a new one": Extension(reason="`TestPrice` is changed or moved", adds=True),
    "a start of all tests": Extension(reason="`TestMain` applies to every test of the package", adds=True),
    "a variable that is set": Extension(reason="it sets `rate`, which other tests share", adds=True),
    "code on load": Extension(reason="`_ = lax()` runs when the package is loaded", adds=True),
}


@pytest.mark.parametrize("name", REASONS)
def test_the_reason_names_what_is_no_addition(name: str) -> None:
    assert growth_of("price_test.go", BEFORE.encode(), CHANGED[name].encode()) == REASONS[name]
