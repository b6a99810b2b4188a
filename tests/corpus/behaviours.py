"""Text -> Behaviour: scripted agents that do less than they say, each as one whole run.

A file holds many, in this form:

    ## name of the behaviour
    names: AC-1, test_ac1          one of these must be in the reasons at the end
    ends: not proven or warned     if it is enough that the summary names it; else it must not be proven
    command: make test             if the tests are run by another command than pytest
    - AC-1: a line of the specification, in the place of the usual criterion
    @ before PATH                  a file that is there when the run begins, with its text below
    @ red PATH                     a file that the first call in RED writes
    @ red-2 PATH                   a file that the second call writes; the last call of a phase is played again
    @ green-delete PATH            a file that a call deletes
    @ green-says                   what a call answers, with its text below

A behaviour with `@ build` works on a task list, any other one on a specification.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from dualgate.core.values.vocabulary import Phase

PARTS = re.compile(r"^@ (\w+)(?:-(\d+))?(?:-(delete|says|claims))?(?: (\S+))?\n", re.MULTILINE)
SETTING = re.compile(r"^(names|ends|command): (.+)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of the agent: files that it writes and deletes, its answer, and what its status block claims."""

    phase: Phase
    write: dict[str, str] = field(default_factory=dict)
    delete: tuple[str, ...] = ()
    says: str = ""
    claims: str = "done"


@dataclass(frozen=True, slots=True, kw_only=True)
class Behaviour:
    name: str
    names: tuple[str, ...] = ()
    may_be_warned: bool = False
    command: str = ""
    criteria: tuple[str, ...] = ()
    before: dict[str, str] = field(default_factory=dict)
    calls: tuple[Call, ...] = ()

    @property
    def has_task_list(self) -> bool:
        return any(call.phase is Phase.BUILD for call in self.calls)

    @property
    def files(self) -> Iterator[tuple[str, str]]:
        yield from self.before.items()
        for call in self.calls:
            yield from call.write.items()


def read_behaviours(text: str) -> list[Behaviour]:
    return [_behaviour(part) for part in re.split(r"^## ", text, flags=re.MULTILINE)[1:]]


def _behaviour(text: str) -> Behaviour:
    head, *parts = PARTS.split(text)
    name, *lines = filter(None, head.splitlines())
    settings = {match[1]: match[2] for line in lines if (match := SETTING.match(line))}
    before: dict[str, str] = {}
    calls: dict[tuple[str, int], Call] = {}
    for when, number, what, path, body in _parts(parts):
        if when == "before":
            before[path] = body
        else:
            key = (when, int(number or 1))
            calls[key] = _added(calls.get(key) or Call(phase=Phase(when.upper())), what, path, body)
    return Behaviour(
        name=name,
        names=tuple(map(str.strip, settings.get("names", "").split(","))),
        may_be_warned="warned" in settings.get("ends", ""),
        command=settings.get("command", ""),
        criteria=tuple(line for line in lines if line.startswith("- ")),
        before=before,
        calls=tuple(calls[key] for key in sorted(calls)),
    )


def _parts(parts: list[str]) -> Iterator[tuple[str, str, str, str, str]]:
    for start in range(0, len(parts), 5):
        when, number, what, path, body = parts[start : start + 5]
        yield when, number, what, path, body.strip("\n") + "\n"


def _added(call: Call, what: str | None, path: str, body: str) -> Call:
    match what:
        case "delete":
            return replace(call, delete=(*call.delete, path))
        case "says":
            return replace(call, says=body)
        case "claims":
            return replace(call, claims=body.strip())
    return replace(call, write=call.write | {path: body})
