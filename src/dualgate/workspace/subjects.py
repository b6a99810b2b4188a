"""A repository's history -> the subjects of its last commits."""

import os
from pathlib import Path

from dualgate.workspace.git import ask_git

LOOKED_AT = 30
"""How many commits show the form of subjects."""


def last_subjects(root: Path) -> tuple[str, ...]:
    """The subjects of the last commits before HEAD that people wrote: without merges, and without commits of runs."""
    form = "--format=%s%x00%(trailers:key=Dualgate-Session,valueonly)%x01"
    told = os.fsdecode(ask_git(root, "log", f"-n{LOOKED_AT}", "--no-merges", form, "HEAD", "--"))
    rows = (row.strip("\n").partition("\0") for row in told.split("\x01"))
    return tuple(subject for subject, _, session in rows if subject and not session.strip())
