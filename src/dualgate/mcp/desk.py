"""The shared parts of every tool of the server, and the folders that it may read."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dualgate.core.secrets.redaction import Redactor
from dualgate.core.values.notation import in_line
from dualgate.errors import DualgateError
from dualgate.settings import Settings
from dualgate.settings.files import read_files
from dualgate.settings.resolving import resolve


class OutsideProject(DualgateError):
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    root: Path
    """The server's project, by its real path. No tool reads or runs anything outside of it."""
    environment: Mapping[str, str]
    redactor: Redactor

    def inside(self, given: str) -> Path:
        """A path in the project, links followed. Raises OutsideProject for any other."""
        place = Path(os.path.realpath(self.root / given))
        if not place.is_relative_to(self.root):
            raise OutsideProject(
                f"{in_line(given)} is outside of the project that this server is for.",
                "Name a path inside of it, relative to its root.",
            )
        return place

    def folder(self, given: str) -> Path:
        place = self.inside(given or ".")
        if not place.is_dir():
            raise OutsideProject(f"There is no folder {in_line(given)} in the project.")
        return place

    def settings(self, project: Path, flags: Mapping[str, Any] | None = None) -> Settings:
        return resolve(self.environment, flags or {}, read_files(project, self.environment)).settings
