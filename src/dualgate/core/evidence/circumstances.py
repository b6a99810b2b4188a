"""SuiteReports, Proof, Changes -> changes in how the tests are run, as problems or as notes.

The runner itself reports the configuration. Until the tests are proven, a change of it is a note: new tests may need
one. Afterwards every file that steers a run is frozen, so a change means that something was bypassed.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from dualgate.core.values.case_names import stable
from dualgate.core.values.changes import Changes
from dualgate.core.values.notation import listed
from dualgate.core.values.state import Proof
from dualgate.core.values.suite import SuiteReport

SHOWN = 5
VALUE_LENGTH = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def weigh_circumstances(proof: Proof, runs: Sequence[SuiteReport], changes: Changes) -> Circumstances:
    """Compare whole runs only: a run of a few tests has other options anyway."""
    whole = [run for run in runs if run.trusted and not run.only]
    configured = dict.fromkeys(
        text
        for run in whole
        if proof.configuration
        for text in changed_configuration(proof.configuration, run.configuration, proof.unstable_keys)
    )
    environments = {run.environment for run in whole} - {proof.environment} if proof.environment else set()
    because = sorted(changes.dependencies)
    surroundings: tuple[str, ...] = ()
    if environments and because:
        surroundings = (f"the test environment changed, because {', '.join(because[:SHOWN])} changed",)
    elif environments:
        surroundings = ("the test environment changed, although no file that lists dependencies changed",)
    if proof.proven is None:
        return Circumstances(notes=(*configured, *surroundings))
    if because:
        return Circumstances(problems=tuple(configured), notes=surroundings)
    return Circumstances(problems=(*configured, *surroundings))


def changed_configuration(
    earlier: Sequence[tuple[str, str]], later: Sequence[tuple[str, str]], unstable_keys: Collection[str] = ()
) -> tuple[str, ...]:
    """The changed keys of the effective configuration, as one text; empty if unchanged."""
    before, now = dict(earlier), dict(later)
    keys = [key for key in before | now if key not in unstable_keys and _differ(before.get(key), now.get(key))]
    if not keys:
        return ()
    texts = [f"{key} was {_value(before.get(key))}, now {_value(now.get(key))}" for key in keys]
    return (f"the effective configuration changed: {listed(texts, SHOWN, '; ')}",)


def _differ(before: str | None, now: str | None) -> bool:
    """Ignores temporary folders and random values, which differ in every run."""
    return before is None or now is None or stable(before) != stable(now)


def _value(value: str | None) -> str:
    if value is None:
        return "not set"
    return f"{value[:VALUE_LENGTH]!r}{'…' if len(value) > VALUE_LENGTH else ''}"
