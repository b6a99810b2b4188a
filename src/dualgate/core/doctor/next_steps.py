"""The files of a folder -> the one or two commands that come next there."""

from collections.abc import Callable
from dataclasses import dataclass

from dualgate.core.values.vocabulary import Login, PauseReason, Status


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentFound:
    """An agent whose program is on the PATH."""

    name: str
    login: Login | None = None
    """None if nobody looked, since no step depends on it."""
    log_in: str = ""
    """How to log in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionFound:
    """The session of a folder. `is_alive` says whether a run is at work."""

    status: Status
    is_alive: bool
    phase: str
    iteration: int
    spec: str
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """The content of a folder, as its files show."""

    is_repository: bool = False
    tests: tuple[str, ...] = ()
    """The suites by name."""
    settings: str = ""
    """The file with the settings of the project."""
    broken_settings: str = ""
    """Why the settings cannot be read."""
    chosen_agent: str = ""
    """The agent that the settings name."""
    specification: str = ""
    agents: tuple[AgentFound, ...] = ()
    session: SessionFound | None = None
    has_demo: bool = False

    @property
    def is_project(self) -> bool:
        return bool(self.is_repository or self.tests or self.settings or self.specification)

    @property
    def agent(self) -> AgentFound | None:
        """The agent to propose: the chosen one if it is found, else one with a login, else any."""
        chosen = self.chosen_agent.partition(":")[0]
        fitting = [each for each in self.agents if not chosen or each.name == chosen]
        return min(fitting, key=lambda each: each.login is Login.NOT_FOUND, default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    command: str
    why: str


WATCH = Step(command="dualgate status --watch", why="watch the run")
STATUS = Step(command="dualgate status", why="show the result")
WHY = Step(command="dualgate status", why="show why, and every way on")
PAUSE = Step(command="dualgate pause", why="pause it after its iteration")
RESUME = Step(command="dualgate resume", why="continue from the last finished step")
APPROVE = Step(command="dualgate approve", why="approve the finished work, and complete the session")
REJECT = Step(command="dualgate reject 'REASON'", why="send it back with your reason")
RESET = Step(command="dualgate resume --reset", why="continue after a fix; --guidance TEXT tells the agent more")
DEMO = Step(command="dualgate demo", why="watch a whole run on a small project, without a key")
HELP = Step(command="dualgate --help", why="list all commands")
INIT = Step(command="dualgate init", why="propose settings and write dualgate.toml")
NEW = Step(command="dualgate new 'TITLE'", why="write a specification to fill in")
NEXT = Step(command="dualgate new 'TITLE'", why="write the next specification")
VERIFY = Step(command="dualgate verify", why="verify your change by its tests, without an agent")
LIST_TESTS = Step(command="dualgate tests --list", why="show where dualgate looks for tests, and what is missing")
AGENTS = Step(command="dualgate agents", why="show how to install an agent")


def next_steps(seen: Situation) -> tuple[Step, ...]:
    """The commands that come next, the most useful first; at most two."""
    if seen.session is not None:
        return _of_session(seen.session)
    if not seen.is_project:
        return (DEMO, HELP) if seen.has_demo else (HELP,)
    return next(steps(seen) for applies, steps in _RULES if applies(seen))


def _of_session(session: SessionFound) -> tuple[Step, ...]:
    if session.is_alive:
        return WATCH, PAUSE
    match session.status:
        case Status.PAUSED if session.reason == PauseReason.APPROVAL:
            return APPROVE, REJECT
        case Status.RUNNING | Status.PAUSED:
            return RESUME, STATUS
        case Status.HALTED:
            return WHY, RESET
        case Status.COMPLETED:
            return STATUS, NEXT


def _with_specification(seen: Situation) -> tuple[Step, ...]:
    check = Step(command=f"dualgate check {seen.specification}", why="show how it is read, and its problems")
    agent = seen.agent
    if agent is None and not seen.chosen_agent:
        return check, AGENTS
    if agent is not None and agent.login is Login.NOT_FOUND:
        return check, Step(command="dualgate agents", why=f"log in to {agent.name}: {agent.log_in}")
    flag = f" --agent {agent.name}" if agent is not None and not seen.chosen_agent else ""
    run = Step(command=f"dualgate run {seen.specification}{flag}", why="let the agent work until it is proven")
    return check, run


CONFIG = Step(command="dualgate config", why="show what is wrong with the settings")

Rule = tuple[Callable[[Situation], bool], Callable[[Situation], tuple[Step, ...]]]
# the first rule that applies decides
_RULES: tuple[Rule, ...] = (
    (lambda seen: bool(seen.broken_settings), lambda _: (CONFIG,)),
    (lambda seen: bool(seen.specification), _with_specification),
    (lambda seen: not seen.tests, lambda seen: (LIST_TESTS, NEW if seen.settings else INIT)),
    (lambda seen: seen.is_repository, lambda seen: (VERIFY, NEW if seen.settings else INIT)),
    (lambda _: True, lambda seen: (NEW if seen.settings else INIT,)),
)
