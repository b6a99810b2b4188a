"""What sources define and tests use, in any language."""

import pytest

from dualgate.core.evidence.definitions import (
    SourceChange,
    body_of,
    changed_functions,
    gone_names,
    only_adds,
    used_names,
)

SOURCE = """
RATE_LIMIT = 2

@app.get("/carts")
def carts(
    page,
):
    return page

class Cart:
    def amount(self):
        return 1
"""
SCRIPT = """describe('cart', () => {

  it('adds', () => {
    add(1)
  })

  it('takes', () => {
    take(1)
  })
})
"""


def test_names_options_routes_and_modules_can_be_gone() -> None:
    gone = gone_names((SourceChange(path="shop/carts.py", before=SOURCE),))

    assert gone >= {"carts", "Cart", "amount", "RATE_LIMIT", "/carts", "shop"}


def test_a_name_that_moved_is_not_gone() -> None:
    moved = (SourceChange(path="a.py", before=SOURCE), SourceChange(path="b.py", after=SOURCE))

    assert gone_names(moved) == {"a"}


def test_a_function_with_another_body_changed_and_its_class_did_not() -> None:
    change = SourceChange(path="a.py", before=SOURCE, after=SOURCE.replace("return 1", "return 2"))

    assert changed_functions((change,)) == {"amount"}
    assert changed_functions((SourceChange(path="a.py", before=SOURCE),)) == set()


def test_a_changed_file_of_a_folder_of_commands_is_a_changed_command() -> None:
    path = "shop/management/commands/count_carts.py"
    after = SOURCE.replace("return 1", "return 2")

    assert changed_functions((SourceChange(path=path, before=SOURCE, after=after),)) == {"amount", "count_carts"}
    assert changed_functions((SourceChange(path=path, before=SOURCE, after=SOURCE),)) == set()
    assert changed_functions((SourceChange(path=path, after=SOURCE),)) == set()


def test_a_test_uses_what_its_helpers_and_fixtures_use() -> None:
    helpers = "@fixture\ndef cart(shop):\n    return Cart()\n\ndef shop():\n    return Shop()\n"

    used = used_names("def test_a(cart):\n    assert cart.amount()", (helpers,))

    assert used >= {"cart", "Cart", "shop", "Shop", "amount"}


def test_a_test_uses_what_an_attribute_of_its_class_uses() -> None:
    text = (
        "class TestCount:\n    count: Any = partial(call, 'count_carts')\n    other = total\n\n"
        "    def test_a(self):\n        number = vat\n        assert self.count() == 1\n\nclass Empty: pass\n"
    )

    used = used_names("    def test_a(self):\n        assert self.count() == 1", (text,))

    assert used >= {"count", "call", "count_carts"}
    assert not used & {"total", "other"}


BODIES = [
    ("amount", None, "    def amount(self):\n        return 1"),
    ("carts", None, '@app.get("/carts")\ndef carts(\n    page,\n):\n    return page'),
]


@pytest.mark.parametrize(("name", "line", "body"), BODIES)
def test_the_body_of_a_test_is_that_of_the_function_with_its_name(name: str, line: int | None, body: str) -> None:
    assert body_of(SOURCE, name, line, ()) == body


def test_a_test_without_a_function_has_the_lines_up_to_the_next_one() -> None:
    assert body_of(SCRIPT, "cart adds", 3, (3, 7)) == "  it('adds', () => {\n    add(1)\n  })\n"
    assert body_of(SCRIPT, "cart takes", 8, (3, 7)) == "  it('takes', () => {\n    take(1)\n  })\n})"
    assert body_of(SCRIPT, "cart adds", None, ()) == SCRIPT


def test_a_text_that_keeps_its_lines_in_order_only_adds() -> None:
    assert only_adds("a\nb\n", "x\na\ny\nb\n")
    assert not only_adds("a\nb\n", "b\na\n")


def test_a_class_counts_as_changed_by_a_method_that_is_called_without_its_name() -> None:
    before = "class Span:\n    def __hash__(self):\n        return 1\n\n    def size(self):\n        return 2\n"

    def changed(after: str) -> frozenset[str]:
        return changed_functions([SourceChange(path="span.py", before=before, after=after)])

    assert changed(before.replace("return 1", "return 3")) == {"__hash__", "Span"}
    assert changed(before.replace("return 2", "return 3")) == {"size"}
