"""Trees as folders beside the project, and the environment in which their tests run."""

import json
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from shutil import rmtree

from dualgate.errors import SuiteUnusable
from dualgate.languages.interpreter import activated, choose_python
from dualgate.verify.sides import Sides
from dualgate.workspace.checkouts import Carried, check_out
from dualgate.workspace.git import outside_of_hooks

ASK_SECONDS = 60.0
# folders that Python imports from, and those of packages that are installed in place by a finder of setuptools
WHERE = """
import json, os, sys
path = [each for each in sys.path if each]
for name, module in list(sys.modules.items()):
    mapping = getattr(module, "MAPPING", None)
    if name.startswith("__editable__") and isinstance(mapping, dict):
        path += [os.path.dirname(each) for each in mapping.values() if isinstance(each, str)]
print(json.dumps({"prefix": sys.prefix, "base": sys.base_prefix, "path": path}))
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interpreter:
    """The Python of a project, as it is set up for its work tree."""

    prefix: str = ""
    """Its environment, if that lies outside the project and no variable names it."""
    roots: tuple[str, ...] = ()
    """Folders of the repository that it imports from, seen from the repository's root."""
    places: tuple[str, ...] = ()
    """All folders that it imports from: if one changes, so do its packages."""


def ask_interpreter(project: Path, root: Path, environment: Mapping[str, str]) -> Interpreter:
    """Ask the project's Python where it imports from; the answer is empty if there is none, or it does not start."""
    try:
        command = choose_python(project, root, environment).command
        asked = subprocess.run(
            [*command, "-c", WHERE],
            cwd=project,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=ASK_SECONDS,
            check=True,
        )
        told = json.loads(asked.stdout)
    except (SuiteUnusable, OSError, subprocess.SubprocessError, ValueError):
        return Interpreter()
    prefix = Path(told["prefix"])
    is_apart = told["prefix"] != told["base"] and not prefix.is_relative_to(root) and not activated(environment)
    paths = [Path(os.path.realpath(each)) for each in dict.fromkeys(told["path"])]
    own = (each for each in paths if each.is_relative_to(root) and "site-packages" not in each.parts)
    return Interpreter(
        prefix=str(prefix) if is_apart else "",
        roots=tuple(each.relative_to(root).as_posix() for each in own),
        places=tuple(map(str, paths)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Trees:
    """Writes trees into folders, each with its own copy of what the work tree has beside the tracked files."""

    sides: Sides
    scratch: Path
    carried: Carried
    interpreter: Interpreter
    environment: Mapping[str, str]
    _numbers: Iterator[int]

    @contextmanager
    def written(self, tree: str, commit: str = "") -> Iterator["Written"]:
        """A folder with a tree, until the block ends."""
        revisions = self.sides.revisions
        place = self.scratch / str(next(self._numbers))
        root = place / (revisions.root.name or "project")
        try:
            missing = check_out(revisions, tree, commit or self.sides.head_commit, root, self.carried)
            project = root / self.sides.folder
            project.mkdir(parents=True, exist_ok=True)  # the folder may be new
            yield Written(root=root, project=project, environment=self._variables(root), missing=missing)
        finally:
            with suppress(OSError):
                rmtree(place, ignore_errors=True)

    def _variables(self, root: Path) -> dict[str, str]:
        """The environment, in which paths of the project lead to the tree."""
        ours = str(self.sides.revisions.root)
        found = dict(self.environment) | {"DUALGATE_ORIGIN": ours, "PWD": str(root / self.sides.folder)}
        given = filter(None, found.get("PYTHONPATH", "").split(os.pathsep))
        own = (str(root / each) for each in self.interpreter.roots)
        paths = dict.fromkeys((*own, *(moved(each, ours, str(root)) for each in given)))
        if paths:
            found["PYTHONPATH"] = os.pathsep.join(paths)
        for name in ("VIRTUAL_ENV", "NODE_PATH"):
            if name in found:
                found[name] = moved(found[name], ours, str(root))
        if self.interpreter.prefix:
            found["VIRTUAL_ENV"] = self.interpreter.prefix
            found["PATH"] = os.pathsep.join((f"{self.interpreter.prefix}/bin", found.get("PATH", "")))
        # a tool that manages an environment must not install the tree into the environment of the project
        return found | {"UV_NO_SYNC": "1"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    root: Path
    project: Path
    environment: Mapping[str, str]
    missing: Sequence[str] = ()
    """The paths that could not be written, as sentences."""


def make_trees(sides: Sides, scratch: Path, carried: Carried, environment: Mapping[str, str]) -> Trees:
    root, environment = sides.revisions.root, outside_of_hooks(environment)
    return Trees(
        sides=sides,
        scratch=scratch,
        carried=carried,
        interpreter=ask_interpreter(root / sides.folder, root, environment),
        environment=environment,
        _numbers=count(),
    )


def moved(word: str, before: str, after: str) -> str:
    """A word with the paths below a folder in another one."""
    return after if word == before else word.replace(f"{before}{os.sep}", f"{after}{os.sep}")
