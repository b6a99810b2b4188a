"""Section -> text after and below a key, without decoration; text -> the list items and names in it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from dualgate.core.said.packets.report import Code, shown
from dualgate.core.said.packets.sections import Section, indentation, is_blank
from dualgate.core.said.packets.stretches import BLANKS, FENCE, REMARK

_BULLET = re.compile(r"[ \t]*(?:(?P<mark>[-*+])|[0-9]{1,3}[.)])(?:[ \t]+|$)(?P<text>.*)", re.DOTALL)
_WRAPPINGS = ("`", "**")
_LEADING_BOLD = re.compile(r"(\*\*|__)([^*_\n]{1,80})\1")
_BRACKETED = re.compile(r"\[[^\[\]]*\]|<[^<>]*>")
# placeholders that look like a bracketed list of names, and placeholders without brackets
_TEMPLATE_WORDS = frozenset({"[expected exports: function names, classes, types]", "N", "X.Y", "file:line"})
# an arrow closes no bracket
_BRACKETS = re.compile(r"[-=]>|[][(){}<>,]")
_DEPTHS = {"(": 1, "[": 1, "{": 1, "<": 1, ")": -1, "]": -1, "}": -1, ">": -1}
NONE = "none"


def text_of(section: Section, several: bool = False) -> str:
    """The text after and below a key, without decoration; one line only, unless `several`."""
    text = block_of(section.inline, unfenced(section)).strip(BLANKS)
    if "\n" in text and not several:
        section.warn(Code.STRAY_TEXT, "takes one line only")
        text = text.partition("\n")[0]
    bare = undecorated(text)
    if bare != text:
        section.warn(Code.DECORATION, "is decorated")
    return settled(bare)


def block_of(inline: str, rest: Sequence[str]) -> str:
    """The lines of a section with their relative indentation, without blank lines at both ends."""
    lines = [inline, *_dedented(rest)] if inline else _dedented(rest)
    first, last = _trimmed(lines, 0, len(lines))
    return "\n".join(lines[first:last])


def checked(section: Section, text: str) -> str | None:
    if not text:
        section.error(Code.EMPTY_FIELD, "is empty")
    elif is_placeholder(text):
        placeholder_left(section, text)
    else:
        return text
    return None


def is_placeholder(text: str) -> bool:
    """Whether a text is a placeholder of the template: `[path to test file]`, but not `[a, b]`."""
    return text in _TEMPLATE_WORDS or (bool(_BRACKETED.fullmatch(text)) and "," not in text)


def undecorated(text: str) -> str:
    """The text without the marks around all of it, or around its first words."""
    before = ""
    while before != text:
        before = text
        for mark in _WRAPPINGS:
            inner = text[len(mark) : -len(mark)]
            if text == f"{mark}{inner}{mark}" and mark not in inner:
                text = inner.strip(BLANKS + "\n")
        text = _LEADING_BOLD.sub(r"\2", text, count=1).strip(BLANKS) if _LEADING_BOLD.match(text) else text
    return text


def split_items(section: Section, *, bulleted: bool = True) -> Iterator[Section]:
    """The items of a list, each as its own section; a line indented deeper than its bullet belongs to the item."""
    item, depth, after_blank = replace(section, name="", rest=[]), 1_000_000, True
    for line, text in enumerate(section.rest, section.line + 1):
        bullet = _BULLET.fullmatch(text)
        deeper = indentation(text) > depth
        if is_blank(text) or (item.name and (deeper or (bulleted and not (bullet or after_blank)))):
            item.rest.append(text)
        elif bullet or not bulleted:
            yield from (item,) if item.name else ()
            depth = indentation(text)
            item = replace(section, line=line, inline=(bullet["text"] if bullet else text).strip(BLANKS), rest=[])
            if bulleted != text.startswith("- "):
                section.warn(Code.DECORATION, f"has an item with a different beginning: {shown(text)}", line)
        else:
            section.warn(Code.STRAY_TEXT, f"contains a line that is not an item: {shown(text)}", line)
        after_blank = is_blank(text)
    yield from (item,) if item.name else ()


def split_names(text: str) -> list[str]:
    """Split at commas; a comma in brackets belongs to the name."""
    if text.casefold() == NONE:
        return []
    names, depth, start = [], 0, 0
    for sign in _BRACKETS.finditer(text):
        depth = max(0, depth + _DEPTHS.get(sign[0], 0))
        if sign[0] == "," and depth == 0:
            names.append(text[start : sign.start()])
            start = sign.end()
    return [name for part in (*names, text[start:]) if (name := part.strip(BLANKS))]


def settled(text: str) -> str:
    """Normalise a text so that writing and reading it again changes nothing: later lines lose common indentation."""
    first, *rest = text.strip(BLANKS + "\n").split("\n")
    return "\n".join((first.rstrip(BLANKS), *(line.rstrip(BLANKS) for line in _dedented(rest))))


def unfenced(section: Section) -> list[str]:
    """The lines below a key, without a code fence around all of them."""
    rest = section.rest
    first, last = _trimmed(rest, 0, len(rest))
    while not section.inline and last - first >= 2 and _is_fence(rest[first], "") and _is_fence(rest[last - 1]):
        section.warn(Code.DECORATION, "is in a code fence")
        first, last = _trimmed(rest, first + 1, last - 1)
    return rest[first:last]


def head(text: str) -> str:
    """A value without the remark after it."""
    return REMARK.split(text, maxsplit=1)[0]


def placeholder_left(section: Section, text: str) -> None:
    section.error(Code.PLACEHOLDER, f"still contains the text of the template: {shown(text)}")


def _trimmed(lines: Sequence[str], first: int, last: int) -> tuple[int, int]:
    while first < last and is_blank(lines[first]):
        first += 1
    while last > first and is_blank(lines[last - 1]):
        last -= 1
    return first, last


def _is_fence(line: str, closing: str = "`~") -> bool:
    """Whether a line is a fence; a closing fence has nothing after its marks."""
    bare = line.strip(BLANKS)
    return bool(FENCE.fullmatch(bare)) and not (closing and bare.strip(closing))


def _dedented(lines: Sequence[str]) -> list[str]:
    depth = min((indentation(line) for line in lines if not is_blank(line)), default=0)
    return ["" if is_blank(line) else line[depth:] for line in lines]
