"""Every setting, declared once: its type, default, what is legal, what it is for, and its flag.

The rest is made from this: the names in files, the variables, the flags and their help, `dualgate config`, the limits
of a run, `replay --what-if`, and the tables in docs/configuration.md (`tools/draw_settings.py`).
"""

from collections.abc import Mapping
from types import ModuleType
from typing import TYPE_CHECKING, Any

from dualgate.core.values.vocabulary import (
    Amend,
    Approve,
    OnQuestion,
    Phase,
    ReportUse,
    RunnerName,
    SandboxKind,
    SessionUse,
    TickedBy,
    Workflow,
)
from dualgate.settings.committing import Commits, PullRequests
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
from dualgate.settings.notices import LifecycleHooks, Notifications, Telemetry

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
        (), TEXTS, "More headings that mean acceptance criteria, for example in other languages."
    )


class Guard(Group):
    """Globs, relative to the project's root."""

    frozen: tuple[str, ...] = key((), TEXTS, "Globs of files that are frozen besides the tests.")
    allowed: tuple[str, ...] = key((), TEXTS, "Globs of files that may always change.")
    outputs: tuple[str, ...] = key((), TEXTS, "Globs of files that test runs write.")


class TaskListUse(Group):
    """The task list of ralph. A single value is its file."""

    file: str | None = key(
        None,
        TEXT,
        "The task list of ralph: tick boxes or a prd.json. Default: found in the project.",
        flag="--plan FILE",
    )
    tick: TickedBy = key(
        TickedBy.AGENT,
        choice(TickedBy),
        "Who ticks a finished task: the agent, or dualgate once new tests pass for it.",
    )


class Snapshots(Group):
    keep_days: int = key(30, whole(0), "Days that snapshots are kept.")
    keep_last: int = key(50, whole(0), "Number of newest snapshots that are kept at any age.")
    largest_kept: int = key(64 << 20, SIZE_OF_FILE, "The largest file that a snapshot keeps.")


class QueueUse(Group):
    """For all jobs of one `dualgate queue run` together."""

    jobs: int = key(1, whole(1), "How many jobs of the queue run at once.")
    max_cost: float | None = key(None, DOLLARS, "Pause all jobs when they have cost this many dollars.")
    max_calls: int | None = key(None, COUNT, "Pause all jobs after this many agent calls.")
    max_tokens: int | None = key(None, COUNT, "Pause all jobs after this many tokens, input and output.")
    max_duration: float | None = key(None, TIME_OR_OFF, "Pause all jobs after this time.")
    between: str | None = key(None, TEXT, "Hours of the day in which jobs may run, such as 22:00-07:00.")
    reserve: str | None = key(
        None, TEXT, "Part of hourly limits and of limits that agents report kept for you: 20%, 10 calls, 50000 tokens."
    )


class Sessions(Group):
    keep_calls: int = key(
        512 << 20, SIZE_OF_FILE, "Largest size of one session's prompts and answers; the oldest are deleted."
    )
    keep_days: int = key(90, whole(0), "Days that finished sessions stay in the archive.")
    keep_last: int = key(20, whole(0), "Number of newest archived sessions that are kept at any age.")


class MemoryUse(Group):
    enabled: bool = key(
        True,
        FLAG,
        "Whether a run uses the memory of earlier runs, and adds to it.",
        flag="--no-memory",
        help="Do not use the memory of earlier runs, and do not add to it.",
    )
    other_projects: bool = key(False, FLAG, "Whether a run also uses the memory of your other projects.")
    budget: int = key(2000, whole(0), "Characters of memory in one prompt.")
    keep: int = key(500, whole(1), "Most entries kept for one project; the oldest are deleted.")


class Sandbox(Group):
    """Paths may begin with ~; others are relative to the project's root."""

    kind: SandboxKind = key(
        SandboxKind.AUTO,
        choice(SandboxKind),
        "Where agent and tests run: bwrap (bubblewrap), none (no sandbox), or auto (bwrap where it works).",
        flag="--sandbox",
    )
    network: bool = key(True, FLAG, "Whether the sandbox has network; an agent needs it for its model.")
    hosts: tuple[str, ...] = key(
        (), TEXTS, "The only hosts that the sandbox reaches, through a proxy; `model` means the agents' own hosts."
    )
    writable: tuple[str, ...] = key((), TEXTS, "Files and folders that the sandbox may write, besides the project.")
    hidden: tuple[str, ...] = key(
        (), TEXTS, "Files and folders that look empty in the sandbox, besides keys and logins in your home."
    )


class Worktrees(Group):
    """The worktree of `run --worktree`."""

    folder: str | None = key(
        None, TEXT, "Folder of the worktrees, relative to the repository. Default: `../REPOSITORY.worktrees`."
    )
    copy: tuple[str, ...] = key(
        (), TEXTS, "Globs of untracked files that a worktree gets. Default: small ones: `.env`, local settings."
    )


class VerifyPolicy(Group):
    """How `dualgate verify` judges a change. It is read from the base, so that a change cannot relax it."""

    base: str | None = key(
        None, TEXT, "The ref that `dualgate verify` compares with, by merge-base. Default: the main branch."
    )
    budget: float | None = key(
        None, TIME_OR_OFF, "Time limit of `dualgate verify`; if a step is left out, the change is not proven."
    )
    allow: tuple[str, ...] = key((), ALLOWED, "Accepted findings of `dualgate verify`, each as `ID: reason`.")


class Escalation(Group):
    """Models and agents that take over in a phase without progress, before it halts: each in order, once."""

    models: tuple[str, ...] = key(
        (), TEXTS, "Stronger models of the phase's own agent, tried in order.", flag="--escalate-model NAME"
    )
    agents: tuple[str, ...] = key(
        (), TEXTS, "Other agents, tried after the models, by name or as command:CMD.", flag="--escalate-agent NAME"
    )


class Breaker(Group):
    cooldown: float | None = key(
        None, TIME_OR_OFF, "Time after which an open breaker allows one trial iteration.", decides=True
    )
    thresholds: "Mapping[Phase, Thresholds]" = by_phase(
        lambda: dict(_limits().THRESHOLDS),
        is_named=False,
        no_progress=Key(
            whole(1), "Halt {} after this many iterations in a row without measured progress.", decides=True
        ),
        same_error=Key(whole(1), "Halt {} after this many iterations in a row with the same error.", decides=True),
    )


class AgentChoice(Group):
    """The agent of one role."""

    agent: str | None = key(None, TEXT, "The agent of this role, by name.")
    command: str | None = key(None, TEXT, "Any program as the agent of this role.")
    model: str | None = key(None, TEXT, "The model to use.")
    args: tuple[str, ...] = key((), TEXTS, "More arguments for its command line.")
    env: tuple[str, ...] = key((), TEXTS, "More environment variables that it may see, by name or as PREFIX_*.")
    session: SessionUse | None = key(
        None, choice(SessionUse), "Whether its own session continues within a phase, or starts fresh in each call."
    )
    fallback: tuple[str, ...] = key(
        (), TEXTS, "Agents that take over in this role, in order, by name or as command:CMD."
    )


def _budget(kind: Kind[Any], doc: str) -> Key:
    text = "Limit the calls, tokens or cost of one phase: GREEN.tokens=200000."
    return Key(kind, doc, flag="--budget PHASE.WHAT=N", help=text, decides=True, is_budget=True)


class Settings(Group):
    workflow: Workflow | None = key(
        None,
        choice(Workflow),
        "Five phases (tdd) or one (ralph). Default: tdd if the document has criteria.",
        flag="--workflow",
    )
    plan: TaskListUse = group(TaskListUse, short="file")
    agent: str | None = key(
        None, TEXT, "The agent, by name (see: dualgate agents), or NAME:MODEL.", flag="--agent NAME"
    )
    agent_command: str | None = key(
        None,
        TEXT,
        "Any program as the agent: it reads the prompt on stdin and works in this folder.",
        flag="--agent-command CMD",
    )
    model: str | None = key(None, TEXT, "The model to use. Default: the agent's own.", flag="--model NAME")
    qa_agent: str | None = key(
        None, TEXT, "The agent that reviews; best another model than the author's.", flag="--qa-agent NAME"
    )
    qa_agent_command: str | None = key(None, TEXT, "Any program as the reviewer.", flag="--qa-agent-command CMD")
    fallback: tuple[str, ...] = key(
        (), TEXTS, "Agents that take over, in order, by name or as command:CMD.", flag="--fallback NAME"
    )
    test_command: str | None = key(None, TEXT, "How to run the tests. Default: detected.", flag="--test-command CMD")
    runner: RunnerName | None = key(
        None, choice(RunnerName), "The format of the test command's report. Default: detected.", flag="--runner NAME"
    )
    setup: tuple[str, ...] = key(
        (), COMMAND, "Command to run before the first test run, and again when a lock file changes."
    )
    max_iterations: int = key(
        100, whole(1), "Halt after this many iterations in one phase.", flag="--max-iterations N", decides=True
    )
    max_duration: float | None = key(
        None,
        TIME_OR_OFF,
        "Halt after this time, pauses not counted.",
        flag="--max-duration, --max-runtime TIME",
        budget=True,
    )
    timeout: float = key(3600.0, duration(1), "Time limit of one agent call.", flag="--timeout TIME")
    idle_timeout: float | None = key(
        600.0, TIME_OR_OFF, "End a call after this time without output or work.", flag="--idle-timeout TIME"
    )
    test_timeout: float = key(1800.0, duration(1), "Time limit of one test run.", flag="--test-timeout TIME")
    slow_suite: float = key(600.0, duration(), "A suite slower than this runs once; only its new tests run again.")
    sensitivity: str = key(
        "report",
        SENSITIVITY,
        "Whether tests must notice broken code: report, off, or require:N% killed probes.",
        flag="--sensitivity WHAT",
        decides=True,
    )
    sensitivity_time: float | None = key(
        None,
        TIME_OR_OFF,
        "Time limit of all probes of a tree; off: a minute, or twice a test run.",
    )
    prompt_tokens: int = key(
        48_000, whole(1_000), "Largest prompt in estimated tokens; less important parts are left out above it."
    )
    retry_delay: float = key(
        5.0,
        duration(),
        "Wait before a failed call is retried; doubled with each failure in a row.",
        flag="--retry-delay TIME",
    )
    wait: bool = key(
        True,
        FLAG,
        "Whether a run waits for a usage or rate limit; otherwise it ends.",
        flag="--no-wait",
        help="Do not wait for limits: exit code 5 at the agent's limit, 3 at an hourly limit of yours.",
        decides=True,
    )
    on_question: OnQuestion = key(
        OnQuestion.ASSUME,
        choice(OnQuestion),
        "When the agent asks a question: tell it to assume, or halt.",
        flag="--on-question",
        decides=True,
    )
    amend: Amend = key(Amend.REVIEW, choice(Amend), "Who approves a change to a wrong test.", flag="--amend")
    amendments: int = key(3, whole(0), "Most tests that may be amended in one session.")
    approve: Approve = key(Approve.NONE, choice(Approve), "Who approves finished work.", flag="--approve", decides=True)
    documents: int = key(3, whole(0), "Number of documents that DOCUMENT needs.", decides=True)
    adr_required: bool = key(True, FLAG, "Whether one of the documents must be a decision record.", decides=True)
    qa_returns: int = key(3, whole(0), "Halt after QA rejects the work this often.", decides=True)
    max_calls_per_hour: int | None = key(
        None,
        COUNT,
        "Most agent calls in an hour; the next call waits.",
        flag="--max-calls-per-hour, --calls N",
        budget=True,
    )
    max_tokens_per_hour: int | None = key(
        None, COUNT, "Most tokens in an hour; the next call waits.", flag="--max-tokens-per-hour N", budget=True
    )
    max_tokens: int | None = key(
        None, COUNT, "Halt before a run uses more tokens, input and output.", flag="--max-tokens N", budget=True
    )
    max_cost: float | None = key(
        None, DOLLARS, "Halt before a run costs more dollars.", flag="--max-cost DOLLARS", budget=True
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
    queue: QueueUse = group(QueueUse)
    memory: MemoryUse = group(MemoryUse, short="enabled")
    sandbox: Sandbox = group(Sandbox, short="kind")
    env: "Services" = group(
        lambda: _suites().Services(),
        up=Key(TEXT, "Command that starts the services that the tests need."),
        health=Key(TEXT, "Command that exits with 0 when the services are ready."),
        down=Key(TEXT, "Command that stops the services at the end."),
        patience=Key(duration(), "Time within which the services must be ready."),
    )
    breaker: Breaker = group(Breaker)
    escalation: Escalation = group(Escalation)
    verify: VerifyPolicy = group(VerifyPolicy)
    worktree: Worktrees = group(Worktrees)
    notify: Notifications = group(Notifications)
    hooks: LifecycleHooks = group(LifecycleHooks)
    otel: Telemetry = group(Telemetry, short="enabled")
    commit: Commits = group(Commits, short="when")
    pr: PullRequests = group(PullRequests, short="open")
    budget: "Mapping[Phase, PhaseBudget]" = by_phase(
        lambda: {phase: _limits().PhaseBudget() for phase in Phase},
        calls=_budget(COUNT, "Most agent calls in {}, all visits together."),
        tokens=_budget(COUNT, "Most tokens in {}, all visits together."),
        cost=_budget(DOLLARS, "Most dollars for {}, all visits together."),
    )
    suites: "Mapping[str, Suite]" = named(
        lambda name: _suites().Suite(name=name, command=(), runner="", reason="given"),
        {
            "command": Key(COMMAND, "The command that runs the suite."),
            "folder": Key(TEXT, "The folder to run it in, relative to the project."),
            "runner": Key(TEXT, "The format of its report."),
            "report": Key(TEXT, "The file of its report, for formats that are files."),
            "timeout": Key(duration(1), "Time limit of one run of it."),
            "required": Key(FLAG, "Whether a test run without it is not trusted."),
            "setup": Key(COMMAND, "Command to run before its first run, and again when a lock file changes."),
        },
    )
    checks: Mapping[str, str] = named(
        lambda _: "",
        {VALUE: Key(TEXT, "A command that runs before any work and before each review, such as a linter.")},
    )
    agents: Mapping[str, AgentChoice] = named(
        lambda _: AgentChoice(),
        {each.name: each for each in keys_of(AgentChoice.parts)},
        names=("default", *(phase.lower() for phase in Phase)),
    )
    prices: "Mapping[str, Price]" = named(
        lambda _: _limits().Price(),
        {
            "input": Key(PRICE, "Dollars for a million input tokens of this model."),
            "output": Key(PRICE, "Dollars for a million output tokens."),
            "cached": Key(PRICE, "Dollars for a million cached tokens. Default: as input."),
        },
        pattern=r"[\w./:@*?+-]+",
    )
