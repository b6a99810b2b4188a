"""The text of a specification -> its id, the specifications that it needs, and those that it blocks, as it names them.

Names below the title, in front matter and in a section of metadata are *declared*: an unknown one is an error. Those
in other places are *mentioned*, since such lists often name packages.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto

from dualgate.core.spec.front_matter import read_keys
from dualgate.core.spec.markdown import Form, Node, front_matter
from dualgate.core.spec.roles import bare

_BEFORE_KEY = r"depend(?:s|ent)?[ _-]?on|dependenc(?:y|ies)|blocked[ _-]?by"
_AFTER_KEY = r"blocks|blocking"
_WEAK_KEY = r"requires|prerequisites?"
"""Keys of lines that often name programs and packages: their names are mentioned only."""
_ID_KEY = r"(?:(?:spec(?:ification)?|prp|feature)[ _-]?)?id"
_RELATION = rf"(?P<before>{_BEFORE_KEY})|(?P<after>{_AFTER_KEY})|(?P<weak>{_WEAK_KEY})"
_KEY = rf"(?:(?P<id>{_ID_KEY})|{_RELATION})"
_MARKS = r"[^\w`\[|]{0,12}"
_WHOLE_KEY = re.compile(rf"{_MARKS}{_KEY}[*_:\s]*", re.IGNORECASE)
_LINE = re.compile(rf"{_MARKS}{_KEY}[*_]*\s*:[*_]*(?:\s+(?P<value>.*))?", re.IGNORECASE)
# 'Depends on the parser' at the beginning of a line, without a colon
_SENTENCE = re.compile(rf"{_MARKS}(?P<before>depends on|blocked by)[*_]*\s+(?P<value>\S.*)", re.IGNORECASE)
_SECTION = re.compile(rf"\W*(?:{_RELATION})\b", re.IGNORECASE)
_METADATA = re.compile(r"\W*(?:meta(?:data)?|header|properties|status|info(?:rmation)?)\W*", re.IGNORECASE)
# lists below these words are of specifications, never of packages
_SURE = re.compile(rf"{_MARKS}(?:depend(?:s|ent)|blocked|blocks)", re.IGNORECASE)
_BOX = re.compile(r"\[[ xX]\]\s+")
_LINK = re.compile(r"\[[^\]\n]{0,200}\]\((?P<target>[^)\s]{1,300})[^)\n]{0,200}\)|\[\[(?P<page>[^\]\n]{1,200})\]\]")
_REMARK = re.compile(r"\([^()]*\)")
_NOTHING = re.compile(
    r"(?:none|nothing|nil|null|n/?a|no(?!\.\s?\d)|not applicable|~)(?:[\s.,;:(–—].*)?|[-–—]*",
    re.IGNORECASE | re.DOTALL,
)
_EDGES = " \t\"'*_.[]"


@dataclass(slots=True, kw_only=True)
class Relations:
    """Names as a specification writes them; what was a link or a code span stands between backticks."""

    spec_id: str = ""
    needs: list[str] = field(default_factory=list)
    blocks: list[str] = field(default_factory=list)
    mentioned: list[str] = field(default_factory=list)
    blocks_mentioned: list[str] = field(default_factory=list)


def relations_in(text: str, nodes: Sequence[Node]) -> Relations:
    """The relations of a Markdown document, with its nodes."""
    reader = _Reader()
    for key, values in read_keys(front_matter(text)):
        if found := _WHOLE_KEY.fullmatch(key):
            reader.add(found, values, is_declared=True)
    reader.read(nodes)
    return reader.relations


def names_in(value: str) -> list[str]:
    """The names in a value such as 'S-1 (the parser), [export](export.md)'; empty for 'none' and its like."""
    linked = _LINK.sub(lambda found: f"`{found['target'] or found['page']}`", value)
    if _NOTHING.fullmatch(linked.strip(_EDGES)):
        return []
    kept = _REMARK.sub("", linked)
    parts = re.split(r"[,;\n]", kept if kept.strip(_EDGES) else linked)
    names = (" ".join(part.split()).strip(_EDGES) for part in parts)
    return [name for name in names if name.strip("`-–— ")]


class _Place(Enum):
    HEAD = auto()
    """Below the title, or in a section of metadata."""
    BEFORE = auto()
    AFTER = auto()
    OTHER = auto()


class _Reader:
    def __init__(self) -> None:
        self.relations = Relations()
        self._places: list[tuple[int, _Place]] = [(0, _Place.HEAD)]
        """The headings around the present node: their levels, and what stands below them."""

    def read(self, nodes: Iterable[Node]) -> None:
        label: re.Match[str] | None = None
        for node in nodes:
            if node.form is Form.HEADING:
                self._head(node)
            elif label and node.form is Form.LIST:
                is_declared = self._is_head and _SURE.match(label[0]) is not None
                self.add(label, [text for item in node.children for text in _lines(item)], is_declared)
            else:
                self._read_block(node)
            label = _open_label(node)

    def add(self, key: re.Match[str], values: Iterable[str], is_declared: bool) -> None:
        """Add the values of a key."""
        found, names = self.relations, [name for value in values for name in names_in(value)]
        if (groups := key.groupdict()).get("id"):
            found.spec_id = found.spec_id or (names[0].strip("`") if names and is_declared else "")
        elif groups.get("after"):
            (found.blocks if is_declared else found.blocks_mentioned).extend(names)
        else:
            (found.needs if is_declared and not groups.get("weak") else found.mentioned).extend(names)

    @property
    def _is_head(self) -> bool:
        return self._places[-1][1] is _Place.HEAD

    def _head(self, node: Node) -> None:
        is_title = node.level == 1 and len(self._places) == 1
        while self._places[-1][0] >= node.level:
            self._places.pop()
        words = bare(node.text)
        if found := _SECTION.match(words):
            place = _Place.AFTER if found["after"] else _Place.BEFORE
        elif _METADATA.fullmatch(words):
            place = _Place.HEAD
        elif (around := self._places[-1][1]) in (_Place.BEFORE, _Place.AFTER):
            place = around
        else:
            place = _Place.HEAD if is_title else _Place.OTHER
        self._places.append((node.level, place))

    def _read_block(self, node: Node) -> None:
        if node.form is Form.TABLE:
            self._read_table(node)
            return
        for line in _lines(node):
            if found := _LINE.fullmatch(line):
                self.add(found, [found["value"] or ""], self._is_head)
            elif found := _SENTENCE.fullmatch(line):
                self.add(found, [found["value"]], is_declared=False)
            else:
                self._mention(line)

    def _read_table(self, node: Node) -> None:
        """Rows of a key and its value; or one row below a header of keys. Longer tables are about other things."""
        header, rows = node.rows[0], node.rows[1:]
        for row in node.rows:
            if len(row.cells) == 2 and (key := _WHOLE_KEY.fullmatch(row.cells[0])):
                self.add(key, row.cells[1:], self._is_head)
        if len(rows) == 1 and len(header.cells) != 2:
            for name, value in zip(header.cells, rows[0].cells, strict=False):
                if key := _WHOLE_KEY.fullmatch(name):
                    self.add(key, [value], self._is_head)
        for row in rows:
            self._mention(row.cells[0] if row.cells else "")

    def _mention(self, text: str) -> None:
        """A line in a section of dependencies or of what is blocked."""
        found = {_Place.BEFORE: self.relations.mentioned, _Place.AFTER: self.relations.blocks_mentioned}
        found.get(self._places[-1][1], []).extend(names_in(text))


def _lines(node: Node) -> Iterator[str]:
    """The lines of text in a node and in those inside it; not of code."""
    if node.form is Form.PARAGRAPH:
        yield from (_BOX.sub("", line.strip(), count=1) for line in node.text.splitlines())
    for child in node.children:
        yield from _lines(child)


def _open_label(node: Node) -> re.Match[str] | None:
    """The key at the end of a paragraph whose values are the list that follows."""
    last = node.text.splitlines()[-1:] if node.form is Form.PARAGRAPH else []
    found = _LINE.fullmatch(last[0].strip()) if last else None
    return found if found and not found["value"] else None
