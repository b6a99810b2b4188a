"""Compile files of a project without running any of its code: isolated, and without site packages but pytest.

The requests are the selected tests of the channel: the identity as JSON, then `plain PATH` or `rewritten PATH` each.
"""

from __future__ import annotations

import base64
import inspect
import json
import marshal
import pathlib
import sys
import warnings
from importlib import _bootstrap_external as external
from typing import TYPE_CHECKING, Any

from . import compiled
from .channel import Channel, claim

if TYPE_CHECKING:
    from collections.abc import Callable

_REFUSED = (SyntaxError, ValueError, RecursionError, OverflowError, MemoryError, OSError)


class _Options:
    """The configuration of pytest's rewriter, all off."""

    def getini(self, name: str) -> bool:
        del name
        return False


def main() -> None:
    claimed = claim()
    if claimed is None:
        return
    channel, (asked, *requests) = claimed
    expected = json.loads(asked)
    home = expected[3]
    rewriter = _rewriter_in(home) if home else None
    version = sys.modules["pytest"].__version__ if rewriter else ""
    if compiled.identity(home, version) != expected:
        return
    compilers = {compiled.PLAIN: _plainly, compiled.REWRITTEN: rewriter}
    for request in requests:
        kind, _, path = request.partition(" ")
        _answer(channel, request, path, compilers.get(kind))


def _answer(channel: Channel, request: str, path: str, compile_: Any) -> None:
    """Report the code of a file; nothing if it cannot be compiled without a warning, or changes meanwhile."""
    try:
        source = pathlib.Path(path).read_bytes()
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            code = compile_(path, source)
        is_same = pathlib.Path(path).read_bytes() == source
    except _REFUSED:
        return
    # a warning is an error in some projects, which only the test process knows
    if is_same and not warned and code is not None:
        text = base64.b64encode(marshal.dumps(code)).decode("ascii")
        channel.put("code", request=request, digest=compiled.digest_of(source), code=text)
        channel.flush()


def _plainly(path: str, source: bytes) -> Any:
    return external.SourceFileLoader("module", path).source_to_code(source, path)


def _rewriter_in(home: str) -> Callable[[str, bytes], Any] | None:
    """pytest's own rewriter, from the folder that pytest is installed in."""
    sys.path.append(home)
    try:
        import pytest  # noqa: F401
        from _pytest.assertion import rewrite
    except ImportError:
        return None
    finally:
        sys.path.remove(home)
    rewritten: Any = getattr(rewrite, "_rewrite_test", None)
    # pytest before 5.0 has another form
    if rewritten is None or [*inspect.signature(rewritten).parameters] != ["fn", "config"]:
        return None
    return lambda path, _: rewritten(pathlib.Path(path), _Options())[1]


if __name__ == "__main__":
    main()
