"""The environment outside of a checkout in which its tests run, if a worktree needs one of its own in its place.

Nothing is started: environments are found by the activated one, by the names that tools give them, and on the PATH.
"""

import hashlib
import os
import shutil
from base64 import urlsafe_b64encode
from collections.abc import Iterator, Mapping
from pathlib import Path

from dualgate.fleet.sharing import is_shareable, leads_into
from dualgate.languages.interpreter import ENVIRONMENT_FOLDERS, activated

SHIMS = "shims"


def find_outside(project: Path, root: Path, environment: Mapping[str, str]) -> Path | None:
    """The environment for a project of the checkout `root`; None if it is inside, or serves a worktree as it is."""
    active = next(iter(activated(environment)), None)
    if active is not None:
        is_inside = active.resolve().is_relative_to(root)
        return active if not is_inside and (is_shareable(active) or leads_into(active, root)) else None
    if any((project / name / "bin" / "python").exists() for name in ENVIRONMENT_FOLDERS):
        return None
    found = [each for each in _by_tools(project, environment) if is_shareable(each)]
    if found:
        return max(found, key=lambda each: each.stat().st_mtime)
    base = _on_path(project, environment)
    return base if base is not None and leads_into(base, root) else None


def _by_tools(project: Path, environment: Mapping[str, str]) -> Iterator[Path]:
    """Environments of poetry and pipenv, which name them by the path of the project: another folder has another one."""
    home = Path(environment.get("HOME", "/nowhere"))
    if (project / "pyproject.toml").is_file():
        cache = environment.get("XDG_CACHE_HOME") or home / ".cache"
        cache = environment.get("POETRY_CACHE_DIR") or Path(cache, "pypoetry")
        place = Path(environment.get("POETRY_VIRTUALENVS_PATH") or Path(cache, "virtualenvs"))
        yield from place.glob(f"*-{_hashed(os.path.realpath(project))}-py*")
    if (project / "Pipfile").is_file():
        data = environment.get("XDG_DATA_HOME") or home / ".local" / "share"
        place = Path(environment.get("WORKON_HOME") or Path(data, "virtualenvs"))
        yield from place.glob(f"*-{_hashed(str(project / 'Pipfile'))}")


def _hashed(path: str) -> str:
    return urlsafe_b64encode(hashlib.sha256(os.fsencode(path)).digest()).decode()[:8]


def _on_path(project: Path, environment: Mapping[str, str]) -> Path | None:
    """The installation of the Python on the PATH; pyenv has scripts there that start another one."""
    names = ("python", "python3")
    program = next(filter(None, (shutil.which(name, path=environment.get("PATH")) for name in names)), None)
    if program is None:
        return None
    place = Path(program).parent
    if place.name != SHIMS:
        return Path(program).resolve().parent.parent
    files = [folder / ".python-version" for folder in (project, *project.parents)] + [place.parent / "version"]
    texts = (file.read_text(errors="replace").split() for file in files if file.is_file())
    version = environment.get("PYENV_VERSION") or next((words[0] for words in texts if words), "")
    return place.parent / "versions" / version if version and "/" not in version else None
