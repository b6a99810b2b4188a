"""The pages of the site that follow from the code: the reference, the navigation, and messages that are quoted."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from dualgate.core.values.events import KINDS
from tools.reference import PAGES

ROOT = Path(__file__).parent.parent


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("path", PAGES, ids=[path.name for path in PAGES])
def test_a_page_of_the_reference_is_made_from_the_code(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == PAGES[path](), "run: make reference"


@pytest.mark.parametrize("kind", KINDS)
def test_every_event_has_a_description(kind: str) -> None:
    assert f"### `{kind}`\n\n{(KINDS[kind].__doc__ or '-').split()[0]}" in text("docs/events.md")


def test_every_page_is_in_the_navigation_of_the_site() -> None:
    named = re.findall(r"[\w-]+\.md", text("mkdocs.yml").partition("\nnav:")[2])

    assert sorted(named) == sorted({path.name for path in ROOT.glob("docs/*.md")} | {"changelog.md", "contributing.md"})


QUOTED = re.findall(r"^> (.*)$", text("docs/troubleshooting.md"), re.MULTILINE)


@pytest.mark.parametrize("message", QUOTED)
def test_a_quoted_message_is_one_of_the_program(message: str) -> None:
    assert any(part in message or message in part for part in parts_of_messages()), "no text of src/ is like this"


@cache
def parts_of_messages() -> frozenset[str]:
    """The texts of the program, between the values that are put into them, that have at least three words."""
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in sorted((ROOT / "src").rglob("*.py"))]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    docstrings = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    texts = [node for node in nodes if isinstance(node, ast.Constant) and id(node) not in docstrings]
    return frozenset(str(node.value).strip() for node in texts if len(str(node.value).split()) >= 3)
