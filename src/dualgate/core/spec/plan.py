"""text -> Plan: the tick boxes of a task list, or the stories of a prd.json."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from dualgate.core.values.specification import Plan, Specification

# a dash, star, plus or number, then a box with at most one character: [2026-01-16] is a date, not a box
_BOX = re.compile(r"^[\s>]*(?:[-*+]|\d{1,9}[.)])\s+\[(?P<mark>[\sxX~]?)\](?:\s+|$)(?P<text>.*)$")
_TICKED = ("x", "X")
_HEADING = re.compile(r"^(?P<signs>#{1,6})[ \t](?P<text>.*)$")
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)")
# the word alone, before a bracket or colon, or with a word for work: 'Optional parameters' is required work
_OPTIONAL = re.compile(
    r"optional(?:\s+(?:tasks?|items?|work|goals?|steps?|extras?|polish|improvements?|enhancements?))?(?:\s*[(:\[].*)?",
    re.IGNORECASE,
)
_LISTS = ("userStories", "user_stories", "stories", "features", "tasks")
NAMELESS = "a story without a name"
_EMPHASIS = str.maketrans("", "", "*_#")


def newly_done(before: Plan | None, now: Plan | None) -> int | None:
    """The number of newly ticked tasks; None if there is no known list."""
    if now is None or not now.is_known:
        return None
    return (Counter(now.done) - Counter(before.done if before else ())).total()


def read_plan(text: str) -> Plan:
    """Read any text as a plan; open tasks under a heading 'Optional' are ignored."""
    return _stories(text) or _boxes(text)


def without_boxes(spec: Specification) -> tuple[str, ...]:
    """The open tasks of a document that have no tick box."""
    if _stories(spec.text):
        return ()
    lines = ["", *(spec.document or spec.text).splitlines()]
    return tuple(task.text for task in spec.tasks if not task.done and not _BOX.match(lines[task.line]))


def _boxes(text: str) -> Plan:
    tasks: dict[bool, list[str]] = {True: [], False: []}
    for _, box in _found_boxes(text.splitlines()):
        tasks[_is_ticked(box)].append(_task(box))
    return Plan(open=tuple(tasks[False]), done=tuple(tasks[True]))


def ticked(text: str, tasks: Iterable[str]) -> str:
    """The text with the boxes of these open tasks ticked; the rest stays as it is."""
    wanted, lines = Counter(tasks), text.splitlines(keepends=True)
    for number, box in _found_boxes(lines):
        if not _is_ticked(box) and wanted[_task(box)] > 0:
            wanted[_task(box)] -= 1
            lines[number] = _with_mark(box, "x")
    return "".join(lines)


def without_new_ticks(before: str, now: str) -> str:
    """The later text with those boxes unticked that were not ticked in the earlier one."""
    known = Counter(_task(box) for _, box in _found_boxes(before.splitlines()) if _is_ticked(box))
    lines = now.splitlines(keepends=True)
    for number, box in _found_boxes(lines):
        if _is_ticked(box) and known[_task(box)] > 0:
            known[_task(box)] -= 1
        elif _is_ticked(box):
            lines[number] = _with_mark(box, " ")
    return "".join(lines)


def _is_ticked(box: re.Match[str]) -> bool:
    return box["mark"] in _TICKED


def _task(box: re.Match[str]) -> str:
    return box["text"].strip()


def _with_mark(box: re.Match[str], mark: str) -> str:
    return f"{box.string[: box.start('mark')]}{mark}{box.string[box.end('mark') :]}"


def _found_boxes(lines: list[str]) -> Iterator[tuple[int, re.Match[str]]]:
    """The boxes that count, with the number of their line, from 0; open ones of optional sections do not."""
    optional_from, fenced = 0, False
    for number, line in enumerate([*lines]):
        if _FENCE.match(line):
            fenced = not fenced
        elif fenced:
            continue
        elif heading := _HEADING.match(line.rstrip()):
            level = len(heading["signs"])
            if not optional_from or level <= optional_from:
                optional_from = level if _OPTIONAL.fullmatch(heading["text"].translate(_EMPHASIS).strip()) else 0
        elif (box := _BOX.match(line)) and not (optional_from and not _is_ticked(box)):
            yield number, box


def _stories(text: str) -> Plan | None:
    """Read the stories of a prd.json; the agent writes `passes`, so it is a claim."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        stories = stories_of(json.loads(text))
    except (ValueError, RecursionError):
        return None
    if stories is None:
        return None
    named = [(_name(story), is_passing(story)) for story in stories]
    return Plan(
        open=tuple(name for name, passes in named if not passes),
        done=tuple(name for name, passes in named if passes),
        stories=True,
    )


def _name(story: Mapping[str, object]) -> str:
    return " ".join(str(story[key]) for key in ("id", "title") if story.get(key)) or NAMELESS


def stories_of(found: Any) -> list[Mapping[str, Any]] | None:
    """The stories in a JSON document; None if it has none."""
    if isinstance(found, dict):
        lists = (found[key] for key in _LISTS if isinstance(found.get(key), list))
        found = next(lists, None)
    if not isinstance(found, list):
        return None
    stories: list[Mapping[str, Any]] = [each for each in found if isinstance(each, dict)]
    return stories if any(each.get("id") or each.get("title") for each in stories) else None


def is_passing(story: Mapping[str, Any]) -> bool:
    return story.get("passes") is True or story.get("done") is True
