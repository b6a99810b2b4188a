"""A frozen Python file of tests before and after -> whether something was only added, and if not, why not.

Existing statements must stay, in their order; they may be said in other words (`languages/restating.py`). An added one
must not replace what existing tests use, apply to all tests, or reach beyond itself. Whether existing tests pass as
they were is measured in `session/extending.py`.
"""

import ast
from collections import Counter
from collections.abc import Sequence

from dualgate.languages.expressions import Function
from dualgate.languages.imports import Import, name_bound, split, thing_bound, without_unused
from dualgate.languages.restating import restate, without_lost_imports
from dualgate.workspace.steering.change import Extension
from dualgate.workspace.steering.code import python, unify
from dualgate.workspace.steering.formats import FAILURES
from dualgate.workspace.steering.hazards import Surroundings, is_for_types, is_quiet, why_hazardous
from dualgate.workspace.steering.names import names_of
from dualgate.workspace.steering.rows import added_rows, why_no_row

_DEFINING = (Function, ast.ClassDef, Import, ast.Assign, ast.AnnAssign)


def extension_of(before: bytes, after: bytes) -> Extension:
    try:
        was, now = _plain(before), _plain(after)
        was.body = without_lost_imports(was, now)
        is_restated = python(before) != python(after)
    except FAILURES:
        return Extension(reason="it cannot be parsed")
    found = _Comparison(around=Surroundings.of(was))
    found.compare(was.body, now.body, None)
    reason = next(iter(found.reasons), "")
    return Extension(reason=reason, adds=found.adds or (is_restated and not reason))


def _plain(content: bytes) -> ast.Module:
    module = ast.parse(content)
    restate(module)
    module.body = without_unused(module)
    unify(module)
    return module


class _Comparison:
    """Compares the statements of a module, and of the classes in it, with those that were there before."""

    def __init__(self, around: Surroundings) -> None:
        self.around = around
        self.reasons: list[str] = []
        self.adds = False

    def compare(self, was: Sequence[ast.stmt], now: Sequence[ast.stmt], owner: ast.ClassDef | None) -> None:
        if not _has_order(was):
            self._compare_imports(list(split(was)), list(split(now)))
            was, now = ([node for node in body if not isinstance(node, Import)] for body in (was, now))
        waiting = list(was)
        added: list[ast.stmt] = []
        for node in now:
            if waiting and self._is_kept(waiting[0], node):
                waiting.pop(0)
            else:
                added.append(node)
        if waiting:
            self._lose(waiting, added)
            return
        for node in added:
            self.adds = True
            if why := why_hazardous(node, self.around, owner):
                self.reasons.append(why)

    def _compare_imports(self, was: Sequence[Import], now: Sequence[Import]) -> None:
        """Compare imports whose order means nothing."""
        known, present = {ast.dump(node) for node in was}, {ast.dump(node) for node in now}
        lost = [node for node in was if ast.dump(node) not in present]
        self.reasons.extend(f"the import of `{name_bound(node)}` is changed or missing" for node in lost)
        for node in now:
            if ast.dump(node) not in known:
                self.adds = True
                if why := why_hazardous(node, self.around, None):
                    self.reasons.append(why)

    def _is_kept(self, old: ast.stmt, new: ast.stmt) -> bool:
        """Whether a statement is there as before, or with additions in it that are compared in turn."""
        if ast.dump(old) == ast.dump(new):
            return True
        match old, new:
            case ast.FunctionDef(), ast.FunctionDef():
                return self._gets_rows(old, new)
            case ast.AsyncFunctionDef(), ast.AsyncFunctionDef():
                return self._gets_rows(old, new)
            case ast.ClassDef(), ast.ClassDef():
                is_kept = old.name == new.name and _head(old) == _head(new)
            case ast.If(orelse=[]), ast.If(orelse=[]):
                is_kept = ast.dump(old.test) == ast.dump(new.test) and is_for_types(new)
            case _:
                return False
        if is_kept:
            self.compare(old.body, new.body, old if isinstance(old, ast.ClassDef) else None)
        return is_kept

    def _gets_rows(self, old: Function, new: Function) -> bool:
        """Whether a test is as before, except for parameters at the end of its lists."""
        rows = added_rows(old, new)
        if rows is None:
            return False
        self.adds = True
        self.reasons.extend(why for row in rows if (why := why_no_row(row, self.around)))
        return True

    def _lose(self, waiting: Sequence[ast.stmt], added: Sequence[ast.stmt]) -> None:
        """Name the first statement that is missing; a statement of another name is an addition."""
        known = {ast.dump(node) for node in waiting}
        titles = {_title(node) for node in waiting}
        self.adds |= any(ast.dump(node) not in known and _title(node) not in titles for node in added)
        found = {_title(node) for node in added}
        missing = _title(waiting[0])
        self.reasons.append(f"{missing} is {'changed or moved' if missing in found else 'missing'}")


def _has_order(body: Sequence[ast.stmt]) -> bool:
    """Whether the order of imports may mean something: one hides another, or code runs between them."""
    imports = list(split(body))
    things = Counter(name for name, _ in {(name_bound(node), thing_bound(node)) for node in imports})
    others = (node for node in body if not isinstance(node, _DEFINING) and not is_quiet(node))
    runs = any(not (isinstance(node, ast.If) and is_for_types(node)) for node in others)
    return runs or things["*"] > 0 or any(count > 1 for count in things.values())


def _head(node: ast.ClassDef) -> list[str]:
    return [ast.dump(each) for each in (*node.bases, *node.keywords, *node.decorator_list)]


def _title(node: ast.stmt) -> str:
    names = sorted(names_of(node))
    return f"`{', '.join(names)}`" if names else f"`{ast.unparse(node).splitlines()[0][:60]}`"
