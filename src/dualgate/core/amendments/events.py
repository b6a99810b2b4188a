"""The events of an amendment."""

from dataclasses import dataclass
from datetime import datetime

from dualgate.core.amendments.values import Amendment
from dualgate.core.suite import CaseResult


@dataclass(frozen=True, slots=True, kw_only=True)
class AmendmentTried:
    """The work tree is about to be that of RED for a test run; `tree` is what it is given back to be."""

    at: datetime
    test_id: str
    tree: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AmendmentDecided:
    """What came of a request; where it was accepted, the test as it is proven now and the trees that hold it."""

    at: datetime
    amendment: Amendment
    function: str = ""
    results: tuple[CaseResult, ...] = ()
    red_tree: str = ""
    proven_tree: str = ""
    green_tree: str = ""
    tree: str = ""
    """The work tree after it."""
