"""Front matter -> its keys with their values. Scalars and lists of YAML are read; what is nested deeper is left out."""

import re
from collections.abc import Iterator

_KEY = re.compile(r"(?P<key>[A-Za-z][\w-]*(?: +[\w-]+)*)\s*:(?:\s+(?P<value>.*))?$")
_ITEM = re.compile(r"\s*-\s+(?:(?:id|spec|path)\s*:\s+)?(?P<value>.+)")
_COMMENT = re.compile(r"(?:^|\s)#.*$")
_MAPPING = re.compile(r"[\w-]+\s*:\s")
# a list in brackets; its other lines are indented
_FLOW = re.compile(r":\s*(?P<list>\[[^\[\]\n]*(?:\n+[ \t][^\[\]\n]*)*\n*\])")
_QUOTES = " \t\"'"


def read_keys(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each key that is not indented, with its value or the items of its list; of an item with keys its id or path."""
    key, values = "", list[str]()
    lines = "\n".join(_COMMENT.sub("", line).rstrip() for line in text.splitlines())
    for bare in _FLOW.sub(lambda found: f": {' '.join(found['list'].split())}", lines).split("\n"):
        if found := _KEY.match(bare):
            if key:
                yield key, tuple(values)
            key, values = found["key"], [*_scalars(found["value"] or "")]
        elif key and (item := _ITEM.fullmatch(bare)) and not _MAPPING.match(item["value"]):
            values.append(item["value"].strip(_QUOTES))
    if key:
        yield key, tuple(values)


def _scalars(value: str) -> Iterator[str]:
    """The items of a flow list, or the value itself."""
    text = value.strip()
    parts = text[1:-1].split(",") if text.startswith("[") and text.endswith("]") else [text]
    yield from (part.strip(_QUOTES) for part in parts if part.strip(_QUOTES))
