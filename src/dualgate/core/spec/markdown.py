"""Markdown -> nodes with line numbers. It knows CommonMark and tables, and nothing of specifications."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_LINE_END = re.compile(r"\r\n?|\n")
# '---', yaml, '---'; some templates leave the first line out
_FRONT_MATTER = re.compile(
    r"\A(?:---[ \t]*\n(?:.*\n){0,200}?---|(?:[a-z_]+:.*\n(?:[ \t]+.*\n|\n)*){1,40}---)[ \t]*(?:\n|\Z)"
)


# other signs for bullets, written as the one that the parser knows
_BULLETS = re.compile(r"^(?P<indent>[ \t]*)[•●◦▪‣∙](?=[ \t]+\S)", re.MULTILINE)
# so long a run of blanks means nothing, and patterns take quadratic time on it
_BLANKS = re.compile(r"[ \t]{64,}")
_NAMED = re.compile(r"<(?P<tag>summary|h[1-6])\b[^>]*>(?P<name>[^<\n]{1,120})</(?P=tag)>", re.IGNORECASE)
_TAG = re.compile(r"<!--.*?-->|<[^<>]*>", re.DOTALL)
_WORDS = re.compile(r"\w+\W+\w")
DEEPEST = 200
"""Lists and items inside each other that are read; a document with more is reported."""


class Form(StrEnum):
    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST = "list"
    ITEM = "item"
    QUOTE = "quote"
    TABLE = "table"
    FENCE = "fence"
    HTML = "html"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row of a table; `line` counts from 0."""

    line: int
    cells: tuple[str, ...]


@dataclass(slots=True, kw_only=True)
class Node:
    """One block; it takes the lines from `line` (from 0) to the one before `end`."""

    form: Form
    line: int
    end: int
    text: str = ""
    level: int = 0
    """The level of a heading."""
    info: str = ""
    """The language of a fence."""
    text_line: int = 0
    """The first line of a fence's text."""
    is_outermost: bool = False
    """Whether a list stands in no other node."""
    children: list["Node"] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    """The rows of a table, the header first."""


def lines_of(text: str) -> list[str]:
    """The lines of a text as CommonMark counts them."""
    return _LINE_END.split(text)


def front_matter(text: str) -> str:
    """The YAML before the document, with its last '---'; empty if there is none."""
    found = _FRONT_MATTER.match("\n".join(lines_of(text)))
    return found[0] if found else ""


def read_nodes(text: str) -> list[Node]:
    """The outermost blocks of a document; front matter is no block."""
    plain = "\n".join(lines_of(text))
    head = front_matter(plain)
    body = _BULLETS.sub(r"\g<indent>-", plain[len(head) :])
    tokens = _parser().parse("\n" * head.count("\n") + body)
    nodes = list(_unquoted(_nodes(tokens, [0])))
    for node in nodes:
        node.is_outermost = node.form is Form.LIST
    return nodes


def too_deep(nodes: "Sequence[Node]") -> int | None:
    """The line, from 0, from which a document is nested too deeply to be read; None if it is read whole."""
    waiting = [(node, 1) for node in nodes]
    while waiting:
        node, depth = waiting.pop()
        if depth >= DEEPEST:
            return node.line
        waiting += [(child, depth + 1) for child in node.children]
    return None


@cache
def _parser() -> "MarkdownIt":
    """A parser of blocks only: inline content stays text, so that no text takes more than linear time."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"maxNesting": DEEPEST})
    return parser.enable("table").disable(["inline", "text_join"])


_OPENINGS = {
    "heading_open": Form.HEADING,
    "paragraph_open": Form.PARAGRAPH,
    "bullet_list_open": Form.LIST,
    "ordered_list_open": Form.LIST,
    "list_item_open": Form.ITEM,
    "blockquote_open": Form.QUOTE,
    "table_open": Form.TABLE,
}


def _nodes(tokens: "Sequence[Token]", place: list[int]) -> Iterator[Node]:
    """The nodes from `place` on, up to the close of the node that holds them."""
    while place[0] < len(tokens):
        token = tokens[place[0]]
        place[0] += 1
        if token.nesting < 0:
            return
        if token.type in ("fence", "code_block"):
            yield _fence(token)
        elif token.type == "html_block":
            yield _html(token, begins_item=tokens[place[0] - 2].type == "list_item_open")
        elif token.type == "table_open":
            yield _table(tokens, place, token)
        elif token.nesting > 0:
            yield _opened(tokens, place, token)


def _unquoted(nodes: Iterable[Node]) -> Iterator[Node]:
    """The nodes, with a quote replaced by what it holds if only quotes have headings."""
    nodes = list(nodes)
    is_all_quoted = not any(node.form is Form.HEADING for node in nodes)
    for node in nodes:
        has_headings = node.form is Form.QUOTE and any(child.form is Form.HEADING for child in node.children)
        yield from node.children if has_headings and is_all_quoted else [node]


def _html(token: "Token", begins_item: bool) -> Node:
    """HTML; a summary or a heading in it is a label for what follows, and an item may begin with the name of a tag."""
    node = _node(Form.HTML, token)
    found = _NAMED.search(token.content)
    if found:
        node.form, node.text = Form.PARAGRAPH, f"**{found['name'].strip()}**"
    elif begins_item and _WORDS.search(_TAG.sub(" ", token.content)):
        node.form, node.text = Form.PARAGRAPH, _BLANKS.sub(" ", token.content.strip())
    return node


def _fence(token: "Token") -> Node:
    node = _node(Form.FENCE, token)
    node.text = token.content
    node.info = (token.info.split() or [""])[0].lower()
    node.text_line = node.line + (token.type == "fence")
    return node


def _opened(tokens: "Sequence[Token]", place: list[int], opening: "Token") -> Node:
    node = _node(_OPENINGS[opening.type], opening)
    if node.form in (Form.HEADING, Form.PARAGRAPH):
        node.text = _BLANKS.sub(" ", tokens[place[0]].content.strip())
        node.level = int(opening.tag[1:]) if node.form is Form.HEADING else 0
        place[0] += 2
    else:
        node.children = list(_nodes(tokens, place))
    return node


def _table(tokens: "Sequence[Token]", place: list[int], opening: "Token") -> Node:
    node = _node(Form.TABLE, opening)
    cells: list[str] = []
    row = node.line
    while (token := tokens[place[0]]).type != "table_close":
        place[0] += 1
        if token.type == "tr_open":
            cells, row = [], token.map[0] if token.map else row
        elif token.type == "inline":
            cells.append(_BLANKS.sub(" ", token.content.strip()))
        elif token.type == "tr_close":
            node.rows.append(Row(line=row, cells=tuple(cells)))
    place[0] += 1
    return node


def _node(form: Form, token: "Token") -> Node:
    first, end = token.map or (0, 0)
    return Node(form=form, line=first, end=end)
