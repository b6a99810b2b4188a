"""Code before and after -> the names that a document about the change would use. It knows no single language.

A name is defined or changed if its own line changed, or a line of its body.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedNames:
    defined: frozenset[str] = frozenset()
    """Functions, classes, constants, options and settings that were defined or changed."""
    used: frozenset[str] = frozenset()
    """Other words of the changed lines: parameters, texts, called functions."""

    def __or__(self, other: "ChangedNames") -> "ChangedNames":
        return ChangedNames(defined=self.defined | other.defined, used=self.used | other.used)


_MODIFIERS = (
    r"(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|pub(?:\([^)]*\))?|unsafe"
    r"|extern|inline|virtual|override|partial|sealed|open|data|suspend|declare)\s+)*"
)
_HOLDER = re.compile(
    rf"\s*{_MODIFIERS}(?P<kind>class|interface|trait|struct|enum|module|object|record|namespace|impl|protocol)\s+(?P<name>[A-Za-z_$][\w$]*)"
)
_FUNCTION = re.compile(
    rf"\s*{_MODIFIERS}(?:def|function\*?|func|fn|fun|sub|macro_rules!|type)\s+(?:\([^)]*\)\s*)?(?P<name>[A-Za-z_$][\w$]*[?!]?)"
    r"|\s*(?:[\w<>\[\],.&*:?]+\s+)*(?P<method>[A-Za-z_$][\w$]*)\s*\([^;{}]*\)[^;={}]*\{\s*$"
    r"|\s*(?:export\s+)?(?:const|let|var)\s+(?P<arrow>[A-Za-z_$][\w$]*)\s*=\s*(?:async\s*)?(?:function|\([^)]*\)\s*=>|\w+\s*=>)"
)
_VALUE = re.compile(
    rf"\s*{_MODIFIERS}(?:(?:const|let|var|val|static)\s+)?[\"']?(?P<name>[A-Za-z_$][\w$.-]*)[\"']?\s*(?::=|[:=](?![:=]))"
)
_TABLE = re.compile(r"\s*\[+(?P<name>[\w.-]+)\]+\s*$")
_LITERALS = re.compile(r"[\"'`](--?[A-Za-z][\w-]*|/[\w{}<>:/.-]{3,})|\b([A-Z][A-Z0-9]*_[A-Z0-9_]+)\b")
_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_NOT_NAMES = (
    "if for while switch catch return else elif do try with new await yield assert raise throw case import from "
    "function main test self this super none null true false undefined __init__"
)
_NO_NAMES = frozenset(_NOT_NAMES.split())


def changed_names(before: str, after: str) -> ChangedNames:
    """Names in lines that only one of two texts has, and the names of what those lines belong to."""
    old, new = before.splitlines(), after.splitlines()
    return _names(new, frozenset(old)) | _names(old, frozenset(new))


def _names(rows: list[str], others: frozenset[str]) -> ChangedNames:
    defined: set[str] = set()
    used: set[str] = set()
    around: list[tuple[int, str, bool]] = []
    for row in rows:
        if not row.strip():
            continue
        indent = len(row) - len(row.lstrip())
        around = [each for each in around if each[0] < indent]
        name, is_holder = definition_in(row, is_outside=all(holds for _, _, holds in around))
        if row not in others:
            defined.update(literals_in(row), (outer for _, outer, _ in around), (name,))
            used.update(_WORD.findall(row))
        if name:
            around.append((indent, name, is_holder))
    return ChangedNames(defined=frozenset(_told(defined)), used=frozenset(_told(used)))


def definition_in(row: str, is_outside: bool) -> tuple[str, bool]:
    """The name that a line defines, and whether that is something with members. Local variables are no definitions."""
    if found := _HOLDER.match(row) or _TABLE.match(row):
        return found["name"], True
    if found := _FUNCTION.match(row):
        name = next(filter(None, found.group("name", "method", "arrow")))
        return ("", False) if name in _NO_NAMES else (name, False)
    found = _VALUE.match(row) if is_outside else None
    return (found["name"], False) if found else ("", False)


def literals_in(row: str) -> Iterator[str]:
    """Options, routes and constants of a text."""
    return (found[1] or found[2] for found in _LITERALS.finditer(row))


def words_in(text: str) -> Iterator[str]:
    """The words of a text that can be names."""
    return _told(_WORD.findall(text))


def _told(names: Iterable[str]) -> Iterator[str]:
    return (name for name in names if name and name.lower() not in _NO_NAMES)
