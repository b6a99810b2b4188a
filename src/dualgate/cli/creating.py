"""Create a file of the user at once and whole; an existing one is never overwritten."""

import os
from contextlib import suppress
from pathlib import Path

from dualgate.errors import SettingError


def create_file(path: Path, text: str) -> None:
    """Write a new file. Raises FileExistsError if anything has that name."""
    beside = path.with_name(f".{path.name[:100]}.{os.getpid()}")
    try:
        with beside.open("x", encoding="utf-8") as file:
            file.write(text)
        try:
            os.link(beside, path)  # fails if the name is taken, which a rename would not
        except FileExistsError:
            raise
        except OSError:  # a file system without links
            with path.open("x", encoding="utf-8") as file:
                file.write(text)
    except FileExistsError:
        raise
    except OSError as error:
        raise SettingError(f"{path} cannot be written: {error.strerror}.", "Give another place.") from error
    finally:
        with suppress(OSError):
            beside.unlink()
