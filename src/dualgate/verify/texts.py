"""The texts of changed files, for the rules that read them."""

from collections.abc import Iterable

from dualgate.core.values.source_texts import SourceTexts
from dualgate.core.verification.measured import Measured
from dualgate.session.source_texts import helpers_of, is_source, texts_at
from dualgate.verify.sides import Sides


def source_texts(seen: Measured, sides: Sides) -> SourceTexts:
    """Changed tests with their helpers, and changed sources as they are and were."""
    of_tests = {result.file for result in seen.head.results}
    # a test that fails on the base asks for work as a new one does
    asking = (*seen.paths.tests, *(result.file for result in seen.base.results if result.failed and result.file))
    tests = _read(sides, sides.head.tree, [path for path in asking if path in of_tests and path.endswith(".py")])
    sources = [path for path in seen.paths.code if is_source(path)]
    return SourceTexts(
        tests=tests,
        helpers=tuple(_read(sides, sides.head.tree, helpers_of(tests.items())).values()),
        sources=_read(sides, sides.head.tree, sources),
        before=_read(sides, sides.base.tree, sources),
    )


def _read(sides: Sides, tree: str, paths: Iterable[str]) -> dict[str, str]:
    return texts_at(paths, lambda path: sides.revisions.read(tree, sides.seen_from_root(path)))
