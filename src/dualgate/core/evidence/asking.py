"""Observed, Proof -> what RED is asked once: flaws of tests that the gate points out, and does not insist on."""

from dualgate.core.values.facts import AskedOnce, Observed
from dualgate.core.values.notation import listed
from dualgate.core.values.state import Proof

NAME_IT = "name the criterion in the name or the docstring of its test"


def asked_once(observed: Observed, proof: Proof) -> tuple[AskedOnce, ...]:
    """What was not asked before. Criteria that have too few tests are not asked for names: the gate waits for tests."""
    about = tuple(f"name {criterion}" for criterion in observed.unlinked)
    is_due = about and len(about) <= observed.spare and not {*about} <= {*proof.asked}
    sentence = f"no failing new test names {listed(observed.unlinked)}; {NAME_IT}"
    return (AskedOnce(about=about, sentence=sentence),) if is_due else ()
