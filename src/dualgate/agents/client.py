"""The description of an agent's CLI: how to call it without a terminal, its variables and its login."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path

from dualgate.agents.formats import OutputFormat
from dualgate.core.values.answer import Answer, Trouble


@dataclass(frozen=True, slots=True, kw_only=True)
class Errand:
    """The options of one call, from which its command line is made."""

    may_edit: bool
    """False for a reviewer, who only reads."""
    may_run: bool = True
    """False in DOCUMENT and QA, which need no shell."""
    model: str | None = None
    session: str | None = None
    """The CLI's own session to continue; None starts a new one."""
    args: tuple[str, ...] = ()
    """The user's own arguments; they replace ours with the same meaning."""

    def unless_given(self, flag: str, value: str | None, *others: str) -> tuple[str, ...]:
        """A flag and its value, unless the user gave the flag: most CLIs refuse a repeated flag."""
        given = {word.partition("=")[0] for word in self.args}
        return () if value is None or not given.isdisjoint((flag, *others)) else (flag, value)

    def given(self, *flags: str) -> str | None:
        """The last value that the user gave a flag, by any of its names; empty if the flag has no value."""
        value = None
        for word, behind in zip_longest(self.args, self.args[1:], fillvalue=""):
            flag, sign, joined = word.partition("=")
            if flag in flags:
                value = joined if sign else "" if behind.startswith("-") else behind
        return value


@dataclass(frozen=True, slots=True, kw_only=True)
class LoginFile:
    """The file of a login: in the folder that a variable names, otherwise below the home folder."""

    variable: str
    folder: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DefaultSettings:
    """The variable that names a file of settings below those of the user, and the places of the machine's own."""

    variable: str
    installed: tuple[str, ...]


def _sets_nothing(errand: Errand) -> Mapping[str, str]:
    del errand
    return {}


def _tells_all(answer: Answer, folder: Path) -> Answer:
    del folder
    return answer


def _never(errand: Errand, environment: Mapping[str, str], is_root: bool) -> str:
    del errand, environment, is_root
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    output: OutputFormat
    program: str
    package: str
    """The npm package of the program."""
    words: Callable[[Errand], tuple[str, ...]]
    """The arguments of the program: prompt on standard input, events on standard output, no questions."""
    variables: tuple[str, ...]
    """Environment variables that the CLI needs, by name or as `PREFIX_*`."""
    keys: tuple[str, ...]
    """Variables that may contain a login; the CLI sees them too."""
    logins: tuple[LoginFile, ...]
    log_in: str
    hosts: tuple[str, ...] = ()
    """The hosts of its own provider: the model and the login."""
    addresses: tuple[str, ...] = ()
    """Variables with the address of another model."""
    settings: tuple[LoginFile, ...] = ()
    """Its own settings, which may name a key or a program that gives one."""
    defaults: DefaultSettings | None = None
    """How to give it settings that it has no flag for; they are in `defaults/`, by its name."""
    has_free_models: bool = False
    """Whether some of its models need no login."""
    withheld: frozenset[str] = frozenset()
    """Variables that the CLI must not see although a prefix allows them."""
    at_home: tuple[str, ...] = ()
    """Other paths that the CLI writes in the home folder, beside the folders of its logins."""
    variables_when: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Variable -> further variables that the CLI needs if that one is set."""
    sets: Callable[[Errand], Mapping[str, str]] = _sets_nothing
    """Variables that are set for the CLI, unless the user has set them."""
    hampered: Callable[[Errand, Mapping[str, str], bool], str] = _never
    """Why the user's arguments or variables prevent a call; empty if they do not."""
    hints: Mapping[Trouble, str] = field(default_factory=dict)
    """Kind of failure -> how to fix it."""
    completed: Callable[[Answer, Path], Answer] = _tells_all
    """Adds facts to an answer that only the program's own records contain, in the first of its folders."""
    attempts: Callable[[str], Iterable[str]] | None = None
    """The errors of its attempts in its log, oldest first; None if it ends soon by itself at a limit."""
    logs: str = ""
    """The folder, in the first of its folders, with a log for each session; empty: it logs on standard error."""
    usage_adds_up: bool = False
    """Whether it reports the tokens of the whole session, not of the call."""
    tells_cost: bool = False
    """Whether it reports the cost of a call; all CLIs report tokens."""
    tells_limit_use: bool = False
    """Whether it reports how much of a usage limit is used."""
    keychain: bool = False
    """Whether its login may be in the macOS keychain, which we do not read."""
    smallest_call: int = 0
    """Tokens that the smallest call may use, from the size of recorded requests."""

    def folders(self, environment: Mapping[str, str]) -> tuple[Path, ...]:
        """The paths that the CLI writes: the folders of its logins, then its other paths in the home folder."""
        home = Path(environment.get("HOME") or Path.home())
        logins = (Path(environment.get(each.variable) or home / each.folder, each.name).parent for each in self.logins)
        return tuple(dict.fromkeys((*logins, *(home / name for name in self.at_home))))

    @property
    def name(self) -> str:
        return self.output.name

    @property
    def install(self) -> str:
        return f"npm install -g {self.package}"
