"""The findings that people accepted with `verify --allow`: one JSON line each, appended, for the owner alone."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import msgspec

from dualgate.processes.private import make_private, open_private
from dualgate.store.atomic import read_whole, refused
from dualgate.store.codec import UNREADABLE, encode_json
from dualgate.store.lines import end_of_last_line


@dataclass(frozen=True, slots=True, kw_only=True)
class Acceptance:
    at: datetime
    by: str
    id: str
    """The id of the finding."""
    reason: str
    tree: str
    """The git tree that was verified."""
    terminal: bool
    """Whether standard input was a terminal: a program that accepts has none."""


def record_acceptances(file: Path, acceptances: Iterable[Acceptance]) -> None:
    """Append a line for each. A line that an earlier writer could not finish is ended first."""
    lines = b"".join(encode_json(acceptance) + b"\n" for acceptance in acceptances)
    try:
        make_private(file.parent)
        descriptor = open_private(str(file), os.O_RDWR | os.O_CREAT | os.O_APPEND)
        try:
            size = os.fstat(descriptor).st_size
            is_torn = end_of_last_line(descriptor, size) < size
            os.write(descriptor, b"\n" + lines if is_torn else lines)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise refused(file, error) from error


def read_acceptances(file: Path) -> tuple[Acceptance, ...]:
    """All that was recorded; empty if there is no file. Lines that were not finished are passed over."""
    try:
        lines = read_whole(file).splitlines()
    except OSError:
        return ()
    return tuple(found for line in lines if (found := _decoded(line)))


def _decoded(line: bytes) -> Acceptance | None:
    try:
        return msgspec.json.decode(line, type=Acceptance)
    except UNREADABLE:
        return None
