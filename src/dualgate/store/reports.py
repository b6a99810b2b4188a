"""Session folder -> the paths of its report files. Reports are made from the journal and can be made again."""

from contextlib import suppress
from pathlib import Path

from dualgate.core.values.vocabulary import ReportFormat

REPORT = "report."
"""Begins the name of each report file."""
REPORTS = tuple(f"{REPORT}{kind}" for kind in ReportFormat)


def report_file(folder: Path, kind: ReportFormat) -> Path:
    return folder / f"{REPORT}{kind}"


def last_report(folder: Path) -> Path | None:
    """The report that a run left beside its journal, the page before other formats; None if it left none."""
    with suppress(OSError):
        return next((folder / name for name in REPORTS if (folder / name).is_file()), None)
    return None
