"""The beginning of a run with probes: its plan, its channel, and an environment without us."""

from __future__ import annotations

import ast
import json
import os
import sys
from typing import TYPE_CHECKING, Any

from .. import witness
from ..channel import PLACE, Channel, claim
from .switches import Switches, file_of, read_source

if TYPE_CHECKING:
    from collections.abc import Iterator

GIVEN = os.environ.get("DUALGATE_PROJECT", "")
PROJECT = os.path.realpath(GIVEN) if GIVEN else ""
HERE = os.path.dirname(os.path.abspath(__file__))
HOME = os.path.dirname(os.path.dirname(HERE))


class Beginning:
    def __init__(self, channel: Channel, plan: dict[str, Any]) -> None:
        self.channel = channel
        self.plan = plan
        self.switches = Switches(PROJECT)
        self.switches.takes_all = any(group["breaks_unchanged"] for group in plan["groups"])
        self.switches.compile_changed(plan["before"])
        for name in self.switches.unprobed_imports(sys.modules):
            channel.put("problem", text=f"{name} is imported before the tests are collected, so that it is not probed")
        self.switches.install()
        made = self.switches
        texts = {"stubbed": made.stubbed, "scripts": made.scripts, "without_code": made.without_code}
        channel.put("started", format=1, path=own_paths(), **texts)
        for text in self.switches.problems:
            channel.put("problem", text=text)
        self.switches.problems.clear()
        channel.flush()


def begin() -> Beginning | None:
    """Claim the report of this run; None in a run that is not ours, or where a process cannot be forked."""
    folder = os.environ.get(PLACE)
    claimed = claim()
    if claimed is None or folder is None:
        return None
    with open(os.path.join(folder, "plan.json"), encoding="utf-8") as file:
        plan = json.load(file)
    if not hasattr(os, "fork"):
        claimed[0].put("problem", text="probes need a system that can fork processes")
        claimed[0].flush()
        return None
    return Beginning(claimed[0], plan)


def own_paths() -> list[str]:
    """The folders of the project from which modules are imported, relative to it."""
    whole = [os.path.realpath(folder or os.getcwd()) for folder in sys.path]
    return [os.path.relpath(each, PROJECT) for each in whole if witness.within(os.path.join(each, "x"), PROJECT)]


class Imports:
    """Which files of the project a file imports, and those that these import, by their syntax trees."""

    def __init__(self) -> None:
        self.known: dict[str, frozenset[str]] = {}

    def reach(self, modules: list[Any]) -> frozenset[str]:
        waiting, found = [module for module in modules if module is not None], set()
        while waiting:
            module = waiting.pop()
            file = file_of(module)
            if not file or file in found or not witness.within(os.path.realpath(file), PROJECT):
                continue
            found.add(file)
            for name in self.names(module, file):
                waiting.extend(filter(None, (sys.modules.get(each) for each in prefixes(name))))
        return frozenset(os.path.relpath(os.path.realpath(file), PROJECT) for file in found)

    def names(self, module: Any, file: str) -> frozenset[str]:
        if file not in self.known:
            try:
                tree = ast.parse(read_source(file))
            except (OSError, SyntaxError, ValueError):
                tree = ast.parse("")
            package = getattr(module, "__package__", None) or ""
            self.known[file] = frozenset(imported(tree, package))
        return self.known[file]


def imported(tree: Any, package: str) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for each in node.names:
                yield each.name
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".")
            base = parts[: len(parts) - node.level + 1] if node.level else []
            start = ".".join([*base, *([node.module] if node.module else [])])
            for each in node.names:
                yield f"{start}.{each.name}" if start else each.name


def prefixes(name: str) -> Iterator[str]:
    parts = name.split(".")
    for length in range(1, len(parts) + 1):
        yield ".".join(parts[:length])
