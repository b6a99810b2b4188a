"""What may be added to a proven test file in JavaScript or TypeScript, and what is no addition."""

import pytest

from dualgate.workspace.steering.change import Extension
from dualgate.workspace.steering.growth import growth_of

BEFORE = """\
import { readFile } from 'node:fs/promises';
import { price } from '../src/shop.js';
const { helper } = require('./helper');

const RATE = 2;
const CASES = [1, 2];

function check(a, b) {
  expect(a).toBe(b);
}

beforeEach(() => {
  CASES.sort();
});

test('ac1 prices', () => {
  check(price([1]), 1);
});

describe('basket', () => {
  let basket;
  beforeEach(() => { basket = [RATE]; });

  it('is priced', async () => {
    expect(price(basket)).toBe(RATE);
  });

  it.each([[1], [2]])('holds %s items', (n) => {
    expect(n).toBeGreaterThan(0);
  });
});
"""
NEW = "test('more', () => {\n  expect(price([5])).toBe(5);\n});\n"


def with_end(text: str) -> str:
    return f"{BEFORE}\n{text}"


def changed(old: str, new: str) -> str:
    assert old in BEFORE
    return BEFORE.replace(old, new, 1)


def in_group(text: str) -> str:
    return changed("  it('is priced'", f"  {text}\n\n  it('is priced'")


ADDED = {
    "a test": with_end(NEW),
    "a test between": changed("describe('basket'", f"{NEW}\ndescribe('basket'"),
    "a test in a group": in_group("it('is more', () => { basket; expect(price([3])).toBe(3); });"),
    "a group": with_end(f"describe('more', () => {{\n  beforeEach(() => {{}});\n  {NEW}}});\n"),
    "a group in a group": in_group("describe('empty', () => { beforeEach(() => {}); it('is 0', () => {}); });"),
    "a state of a new group": with_end(
        "describe('more', () => {\n  let cart;\n  beforeEach(() => { cart = { items: [] }; cart.items.push(1); });\n"
        "  it('x', () => { cart.items = [2]; delete cart.items; });\n});\n"
    ),
    "a test with parameters": with_end(
        "test.each([[1], [2]])('%s is kept', (n) => { expect(price([n])).toBe(n); });\n"
    ),
    "a test with a table": with_end("test.each`a | b\n${1} | ${2}`('$a is less than $b', ({ a, b }) => {});\n"),
    "tests in a loop": with_end(
        "for (const n of [1, 2]) {\n  test(`of ${n}`, () => { expect(price([n])).toBe(n); });\n}\n"
    ),
    "a time limit": with_end("test('more', { timeout: 5000 }, async () => {});\ntest('still more', () => {}, 100);\n"),
    "an import": changed("import { price }", "import { tax } from '../src/tax.js';\nimport { price }"),
    "a name to an import": changed("{ price }", "{ price, total as sum }"),
    "a name to a require": changed("{ helper }", "{ helper, other }"),
    "a module": with_end("const tax = require('../src/tax');\nconst { rate } = require('../src/rate');\n"),
    "a helper": with_end("function make(n) {\n  const list = [];\n  list.push(n);\n  return list;\n}\n"),
    "constants": with_end("const MANY = [1, 2, 3];\nconst cart = { items: new Map(), add: (n) => n };\n"),
    "a class": with_end("class Fake {\n  constructor(n) { this.n = n; }\n  set(n) { this.n = n; return this; }\n}\n"),
    "spies": with_end(
        "test('more', () => {\n  const spy = vi.spyOn(console, 'log').mockImplementation(() => {});\n"
        "  const fake = jest.fn().mockReturnValue(3);\n  fake();\n  spy.mockRestore();\n});\n"
    ),
    "a page": with_end("test('more', () => { document.body.innerHTML = '<p>'; });\n"),
    "a copy": with_end("test('more', () => { const a = Object.assign({}, RATE); a.b = 1; });\n"),
    "subtests": with_end("test('more', async (t) => { await t.test('one', () => {}); t.mock.method(x, 'y'); });\n"),
    "a call of a new object": with_end(
        "test('more', async () => { await price(RATE).set('a', 'b').get(1); price.set(1); });\n"
    ),
    "a title with signs": with_end("test('$more', () => {});\ntest('100 %s', () => {});\n"),
    "a comment": changed("const RATE = 2;", "const RATE = 2; // of old"),
    "layout beside an addition": changed("const CASES = [1, 2];", "const CASES = [\n  1,\n  2,\n];") + NEW,
}
CHANGED = {
    "a weaker test": changed("check(price([1]), 1);", ""),
    "a weaker test beside a new one": changed("check(price([1]), 1);", "") + NEW,
    "a test that is gone": changed("test('ac1 prices', () => {\n  check(price([1]), 1);\n});", ""),
    "a test that is skipped": changed("test('ac1", "test.skip('ac1"),
    "a test of another name": changed("'ac1 prices'", "'ac2 prices'"),
    "a test alone": changed("test('ac1", "test.only('ac1"),
    "a group that is skipped": changed("describe('basket'", "describe.skip('basket'"),
    "a test that moves into a new group": changed(
        "test('ac1", "describe('x', () => { beforeEach(lax); test('ac1"
    ).replace("1);\n});", "1);\n}); });", 1),
    "fewer parameters": changed("[[1], [2]]", "[[1]]"),
    "a weaker helper": changed("expect(a).toBe(b);", ""),
    "another constant": changed("RATE = 2", "RATE = 0"),
    "another hook": changed("basket = [RATE];", "basket = [];"),
    "another import": changed("'../src/shop.js'", "'./fake.js'"),
    "an import that is gone": changed("import { readFile } from 'node:fs/promises';\n", ""),
    "imports in another order": changed("import { readFile } from 'node:fs/promises';\n", "").replace(
        "shop.js';\n", "shop.js';\nimport { readFile } from 'node:fs/promises';\n"
    ),
    "a new test alone": with_end(NEW.replace("test(", "test.only(")),
    "a new group alone": with_end(f"describe.only('x', () => {{ {NEW} }});\n"),
    "a test alone in a new group": with_end("describe('x', () => { it.only('y', () => {}); });\n"),
    "a test alone by its options": with_end("test('x', { only: true }, () => {});\n"),
    "a test with hidden options": with_end("test('x', { ...lax }, () => {});\n"),
    "a focused test": with_end("fit('x', () => {});\n"),
    "a new group that is skipped": with_end(f"describe.skip('x', () => {{ {NEW} }});\n"),
    "a hook": with_end("afterEach(() => {});\n"),
    "a hook in a group": in_group("beforeEach(() => {});"),
    "a hook in a test": with_end("test('x', () => { beforeEach(() => {}); });\n"),
    "a hook in a helper": with_end("function lax() { beforeEach(() => {}); }\nconst X = lax();\n"),
    "a hook of another name": changed(
        "import { price }", "import { beforeEach as each } from 'vitest';\nimport { price }"
    ),
    "a mock": with_end("jest.mock('../src/shop.js');\n"),
    "a mock in a test": with_end("test('x', () => { vi.mock('../src/shop.js', () => ({ price: () => 1 })); });\n"),
    "a mock in a constant": with_end("const X = jest.mock('../src/shop.js');\n"),
    "a mock that is hoisted": with_end("const X = vi.hoisted(() => 1);\n"),
    "a module for its effect": f"import './lax.js';\n{BEFORE}",
    "a method of all arrays": with_end("Array.prototype.sort = () => [];\n"),
    "a method of all arrays in a test": with_end("test('x', () => { Array.prototype.sort = () => []; });\n"),
    "a method of all arrays by a local name": with_end(
        "test('x', () => { const A = Array; A.prototype.sort = lax; });\n"
    ),
    "a method of all arrays under a hidden name": with_end(
        "test('x', () => { { let Array; } Array.sort = () => []; });\n"
    ),
    "a method by a call": with_end("test('x', () => { Object.defineProperty(Array.prototype, 'sort', {}); });\n"),
    "a method by a call on load": with_end("const X = Object.assign(price, { a: 1 });\n"),
    "a global": with_end("const X = (() => { globalThis.price = 1; })();\n"),
    "a variable of the environment": with_end("test('x', () => { process.env.RATE = '0'; });\n"),
    "an end of the process": with_end("test('x', () => { process.exit(0); });\n"),
    "an end of the process on load": with_end("process.exit(0);\n"),
    "a listener of the process": with_end("const X = process.on('exit', () => { });\n"),
    "matchers": with_end("expect.extend({ toBe() { return { pass: true }; } });\n"),
    "matchers in a test": with_end("test('x', () => { expect.extend({ toBe() { return { pass: true }; } }); });\n"),
    "a constant in a test": with_end("test('x', () => { CASES.push(3); });\n"),
    "a constant in a group": with_end(
        "describe('x', () => { beforeAll(() => { CASES.length = 0; }); it('y', () => {}); });\n"
    ),
    "a variable in a group": in_group("it('more', () => { basket = []; });"),
    "variables by a pattern": with_end("test('x', () => { [check] = [lax]; });\n"),
    "a second helper": with_end("function check() {}\n"),
    "a second helper in a group": in_group("const check = () => {};"),
    "an import over a global": with_end("import { expect } from './lax.js';\n"),
    "a constant over a global": with_end("const expect = () => lax;\n"),
    "a module over a global": with_end("const { expect } = require('./lax');\n"),
    "a test twice": with_end("test('ac1 prices', () => {});\n"),
    "a test twice before it": changed("test('ac1", "test('ac1 prices', () => {});\ntest('ac1"),
    "a test twice by its group": with_end("test('basket is priced', () => {});\n"),
    "a test twice in its group": in_group("it('is  priced', () => {});"),
    "a test twice by a parameter": with_end("test.each([['prices']])('ac1 %s', () => {});\n"),
    "a title that is computed": with_end("test('ac1' + ' prices', () => {});\n"),
    "a call": with_end("lax();\n"),
    "a condition": with_end("if (true) { lax(); }\n"),
    "a loop over an effect": with_end("for (const n of CASES.splice(0)) { test(`of ${n}`, () => {}); }\n"),
    "a loop with a call": with_end("for (const n of [1]) { lax(n); }\n"),
    "a block": with_end("{ test('x', () => {}); }\n"),
    "code in a text": with_end("const X = eval('price = 1');\n"),
    "another environment": f"/** @jest-environment ./lax.js */\n{BEFORE}",
    "another mode": f"'use strict';\n{BEFORE}",
    "an export": with_end("export const x = 1;\n"),
    "no JavaScript": with_end("test('x', () => {\n"),
}


@pytest.mark.parametrize("after", ADDED.values(), ids=list(ADDED))
def test_an_addition_changes_no_existing_test(after: str) -> None:
    for path in ("test/shop.test.js", "test/shop.test.ts"):
        found = growth_of(path, BEFORE.encode(), after.encode())

        assert found is not None
        assert found.reason == ""


@pytest.mark.parametrize("after", CHANGED.values(), ids=list(CHANGED))
def test_a_change_of_existing_tests_is_no_addition(after: str) -> None:
    found = growth_of("test/shop.test.js", BEFORE.encode(), after.encode())

    assert found is not None
    assert found.reason


REASONS = {
    "a second helper": Extension(
        reason="existing tests use the name `check`: give the new one another name", adds=True
    ),
    "a weaker test": Extension(reason="`test ac1 prices` is changed or moved", adds=False),
    "a weaker test beside a new one": Extension(reason="`test ac1 prices` is changed or moved", adds=True),
    "a hook": Extension(reason="`afterEach(() => {});` runs when the file is loaded", adds=True),
    "a new test alone": Extension(reason="`test.only` is not a plain test: it may change which tests run", adds=True),
    "a mock in a test": Extension(
        reason="`vi.mock('../src/shop.js', () => ({ price: () => 1 }))` reaches beyond the new tests", adds=True
    ),
}


@pytest.mark.parametrize("name", REASONS)
def test_the_reason_names_what_is_no_addition(name: str) -> None:
    assert growth_of("a.test.js", BEFORE.encode(), CHANGED[name].encode()) == REASONS[name]


def test_types_may_be_added() -> None:
    more = "import type { Cart } from './cart';\ninterface Row { n: number }\ntype Rows = Row[];\nenum Kind { A }\n"

    found = growth_of("a.test.ts", BEFORE.encode(), (BEFORE + more).encode())

    assert found == Extension(adds=True)


def test_nothing_may_be_added_to_a_file_of_another_language() -> None:
    assert growth_of("a_test.rb", b"", b"x") is None


def test_a_name_of_a_hook_that_means_something_else_is_no_hook() -> None:
    before = "const after = require('after');\n"
    more = "it('waits', (done) => { const end = after(2, done); end(); });\n"

    assert growth_of("test/a.js", before.encode(), (before + more).encode()) == Extension(adds=True)
