"""Requests that no person sent: found as they appear, refused, and kept until the run journals them."""

import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import msgspec

from dualgate.core.machine.refusals import INSIDE, UNSENT, refused_inside
from dualgate.core.machine.requests import Request, RequestKind
from dualgate.core.values.control import RequestRefused
from dualgate.errors import StoreFailed
from dualgate.store.atomic import read_whole, write_whole
from dualgate.store.codec import UNREADABLE
from dualgate.store.seals import digest_of
from dualgate.store.senders import acknowledge, sender_of

IsInside = Callable[[int], bool]
"""Whether the process with this id is inside a call or a test run."""
_MOST_REFUSED = 100
_LONGEST = 100_000
_ATTEMPT = f"-{RequestKind.ATTEMPT}.json"


class Screening:
    """Judges each request once, as soon as it is seen: its sender may be gone later.

    Until `watch` is called, `trusts` says whether requests without a sender count: those that were sent before the run
    began, while none of its programs ran. `heard` lists those that an earlier run heard, and did not get to.
    """

    def __init__(self, is_inside: IsInside, trusts: bool, heard: Path | None = None) -> None:
        self._is_inside = is_inside
        self._trusts = trusts
        self._heard = heard
        self._before = _read_list(heard)
        self._own: set[str] = set()
        self._passed: dict[str, str] = {}
        self._refused: list[tuple[Request, str]] = []

    def watch(self) -> None:
        """From now on programs run, and a request without a sender is refused."""
        self._trusts = False

    def vouch(self, path: Path, content: bytes) -> None:
        """Let a request pass that this process is about to write, if it is unchanged when it is read."""
        self._own.add(_digest_of(path, content))

    def passes(self, path: Path) -> bool:
        """Whether a request comes from a person. One that does not is removed and kept to be journaled."""
        if path.name in self._passed:
            return True
        if reason := self._problem(path):
            self._refuse(path, reason)
            return False
        self._passed[path.name] = _digest(path)
        self._keep_list(path.parent)
        acknowledge(path)
        return True

    def refused(self, now: datetime) -> tuple[RequestRefused, ...]:
        """The refusals since the last call of this method."""
        found, self._refused = self._refused, []
        return tuple(refused_inside(request, now, reason) for request, reason in found)

    def refuse_all(self, folder: Path) -> None:
        """Refuse the requests in a folder that only programs of a run write, the first ones by name."""
        if folder.is_symlink():
            folder.unlink()  # a program of the run made it, and it may lead anywhere
            return
        with suppress(OSError):
            found = sorted(path for path in folder.iterdir() if path.name.endswith(".json"))
            for path in found[:_MOST_REFUSED]:
                if path.is_file() and not path.is_symlink() and path.stat().st_size <= _LONGEST:
                    self._refuse(path, INSIDE)
        empty_folder(folder)

    def _problem(self, path: Path) -> str:
        if path.name.endswith(_ATTEMPT):
            return INSIDE
        sender = sender_of(path)
        if sender is None:
            known = self._before | self._own
            return "" if self._trusts or _digest(path) in known else UNSENT
        if sender and self._is_inside(sender):
            return INSIDE
        # nothing is known of a sender that ended meanwhile, and a person's waits to be heard
        return "" if sender_of(path) == sender else UNSENT

    def _keep_list(self, folder: Path) -> None:
        """Keep the digests of the requests that are not handled yet, for a run that goes on after a kill."""
        waiting = [digest for name, digest in self._passed.items() if (folder / name).exists()]
        if self._heard is not None:
            with suppress(StoreFailed):
                write_whole(self._heard, msgspec.json.encode(waiting))

    def _refuse(self, path: Path, reason: str) -> None:
        request = Request(kind=RequestKind.ATTEMPT, at=datetime.now().astimezone(), by="somebody", text=path.name)
        with suppress(OSError, *UNREADABLE):
            request = decode_request(read_whole(path))
        self._refused.append((request, reason))
        path.unlink(missing_ok=True)


def decode_request(content: bytes) -> Request:
    """The request in a file. Raises an error of UNREADABLE for anything else: the time without a zone too."""
    request = _DECODER.decode(content)
    if request.at.tzinfo is None:
        raise msgspec.ValidationError("Expected a time with its zone - at `$.at`")
    return request


def empty_folder(folder: Path) -> None:
    """Remove a folder with all that is in it; where a link leads to is left alone."""
    shutil.rmtree(folder, ignore_errors=True)


def _digest(path: Path) -> str:
    try:
        return _digest_of(path, read_whole(path))
    except OSError:
        return ""


def _digest_of(path: Path, content: bytes) -> str:
    return digest_of(os.fsencode(path.name) + b"\n" + content)


def _read_list(place: Path | None) -> frozenset[str]:
    try:
        return frozenset(_LIST.decode(read_whole(place))) if place else frozenset()
    except (OSError, *UNREADABLE):
        return frozenset()


_LIST = msgspec.json.Decoder(list[str])
_DECODER = msgspec.json.Decoder(Request)
