"""Recorded reports of test tools: each beside what must be read from it, and played in a project of its own."""

import json
from dataclasses import dataclass
from pathlib import Path

from dualgate.core.values.suite import CaseResult

DATA = Path(__file__).parent.parent / "data"
# what stands in recordings for the folder in which they were made
PROJECT = b"/project"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    report: bytes
    files: tuple[str, ...]
    expected: dict[str, object]


def sample_names(kind: str, ending: str) -> list[str]:
    return sorted(path.stem for path in (DATA / kind).glob(f"*.{ending}"))


def play(kind: str, name: str, ending: str, project: Path) -> Sample:
    """The sample as if it had been made in this project, where the files that it tells of are made."""
    expected = json.loads((DATA / kind / f"{name}.json").read_text(encoding="utf-8"))
    files = tuple(expected.pop("files"))
    for file in files:
        (project / file).parent.mkdir(parents=True, exist_ok=True)
        (project / file).touch()
    report = (DATA / kind / f"{name}.{ending}").read_bytes().replace(PROJECT, str(project).encode())
    return Sample(report=report, files=files, expected=expected)


def told(results: tuple[CaseResult, ...]) -> dict[str, str]:
    """Each result in a line: outcome, kind, file."""
    return {r.id: " ".join(filter(None, [r.outcome, r.kind, f"in {r.file}" if r.file else ""])) for r in results}
