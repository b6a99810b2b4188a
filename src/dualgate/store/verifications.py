"""The object of `dualgate verify --json` -> Verification."""

from typing import Any

import msgspec

from dualgate.core.record.verification.codes import FORMAT
from dualgate.core.values.verification import Verification
from dualgate.errors import SettingError
from dualgate.store.codec import UNREADABLE

_NEXT_STEP = "Give a file that 'dualgate verify --json' wrote."
_RENAMED = {"verdict": "standing", "tests": "cases"}
"""The words of the document that differ from the names of the fields."""


def decode_verification(content: bytes) -> Verification:
    """Read the object. Raises SettingError if it is invalid; notes come after the other findings."""
    try:
        return _verification(msgspec.json.decode(content, type=dict[str, Any]))
    except UNREADABLE as error:
        raise SettingError(f"This is not a verification: {error}.", _NEXT_STEP) from error


def _verification(written: dict[str, Any]) -> Verification:
    written_format = written.get("format")
    if not isinstance(written_format, int) or written_format > FORMAT:
        message = f"This is not a verification of format {FORMAT}: 'format' is {written_format!r}."
        raise SettingError(message, _NEXT_STEP)
    values = {_RENAMED.get(name, name): value for name, value in written.items()}
    findings, notes = values.get("findings"), values.pop("notes", [])
    if isinstance(findings, list) and isinstance(notes, list):
        values["findings"] = [*findings, *notes]
    return msgspec.convert(values, Verification)
