"""SuiteReports, Proof, Changes -> what is different in how the tests are run, as problems or as notes.

The configuration is what the runner itself told. Until the tests are proven it may be changed, as new tests need it,
and that is noted. From then on all that steers a run is frozen, so that a change came on a way that nobody saw.
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
    """Whole runs alone are compared: one that was asked for a few tests has other options by itself."""
    whole = [run for run in runs if run.trusted and not run.only]
    configured = dict.fromkeys(
        text
        for run in whole
        if proof.configuration
        for text in changed_configuration(proof.configuration, run.configuration, proof.shifting)
    )
    environments = {run.environment for run in whole} - {proof.environment} if proof.environment else set()
    because = sorted(changes.dependencies)
    surroundings: tuple[str, ...] = ()
    if environments and because:
        surroundings = (f"the environment of the tests is another, as {', '.join(because[:SHOWN])} was changed",)
    elif environments:
        surroundings = ("the environment of the tests is another, though no file that names dependencies was changed",)
    if proof.proven is None:
        return Circumstances(notes=(*configured, *surroundings))
    if because:
        return Circumstances(problems=tuple(configured), notes=surroundings)
    return Circumstances(problems=(*configured, *surroundings))


def changed_configuration(
    earlier: Sequence[tuple[str, str]], later: Sequence[tuple[str, str]], shifting: Collection[str] = ()
) -> tuple[str, ...]:
    """What is another in the effective configuration, as one text; none where nothing is."""
    before, now = dict(earlier), dict(later)
    keys = [key for key in before | now if key not in shifting and _differ(before.get(key), now.get(key))]
    if not keys:
        return ()
    texts = [f"{key} was {_value(before.get(key))}, now {_value(now.get(key))}" for key in keys]
    return (f"the effective configuration changed: {listed(texts, SHOWN, '; ')}",)


def _differ(before: str | None, now: str | None) -> bool:
    """A temporary folder or a random value is another in every run."""
    return before is None or now is None or stable(before) != stable(now)


def _value(value: str | None) -> str:
    if value is None:
        return "not set"
    return f"{value[:VALUE_LENGTH]!r}{'…' if len(value) > VALUE_LENGTH else ''}"
