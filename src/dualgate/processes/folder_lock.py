"""Lock a folder by the kernel: the lock ends with the process, however it ends."""

import fcntl
import os
from contextlib import ExitStack
from pathlib import Path


def lock_folder(folder: Path, held: ExitStack) -> None:
    """Lock a folder until `held` is closed. Raises OSError if another process has it, or if there are no locks."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    held.callback(os.close, descriptor)
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
