"""The action of `dualgate` alone: look at the current folder, and name the next commands. It runs nothing.

It must be fast, so it reads state files instead of journals, and imports agents only if their login decides.
"""

import importlib.util
import os
import re
import shlex
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path

from dualgate.cli.output import here, show
from dualgate.cli.words import AGENT_NAMES
from dualgate.core.doctor.next_steps import AgentFound, SessionFound, Situation, next_steps
from dualgate.display.next_steps import next_lines
from dualgate.errors import ExitCode, SettingError, SuiteUnusable
from dualgate.store.owners import is_owned
from dualgate.store.peek import peek_here

# the usual names, then any Markdown file with a heading for criteria
SPECIFICATIONS = (
    *("SPEC.md", "SPECIFICATION.md", "PRP.md", "PRD.md", "prd.json", "specs/*.md", "specs/*/spec.md", "PRPs/*.md"),
    *(".kiro/specs/*/requirements.md", "docs/specs/*.md", "features/*.feature"),
)
CRITERIA = re.compile(rb"^#{1,6} .*(acceptance criteria|requirements)\s*$", re.IGNORECASE | re.MULTILINE)
MOST_FILES, MOST_BYTES = 40, 64 << 10


def show_next_steps() -> int:
    project = here()
    seen = look_around(project, os.environ)
    show(next_lines(project.name or str(project), seen, next_steps(seen)))
    return ExitCode.PROVEN


def look_around(project: Path, environment: Mapping[str, str]) -> Situation:
    """The situation of a project. An unfinished session decides, so nothing else is looked at then."""
    session = _session(project, environment)
    is_repository = any((place / ".git").exists() for place in (project, *project.parents))
    seen = Situation(is_repository=is_repository, session=session, has_demo=_has_pytest())
    if session is not None:
        return seen
    seen = replace(seen, tests=_tests(project, environment), specification=_specification(project))
    if not seen.is_project:
        return seen
    agents = tuple(_agents(environment, with_logins=bool(seen.specification)))
    return _with_settings(replace(seen, agents=agents), project, environment)


def _session(project: Path, environment: Mapping[str, str]) -> SessionFound | None:
    found = peek_here(project, environment)
    if found is None:
        return None
    return SessionFound(
        status=found.status,
        is_alive=is_owned(project),
        phase=found.phase,
        iteration=found.iteration,
        spec=found.spec,
        reason=found.reason,
    )


def _has_pytest() -> bool:
    return importlib.util.find_spec("pytest") is not None


def _tests(project: Path, environment: Mapping[str, str]) -> tuple[str, ...]:
    from dualgate.runners.detect import detect_by_files

    try:
        return tuple(suite.name for suite in detect_by_files(project, environment).suites)
    except SuiteUnusable:
        return ()


def _specification(project: Path) -> str:
    named = chain.from_iterable(sorted(project.glob(pattern)) for pattern in SPECIFICATIONS)
    others = (path for path in islice(sorted(project.glob("*.md")), MOST_FILES) if _has_criteria(path))
    found = next((path for path in chain(named, others) if path.is_file()), None)
    return shlex.quote(found.relative_to(project).as_posix()) if found else ""


def _has_criteria(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return CRITERIA.search(file.read(MOST_BYTES)) is not None
    except OSError:
        return False


def _agents(environment: Mapping[str, str], with_logins: bool) -> Iterator[AgentFound]:
    present = [name for name in AGENT_NAMES if shutil.which(name, path=environment.get("PATH", ""))]
    if not present or not with_logins:
        yield from (AgentFound(name=name) for name in present)
        return
    from dualgate.agents.logins import login_of
    from dualgate.agents.registry import CLIENTS

    for name in present:
        if client := CLIENTS.get(name):
            yield AgentFound(name=name, login=login_of(client, environment)[0], log_in=client.log_in)


def _with_settings(seen: Situation, project: Path, environment: Mapping[str, str]) -> Situation:
    """Settings that cannot be read are named; `dualgate config` shows what is wrong with them."""
    from dualgate.settings.files import read_files
    from dualgate.settings.resolving import Source, holds_settings, resolve

    try:
        files = read_files(project, environment)
        own = [file for file in files if file.source is Source.PROJECT_FILE and holds_settings(file)]
        settings = resolve(environment, {}, files).settings
    except SettingError as error:
        return replace(seen, broken_settings=error.message)
    default = settings.agents.get("default")
    chosen = settings.agent or settings.agent_command or (default and (default.agent or default.command)) or ""
    return replace(seen, settings=Path(own[0].path).name if own else "", chosen_agent=chosen)
