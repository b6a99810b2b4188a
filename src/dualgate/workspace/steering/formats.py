"""Bytes of settings, data and scripts -> a form in which layout and comments do not count.

Where it is not sure that two texts mean the same, the form is the text itself, so that every change counts.
"""

import json
import re
import tomllib
from collections.abc import Callable, Iterator
from typing import Concatenate, ParamSpec
from xml.etree import ElementTree

_More = ParamSpec("_More")
FAILURES = (SyntaxError, ValueError, TypeError, AttributeError, RecursionError, MemoryError)
"""The errors of parsers, and those of a document whose values have unexpected types."""


class Unreadable(ValueError):
    """The text may not be of its language, so its bytes are compared."""


def or_plain(form: Callable[Concatenate[bytes, _More], str]) -> Callable[Concatenate[bytes, _More], str]:
    """Use the text itself as the form where it cannot be parsed."""

    def read(content: bytes, /, *args: _More.args, **options: _More.kwargs) -> str:
        try:
            return form(content, *args, **options)
        except FAILURES:
            return plain(content)

    return read


def plain(content: bytes) -> str:
    return content.decode("utf-8", "backslashreplace")


def text_of(content: bytes) -> str:
    """Decode a source file. Raises Unreadable if it is not UTF-8."""
    try:
        return content.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise Unreadable("no text") from error


@or_plain
def toml(content: bytes) -> str:
    return ordered(tomllib.loads(content.decode()))


def ordered(value: object) -> str:
    """Write a parsed value as text. Keys keep their order: runners take the first match."""
    return json.dumps(value, default=str, ensure_ascii=True)


def json_value(content: bytes) -> object:
    """Parse JSON, also with comments and trailing commas. Raises ValueError."""
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


@or_plain
def json_form(content: bytes) -> str:
    return ordered(json_value(content))


_BLOCK_SCALAR = re.compile(r"(?:^|[:\-]\s+|\s)(?:&\S+\s+|!\S+\s+)*[|>][+\-\d]*\s*(?:#.*)?$")


def yaml(content: bytes) -> str:
    """Drop comment lines, blank lines and trailing blanks; text blocks stay unchanged."""
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


@or_plain
def xml(content: bytes) -> str:
    """Canonical XML without blanks between elements. A document type may define entities, so it is not parsed."""
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
        return plain(content)
    return ElementTree.canonicalize(plain(content.removeprefix(b"\xef\xbb\xbf")), strip_text=True)


_SHELL_UNSURE = re.compile(r"<<|`")
_SHELL = re.compile(
    r"(?P<string>'[^']*'|\"(?:\\.|[^\"\\])*\"|\\.)|(?P<comment>(?<![^\s;&|()])#[^\n]*)|(?P<code>[^'\"\\#]+|#)",
    re.DOTALL,
)


def shell(content: bytes) -> str:
    """Drop comments and blank lines, unless here-documents or nested quotes make it unsure what a comment is."""
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
    """Drop comment lines, the blanks around `=` and `:`, and the depth of indentation."""
    kept = (line.rstrip() for line in plain(content).splitlines() if not line.lstrip().startswith(("#", ";")))
    return "\n".join(_ini_line(line) for line in kept if line)


def _ini_line(line: str) -> str:
    return f" {line.lstrip()}" if line[:1].isspace() else _INI_KEY.sub(r"\g<key>\g<sign>", line, count=1)


def without_blank_lines(content: bytes) -> str:
    """Drop blank lines and `#` comment lines; the rest of the layout counts."""
    kept = (line.rstrip() for line in plain(content).splitlines() if not line.lstrip().startswith("#"))
    return "\n".join(line for line in kept if line)
