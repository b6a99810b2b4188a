"""text <-> value: the fixed forms that the document defines. A phrase of several parts reads as a mapping."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dualgate.core.said.packets.decoration import NONE, head, is_placeholder, settled, split_names
from dualgate.core.said.packets.forms import Phrase
from dualgate.core.said.packets.packet import PacketPhase
from dualgate.core.said.packets.stretches import BLANKS, phase_word
from dualgate.core.values.fix_request import REQUEST_ID
from dualgate.core.values.shapes import closed, integer, list_of, words

_INTEGER = re.compile(r"[0-9]{1,18}")
_ORPHANS = re.compile(r"([0-9]{1,18}) orphaned components?", re.IGNORECASE)
_FILE_ENDS = (" - ", " – ", " — ", ": ")
_NAME_LIST = list_of({"type": "string"})


def one_of(*allowed: str) -> Phrase:
    """One of a few words, in any case; the remark in brackets after a word may be missing."""
    known = {head(word).casefold(): str(word) for word in allowed}
    form = f"one of {', '.join(allowed)}" if len(allowed) > 1 else allowed[0]
    return Phrase(form=form, parse=lambda text: known.get(head(text).casefold()), schema=words(allowed))


def _names(text: str) -> list[str] | None:
    names = split_names(text)
    return names if text.casefold() == NONE or (names and not is_placeholder(text)) else None


def _ids(text: str) -> list[str] | None:
    names = _names(text)
    return names if names is not None and all(map(REQUEST_ID.fullmatch, names)) else None


def _written_names(names: Sequence[str]) -> str:
    return ", ".join(names) or NONE


def _name(text: str) -> str | None:
    """The text, if it can name a file, a place or a kind."""
    is_name = text.casefold() not in ("", NONE) and "\n" not in text and not is_placeholder(text)
    return text if is_name else None


def _some_text(text: str) -> str | None:
    return None if not text or is_placeholder(text) else text.strip(BLANKS)


def _integration(text: str) -> str | None:
    orphans = _ORPHANS.fullmatch(text)
    if orphans:
        return f"{int(orphans[1])} orphaned components"
    return text.casefold() if text.casefold() == "all connected" else None


PHASE = Phrase(
    form=f"one of {', '.join(PacketPhase)}",
    parse=lambda text: word if (word := phase_word(text)) in list(PacketPhase) else None,
    schema=words(PacketPhase),
)
COUNT = Phrase(
    form="a whole number", parse=lambda text: int(text) if _INTEGER.fullmatch(text) else None, schema=integer()
)
YES_NO = Phrase(
    form="Yes or No",
    parse=lambda text: {"yes": True, "no": False}.get(text.casefold()),
    format=lambda value: "Yes" if value else "No",
    schema={"type": "boolean"},
)
WORDS = Phrase(form="text", parse=lambda text: text or None)
NAMES = Phrase(form="names with commas, or none", parse=_names, format=_written_names, schema=_NAME_LIST)
FIX_ID = Phrase(form="an id like FR-1", parse=lambda text: text if REQUEST_ID.fullmatch(text) else None)
DEPENDS_ON = Phrase(form="none or ids like FR-1, FR-2", parse=_ids, format=_written_names, schema=_NAME_LIST)
# an unfilled template still lists both choices
STRUCTURE = Phrase(form="passed or what is wrong", parse=lambda text: None if text.startswith("passed |") else text)
INTEGRATION = Phrase(form="'all connected' or 'N orphaned components'", parse=_integration)
_NAME = Phrase(form="name", parse=_name)
_SOME_TEXT = Phrase(form="text", parse=_some_text)
_ANY_TEXT = Phrase(form="text", parse=lambda text: None if is_placeholder(text) else text)


def _composed(
    template: str, parts: Mapping[str, Phrase], split: Callable[[str], Sequence[str]], *, below: bool = False
) -> Phrase:
    """A phrase of several parts; `split` gives the text of each part, or nothing if the text has another form."""

    def parse(text: str) -> dict[str, Any] | None:
        values = {name: parts[name].parse(part) for name, part in zip(parts, split(text), strict=False)}
        return values if values and None not in values.values() else None

    def written(value: Mapping[str, Any]) -> str:
        texts = (part.format(value[name]) for name, part in parts.items())
        return template.format(*texts).removesuffix(" - ")  # the description of a file may be empty

    form = repr(template.format(*(f"[{name}]" for name in parts)).replace("\n", " / "))
    schema = closed({name: part.schema for name, part in parts.items()})
    return Phrase(form=form, parse=parse, format=written, schema=schema, below=below)


def _matching(pattern: str) -> Callable[[str], Sequence[str]]:
    regex = re.compile(pattern, re.IGNORECASE)
    return lambda text: match.groups() if (match := regex.fullmatch(text)) else ()


def _split_change(text: str) -> Sequence[str]:
    end = next((end for end in _FILE_ENDS if end in text), _FILE_ENDS[0])
    file, _, description = text.partition(end)
    return file.strip(BLANKS + "`"), settled(description)


def _split_refactoring(text: str) -> Sequence[str]:
    kind, _, rest = text.partition(" in ")
    file, _, reason = rest.partition(": ")
    return kind.strip(BLANKS), file.strip(BLANKS + "`"), settled(reason)


def _split_issue(text: str) -> Sequence[str]:
    """Split into location and description; the brackets may be missing if the location has no blanks."""
    bracketed = text.startswith("[")
    location, _, description = text[1:].partition("] ") if bracketed else text.partition(" ")
    location = location if bracketed else location.rstrip(":")
    return location.strip(BLANKS + "`"), settled(description.strip(BLANKS + "\n-–—"))


def _split_modules(text: str) -> Sequence[str]:
    count, _, names = text.partition(" - ")
    return count, names.strip(BLANKS)


def _split_document(text: str) -> Sequence[str]:
    file, _, state = text.rpartition(" - ")
    return file.strip(BLANKS + "`"), state


CHANGED_FILE = _composed("{} - {}", {"file": _NAME, "description": _ANY_TEXT}, _split_change)
REFACTORING = _composed("{} in {}: {}", {"type": _NAME, "file": _NAME, "reason": _SOME_TEXT}, _split_refactoring)
MINOR_ISSUE = _composed("[{}] {}", {"location": _NAME, "description": WORDS}, _split_issue)
TASK_CONTEXT = _composed(
    "Task {}, Subtask {}",
    {"Task": _SOME_TEXT, "Subtask": _SOME_TEXT},
    _matching(r"Task ([^,\n]+), Subtask ([^,\n]+)"),
)
REVIEW_CONTEXT = _composed(
    "Task {}, Subtask {}, Last subtask: {}",
    {"Task": _SOME_TEXT, "Subtask": _SOME_TEXT, "Last subtask": YES_NO},
    _matching(r"Task ([^,\n]+), Subtask ([^,\n]+), Last subtask: (Yes|No)"),
)
# Accepts one line as in the schema, commas, or a list: a count that is not read would block nothing.
ISSUE_COUNTS = _composed(
    "Critical: {} | Major: {} | Minor: {}",
    {"Critical": COUNT, "Major": COUNT, "Minor": COUNT},
    _matching(r"(?:- )?Critical: ([0-9]{1,18})[\s,;|-]+Major: ([0-9]{1,18})[\s,;|-]+Minor: ([0-9]{1,18})"),
    below=True,
)
MODULES = _composed("{} - {}", {"count": COUNT, "modules": NAMES}, _split_modules)
TASK_MASTER = _composed(
    "Saved to subtask {}\nFiles documented: {} across {} modules",
    {"Saved to subtask": _SOME_TEXT, "Files documented": COUNT, "modules": COUNT},
    _matching(r"Saved to subtask (\S[^\n]*)\nFiles documented: ([0-9]{1,18}) across ([0-9]{1,18}) modules?"),
    below=True,
)
MODULE_DOCUMENT = _composed("{} - {}", {"file": _NAME, "state": one_of("created", "updated")}, _split_document)
ROOT_LINKS = _composed(
    "{} links in root CLAUDE.md - {}",
    {"links": COUNT, "state": one_of("added", "updated", "verified")},
    _matching(r"([0-9]{1,18}) links? in root CLAUDE\.md - (added|updated|verified)"),
    below=True,
)
