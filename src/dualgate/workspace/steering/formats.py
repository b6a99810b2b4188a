"""Bytes of settings, data and scripts -> the same in a form in which layout and comments do not count.

Where it is not sure that two texts say the same, the form is the text itself, so that every change counts.
"""

import json
import re
import tomllib
from collections.abc import Iterator
from xml.etree import ElementTree


class Unreadable(ValueError):
    """The text is not surely of its language: whoever reads it compares its bytes."""


def plain(content: bytes) -> str:
    return content.decode("utf-8", "backslashreplace")


def text_of(content: bytes) -> str:
    """The text of a source file. Raises Unreadable where it is none."""
    try:
        return content.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise Unreadable("no text") from error


def toml(content: bytes) -> str:
    try:
        return ordered(tomllib.loads(content.decode()))
    except (ValueError, RecursionError):
        return plain(content)


def ordered(value: object) -> str:
    """A parsed value as text. The order of keys is kept: runners take the first of what fits."""
    return json.dumps(value, default=str, ensure_ascii=True)


def json_value(content: bytes) -> object:
    """JSON, also with comments and trailing commas as tools allow them. Raises ValueError."""
    text = text_of(content).removeprefix("\ufeff")
    try:
        return json.loads(text)
    except RecursionError as error:
        raise Unreadable("nested too deeply") from error
    except json.JSONDecodeError:
        for pattern in (_JSON_COMMENT, _JSON_TRAILING_COMMA):
            text = pattern.sub(lambda found: found["string"] or " ", text)
        return json.loads(text)


_JSON_STRING = r'(?P<string>"(?:\\.|[^"\\\n])*")'
_JSON_COMMENT = re.compile(rf"{_JSON_STRING}|//[^\n]*|/\*(?s:.*?)\*/")
_JSON_TRAILING_COMMA = re.compile(rf"{_JSON_STRING}|,(?=\s*[\]}}])")


def json_form(content: bytes) -> str:
    try:
        return ordered(json_value(content))
    except (ValueError, RecursionError):
        return plain(content)


_BLOCK_SCALAR = re.compile(r"(?:^|[:\-]\s+|\s)(?:&\S+\s+|!\S+\s+)*[|>][+\-\d]*\s*(?:#.*)?$")


def yaml(content: bytes) -> str:
    """Lines without comments of their own, blank lines and blanks at the end; text blocks are kept as they are."""
    return "\n".join(_yaml_lines(plain(content).replace("\r\n", "\n").split("\n")))


def _yaml_lines(lines_of_file: list[str]) -> Iterator[str]:
    block: int | None = None
    blank = 0
    for line in lines_of_file:
        if not line.strip():
            blank += 1
            continue
        indent = len(line) - len(line.lstrip())
        if block is not None and indent > block:
            yield "\n" * blank + line.rstrip()
        elif not line.lstrip().startswith("#"):
            yield line.rstrip()
            block = indent if _BLOCK_SCALAR.search(line) else None
        else:
            block = None
        blank = 0


def xml(content: bytes) -> str:
    """Canonical XML without blanks between elements. One with a document type stays as it is: it may hold entities."""
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
        return plain(content)
    try:
        return ElementTree.canonicalize(plain(content.removeprefix(b"\xef\xbb\xbf")), strip_text=True)
    except (ElementTree.ParseError, ValueError, RecursionError):
        return plain(content)


_SHELL_UNSURE = re.compile(r"<<|`")
_SHELL = re.compile(
    r"(?P<string>'[^']*'|\"(?:\\.|[^\"\\])*\"|\\.)|(?P<comment>(?<![^\s;&|()])#[^\n]*)|(?P<code>[^'\"\\#]+|#)",
    re.DOTALL,
)


def shell(content: bytes) -> str:
    """A script without comments and blank lines, unless it holds what could be taken for either and is not."""
    text = plain(content).replace("\r\n", "\n")
    first, _, rest = text.partition("\n") if text.startswith("#!") else ("", "", text)
    kept = [first, "\n"]
    if _SHELL_UNSURE.search(rest):
        return text
    place = 0
    while place < len(rest):
        found = _SHELL.match(rest, place)
        if found is None or ("$(" in found[0] and found["string"]):
            return text
        kept.append(found[0] if not found["comment"] else "")
        place = found.end()
    return "\n".join(line.rstrip() for line in "".join(kept).split("\n") if line.strip())


_INI_KEY = re.compile(r"(?P<key>[^\s=:\[][^=:]*?)[ \t]*(?P<sign>[=:])[ \t]*")


def ini(content: bytes) -> str:
    """Lines without comments of their own; neither the blanks around a sign nor how deep a value is indented count."""
    kept = (line.rstrip() for line in plain(content).splitlines() if not line.lstrip().startswith(("#", ";")))
    return "\n".join(_ini_line(line) for line in kept if line)


def _ini_line(line: str) -> str:
    return f" {line.lstrip()}" if line[:1].isspace() else _INI_KEY.sub(r"\g<key>\g<sign>", line, count=1)


def without_blank_lines(content: bytes) -> str:
    """For languages whose comments begin with a hash and whose layout may count."""
    kept = (line.rstrip() for line in plain(content).splitlines() if not line.lstrip().startswith("#"))
    return "\n".join(line for line in kept if line)
