"""Agents, tests -> checks of what a run needs, each with the command that fixes it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from dualgate.core.values.suite import Counts


class Health(StrEnum):
    OK = "ok"
    WARN = "warn"
    """A run can start, but this should be fixed."""
    FAIL = "fail"
    """A run cannot start, or would end at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that a run needs: what was found, and the command that fixes it."""

    name: str
    health: Health = Health.OK
    seen: str
    fix: str = ""


def can_start(checks: Iterable[Check]) -> bool:
    return all(check.health is not Health.FAIL for check in checks)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSeen:
    """Facts about an agent CLI. `login` is found, not_found or unknown; `login_from` is its place."""

    agent: str
    program: str
    version: str | None
    login: str
    login_from: str | None
    installed: bool
    install: str
    log_in: str
    hampered: str = ""
    """Why the agent cannot work with its permissions."""


def check_agent(role: str, seen: AgentSeen) -> Check:
    if not seen.installed:
        seen_text = f"{seen.agent}: the program '{seen.program}' is not installed"
        return Check(name=role, health=Health.FAIL, seen=seen_text, fix=seen.install)
    seen_text = f"{seen.agent} {seen.version or 'of an unknown version'}"
    if seen.login == "not_found":
        return Check(name=role, health=Health.FAIL, seen=f"{seen_text}, no login found", fix=seen.log_in)
    login = f"login found ({seen.login_from})" if seen.login_from else "login unknown"
    if seen.hampered:
        seen_text = f"{seen_text}, {login}; {seen.hampered}"
        return Check(name=role, health=Health.FAIL, seen=seen_text, fix="dualgate config --show agents")
    is_sure = seen.login == "found"
    return Check(
        name=role,
        health=Health.OK if is_sure else Health.WARN,
        seen=f"{seen_text}, {login}",
        fix="" if is_sure else f"dualgate agents try {seen.agent}",
    )


def check_npm(path: str | None, needed_for: Sequence[str]) -> Check:
    if path is not None:
        return Check(name="npm", seen=path)
    seen_text = f"missing, and needed to install {', '.join(needed_for)}"
    return worth_a_look("npm", seen_text, "install Node.js from your system's packages")


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteSeen:
    """Facts about a suite: `collected` is the number of tests, None if unknown; `problem` is why they cannot run."""

    name: str
    command: str
    collected: int | None = None
    problem: str = ""
    note: str = ""


def check_suite(seen: SuiteSeen, several: bool = False) -> Check:
    name = f"tests of {seen.name}" if several else "tests"
    if seen.problem:
        why, _, install = seen.problem.partition("; install it with: ")
        fix = f"{install or seen.command}  # or give --test-command CMD"
        return Check(name=name, health=Health.FAIL, seen=f"{seen.command}: {why}", fix=fix)
    if seen.collected is None:
        seen_text = f"{seen.command}; {seen.note}" if seen.note else seen.command
        return Check(name=name, seen=seen_text)
    tests = f"{seen.collected} {'test' if seen.collected == 1 else 'tests'}"
    return Check(name=name, seen=f"{seen.command}: {tests}")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSeen:
    """A run of all tests that was made for the checkup."""

    command: str
    problems: tuple[str, ...]
    counts: Counts
    seconds: float


def check_run(seen: RunSeen) -> Check:
    """Check a run of all tests: tests that already fail are only a warning; a run that is not trusted fails."""
    counts = seen.counts
    if seen.problems:
        seen_text = f"{seen.command}: {'; '.join(seen.problems)}"
        return Check(name="tests", health=Health.FAIL, seen=seen_text, fix="dualgate tests")
    seen_text = f"{seen.command}: {counts.total} tests in {seen.seconds:.1f} s"
    if counts.failed or counts.error:
        return worth_a_look("tests", f"{seen_text}, {counts.failed + counts.error} fail already", "dualgate tests")
    return Check(name="tests", seen=seen_text)


def worth_a_look(name: str, seen: str, fix: str) -> Check:
    return Check(name=name, health=Health.WARN, seen=seen, fix=fix)
