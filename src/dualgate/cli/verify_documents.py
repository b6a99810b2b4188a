"""Verification -> the documents of verify, on standard output or in files."""

import json
import os
import stat
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from dualgate import __version__
from dualgate.cli.output import our_redactor, say_document, say_json
from dualgate.core.values.verification import Verification
from dualgate.errors import SettingError

Document = dict[str, Any] | str


def _json(seen: Verification, call: str) -> Document:
    from dualgate.core.record.verification.document import verification_document

    del call
    return verification_document(seen)


def _markdown(seen: Verification, call: str) -> Document:
    from dualgate.display.verification.markdown import verification_markdown

    return verification_markdown(seen, call)


def _sarif(seen: Verification, call: str) -> Document:
    from dualgate.core.record.verification.sarif import sarif

    del call
    return sarif(seen, __version__)


def _junit(seen: Verification, call: str) -> Document:
    from dualgate.core.record.verification.junit import junit

    del call
    return junit(seen).decode()


def _attestation(seen: Verification, call: str) -> Document:
    from dualgate.core.record.verification.attestation import attestation

    del call
    return attestation(seen, _run_address())


FORMS: Mapping[str, Callable[[Verification, str], Document]] = {
    "json": _json,
    "md": _markdown,
    "sarif": _sarif,
    "junit": _junit,
    "attest": _attestation,
}
"""The name of an option -> what it writes, of a verification and the command that repeats it."""


def print_document(document: Document) -> None:
    if isinstance(document, str):
        say_document(document.removesuffix("\n"))
    else:
        say_json(document)


def write_document(path: Path, document: Document) -> None:
    """Replace a file in one step, so that a reader sees the old document or the new one. Secrets are redacted."""
    document = our_redactor().value(document)
    text = document if isinstance(document, str) else json.dumps(document, indent=2) + "\n"
    place = Path(os.path.realpath(path))  # a link stays one
    try:
        if place.exists() and not stat.S_ISREG(place.stat().st_mode):
            place.write_text(text, encoding="utf-8")  # a pipe or a device cannot be replaced
            return
        part = place.with_name(f".{place.name[:100]}.{os.getpid()}")
        try:
            part.write_text(text, encoding="utf-8")
            part.replace(place)
        finally:
            with suppress(OSError):
                part.unlink()
    except OSError as error:
        raise SettingError(f"{path} cannot be written: {error.strerror}.", "Give another place.") from error


def _run_address() -> str:
    """The address of the build that runs this, where the build says so."""
    server, repository, number = (
        os.environ.get(name, "") for name in ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_RUN_ID")
    )
    return f"{server}/{repository}/actions/runs/{number}" if server and repository and number else ""
