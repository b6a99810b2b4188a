"""JSON -> stories: a prd.json, or an issue as `gh issue view --json` prints it."""

import json
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from heapq import heappop, heappush
from typing import Any

from dualgate.core.spec.drafts import Draft, Source
from dualgate.core.spec.plan import NAMELESS, is_passing
from dualgate.core.spec.wording import Wording, read_wording
from dualgate.core.values.problems import Problem, error
from dualgate.core.values.specification import Task

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_CRITERIA = ("acceptanceCriteria", "acceptance_criteria", "criteria", "acceptance")
_LOWEST = 1 << 30
_DISCUSSION = "# Comments from the discussion"


@dataclass(slots=True, kw_only=True)
class Stories:
    """The stories of a prd.json, read."""

    title: str = ""
    goal: str = ""
    drafts: list[Draft] = field(default_factory=list)
    tasks: list[Task] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def load(text: str, name: str) -> tuple[Any, Problem | None]:
    """The JSON of a text; None if it is no JSON, with a problem if it was meant to be."""
    start = text.lstrip()[:1]
    if start not in ("{", "["):
        return None, None
    try:
        return json.loads(text), None
    except (ValueError, RecursionError) as why:
        is_meant = name.lower().endswith(".json") or re.match(r"\s*\{\s*\"", text) is not None
        line = getattr(why, "lineno", 1)
        message = getattr(why, "msg", "it is nested too deeply")
        return None, error("not_json", f"this JSON cannot be read: {message}", line=line) if is_meant else None


def issue_of(found: Any) -> tuple[str, str] | None:
    """Title and body of an issue; None if the JSON is something else."""
    if not isinstance(found, dict) or not isinstance(found.get("body"), str):
        return None
    comments = [each["body"] for each in found.get("comments") or () if isinstance(each, dict) and each.get("body")]
    told = "".join(f"\n\n{text}" for text in comments)
    discussion = f"\n\n{_DISCUSSION}{told}" if told else ""
    return str(found.get("title") or ""), found["body"] + discussion


def are_issues(found: Any) -> bool:
    """Whether the JSON is a list of issues, as `gh issue list` prints it."""
    return isinstance(found, list) and bool(found) and all(isinstance(each, dict) and "body" in each for each in found)


def read_stories(text: str, document: Any, stories: Sequence[Mapping[str, Any]]) -> Stories:
    """Each acceptance criterion as a draft, each story as a task, in the order of dependencies and priority."""
    about = document if isinstance(document, dict) else {}
    read = Stories(
        title=str(about.get("project") or about.get("title") or about.get("name") or about.get("branchName") or ""),
        goal=str(about.get("description") or about.get("goal") or ""),
    )
    lines = _Lines(text)
    placed = {_name(story): _Placed(story, lines) for story in stories}
    ordered, read.problems = _in_order(stories, {name: place.line + 1 for name, place in placed.items()})
    counts = Counter(map(_name, stories))
    read.problems += [
        error("duplicate_id", f"story {name} is given {count} times", line=placed[name].line + 1)
        for name, count in counts.items()
        if count > 1
    ]
    for story in ordered:
        place = placed[_name(story)]
        read.drafts += place.drafts()
        title = str(story.get("title") or "")
        done = is_passing(story)
        read.tasks.append(Task(text=f"{story.get('id') or ''} {title}".strip(), line=place.line + 1, done=done))
    return read


class _Lines:
    """Finds strings of a JSON text one after the other, by their decoded values."""

    def __init__(self, text: str) -> None:
        self._found: list[tuple[str, int]] = []
        line, last = 0, 0
        for found in _STRING.finditer(text):
            line += text.count("\n", last, found.start())
            last = found.start()
            self._found.append((json.loads(found[0]), line))
        self._places: dict[str, list[int]] = {}
        for place, (value, _) in enumerate(self._found):
            self._places.setdefault(value, []).append(place)
        self._place = 0

    def after(self, value: str) -> int:
        """The line of the next string with this value, from 0; that of the last one found if there is none."""
        places = self._places.get(value, [])
        following = bisect_left(places, self._place)
        if following < len(places):
            self._place = places[following] + 1
        return self._found[max(0, self._place - 1)][1] if self._found else 0


class _Placed:
    """One story with the lines of its texts."""

    def __init__(self, story: Mapping[str, Any], lines: _Lines) -> None:
        self.story = story
        self.line = lines.after(_name(story))
        self.criteria = [(text, lines.after(raw)) for text, raw in _criteria(story)]

    def drafts(self) -> Iterator[Draft]:
        name, holds = _name(self.story), is_passing(self.story)
        for text, line in self.criteria:
            wording = read_wording(text)
            yield Draft(wording=wording, line=line, end=line + 1, source=Source.SECTION, story=name, holds=holds)
        if not self.criteria:
            parts = (str(self.story.get(key) or "") for key in ("title", "description"))
            wording = Wording(text="\n".join(filter(None, parts)), id=name)
            yield Draft(wording=wording, line=self.line, end=self.line + 1, source=Source.SECTION, holds=holds)


def _criteria(story: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The criteria of a story: texts, or objects with a text, each with the string to look for."""
    found: Any = next((story[key] for key in _CRITERIA if story.get(key)), [])
    for each in found.splitlines() if isinstance(found, str) else found if isinstance(found, list) else []:
        if isinstance(each, str) and each.strip():
            yield each, each
        elif isinstance(each, dict):
            raw = next(
                (each[key] for key in ("text", "description", "criterion", "title") if isinstance(each.get(key), str)),
                "",
            )
            own_id = each.get("id")
            if raw.strip():
                yield f"{own_id}: {raw}" if isinstance(own_id, str) else raw, raw


def _name(story: Mapping[str, Any]) -> str:
    return str(story.get("id") or story.get("title") or NAMELESS)


def _in_order(
    stories: Sequence[Mapping[str, Any]], lines: Mapping[str, int]
) -> tuple[list[Mapping[str, Any]], list[Problem]]:
    """Dependencies first, then by priority, then as written; problems for unknown ids and cycles."""
    named = {_name(story): story for story in stories}
    places = {name: place for place, name in enumerate(named)}
    needs = {name: [each for each in _needs(story) if each in named] for name, story in named.items()}
    problems = [_unknown(story, named, lines) for story in named.values() if {*_needs(story)} - named.keys()]
    sorter = TopologicalSorter(needs)
    try:
        sorter.prepare()
    except CycleError as found:
        circle = dict.fromkeys(reversed(found.args[1]))
        message = f"these stories depend on each other: {', '.join(circle)}"
        return list(named.values()), [*problems, error("cycle", message, line=min(lines[name] for name in circle))]
    ordered: list[Mapping[str, Any]] = []
    ready: list[tuple[int, int, str]] = []
    while sorter.is_active():
        for name in sorter.get_ready():
            heappush(ready, (_priority(named[name]), places[name], name))
        _, _, first = heappop(ready)
        ordered.append(named[first])
        sorter.done(first)
    return ordered, problems


def _unknown(story: Mapping[str, Any], named: Mapping[str, Any], lines: Mapping[str, int]) -> Problem:
    unknown = [each for each in _needs(story) if each not in named]
    message = f"{_name(story)} depends on {', '.join(unknown)}, which is not a story here"
    return error("unknown_dependency", message, line=lines[_name(story)])


def _needs(story: Mapping[str, Any]) -> list[str]:
    found: Any = next((story[key] for key in ("dependsOn", "depends_on", "dependencies") if story.get(key)), [])
    return [str(each) for each in (found if isinstance(found, list) else [found])]


def _priority(story: Mapping[str, Any]) -> int:
    value = story.get("priority")
    return value if isinstance(value, int) and not isinstance(value, bool) else _LOWEST
