"""text <-> value: the one-line forms that the document gives, each as a pair of functions in a Line."""

import re

from dualgate.core.said.packets.shapes import Line
from dualgate.core.said.packets.stretches import BLANKS, phase_word
from dualgate.core.said.packets.texts import NONE, is_placeholder, settled, split_names
from dualgate.core.said.packets.values import ChangedFile, PacketPhase, Refactoring
from dualgate.core.values.fix_request import REQUEST_ID

INTEGER = re.compile(r"[0-9]{1,18}")
_FILE_ENDS = (" - ", " – ", " — ", ": ")


def _integer(text: str) -> int | None:
    return int(text) if INTEGER.fullmatch(text) else None


def _names(text: str) -> tuple[str, ...] | None:
    return split_names(text) or (() if text.casefold() == NONE else None)


def written_names(names: tuple[str, ...]) -> str:
    return ", ".join(names) or NONE


def named(part: str) -> bool:
    """Whether a part names something: a file, a place, a kind."""
    return part.casefold() not in ("", NONE) and "\n" not in part and not is_placeholder(part)


def _changed_file(text: str) -> ChangedFile | None:
    end = next((end for end in _FILE_ENDS if end in text), _FILE_ENDS[0])
    file, _, description = text.partition(end)
    file, description = file.strip(BLANKS + "`"), settled(description)
    return ChangedFile(file=file, description=description) if named(file) and not is_placeholder(description) else None


def _written_change(change: ChangedFile) -> str:
    return f"{change.file} - {change.description}" if change.description else change.file


def _refactoring(text: str) -> Refactoring | None:
    kind, _, rest = text.partition(" in ")
    file, _, reason = rest.partition(": ")
    parts = kind.strip(BLANKS), file.strip(BLANKS + "`"), settled(reason)
    if not all(map(named, parts[:2])) or not parts[2] or is_placeholder(parts[2]):
        return None
    return Refactoring(kind=parts[0], file=parts[1], reason=parts[2])


def _ids(text: str) -> tuple[str, ...] | None:
    names = _names(text)
    return names if names is not None and all(map(REQUEST_ID.fullmatch, names)) else None


PHASE = Line(
    form=" | ".join(PacketPhase),
    type=PacketPhase,
    parse=lambda text: next((phase for phase in PacketPhase if phase == phase_word(text)), None),
    format=str,
)
INTEGER_LINE = Line(form="N", type=int, parse=_integer, format=str)
YES_NO = Line(
    form="Yes | No",
    type=bool,
    parse=lambda text: {"yes": True, "no": False}.get(text.casefold()),
    format=lambda value: "Yes" if value else "No",
)
WORDS = Line(form="text", type=str, parse=str, format=str)
NAMES = Line(form="a, b, … | none", type=tuple[str, ...], parse=_names, format=written_names)
CHANGED_FILE = Line(
    form="file - what changed",
    type=ChangedFile,
    parse=_changed_file,
    format=_written_change,
    names=("file", "description"),
)
REFACTORING = Line(
    form="type in file: what and why",
    type=Refactoring,
    parse=_refactoring,
    format=lambda value: f"{value.kind} in {value.file}: {value.reason}",
    names=("type", "file", "reason"),
)
REQUEST_ID_LINE = Line(
    form="FR-1", type=str, parse=lambda text: text if REQUEST_ID.fullmatch(text) else None, format=str
)
DEPENDS_ON = Line(form="none | FR-1 | FR-1, FR-2", type=tuple[str, ...], parse=_ids, format=written_names)
