"""Files that are there whole or not at all."""

import os
from pathlib import Path

from dualgate.errors import StoreFailed


def write_whole(path: Path, content: bytes) -> None:
    """Replace a file in one step: a reader sees the old content or the new, and a crash leaves one of them.

    It is not synced: what is written this way can be made again from the journal, which is.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(content)
        temporary.replace(path)
    except OSError as error:
        raise refused(path, error) from error


def refused(path: Path, error: OSError) -> StoreFailed:
    return StoreFailed(
        f"{path} cannot be written: {error.strerror}.",
        "Make room or give permission, or choose another place with PRP_SESSION_DIR.",
    )
