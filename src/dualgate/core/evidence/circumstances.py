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
from dualgate.core.values.suite import SuiteReport, own_key

SHOWN = 5
VALUE_LENGTH = 120
PLUGIN, DESELECTED_BY = "plug-in", "deselected by"
EACH_COUNTS = frozenset({PLUGIN, "plug-in blocked", DESELECTED_BY})
"""Keys of which every value is compared."""


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
    before, now = _by_key(earlier), _by_key(later)
    texts = [
        f"{key} was {_listed(gone)}, now {_listed(new)}"
        for key in dict.fromkeys((*before, *now))
        if key not in unstable_keys
        for gone, new in (_apart(before.get(key, ()), now.get(key, ())),)
        if gone or new
    ]
    return (f"the effective configuration changed: {listed(texts, SHOWN, '; ')}",) if texts else ()


def _by_key(configuration: Sequence[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    """The values of each key; of folders and fixtures the last, since tests that are added bring more of them."""
    found: dict[str, tuple[str, ...]] = {}
    for key, value in configuration:
        others = found.get(key, ()) if own_key(key) in EACH_COUNTS else ()
        found[key] = (*others, value)
    return found


def _apart(before: Sequence[str], now: Sequence[str]) -> tuple[list[str], list[str]]:
    """The values that are gone and those that are new, but for temporary folders and random values."""
    was, became = ({*map(stable, each)} for each in (before, now))
    return [each for each in before if stable(each) not in became], [each for each in now if stable(each) not in was]


def _listed(values: Sequence[str]) -> str:
    return listed(list(map(_value, values)), SHOWN) if values else "not set"


def _value(value: str) -> str:
    return f"{value[:VALUE_LENGTH]!r}{'…' if len(value) > VALUE_LENGTH else ''}"
