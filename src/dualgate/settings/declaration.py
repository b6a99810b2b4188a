"""Every setting, declared once: its type, default, what is legal, what it is for, and its flag.

The rest is made from this: the names in files, the variables, the flags and their help, `dualgate config`, the limits
of a run, `replay --what-if`, and the tables in docs/configuration.md (`tools/draw_settings.py`).
"""

from collections.abc import Mapping
from types import ModuleType
from typing import TYPE_CHECKING, Any

from dualgate.core.values.vocabulary import (
    Amend,
    OnQuestion,
    Phase,
    ReportUse,
    RunnerName,
    SandboxKind,
    SessionUse,
    TickedBy,
    Workflow,
)
from dualgate.settings.declaring import VALUE, Group, Key, by_phase, group, key, keys_of, named
from dualgate.settings.kinds import (
    ALLOWED,
    AMOUNT,
    COMMAND,
    FLAG,
    PRICE,
    SENSITIVITY,
    SIZE_OF_FILE,
    TEXT,
    TEXTS,
    Kind,
    choice,
    duration,
    optional,
    whole,
)

if TYPE_CHECKING:
    from dualgate.core.values.limits import PhaseBudget, Price, Thresholds
    from dualgate.core.values.suite import Services, Suite

COUNT, DOLLARS, TIME_OR_OFF = optional(whole(1)), optional(AMOUNT), optional(duration(1))


def _limits() -> ModuleType:
    """Imported only when settings are made, so that help starts fast."""
    from dualgate.core.values import limits

    return limits


def _suites() -> ModuleType:
    from dualgate.core.values import suite

    return suite


class Spec(Group):
    criteria_headings: tuple[str, ...] = key(
        (), TEXTS, "More words for headings that mean acceptance criteria, such as those of other languages."
    )


class Guard(Group):
    """Globs, seen from the project's root."""

    frozen: tuple[str, ...] = key((), TEXTS, "Globs of files that are frozen besides the tests.")
    allowed: tuple[str, ...] = key((), TEXTS, "Globs of files that may change in spite of the guard.")
    outputs: tuple[str, ...] = key((), TEXTS, "Globs of files that test runs write.")


class TaskListUse(Group):
    """The task list of ralph. A single value is its file."""

    file: str | None = key(
        None, TEXT, "The task list of ralph: tick boxes or a prd.json; found where not given.", flag="--plan FILE"
    )
    tick: TickedBy = key(
        TickedBy.AGENT,
        choice(TickedBy),
        "Who ticks a finished task: the agent, or dualgate once new tests pass for it.",
    )


class Snapshots(Group):
    keep_days: int = key(30, whole(0), "Days for which snapshots are kept.")
    keep_last: int = key(50, whole(0), "Snapshots that are kept whatever their age, the newest first.")
    largest_kept: int = key(64 << 20, SIZE_OF_FILE, "The largest file that a snapshot keeps.")


class Sessions(Group):
    keep_calls: int = key(
        512 << 20, SIZE_OF_FILE, "Size of the prompts and answers of one session; the oldest give way."
    )
    keep_days: int = key(90, whole(0), "Days for which finished sessions stay in the archive.")
    keep_last: int = key(20, whole(0), "Archived sessions that are kept whatever their age, the newest first.")


class MemoryUse(Group):
    enabled: bool = key(
        True,
        FLAG,
        "Whether a run recalls what earlier runs of the project showed, and remembers what it shows.",
        flag="--no-memory",
        help="Recall nothing of earlier runs, and remember nothing of this one.",
    )
    other_projects: bool = key(False, FLAG, "Whether what runs of your other projects showed is recalled too.")
    budget: int = key(2000, whole(0), "Characters of memory in one prompt.")
    keep: int = key(500, whole(1), "Entries that are kept of one project; the oldest give way.")


class Sandbox(Group):
    """Paths may begin with ~; others are seen from the project's root."""

    kind: SandboxKind = key(
        SandboxKind.AUTO,
        choice(SandboxKind),
        "Where agent and tests run: in bubblewrap, as you do (none), or the former where it works (auto).",
        flag="--sandbox",
    )
    network: bool = key(True, FLAG, "Whether they reach the network there; an agent needs it for its model.")
    hosts: tuple[str, ...] = key(
        (), TEXTS, "The only hosts that they reach there, through a proxy; `model` means those of the agents."
    )
    writable: tuple[str, ...] = key((), TEXTS, "Files and folders that they may write there besides the project.")
    hidden: tuple[str, ...] = key(
        (), TEXTS, "Files and folders that they see empty there, besides keys and logins at home."
    )


class VerifyPolicy(Group):
    """How `dualgate verify` judges a change. It is read from the base, so that a change cannot relax it."""

    base: str | None = key(
        None, TEXT, "The ref that `dualgate verify` compares with, by its merge-base; the main branch where not given."
    )
    budget: float | None = key(
        None, TIME_OR_OFF, "Time that `dualgate verify` may take; steps that do not fit leave the change not proven."
    )
    allow: tuple[str, ...] = key((), ALLOWED, "Findings of `dualgate verify` that are accepted, each as `ID: reason`.")


class Breaker(Group):
    cooldown: float | None = key(
        None, TIME_OR_OFF, "Time after which an open breaker allows one trial iteration.", decides=True
    )
    thresholds: "Mapping[Phase, Thresholds]" = by_phase(
        lambda: dict(_limits().THRESHOLDS),
        is_named=False,
        no_progress=Key(whole(1), "Iterations in a row without measured progress that halt {}.", decides=True),
        same_error=Key(whole(1), "Iterations in a row with the same error that halt {}.", decides=True),
    )


class AgentChoice(Group):
    """The agent of one role."""

    agent: str | None = key(None, TEXT, "The agent of this role, by name.")
    command: str | None = key(None, TEXT, "Any program as the agent of this role.")
    model: str | None = key(None, TEXT, "The model that it is told to use.")
    args: tuple[str, ...] = key((), TEXTS, "Further words for its command line.")
    env: tuple[str, ...] = key(
        (), TEXTS, "Variables it may see besides those it is known to need, by name or as PREFIX_*."
    )
    session: SessionUse | None = key(
        None, choice(SessionUse), "Whether its own session goes on in a phase, or is fresh in each call."
    )
    fallback: tuple[str, ...] = key(
        (), TEXTS, "Agents that take over in this role, in this order, by name or as command:CMD."
    )


def _budget(kind: Kind[Any], doc: str) -> Key:
    text = "Calls, tokens or cost of one phase: GREEN.tokens=200000."
    return Key(kind, doc, flag="--budget PHASE.WHAT=N", help=text, decides=True, is_budget=True)


class Settings(Group):
    workflow: Workflow | None = key(
        None,
        choice(Workflow),
        "Five phases (tdd) or one (ralph); where not given, tdd if the document has criteria, else ralph.",
        flag="--workflow",
    )
    plan: TaskListUse = group(TaskListUse, short="file")
    agent: str | None = key(
        None, TEXT, "The agent to ask, by name (dualgate agents); what follows a colon is for it.", flag="--agent NAME"
    )
    agent_command: str | None = key(
        None, TEXT, "Any program as the agent: prompt on stdin, answer on stdout.", flag="--agent-command CMD"
    )
    model: str | None = key(
        None, TEXT, "The model that the agent is told to use; its own where not given.", flag="--model NAME"
    )
    qa_agent: str | None = key(
        None, TEXT, "The agent that reviews, by name; another model than the author's.", flag="--qa-agent NAME"
    )
    qa_agent_command: str | None = key(None, TEXT, "Any program as the reviewer.", flag="--qa-agent-command CMD")
    fallback: tuple[str, ...] = key(
        (), TEXTS, "Agents that take over, in this order, by name or as command:CMD.", flag="--fallback NAME"
    )
    test_command: str | None = key(
        None, TEXT, "How to run the tests; found out where not given.", flag="--test-command CMD"
    )
    runner: RunnerName | None = key(
        None, choice(RunnerName), "How test_command reports; by its words where not given.", flag="--runner NAME"
    )
    setup: tuple[str, ...] = key((), COMMAND, "Run before the first test run, and again when a lock file changes.")
    max_iterations: int = key(
        100, whole(1), "Iterations in one phase before the run halts.", flag="--max-iterations N", decides=True
    )
    max_duration: float | None = key(
        None,
        TIME_OR_OFF,
        "Time a run may take, without pauses, before it halts.",
        flag="--max-duration, --max-runtime TIME",
        budget=True,
    )
    timeout: float = key(3600.0, duration(1), "Time one call of the agent may take.", flag="--timeout TIME")
    idle_timeout: float | None = key(
        600.0, TIME_OR_OFF, "Time without output or work after which a call is ended.", flag="--idle-timeout TIME"
    )
    test_timeout: float = key(1800.0, duration(1), "Time one run of the tests may take.", flag="--test-timeout TIME")
    slow_suite: float = key(
        600.0, duration(), "Above this, one full run and repeated new tests decide instead of two full runs."
    )
    sensitivity: str = key(
        "report",
        SENSITIVITY,
        "Whether tests must notice broken code: report, off, or the share of probes to kill.",
        flag="--sensitivity WHAT",
        decides=True,
    )
    sensitivity_time: float | None = key(
        None,
        TIME_OR_OFF,
        "Time that all probes of a tree may take; off: a minute, or twice a run of the tests.",
    )
    prompt_tokens: int = key(
        48_000, whole(1_000), "Tokens of a prompt, by an estimate; its least important parts are left out above that."
    )
    retry_delay: float = key(
        5.0,
        duration(),
        "Time before a failed call is made again; doubled with each failure in a row.",
        flag="--retry-delay TIME",
    )
    wait: bool = key(
        True,
        FLAG,
        "Whether a usage or rate limit, or a full hour, is waited for; else it ends the run.",
        flag="--no-wait",
        help="End instead of waiting: exit code 5 at a limit of the agent, 3 at one of calls or tokens in an hour.",
        decides=True,
    )
    on_question: OnQuestion = key(
        OnQuestion.ASSUME,
        choice(OnQuestion),
        "Whether an agent that asks is told to assume, or the run halts.",
        flag="--on-question",
        decides=True,
    )
    amend: Amend = key(Amend.REVIEW, choice(Amend), "Who approves the change of a test that is wrong.", flag="--amend")
    amendments: int = key(3, whole(0), "Tests that may be amended in one session.")
    documents: int = key(3, whole(0), "Documents about the change that DOCUMENT needs.", decides=True)
    adr_required: bool = key(True, FLAG, "Whether one of the documents must be a decision record.", decides=True)
    qa_returns: int = key(3, whole(0), "How often QA may send the work back before the run halts.", decides=True)
    max_calls_per_hour: int | None = key(
        None,
        COUNT,
        "Calls of the agent in an hour; then the next call waits.",
        flag="--max-calls-per-hour, --calls N",
        budget=True,
    )
    max_tokens_per_hour: int | None = key(
        None, COUNT, "Tokens used in an hour; then the next call waits.", flag="--max-tokens-per-hour N", budget=True
    )
    max_tokens: int | None = key(
        None, COUNT, "Tokens a run may use, read and written, before it halts.", flag="--max-tokens N", budget=True
    )
    max_cost: float | None = key(
        None, DOLLARS, "Dollars a run may cost before it halts.", flag="--max-cost DOLLARS", budget=True
    )
    report: ReportUse = key(
        ReportUse.HTML,
        choice(ReportUse),
        "The report that a run writes at its end into the session folder: html, md, all, or off.",
        flag="--report",
    )
    spec: Spec = group(Spec)
    guard: Guard = group(Guard)
    snapshots: Snapshots = group(Snapshots)
    sessions: Sessions = group(Sessions)
    memory: MemoryUse = group(MemoryUse, short="enabled")
    sandbox: Sandbox = group(Sandbox, short="kind")
    env: "Services" = group(
        lambda: _suites().Services(),
        up=Key(TEXT, "Starts what the tests need running beside them."),
        health=Key(TEXT, "Ends with 0 when that is ready."),
        down=Key(TEXT, "Takes it down at the end."),
        patience=Key(duration(), "Time within which it must be ready."),
    )
    breaker: Breaker = group(Breaker)
    verify: VerifyPolicy = group(VerifyPolicy)
    budget: "Mapping[Phase, PhaseBudget]" = by_phase(
        lambda: {phase: _limits().PhaseBudget() for phase in Phase},
        calls=_budget(COUNT, "Calls of the agent that {} may take, all visits together."),
        tokens=_budget(COUNT, "Tokens that {} may use, all visits together."),
        cost=_budget(DOLLARS, "Dollars that {} may cost, all visits together."),
    )
    suites: "Mapping[str, Suite]" = named(
        lambda name: _suites().Suite(name=name, command=(), runner="", reason="given"),
        {
            "command": Key(COMMAND, "How the suite is run."),
            "folder": Key(TEXT, "Where it is run, seen from the project's root."),
            "runner": Key(TEXT, "How its report is read."),
            "report": Key(TEXT, "Where it leaves its report, for runners that read a file."),
            "timeout": Key(duration(1), "Time one run of it may take."),
            "required": Key(FLAG, "Whether no run can be trusted without it."),
            "setup": Key(COMMAND, "Run before its first run, and again when a lock file changes."),
        },
    )
    checks: Mapping[str, str] = named(
        lambda _: "",
        {VALUE: Key(TEXT, "A command that is run before any work and before each review, such as a linter.")},
    )
    agents: Mapping[str, AgentChoice] = named(
        lambda _: AgentChoice(),
        {each.name: each for each in keys_of(AgentChoice.parts)},
        names=("default", *(phase.lower() for phase in Phase)),
    )
    prices: "Mapping[str, Price]" = named(
        lambda _: _limits().Price(),
        {
            "input": Key(PRICE, "Dollars for a million tokens that a model of this name reads."),
            "output": Key(PRICE, "Dollars for a million tokens that it writes."),
            "cached": Key(PRICE, "Dollars for a million tokens that come from a cache; as input where not given."),
        },
        pattern=r"[\w./:@*?+-]+",
    )
