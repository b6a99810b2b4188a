"""Run the configured checks on base and head."""

import re
from collections.abc import Iterator

from dualgate.core.values.checks import Check, CheckRun
from dualgate.core.verification.measured import ComparedCheck, Measured
from dualgate.languages.tools import tools_in
from dualgate.runners.check import ShellChecker
from dualgate.session.checks import checks_of
from dualgate.settings import Settings
from dualgate.verify.runs import TreeRuns
from dualgate.verify.sides import Sides
from dualgate.verify.trees import Written
from dualgate.workspace.steering.commands import checked_text

SHARED = re.compile(r"pyproject\.toml|setup\.cfg|tox\.ini|package\.json|Cargo\.toml|\.editorconfig|Makefile")
"""Files in which several tools have their settings."""


def compare_checks(
    seen: Measured, sides: Sides, runs: TreeRuns, settings: Settings, base: Written, head: Written
) -> tuple[ComparedCheck, ...]:
    return tuple(_compared(check, seen, sides, runs, base, head) for check in checks_of(base.project, settings))


def _compared(
    check: Check, seen: Measured, sides: Sides, runs: TreeRuns, base: Written, head: Written
) -> ComparedCheck:
    was, now = (_run(check, runs, written) for written in (base, head))
    changed = list(_settings_of(check, seen, base))
    loosened = None
    if changed and not now.exit_code:
        paths = map(sides.seen_from_root, changed)
        with runs.trees.written(sides.revisions.with_paths(sides.head.tree, sides.base.tree, paths)) as written:
            loosened = _run(check, runs, written)
    return ComparedCheck(name=check.name, base=was, head=now, with_base_settings=loosened)


def _run(check: Check, runs: TreeRuns, written: Written) -> CheckRun:
    return ShellChecker(project=written.project, supervisor=runs.supervisor_in(written)).run(
        check.command, (), runs.control
    )


def _settings_of(check: Check, seen: Measured, base: Written) -> Iterator[str]:
    """Changed files in which the tools of a check have their settings."""
    own = [tool.files for tool in tools_in(checked_text(base.project, [check.command])) if tool.files]
    pattern = re.compile("|".join((SHARED.pattern, *own)))
    paths = (*seen.paths.steering, *seen.paths.code, *seen.paths.others)
    yield from (path for path in paths if pattern.fullmatch(path.rpartition("/")[2]))
