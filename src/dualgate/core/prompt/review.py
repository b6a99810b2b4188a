"""Prp, LoopState -> what a prompt tells of reviews: to the reviewer the run so far, to others what is to be mended."""

from typing import Any

from dualgate.core.machine.reproving import files_of_tests
from dualgate.core.said.findings import open_fixes
from dualgate.core.values.amendments import accepted
from dualgate.core.values.case_names import names
from dualgate.core.values.reviews import Route
from dualgate.core.values.specification import Prp
from dualgate.core.values.state import LoopState, Proof
from dualgate.core.values.suite import CaseResult, short_id
from dualgate.core.values.vocabulary import Phase

# whose work list a phase is given; what concerns tests is told to the first who may file an amendment
FIXES = {Phase.GREEN: Route.IMPLEMENTER, Phase.REFACTOR: Route.REFACTORER}


def review_words(prp: Prp, state: LoopState) -> dict[str, Any]:
    reviews, tests = state.reviews, files_of_tests(state)
    way = FIXES.get(state.phase)
    return {
        "fixes": open_fixes(reviews, way, tests=tests) if way else (),
        "amendments": open_fixes(reviews, Route.AMENDMENT, tests=tests) if state.phase is Phase.GREEN else (),
        "findings": reviews.findings,
        "touched": reviews.touched,
        "context": state.review_context,
        "amended": accepted(state.amendments) if state.phase is Phase.QA else (),
        "named": _named(prp, state.proof) if state.phase is Phase.QA else [],
    }


def _named(prp: Prp, proof: Proof) -> list[tuple[str, list[str]]]:
    """Each test that is new or changed since the beginning, with the criteria it names."""
    before = {result.id: result.digest for result in proof.baseline}
    fresh = [result for result in proof.proven or () if before.get(result.id) != result.digest]
    return [(short_id(result.id, proof.suites), _criteria(prp, result)) for result in fresh]


def _criteria(prp: Prp, result: CaseResult) -> list[str]:
    return [criterion.id for criterion in prp.criteria if names(result, criterion)]
