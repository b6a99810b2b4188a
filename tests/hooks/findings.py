"""Verifications for tests of hooks."""

from dualgate.core.values.verification import Finding, Rule, Side, Standing, Verification, Weight, standing_of

REGRESSED = Finding(
    rule=Rule.REGRESSED,
    weight=Weight.REFUSED,
    text="tests/test_a.py::test_x passes on the base and fails now",
    test="tests/test_a.py::test_x",
    file="tests/test_a.py",
    line=3,
)
UNTESTED = Finding(
    rule=Rule.UNTESTED, weight=Weight.NOT_PROVEN, text="No test runs double", file="code.py", subject="double"
)
OLD = Finding(rule=Rule.OLD_FAILURE, weight=Weight.NOT_PROVEN, text="It fails on both sides", test="t::old")
LATE = Finding(rule=Rule.BUDGET, weight=Weight.NOT_PROVEN, text="Mutation did not fit into 60s")
BROKEN = Finding(rule=Rule.SUITE, weight=Weight.UNUSABLE, text="pytest is not installed")
NOTE = Finding(rule=Rule.FLAKY, weight=Weight.NOTE, text="t::flaky is flaky", test="t::flaky")


def verification(*findings: Finding, standing: Standing | None = None) -> Verification:
    side = Side(ref="main")
    return Verification(standing=standing or standing_of(findings), base=side, head=side, findings=findings)
