"""A frozen file of tests before and after, by its language -> whether something was only added, and if not, why not."""

from collections.abc import Callable
from functools import partial
from pathlib import PurePosixPath

from dualgate.languages.go import GRAMMAR as GO_GRAMMAR
from dualgate.languages.javascript import GRAMMARS
from dualgate.languages.rust import GRAMMAR as RUST_GRAMMAR
from dualgate.workspace.steering.added.go import DIALECT as GO
from dualgate.workspace.steering.added.javascript import DIALECT as JAVASCRIPT
from dualgate.workspace.steering.added.rust import DIALECT as RUST
from dualgate.workspace.steering.added.units import added_units
from dualgate.workspace.steering.change import Extension
from dualgate.workspace.steering.extension import extension_of


def growth_of(path: str, before: bytes, after: bytes) -> Extension | None:
    """The additions of a change to a file of tests; None if nothing may be added to files of this kind."""
    compare = _COMPARED.get(PurePosixPath(path).suffix)
    return compare(before, after) if compare is not None else None


_COMPARED: dict[str, Callable[[bytes, bytes], Extension]] = {
    ".py": extension_of,
    ".go": partial(added_units, GO_GRAMMAR, GO),
    ".rs": partial(added_units, RUST_GRAMMAR, RUST),
    **{ending: partial(added_units, grammar, JAVASCRIPT) for ending, grammar in GRAMMARS.items()},
}
ENDINGS = tuple(_COMPARED)
"""Endings of the test files to which tests may be added."""
