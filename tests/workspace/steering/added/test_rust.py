"""What may be added to a proven test file in Rust, or to the tests inside a source, and what is no addition."""

import pytest

from dualgate.workspace.steering.change import Extension
from dualgate.workspace.steering.growth import growth_of

BEFORE = """\
#![allow(dead_code)]
use shop::{price, Cart};
use std::collections::HashMap;

mod common;

const RATE: i32 = 2;

fn check(a: i32, b: i32) {
    assert_eq!(a, b);
}

#[test]
fn prices() {
    check(price(1), 1);
}

mod baskets {
    use super::*;

    #[test]
    #[should_panic(expected = "empty")]
    fn are_filled() {
        Cart::new().total();
    }
}
"""
NEW = "#[test]\nfn more() {\n    check(price(5), 5);\n}\n"


def with_end(text: str) -> str:
    return f"{BEFORE}\n{text}"


def changed(old: str, new: str) -> str:
    assert old in BEFORE
    return BEFORE.replace(old, new, 1)


def in_test(code: str) -> str:
    return with_end(f"#[test]\nfn more() {{\n    {code}\n}}\n")


ADDED = {
    "a test": with_end(NEW),
    "a test between": changed("mod baskets", f"{NEW}\nmod baskets"),
    "a test in a module": changed("    #[test]\n    #[should", f"    {NEW}\n    #[test]\n    #[should"),
    "an asynchronous test": with_end("#[tokio::test]\nasync fn more() { price(1); }\n"),
    "a test with cases": with_end("#[rstest]\n#[case(1)]\n#[case(2)]\nfn more(#[case] n: i32) { check(n, n); }\n"),
    "a module": with_end("mod more {\n    use super::*;\n    #[test]\n    fn x() { check(1, RATE - 1); }\n}\n"),
    "a use": changed("use std::collections::HashMap;", "use std::collections::{BTreeMap, HashMap};\nuse std::fmt;"),
    "a name to a use": changed("{price, Cart}", "{price, tax, Cart}"),
    "a helper": with_end("fn many() -> Vec<i32> {\n    let mut list = vec![];\n    list.push(1);\n    list\n}\n"),
    "a type": with_end(
        "#[derive(Debug)]\nstruct Fake { n: i32 }\n\nimpl Fake {\n    fn set(&mut self) { self.n = 2; }\n}\n"
    ),
    "constants": with_end('const MANY: &[i32] = &[1, 2];\nstatic NAME: &str = "x";\n'),
    "variables of its own": in_test(
        "let mut n = 1; n = 2; n += 1; let (mut a, b) = (1, 2); a = b; let mut c = Cart::new(); c.n = a;\n"
        "    for mut i in 0..3 { i += 1; } let p = &mut n; *p = 3; let f = |mut x: i32| { x = 1; x };"
    ),
    "a module in a file": with_end("mod more;\n"),
    "a type of its own": in_test(
        "struct Row { n: i32 }\n    impl Default for Row { fn default() -> Self { Row { n: 1 } } }"
    ),
    "a comment": changed("const RATE", "/// Of old.\nconst RATE"),
    "layout beside an addition": changed("assert_eq!(a, b);", "assert_eq!(\n        a,\n        b\n    );") + NEW,
}
CHANGED = {
    "a weaker test": changed("check(price(1), 1);", ""),
    "a weaker test beside a new one": changed("check(price(1), 1);", "") + NEW,
    "a test that is gone": changed("#[test]\nfn prices() {\n    check(price(1), 1);\n}\n", ""),
    "a test that is ignored": changed("#[test]\nfn prices", "#[test]\n#[ignore]\nfn prices"),
    "a test that is no test": changed("#[test]\nfn prices", "fn prices"),
    "a test under a condition": changed("#[test]\nfn prices", "#[cfg(lax)]\n#[test]\nfn prices"),
    "a module under a condition": changed("mod baskets", "#[cfg(lax)]\nmod baskets"),
    "another expectation": changed('(expected = "empty")', ""),
    "a weaker helper": changed("assert_eq!(a, b);", ""),
    "another constant": changed("RATE: i32 = 2", "RATE: i32 = 0"),
    "another use": changed("use shop::{price, Cart}", "use lax::{price, Cart}"),
    "a use that is gone": changed("use super::*;", ""),
    "another module": changed("mod common;", "mod lax;"),
    "a macro": with_end("macro_rules! assert_eq { ($a:expr, $b:expr) => {} }\n"),
    "a macro before all": f"macro_rules! assert_eq {{ ($a:expr, $b:expr) => {{}} }}\n{BEFORE}",
    "a macro in a test": in_test("macro_rules! check { () => {} }"),
    "a macro of another module": changed("use shop::", "use lax::assert_eq;\nuse shop::"),
    "macros of another crate": changed("mod common;", "#[macro_use]\nextern crate lax;\nmod common;"),
    "all names of a module": changed("use std::", "use lax::*;\nuse std::"),
    "a trait without a name": changed("use std::", "use lax::Total as _;\nuse std::"),
    "a name of the language": with_end("struct Vec;\n"),
    "a use of a name of the language": changed("use std::", "use lax::Some;\nuse std::"),
    "a second helper": with_end("fn check(a: i32, b: i32) {}\n"),
    "a second helper in a module": changed("    #[test]\n    #[should", "    fn check() {}\n    #[test]\n    #[should"),
    "a trait": with_end("trait Total { fn total(self); }\n"),
    "a method of a type of the code": with_end("impl Lax for Cart { fn total(self) {} }\n"),
    "a method of a type of the code in a test": in_test("impl Lax for Cart { fn total(self) {} }"),
    "a module at a path": with_end('#[path = "lax.rs"]\nmod more {}\n'),
    "a module with macros": with_end("#[macro_use]\nmod more;\n"),
    "a macro that is called": with_end("lax! { fn x() {} }\n"),
    "a rule for the whole file": f"#![cfg(lax)]\n{BEFORE}",
    "a test for some": with_end("#[cfg(lax)]\n" + NEW),
    "an end of the process": in_test("std::process::exit(0);"),
    "the environment": in_test('std::env::set_var("RATE", "0");'),
    "a hook of panics": in_test("std::panic::set_hook(Box::new(|_| {}));"),
    "a static that is set": in_test("unsafe { COUNT = 1; }"),
    "a static under a hidden name": in_test("{ let rate = 1; } unsafe { rate = 0; }"),
    "a name for the linker": with_end('#[no_mangle]\npub extern "C" fn lax() {}\n'),
    "a use that is passed on": changed("use std::", "pub use lax::Lax;\nuse std::"),
    "no Rust": with_end("fn {\n"),
}


@pytest.mark.parametrize("after", ADDED.values(), ids=list(ADDED))
def test_an_addition_changes_no_existing_test(after: str) -> None:
    found = growth_of("tests/prices.rs", BEFORE.encode(), after.encode())

    assert found is not None
    assert found.reason == ""


@pytest.mark.parametrize("after", CHANGED.values(), ids=list(CHANGED))
def test_a_change_of_existing_tests_is_no_addition(after: str) -> None:
    found = growth_of("tests/prices.rs", BEFORE.encode(), after.encode())

    assert found is not None
    assert found.reason


REASONS = {
    "a second helper": Extension(
        reason="existing tests use the name `check`: give the new one another name", adds=True
    ),
    "a weaker test beside a new one": Extension(reason="`function prices` is changed or moved", adds=True),
    "a test for some": Extension(reason="`#[cfg(lax)]` may change which tests run", adds=True),
    "a static that is set": Extension(reason="it sets `COUNT = 1`, which other tests share", adds=True),
}


@pytest.mark.parametrize("name", REASONS)
def test_the_reason_names_what_is_no_addition(name: str) -> None:
    assert growth_of("tests/prices.rs", BEFORE.encode(), CHANGED[name].encode()) == REASONS[name]
