"""Text -> Change: small repositories as text, each a change from a base to a head with the verdict that it deserves.

A file holds many, in this form:

    ## name of the change
    exit: 1                          the exit codes that are right; else by folder: honest 0, cheats 1, unproven 7
    rule: bent-test, hidden-failure  one finding that decides has one of these rules ...
    names: test_total, cart.py       ... and names one of these words
    notes: passes-on-base            rules that must be among the notes
    base_fails: tests/test_a.py::test_x, tests/test_b.py
    head_fails:                      ids that a plain run of the tests shows as failing on either side; a file that
                                     cannot be collected stands for all its tests. Nothing fails if not said
    old_fails:                       the same for the base's tests and steering files on the head's code
    red:                             the same for the head's tests and steering files on the base's code
    flaky:                           ids of which no claim is made
    command: make test               if not pytest; `detected` if dualgate is to find it
    plain: node --test               how the claims are checked, if not by pytest; `no` if they are not
    folder: packages/api             where verify is called, if not at the root
    whole: yes                       if dualgate and pytest have to be started, not forked
    needs: node                      programs without which the change is skipped
    options: --budget 60s            further words of the call
    @ base PATH                      a file of the first commit on `main`, with its text below
    @ head PATH                      a file that the commit on `work` writes
    @ head-edit PATH                 an edit: `- old`, `+ new`, `= as it was`; an empty line is between two places
    @ head-delete PATH               a file that it deletes
    @ head-move OLD NEW              a file that it moves
    @ commits                        the steps, if there are others than `main: base` and `work: head`

A step is `BRANCH: STAGE`, a commit of the files of a stage, where a stage is any word like `base`, `head`, `later`;
`tree: STAGE` writes without a commit, `BRANCH: merge OTHER` merges, and `BRANCH: submodule STAGE PATH` commits the
stage to a repository of its own, which is a submodule at that path.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path

from dualgate.core.values.verification import Rule

DATA = Path(__file__).parent.parent / "data" / "changes"
EXIT_CODES = {"honest": (0,), "cheats": (1,), "unproven": (7,)}
STEPS: tuple[str, ...] = ("main: base", "work: head")
PART = re.compile(r"^@ ([a-z]+)(?:-(delete|move|edit))?(?: (.+))?\n", re.MULTILINE)
SETTING = re.compile(r"^(\w+):(?: (.*))?$")
KEYS = re.compile(
    "exit|rule|names|notes|base_fails|head_fails|old_fails|red|flaky|command|plain|folder|whole|needs|options"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One thing that a stage does to a file: write, edit, delete or move."""

    verb: str
    path: str
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    name: str
    exits: tuple[int, ...]
    settings: Mapping[str, str] = field(default_factory=dict)
    stages: Mapping[str, tuple[Part, ...]] = field(default_factory=dict)
    steps: tuple[str, ...] = STEPS

    @property
    def id(self) -> str:
        return re.sub(r"[^\w.=]+", "-", self.name)

    @property
    def rules(self) -> tuple[Rule, ...]:
        return tuple(map(Rule, self.listed("rule")))

    @property
    def notes(self) -> tuple[Rule, ...]:
        return tuple(map(Rule, self.listed("notes")))

    def listed(self, key: str) -> tuple[str, ...]:
        return tuple(filter(None, map(str.strip, self.settings.get(key, "").split(","))))


def changes_of(folder: Path) -> list[Change]:
    """The changes of every text file below a folder; the name of the text file's folder says which verdict is right."""
    return [
        change
        for path in sorted(folder.rglob("*.txt"))
        for change in read_changes(path.read_text(encoding="utf-8"), EXIT_CODES[path.parent.name])
    ]


def read_changes(text: str, exits: tuple[int, ...] = (0,)) -> list[Change]:
    return [_change(part, exits) for part in re.split(r"^## ", text, flags=re.MULTILINE)[1:]]


def _change(text: str, exits: tuple[int, ...]) -> Change:
    head, *parts = PART.split(text)
    name, *lines = filter(None, head.splitlines())
    settings = dict(_setting(name, line) for line in lines)
    stages: dict[str, tuple[Part, ...]] = {}
    steps = STEPS
    for stage, part in _parts(parts):
        if stage == "commits":
            steps = tuple(part.text.splitlines())
        else:
            stages[stage] = (*stages.get(stage, ()), part)
    codes = tuple(int(code) for code in settings.get("exit", "").split(",") if code)
    return Change(name=name, exits=codes or exits, settings=settings, stages=stages, steps=steps)


def _setting(name: str, line: str) -> tuple[str, str]:
    match = SETTING.match(line)
    if not match or not KEYS.fullmatch(match[1]):
        raise ValueError(f"{name}: no setting: {line}")
    return match[1], match[2] or ""


def _parts(parts: list[str]) -> Iterator[tuple[str, Part]]:
    for stage, verb, path, body in zip(parts[0::4], parts[1::4], parts[2::4], parts[3::4], strict=True):
        text = body.strip("\n")
        yield stage, Part(verb=verb or "write", path=path or "", text=text + "\n" if text else "")


def apply(part: Part, root: Path) -> None:
    """Do to a work tree what a part says. An edit whose place is missing or is there twice is a mistake of the case."""
    path = root / part.path
    match part.verb:
        case "write":
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(part.text, encoding="utf-8")
        case "edit":
            path.write_text(edited(path.read_text(encoding="utf-8"), part.text), encoding="utf-8")
        case "delete":
            path.unlink()
        case "move":
            old, new = part.path.split()
            (root / new).parent.mkdir(parents=True, exist_ok=True)
            (root / old).rename(root / new)


def edited(text: str, edits: str) -> str:
    return reduce(_edited_once, re.split(r"\n{2,}", edits.strip("\n")), text)


def _edited_once(text: str, edit: str) -> str:
    lines = [(line[:1], line[2:]) for line in edit.splitlines()]
    old = "".join(f"{line}\n" for mark, line in lines if mark in "=-")
    new = "".join(f"{line}\n" for mark, line in lines if mark in "=+")
    if text.count(old) != 1 or not {mark for mark, _ in lines} <= {"=", "-", "+"}:
        raise ValueError(f"not there exactly once, or no edit:\n{edit}")
    return text.replace(old, new)
