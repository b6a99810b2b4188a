"""The input of detection: a project or a member of one, with its folders, file names, and the text of some files."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """One folder by its path from the root, and the names of its files."""

    path: str
    files: frozenset[str]

    def holds(self, path: str) -> bool:
        return self.path == "." or path == self.path or path.startswith(f"{self.path}/")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A folder of a project with a sign of a language, and the folders below it without a sign."""

    root: Path
    home: Folder
    folders: tuple[Folder, ...]
    environment: Mapping[str, str]
    may_run: bool = True
    """Whether programs of the project may be started to look at it."""

    @property
    def folder(self) -> Path:
        return self.root / self.home.path

    @property
    def places(self) -> list[Path]:
        """The folder of this part and its parents, up to the root."""
        return places(self.folder, self.root)

    def where(self, name: str) -> str:
        """The path of a file in this part, relative to the root, for messages."""
        return name if self.home.path == "." else f"{self.home.path}/{name}"

    def text(self, name: str) -> str:
        return read_text(self.folder / name) if name in self.home.files else ""

    def is_member_by(self, name: str) -> bool:
        """Whether a parent folder has such a file too, so that its build runs the tests of this part."""
        return any((place / name).exists() for place in self.places[1:])

    def has_file(self, name: str) -> bool:
        return any(name in folder.files for folder in self.folders)

    def matching(self, pattern: "re.Pattern[str]") -> list[PurePosixPath]:
        """Files with matching names, relative to the root."""
        return sorted(
            PurePosixPath(folder.path, name)
            for folder in self.folders
            for name in folder.files
            if pattern.fullmatch(name)
        )


def places(folder: Path, root: Path) -> list[Path]:
    return [folder, *(parent for parent in folder.parents if parent.is_relative_to(root))]


def read_text(path: Path, limit: int = 1 << 18) -> str:
    """The beginning of a file as text; empty if the file cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(limit).decode("utf-8", "replace")
    except OSError:
        return ""
