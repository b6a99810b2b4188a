"""One line of TAP 12 to 14 -> its kind and content. Also reads the lines that prove writes around TAP."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

_POINT = re.compile(
    r"^(?P<no>not )?ok(?=\s|$)(?:[ \t]+(?P<number>\d{1,9})(?=\s|$))?(?:[ \t]+-(?=\s|$))?[ \t]*(?P<rest>.*)$"
)
PLAN = re.compile(r"^1\.\.(?P<count>\d{1,9})(?:\s*#\s*(?P<remark>.*))?\s*$")
VERSION = re.compile(r"^TAP version (?P<version>\d+)\s*$", re.IGNORECASE)
BAIL = re.compile(r"^(?:Bail out!|Bailout called\.)\s*(?P<reason>.*)$", re.IGNORECASE)
PRAGMA = re.compile(r"^pragma (?P<sign>[+-])(?P<name>\w+)\s*$")
SUBTEST = re.compile(r"^# ?Subtest(?::|\s|$)")
# an unescaped #; an even number of backslashes before it does not escape it
_DIRECTIVE = re.compile(r"(?:^|\s)(?<!\\)(?:\\\\)*#\s*(?P<word>skip|todo)(?:ped)?\b:?\s*(?P<reason>.*)$", re.IGNORECASE)
_TIMING = re.compile(r"\s*(?<!\\)#\s*time=(?P<number>[\d.]+)\s*(?P<unit>ms|s)?\s*$")
PROVE_FILE = re.compile(r"^(?P<file>\S.*?) \.{2,} ?(?:(?P<skipped>skipped)(?:: (?P<reason>.*))?|ok)?\s*$")
PROVE_DUBIOUS = re.compile(r"^Dubious, test returned \d+")
# how every relevant line begins; a cheap test, since most lines of a verbose run are irrelevant
_BEGINNINGS = ("ok", "not ok", "1..", "}", "TAP ", "tap ", "Bail", "bail", "BAIL", "pragma ", "Dubious,")
_KEY = re.compile(r"^(?P<indent>\s*)(?P<key>[\w'\"-]+):(?:\s+(?P<value>.*))?$")
_BLOCK = re.compile(r"^[|>][+-]?\d?$")
_VALUE_KEPT = 4000


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A test line: whether it is ok, its number if it has one, its description, and a directive."""

    ok: bool
    number: int | None = None
    description: str = ""
    directive: str = ""
    reason: str = ""
    seconds: float = 0.0
    opens: bool = False
    """Whether the subtests of this line follow in braces."""


def may_be_tap(text: str) -> bool:
    return text.startswith(_BEGINNINGS) or " .." in text


def read_point(text: str) -> Line | None:
    found = _POINT.match(text)
    if found is None:
        return None
    rest, opens = found["rest"].rstrip(), False
    if rest == "{" or rest.endswith(" {"):
        rest, opens = rest[:-1].rstrip(), True
    timing = _TIMING.search(rest)
    rest = rest[: timing.start()] if timing else rest
    directive = _DIRECTIVE.search(rest)
    return Line(
        ok=found["no"] is None,
        number=int(found["number"]) if found["number"] else None,
        description=_unescape(rest[: directive.start()] if directive else rest).strip(),
        directive=directive["word"].lower() if directive else "",
        reason=_unescape(directive["reason"]).strip() if directive else "",
        seconds=_seconds(timing),
        opens=opens,
    )


def read_details(lines: Sequence[str]) -> dict[str, str]:
    """The keys of a YAML block, nested ones too, with their values as text. The first value of a key counts."""
    details: dict[str, str] = {}
    block: tuple[str, int] | None = None
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if block is not None and (indent > block[1] or not line.strip()):
            key = block[0]
            details[key] = f"{details[key]}\n{line.strip()}".strip()[:_VALUE_KEPT]
            continue
        found, block = _KEY.match(line), None
        if found is None:
            continue
        key, value = found["key"].strip("'\""), (found["value"] or "").strip()
        if _BLOCK.match(value):
            block, value = (key, indent), ""
            details[key] = ""
        details.setdefault(key, _unquote(value)[:_VALUE_KEPT])
    return details


def _unescape(text: str) -> str:
    return re.sub(r"\\([\\#])", r"\1", text)


def _unquote(value: str) -> str:
    if len(value) > 1 and value[0] == value[-1] == "'":
        return value[1:-1].replace("''", "'")
    return value[1:-1].replace('\\"', '"') if len(value) > 1 and value[0] == value[-1] == '"' else value


def _seconds(timing: re.Match[str] | None) -> float:
    if timing is None:
        return 0.0
    try:
        return float(timing["number"]) / (1000 if timing["unit"] == "ms" else 1)
    except ValueError:
        return 0.0
