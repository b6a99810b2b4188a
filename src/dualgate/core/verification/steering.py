"""Measured -> findings on files that steer test runs: does a test do better only because of them?"""

from collections.abc import Iterator

from dualgate.core.evidence.comparison import FlakyTests, compare
from dualgate.core.evidence.configuring import weigh_settings
from dualgate.core.values.configuring import Reach
from dualgate.core.values.notation import listed
from dualgate.core.values.suite import CaseResult, FailureKind, short_id
from dualgate.core.values.verification import Finding, Rule, Weight
from dualgate.core.verification.measured import Measured
from dualgate.core.verification.results import first_line

FILES_NAMED = 3
_NOT_RUN = frozenset({FailureKind.MISSING, FailureKind.BROKEN_FILE, FailureKind.BROKEN_TEST})
"""A test that fails in such a way did not run: the configuration had to change with the code or the tests."""


def steered_tests(seen: Measured) -> Iterator[Finding]:
    """Tests of the base, unchanged, that pass on the head and fail there with the steering files of the base."""
    if seen.steered is None:
        return
    if not seen.steered.trusted:
        yield from _by_settings(seen)
        return
    against = {result.id: result for result in seen.steered.results}
    better = compare(seen.steered.results, seen.head.results, FlakyTests(unstable=seen.wavering)).fixed
    for name in better:
        was = against.get(name)
        if was is not None and name in seen.at_base and name not in seen.since.changed and _ran(was):
            yield _steered(name, was, seen)


def _ran(result: CaseResult) -> bool:
    return result.kind not in _NOT_RUN and not result.uncollected


def _steered(name: str, was: CaseResult, seen: Measured) -> Finding:
    short, files = short_id(name, seen.suites), listed(seen.paths.steering, FILES_NAMED)
    return Finding(
        rule=Rule.STEERED,
        weight=Weight.REFUSED,
        text=f"{short} passes only with the changed {files}; with the base's it fails: {first_line(was)}",
        test=short,
        file=was.file,
        line=was.line,
        details=(was.message,),
    )


def _by_settings(seen: Measured) -> Iterator[Finding]:
    """Weigh the settings in force by their names if the head cannot be run with the base's files."""
    assert seen.steered is not None
    weighed = weigh_settings(seen.proof, seen.head, Reach.REPORTED)
    for text in weighed.refused:
        short = text.partition(":")[0]
        yield Finding(rule=Rule.STEERED, weight=Weight.REFUSED, text=short, subject=short)
    files = listed(seen.paths.steering, FILES_NAMED)
    why = "; ".join(seen.steered.problems[:1])
    text = f"the head cannot be run with the base's {files}, so its settings were compared by name: {why}"
    yield Finding(rule=Rule.STEERED, weight=Weight.NOTE, text=text, subject="settings")
