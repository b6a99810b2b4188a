"""text <-> value: the texts in a fixed form that the document gives. A phrase of several parts reads as a mapping."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dualgate.core.said.packets.decoration import NONE, is_placeholder, settled, split_names
from dualgate.core.said.packets.forms import Phrase
from dualgate.core.said.packets.packet import PacketPhase
from dualgate.core.said.packets.stretches import BLANKS, phase_word
from dualgate.core.values.fix_request import REQUEST_ID
from dualgate.core.values.shapes import closed, integer, list_of, words

_INTEGER = re.compile(r"[0-9]{1,18}")
_ORPHANS = re.compile(r"([0-9]{1,18}) orphaned components?", re.IGNORECASE)
_FILE_ENDS = (" - ", " – ", " — ", ": ")
_NAME_LIST = list_of({"type": "string"})


def _names(text: str) -> list[str] | None:
    names = split_names(text)
    return names if text.casefold() == NONE or (names and not is_placeholder(text)) else None


def _ids(text: str) -> list[str] | None:
    names = _names(text)
    return names if names is not None and all(map(REQUEST_ID.fullmatch, names)) else None


def _written_names(names: Sequence[str]) -> str:
    return ", ".join(names) or NONE


def _name(text: str) -> str | None:
    """What names something: a file, a place, a kind."""
    is_name = text.casefold() not in ("", NONE) and "\n" not in text and not is_placeholder(text)
    return text if is_name else None


def _some_text(text: str) -> str | None:
    return None if not text or is_placeholder(text) else text.strip(BLANKS)


def _integration(text: str) -> str | None:
    orphans = _ORPHANS.fullmatch(text)
    if orphans:
        return f"{int(orphans[1])} orphaned components"
    return text.casefold() if text.casefold() == "all connected" else None


def _one_of(*allowed: str) -> Phrase:
    def parse(text: str) -> str | None:
        return text.casefold() if text.casefold() in allowed else None

    return Phrase(form=" | ".join(allowed), parse=parse, schema=words(allowed))


PHASE = Phrase(
    form=" | ".join(PacketPhase),
    parse=lambda text: next((str(phase) for phase in PacketPhase if phase == phase_word(text)), None),
    schema=words(PacketPhase),
)
COUNT = Phrase(form="N", parse=lambda text: int(text) if _INTEGER.fullmatch(text) else None, schema=integer())
YES_NO = Phrase(
    form="Yes | No",
    parse=lambda text: {"yes": True, "no": False}.get(text.casefold()),
    format=lambda value: "Yes" if value else "No",
    schema={"type": "boolean"},
)
WORDS = Phrase(form="text", parse=lambda text: text or None)
NAMES = Phrase(form="a, b, … | none", parse=_names, format=_written_names, schema=_NAME_LIST)
FIX_ID = Phrase(form="FR-1", parse=lambda text: text if REQUEST_ID.fullmatch(text) else None)
DEPENDS_ON = Phrase(form="none | FR-1 | FR-1, FR-2", parse=_ids, format=_written_names, schema=_NAME_LIST)
# `passed`, or what is wrong in any words; the template's own line offers both
STRUCTURE = Phrase(form="passed | what is wrong", parse=lambda text: None if text.startswith("passed |") else text)
INTEGRATION = Phrase(form="all connected | N orphaned components", parse=_integration)
_NAME = Phrase(form="name", parse=_name)
_SOME_TEXT = Phrase(form="text", parse=_some_text)
_ANY_TEXT = Phrase(form="text", parse=lambda text: None if is_placeholder(text) else text)


def _composed(
    form: str,
    parts: Mapping[str, Phrase],
    split: Callable[[str], Sequence[str]],
    join: Callable[..., str],
    *,
    below: bool = False,
) -> Phrase:
    """A phrase of several parts; `split` gives the text of each, or none at all where the text is not of the form."""

    def parse(text: str) -> dict[str, Any] | None:
        values = {name: parts[name].parse(part) for name, part in zip(parts, split(text), strict=False)}
        return values if values and None not in values.values() else None

    def written(value: Mapping[str, Any]) -> str:
        return join(*(part.format(value[name]) for name, part in parts.items()))

    schema = closed({name: part.schema for name, part in parts.items()}, parts)
    return Phrase(form=form, parse=parse, format=written, schema=schema, below=below)


def _matching(pattern: str) -> Callable[[str], Sequence[str]]:
    regex = re.compile(pattern, re.IGNORECASE)

    def split(text: str) -> Sequence[str]:
        match = regex.fullmatch(text)
        return match.groups() if match else ()

    return split


def _split_change(text: str) -> Sequence[str]:
    end = next((end for end in _FILE_ENDS if end in text), _FILE_ENDS[0])
    file, _, description = text.partition(end)
    return file.strip(BLANKS + "`"), settled(description)


def _split_refactoring(text: str) -> Sequence[str]:
    kind, _, rest = text.partition(" in ")
    file, _, reason = rest.partition(": ")
    return kind.strip(BLANKS), file.strip(BLANKS + "`"), settled(reason)


def _split_issue(text: str) -> Sequence[str]:
    """`[file:line] description`; the brackets may be missing where the place has no blanks."""
    if text.startswith("["):
        location, _, description = text[1:].partition("] ")
    else:
        location, _, description = text.partition(" ")
        location = location.rstrip(":")
    return location.strip(BLANKS + "`"), settled(description.strip(BLANKS + "\n-–—"))


def _split_modules(text: str) -> Sequence[str]:
    count, _, names = text.partition(" - ")
    return count, names.strip(BLANKS)


def _split_document(text: str) -> Sequence[str]:
    file, _, state = text.rpartition(" - ")
    return file.strip(BLANKS + "`"), state


CHANGED_FILE = _composed(
    "file - what changed",
    {"file": _NAME, "description": _ANY_TEXT},
    _split_change,
    lambda file, description: f"{file} - {description}" if description else file,
)
REFACTORING = _composed(
    "type in file: what and why",
    {"type": _NAME, "file": _NAME, "reason": _SOME_TEXT},
    _split_refactoring,
    "{} in {}: {}".format,
)
MINOR_ISSUE = _composed(
    "[file:line] description", {"location": _NAME, "description": WORDS}, _split_issue, "[{}] {}".format
)
TASK_CONTEXT = _composed(
    "Task ID, Subtask ID",
    {"Task": _SOME_TEXT, "Subtask": _SOME_TEXT},
    _matching(r"Task ([^,\n]+), Subtask ([^,\n]+)"),
    "Task {}, Subtask {}".format,
)
REVIEW_CONTEXT = _composed(
    "Task ID, Subtask ID, Last subtask: Yes",
    {"Task": _SOME_TEXT, "Subtask": _SOME_TEXT, "Last subtask": YES_NO},
    _matching(r"Task ([^,\n]+), Subtask ([^,\n]+), Last subtask: (Yes|No)"),
    "Task {}, Subtask {}, Last subtask: {}".format,
)
# written in one line as the schema has it, with commas, or as a list: a count that is not read would block nothing
ISSUE_COUNTS = _composed(
    "Critical: N | Major: N | Minor: N",
    {"Critical": COUNT, "Major": COUNT, "Minor": COUNT},
    _matching(r"(?:- )?Critical: ([0-9]{1,18})[\s,;|-]+Major: ([0-9]{1,18})[\s,;|-]+Minor: ([0-9]{1,18})"),
    "Critical: {} | Major: {} | Minor: {}".format,
    below=True,
)
MODULES = _composed("N - a, b, …", {"count": COUNT, "modules": NAMES}, _split_modules, "{} - {}".format)
TASK_MASTER = _composed(
    "Saved to subtask ID / Files documented: N across M modules",
    {"Saved to subtask": _SOME_TEXT, "Files documented": COUNT, "modules": COUNT},
    _matching(r"Saved to subtask (\S[^\n]*)\nFiles documented: ([0-9]{1,18}) across ([0-9]{1,18}) modules?"),
    "Saved to subtask {}\nFiles documented: {} across {} modules".format,
    below=True,
)
MODULE_DOCUMENT = _composed(
    "src/module/CLAUDE.md - created | updated",
    {"file": _NAME, "state": _one_of("created", "updated")},
    _split_document,
    "{} - {}".format,
)
ROOT_LINKS = _composed(
    "N links in root CLAUDE.md - added | updated | verified",
    {"links": COUNT, "state": _one_of("added", "updated", "verified")},
    _matching(r"([0-9]{1,18}) links? in root CLAUDE\.md - (added|updated|verified)"),
    "{} links in root CLAUDE.md - {}".format,
    below=True,
)
