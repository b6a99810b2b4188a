"""The names of the settings: for each its kind, what it is for, and where in Settings it is kept."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

from dualgate.core.values.limits import Price
from dualgate.core.values.suite import Suite
from dualgate.core.values.vocabulary import Amend, OnQuestion, Phase, SandboxKind, Workflow
from dualgate.settings.kinds import (
    AMOUNT,
    COMMAND,
    FLAG,
    PRICE,
    SIZE_OF_FILE,
    TEXT,
    TEXTS,
    Kind,
    choice,
    duration,
    optional,
    whole,
)
from dualgate.settings.values import AgentChoice, SessionUse, Settings

NAME = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)
MODEL = re.compile(r"[\w./:@*?+-]+", re.ASCII)
"""The name of a model, or a pattern of such names."""
ROLES = ("default", *(phase.lower() for phase in Phase))


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    name: str
    kind: Kind
    doc: str
    at: tuple[str, ...]
    """The way to its value from Settings on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """Tables that users give names: one for each suite, one for each role, one for each model that has a price."""

    keys: Mapping[str, tuple[Kind, str]]
    blank: Callable[[str], Any]
    names: tuple[str, ...] | None = None
    """The names there are; None where any will do that fits the pattern."""
    pattern: re.Pattern[str] = NAME

    def has(self, name: str) -> bool:
        return self.pattern.fullmatch(name) is not None if self.names is None else name in self.names


_PLAIN: dict[str, tuple[Kind, str]] = {
    "workflow": (choice(Workflow), "Five phases over a specification (tdd), or one over a task list (ralph)."),
    "plan": (TEXT, "The task list of the ralph workflow."),
    "agent": (TEXT, "The agent to ask, by name; what follows a colon is for the agent."),
    "agent_command": (TEXT, "Any program as the agent: prompt on standard input, answer on standard output."),
    "model": (TEXT, "The model that the agent is told to use."),
    "qa_agent_command": (TEXT, "The same for the review, which another model should make."),
    "fallback": (TEXTS, "Agents that take over, in this order, by name or as command:CMD."),
    "test_command": (TEXT, "How to run the tests; found out where not given."),
    "setup": (COMMAND, "Run before the first test run, and again when a lock file changes."),
    "max_iterations": (whole(1), "Iterations in one phase before the run halts."),
    "max_duration": (optional(duration(1)), "Time a run may take, without pauses, before it halts."),
    "timeout": (duration(1), "Time one call of the agent may take."),
    "idle_timeout": (optional(duration(1)), "Time an agent may neither write nor work before the call is ended."),
    "test_timeout": (duration(1), "Time one run of the tests may take."),
    "slow_suite": (duration(), "Above this, one full run and repeated new tests decide instead of two full runs."),
    "retry_delay": (duration(), "Time before a failed call is made again; doubled with each failure in a row."),
    "wait": (FLAG, "Whether a usage or rate limit, or a full hour, is waited for; else it ends the run."),
    "on_question": (choice(OnQuestion), "Whether an agent that asks is told to assume, or the run halts."),
    "amend": (choice(Amend), "Who approves the change of a test that is wrong."),
    "amendments": (whole(0), "Tests that may be amended in one session."),
    "documents": (whole(0), "Documents that DOCUMENT needs, new or changed."),
    "adr_required": (FLAG, "Whether one of the documents must be a decision record."),
    "qa_returns": (whole(0), "How often QA may send the work back before the run halts."),
    "max_calls_per_hour": (optional(whole(1)), "Calls of the agent in an hour; where it is full, the next waits."),
    "max_tokens_per_hour": (optional(whole(1)), "Tokens used in an hour; where it is full, the next call waits."),
    "max_tokens": (optional(whole(1)), "Tokens a run may use, read and written, before it halts."),
    "max_cost": (optional(AMOUNT), "Dollars a run may cost before it halts."),
    "guard.frozen": (TEXTS, "Globs of files that are frozen besides the tests."),
    "guard.allowed": (TEXTS, "Globs of files that may change in spite of the guard."),
    "guard.outputs": (TEXTS, "Globs of files that test runs write."),
    "snapshots.keep_days": (whole(0), "Days for which snapshots are kept."),
    "snapshots.keep_last": (whole(0), "Snapshots that are kept whatever their age, the newest first."),
    "snapshots.largest_kept": (SIZE_OF_FILE, "The largest file that a snapshot keeps."),
    "sessions.keep_calls": (SIZE_OF_FILE, "Size of the prompts and answers of one session; the oldest give way."),
    "sessions.keep_days": (whole(0), "Days for which finished sessions stay in the archive."),
    "sessions.keep_last": (whole(0), "Archived sessions that are kept whatever their age, the newest first."),
    "sandbox.kind": (choice(SandboxKind), "Where the agent and the tests run: in bubblewrap, or as you do (none)."),
    "sandbox.network": (FLAG, "Whether they reach the network there; an agent needs it for its model."),
    "sandbox.writable": (TEXTS, "Files and folders that they may write there besides the project."),
    "sandbox.hidden": (TEXTS, "Files and folders that they see empty there, besides keys and logins at home."),
    "env.up": (TEXT, "Starts what the tests need running beside them."),
    "env.health": (TEXT, "Ends with 0 when that is ready."),
    "env.down": (TEXT, "Takes it down at the end."),
    "env.patience": (duration(), "Time within which it must be ready."),
    "breaker.cooldown": (optional(duration(1)), "Time after which an open breaker allows one trial iteration."),
}
_THRESHOLDS = {
    "no_progress": "Iterations in a row without measured progress that halt {}.",
    "same_error": "Iterations in a row with the same error that halt {}.",
}
_BUDGETS = {
    "calls": (optional(whole(1)), "Calls of the agent that {} may take, all visits together."),
    "tokens": (optional(whole(1)), "Tokens that {} may use, all visits together."),
    "cost": (optional(AMOUNT), "Dollars that {} may cost, all visits together."),
}
NAMED = {
    "suites": Named(
        keys={
            "command": (COMMAND, "How the suite is run."),
            "folder": (TEXT, "Where it is run, seen from the project's root."),
            "runner": (TEXT, "How its report is read."),
            "report": (TEXT, "Where it leaves its report, for runners that read a file."),
            "timeout": (duration(1), "Time one run of it may take."),
            "required": (FLAG, "Whether no run can be trusted without it."),
            "setup": (COMMAND, "Run before its first run, and again when a lock file changes."),
        },
        blank=lambda name: Suite(name=name, command=(), runner="", reason="given"),
    ),
    "agents": Named(
        keys={
            "agent": (TEXT, "The agent of this role, by name."),
            "command": (TEXT, "Any program as the agent of this role."),
            "model": (TEXT, "The model that it is told to use."),
            "args": (TEXTS, "Further words for its command line."),
            "env": (TEXTS, "Variables it may see besides those it is known to need, by name or as PREFIX_*."),
            "session": (
                choice(SessionUse),
                "Whether its own session goes on in a phase, or is fresh in each call.",
            ),
            "fallback": (TEXTS, "Agents that take over in this role, in this order, by name or as command:CMD."),
        },
        blank=lambda _: AgentChoice(),
        names=ROLES,
    ),
    "prices": Named(
        keys={
            "input": (PRICE, "Dollars for a million tokens that a model of this name reads."),
            "output": (PRICE, "Dollars for a million tokens that it writes."),
            "cached": (PRICE, "Dollars for a million tokens that come from a cache; as input where not given."),
        },
        blank=lambda _: Price(),
        pattern=MODEL,
    ),
}
# a group that may be given as one value
SHORT = {"sandbox": "sandbox.kind"}


def _keys() -> Iterator[Key]:
    for name, (kind, doc) in _PLAIN.items():
        yield Key(name=name, kind=kind, doc=doc, at=tuple(name.split(".")))
    for phase in Phase:
        for count, doc in _THRESHOLDS.items():
            at = ("breaker", "thresholds", phase, count)
            yield Key(name=f"breaker.{phase}.{count}", kind=whole(1), doc=doc.format(phase), at=at)
    for phase in Phase:
        for measure, (kind, doc) in _BUDGETS.items():
            name = f"budget.{phase}.{measure}"
            yield Key(name=name, kind=kind, doc=doc.format(phase), at=("budget", phase, measure))


KEYS = {key.name: key for key in _keys()}
GROUPS = {name.rsplit(".", depth)[0] for name in KEYS for depth in range(1, name.count(".") + 1)} | set(NAMED)


def find_key(name: str) -> Key | None:
    """The key of a name, those in tables with names of their own too."""
    group, _, rest = name.partition(".")
    if group not in NAMED:
        return KEYS.get(SHORT.get(name, name))
    table, _, last = rest.rpartition(".")
    if not NAMED[group].has(table) or last not in NAMED[group].keys:
        return None
    kind, doc = NAMED[group].keys[last]
    return Key(name=name, kind=kind, doc=doc, at=(group, table, last))


def is_group(name: str) -> bool:
    group, _, table = name.partition(".")
    return name in GROUPS or (group in NAMED and NAMED[group].has(table))


def nearest(name: str) -> str | None:
    """The name that was probably meant, whatever its case."""
    group, _, rest = name.partition(".")
    known = [*KEYS, *GROUPS]
    if group in NAMED:
        table = rest.rpartition(".")[0]
        known += [f"{group}.{table}.{last}" for last in NAMED[group].keys] if NAMED[group].has(table) else []
        known += [f"{group}.{one}" for one in NAMED[group].names or ()]
    by_lower = {other.lower(): other for other in known}
    found = get_close_matches(name.lower(), by_lower, n=1, cutoff=0.75)
    return by_lower[found[0]] if found else None


def value_at(settings: Settings, key: Key) -> Any:
    node: Any = settings
    for step in key.at:
        node = node[step] if isinstance(node, Mapping) else getattr(node, step)
    return node


def with_value(settings: Settings, key: Key, value: Any) -> Settings:
    group = key.at[0]
    if group in NAMED and (table := key.at[1]) not in (tables := getattr(settings, group)):
        settings = _put(settings, (group,), {**tables, table: NAMED[group].blank(table)})
    changed = _put(settings, key.at, value)
    assert isinstance(changed, Settings)
    return changed


def _put(node: Any, way: tuple[str, ...], value: Any) -> Any:
    if not way:
        return value
    step, rest = way[0], way[1:]
    if isinstance(node, Mapping):
        return {**node, step: _put(node[step], rest, value)}
    return replace(node, **{step: _put(getattr(node, step), rest, value)})
