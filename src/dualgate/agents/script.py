"""TOML -> Script, which the rehearsal agent plays in demos and tests."""

import tomllib
from dataclasses import dataclass, fields
from enum import StrEnum
from pathlib import PurePosixPath
from typing import TypeVar

from dualgate.core.values.answer import Usage
from dualgate.core.values.vocabulary import Phase
from dualgate.errors import ScriptError

T = TypeVar("T", bound=StrEnum)


class Claims(StrEnum):
    """The claim in the status block of a scene."""

    DONE = "done"
    MORE = "more"
    BLOCKED = "blocked"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """The actions and the answer of one call."""

    phase: Phase
    says: str = ""
    claims: Claims = Claims.DONE
    recommendation: str = "done"
    write: tuple[tuple[str, str], ...] = ()
    delete: tuple[str, ...] = ()
    run: tuple[str, ...] = ()
    exit_code: int = 0
    hang: bool = False
    usage: Usage | None = None
    cost: float | None = None
    model: str | None = None
    follow_up: "Scene | None" = None
    """The answer if the status block of this one is asked for; None: an honest block."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    scenes: tuple[Scene, ...]

    def scene(self, phase: Phase, ordinal: int) -> Scene | None:
        """The scene for a call; the last one of a phase is played again for every later call."""
        played = [scene for scene in self.scenes if scene.phase is phase]
        return played[min(ordinal, len(played)) - 1] if played else None


TOKENS = tuple(each.name for each in fields(Usage))
KEYS: dict[str, type] = {
    "phase": str,
    "says": str,
    "claims": str,
    "recommendation": str,
    "write": list,
    "delete": list,
    "run": list,
    "exit_code": int,
    "hang": bool,
    "usage": dict,
    "cost": float,
    "model": str,
    "follow_up": dict,
}


def read_script(text: str, name: str = "the script") -> Script:
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ScriptError(f"{name} is not TOML: {error}.") from error
    turns = document.get("turn")
    if not isinstance(turns, list) or not turns:
        raise ScriptError(f"{name} has no turns.", "Write one table [[turn]] for each call of the agent.")
    return Script(scenes=tuple(_scene(turn, f"{name}, turn {number}") for number, turn in enumerate(turns, 1)))


def _scene(turn: dict[str, object], where: str) -> Scene:
    for key, value in turn.items():
        if key not in KEYS:
            raise ScriptError(f"{where}: unknown key '{key}'.", f"A turn may have: {', '.join(KEYS)}.")
        if not isinstance(value, KEYS[key]):
            raise ScriptError(f"{where}: '{key}' must be of type {KEYS[key].__name__}.")
    values = turn | {
        "phase": _word(Phase, turn.get("phase"), f"{where}: 'phase'"),
        "claims": _word(Claims, turn.get("claims", Claims.DONE), f"{where}: 'claims'"),
        "write": tuple(_file(item, where) for item in _list(turn, "write")),
        "delete": tuple(_inside(str(path), where) for path in _list(turn, "delete")),
        "run": tuple(str(command) for command in _list(turn, "run")),
        "usage": _usage(turn.get("usage"), where),
        "follow_up": _follow_up(turn, where),
    }
    return Scene(**values)  # type: ignore[arg-type]  # each value was checked against KEYS above


def _follow_up(turn: dict[str, object], where: str) -> Scene | None:
    given = turn.get("follow_up")
    return _scene(given | {"phase": turn["phase"]}, f"{where}, follow-up") if isinstance(given, dict) else None


def _usage(value: object, where: str) -> Usage | None:
    if not isinstance(value, dict):
        return None
    counts = [name for name, count in value.items() if type(count) is int and count >= 0]
    if not value.keys() <= set(TOKENS) or len(counts) != len(value):
        raise ScriptError(f"{where}: 'usage' has {', '.join(TOKENS)}, each a number of tokens.")
    return Usage(**value)


def _list(turn: dict[str, object], key: str) -> list[object]:
    value = turn.get(key, [])
    return value if isinstance(value, list) else []


def _word(words: type[T], value: object, where: str) -> T:
    for word in words:
        if word == value:
            return word
    raise ScriptError(f"{where} is {value!r}.", f"It must be one of: {', '.join(words)}.")


def _file(item: object, where: str) -> tuple[str, str]:
    match item:
        case {"path": str(path), "text": str(text), **rest} if not rest:
            return _inside(path, where), text
        case _:
            raise ScriptError(f"{where}: each 'write' needs a path and a text, both in quotes, and nothing else.")


def _inside(path: str, where: str) -> str:
    pure = PurePosixPath(path)
    if pure.is_absolute() or ".." in pure.parts:
        raise ScriptError(f"{where}: '{path}' lies outside the project.")
    return path
