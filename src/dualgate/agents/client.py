"""What is known of one agent's CLI: how it is called without a terminal, what it may see, and how one logs in."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path

from dualgate.agents.formats import OutputFormat
from dualgate.core.values.answer import Answer, Trouble


@dataclass(frozen=True, slots=True, kw_only=True)
class Errand:
    """What a command line is made for."""

    may_edit: bool
    """A reviewer reads only."""
    model: str | None = None
    session: str | None = None
    """The CLI's own session to continue; None begins one."""
    args: tuple[str, ...] = ()
    """The user's own words, which stand in place of ours where they say the same thing."""

    def unless_given(self, flag: str, value: str | None, *others: str) -> tuple[str, ...]:
        """A flag and its value, but not where the user gave it: most CLIs refuse a flag that stands there twice."""
        given = {word.partition("=")[0] for word in self.args}
        return () if value is None or not given.isdisjoint((flag, *others)) else (flag, value)

    def given(self, *flags: str) -> str | None:
        """The value that the user gave a flag by any of its names, the last one; empty where it has none."""
        value = None
        for word, behind in zip_longest(self.args, self.args[1:], fillvalue=""):
            flag, sign, joined = word.partition("=")
            if flag in flags:
                value = joined if sign else "" if behind.startswith("-") else behind
        return value


@dataclass(frozen=True, slots=True, kw_only=True)
class LoginFile:
    """Where a login is kept: under the folder that a variable names, else under the home folder."""

    variable: str
    folder: str
    name: str


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
    """What npm installs it from."""
    words: Callable[[Errand], tuple[str, ...]]
    """The command line behind the program: prompt on standard input, events on standard output, no question asked."""
    variables: tuple[str, ...]
    """What of the environment it needs, by name or as `PREFIX_*`."""
    keys: tuple[str, ...]
    """Variables any of which may be a login; it sees them too."""
    logins: tuple[LoginFile, ...]
    log_in: str
    withheld: frozenset[str] = frozenset()
    """What it must not see although a prefix lets it through."""
    at_home: tuple[str, ...] = ()
    """What else it writes in the home folder, besides the folders of its logins."""
    variables_when: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """What else it needs where a variable is set."""
    sets: Callable[[Errand], Mapping[str, str]] = _sets_nothing
    """Variables it is given, unless the user has set them."""
    hampered: Callable[[Errand, Mapping[str, str], bool], str] = _never
    """Why it could not do an errand with what the user's words and variables allow; empty where it can."""
    hints: Mapping[Trouble, str] = field(default_factory=dict)
    """What mends a failure."""
    completed: Callable[[Answer, Path], Answer] = _tells_all
    """An answer with what only the program's own records tell, which lie in the first of its folders."""
    usage_adds_up: bool = False
    """Whether the tokens it tells of are those of the whole session, not of the call."""
    tells_cost: bool = False
    """Whether it says what a call cost; all of them tell tokens."""
    keychain: bool = False
    """Whether macOS keeps its login where we do not look."""
    smallest_call: int = 0
    """Tokens that the smallest call may use, by the size of the requests it was seen to make."""

    def folders(self, environment: Mapping[str, str]) -> tuple[Path, ...]:
        """Where it keeps what it knows: the folders of its logins, and what else it writes at home."""
        home = Path(environment.get("HOME") or Path.home())
        logins = (Path(environment.get(each.variable) or home / each.folder, each.name).parent for each in self.logins)
        return tuple(dict.fromkeys((*logins, *(home / name for name in self.at_home))))

    @property
    def name(self) -> str:
        return self.output.name

    @property
    def install(self) -> str:
        return f"npm install -g {self.package}"
