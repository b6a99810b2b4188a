"""The kinds of criteria, and how far the proof of one can be."""

from enum import StrEnum


class Kind(StrEnum):
    """How a criterion is proven."""

    NEW = "new"
    """By a test that was seen red, then green."""
    KEEP = "keep"
    """It holds already: by a test that is green on the baseline and at every gate."""
    CHECK = "check"
    """By a command that a person approved, with its expected result."""
    REVIEW = "review"
    """By the reviewer's answer, with a file and a line."""


class CriterionStatus(StrEnum):
    """How far the proof of a criterion is. Each kind has its own words."""

    NO_TEST = "no test"
    RED = "red"
    FAILING = "failing"
    GREEN = "green"
    HOLDS = "holds"
    NOT_RUN = "not run"
    PASSES = "passes"
    FAILS = "fails"
    NOT_REVIEWED = "not reviewed"
    MET = "met"
    NOT_MET = "not met"
