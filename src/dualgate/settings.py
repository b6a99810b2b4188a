"""Settings: defaults < environment < flags, and each value knows where it came from."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any

from dualgate.errors import SettingError

PREFIX = "DUALGATE_"


class Source(StrEnum):
    """Later ones win."""

    DEFAULT = "default"
    ENVIRONMENT = "environment"
    FLAG = "flag"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    agent: str | None = None
    """The agent to ask, by name; what follows a colon is for the agent (`rehearsal:script.toml`)."""
    agent_command: str | None = None
    """Any program as the agent: prompt on standard input, answer on standard output."""
    test_command: str | None = None
    """How to run the tests; found out by itself where not given."""
    max_iterations: int = 100
    """Iterations in one phase before the run halts."""
    agent_timeout: float = 3600.0
    """Seconds one call of the agent may take."""
    test_timeout: float = 1800.0
    """Seconds one run of the tests may take."""
    retry_delay: float = 5.0
    """Seconds before a failed call is made again; doubled with each failure in a row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sourced:
    """Settings, and for each name where its value came from."""

    settings: Settings
    sources: Mapping[str, Source]


# name -> how it is read, and the least it may be
NUMBERS: dict[str, tuple[type[int] | type[float], float]] = {
    "max_iterations": (int, 1),
    "agent_timeout": (float, 1),
    "test_timeout": (float, 1),
    "retry_delay": (float, 0),
}


def resolve(environment: Mapping[str, str], flags: Mapping[str, Any]) -> Sourced:
    names = [field.name for field in fields(Settings)]
    sources = dict.fromkeys(names, Source.DEFAULT)
    values: dict[str, Any] = {}
    for name in names:
        variable = f"{PREFIX}{name.upper()}"
        if variable in environment:
            values[name] = _read(name, environment[variable], variable)
            sources[name] = Source.ENVIRONMENT
        if flags.get(name) is not None:
            values[name] = flags[name]
            sources[name] = Source.FLAG
    for one, other in (("agent", "agent_command"), ("agent_command", "agent")):
        if sources[one] is Source.FLAG and sources[other] is Source.ENVIRONMENT:
            values[other], sources[other] = None, Source.DEFAULT
    return Sourced(settings=Settings(**values), sources=sources)


def _read(name: str, text: str, where: str) -> Any:
    if name not in NUMBERS:
        return text
    reader, least = NUMBERS[name]
    try:
        value = reader(text)
    except ValueError:
        value = float("nan")
    if not least <= value < float("inf"):
        raise SettingError(
            f"{where} is '{text}', which is no number from {least} on.", f"Set it to one, or unset {where}."
        )
    return value
