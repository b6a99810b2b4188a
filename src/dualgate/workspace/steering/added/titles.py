"""Titles of JavaScript tests -> whether a new test may have the title of an existing one in a report."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dualgate.languages.javascript_tests import GROUPS, arguments_of, call_of_test, statements_in, title_of
from dualgate.languages.trees import field_of, root_name, text_in

if TYPE_CHECKING:
    from tree_sitter import Node

_PLACEHOLDER = re.compile(r"%[sdifjoOp#$c]|\$[\w.]+")
_SUBSTITUTION = re.compile(r"\$\{[^}]*\}")
_ANY = "\0"


def why_same_title(call: "Node", before: "Node", owners: tuple[str, ...]) -> Iterator[str]:
    known = [title for child in before.named_children for title in _titles(child, ())]
    for title in _titles_of(call, owners):
        if any(_may_be_same(title, each) for each in known):
            yield f"there is a test `{title.replace(_ANY, '…')}` already: give the new one another title"


def _titles(statement: "Node", owners: tuple[str, ...]) -> Iterator[str]:
    if (call := call_of_test(statement)) is not None:
        yield from _titles_of(call, owners)
    elif statement.type == "for_in_statement" and (body := field_of(statement, "body")) is not None:
        yield from (title for each in body.named_children for title in _titles(each, owners))


def _titles_of(call: "Node", owners: tuple[str, ...]) -> Iterator[str]:
    """The titles of tests in a call, after those of their groups, as reports write them."""
    path = (*owners, filled_title(call))
    if root_name(call) in GROUPS:
        yield from (title for each in statements_in(call) for title in _titles(each, path))
    else:
        yield " ".join(path)


def filled_title(call: "Node") -> str:
    """The title of a test, with a sign for each part that is filled in when it runs."""
    title, function = title_of(call), field_of(call, "function")
    title = _SUBSTITUTION.sub(_ANY, title) if text_in(arguments_of(call)[0])[:1] == "`" else title
    is_repeated = function is not None and function.type == "call_expression"
    return _PLACEHOLDER.sub(_ANY, title) if is_repeated else title


def _may_be_same(one: str, other: str) -> bool:
    """Whether two titles may be equal in a report. A title that is all filled in tells nothing."""
    return any(re.fullmatch(_pattern(a), _plain(b)) is not None for a, b in ((one, other), (other, one)) if _plain(a))


def _pattern(title: str) -> str:
    return r".*".join(re.escape(_plain(part)) for part in title.split(_ANY))


def _plain(title: str) -> str:
    return re.sub(r"\W+", " ", title).strip()
