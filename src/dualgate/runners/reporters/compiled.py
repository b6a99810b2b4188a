"""Source of the project -> its code, compiled before the run by a process that runs nothing of the project.

Code is used only for the exact bytes that it was compiled from, and by the interpreter and pytest that compiled it.
"""

from __future__ import annotations

import _imp
import hashlib
import json
import os
import sys
from importlib import _bootstrap_external as external
from typing import Any

_FILE = "code"
EXPECTED = "DUALGATE_CODE"
PLAIN, REWRITTEN = "plain", "rewritten"
_MOST_MISSED = 5000
# the head of a compiled file that Python does not compare with the source again (PEP 552)
_UNCHECKED = external.MAGIC_NUMBER + b"\x01\0\0\0" + bytes(8)
_loader: Any = external.SourceFileLoader


def identity(pytest_home: str = "", pytest_version: str = "") -> list[str]:
    """The interpreter and the pytest that compile: code of others is not used."""
    flags = f"{sys.flags.optimize} {external.MAGIC_NUMBER.hex()}"
    return [sys.executable, sys.version, flags, pytest_home, pytest_version]


def digest_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


class Compiled:
    """Compiled files of this run, read once at the start, and the sizes of sources that the run had to compile."""

    def __init__(self, folder: str, identity: list[str]) -> None:
        self.identity = identity
        self.missed: dict[str, int] = {}
        self.index, self.body = _read(folder, identity)

    def find(self, kind: str, path: str) -> bytes | None:
        """The code of a file as bytes, or None if it was not compiled before or has changed."""
        found = self.index.get(f"{kind} {path}")
        if found is None:
            return None
        digest, begin, end = found
        try:
            with open(path, "rb") as file:
                is_same = digest_of(file.read()) == digest
        except OSError:
            return None
        return self.body[begin:end] if is_same else None

    def note(self, kind: str, path: str) -> None:
        if len(self.missed) < _MOST_MISSED and os.path.isfile(path):
            self.missed[f"{kind} {path}"] = os.path.getsize(path)

    def serve_imports(self, apart: str) -> None:
        """Answer Python's own loader when it looks for a compiled file in the folder that they were moved to.

        Loaders of others may change the code, and are left alone. Nothing of this is on the stack while Python
        compiles or runs a module, so that errors look as usual.
        """
        usual = _loader.get_data

        def get_data(own: Any, path: str) -> bytes:
            if type(own) is not _loader or not path.startswith(apart):
                return usual(own, path)  # type: ignore[no-any-return]
            code = self.find(PLAIN, own.path)
            if code is not None:
                return _UNCHECKED + code
            try:
                return usual(own, path)  # type: ignore[no-any-return]
            except OSError:
                self.note(PLAIN, own.path)
                raise

        _loader.get_data = get_data


def _read(folder: str, identity: list[str]) -> tuple[dict[str, Any], bytes]:
    nothing: tuple[dict[str, Any], bytes] = ({}, b"")
    expected = os.environ.get(EXPECTED)
    # hash-based files are compared with another hash if Python was told to compare all
    if not expected or _imp.check_hash_based_pycs == "always":
        return nothing
    try:
        with open(os.path.join(folder, _FILE), "rb") as file:
            content = file.read()
    except OSError:
        return nothing
    if digest_of(content) != expected:
        return nothing
    head, _, body = content.partition(b"\n")
    told = json.loads(head)
    return (told["index"], body) if told["identity"] == identity else nothing
