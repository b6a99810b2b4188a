"""Findings -> the shortest text with which an agent or a person can act: which test, which file, what to do."""

from collections.abc import Sequence

from dualgate.core.values.notation import in_line
from dualgate.core.values.verification import Finding, Rule

MOST = 3
_LONGEST = 400
_ALL = "See: dualgate verify"
TO_DO = {
    Rule.REGRESSED: "Fix the code; leave the test as it was.",
    Rule.LOST: "Bring the test back.",
    Rule.WEAKENED: "Restore the test and fix the code.",
    Rule.HIDDEN: "Fix the failure, or leave the test failing and say so.",
    Rule.BENT: "Restore the test and fix the code.",
    Rule.STEERED: "Undo the change of the test configuration.",
    Rule.FORGED: "Remove what changes test results.",
    Rule.UNNOTICED: "Add a test that fails without it.",
    Rule.UNTESTED: "Add a test that fails without it.",
    Rule.FIXTURE_CODE: "Solve the task for all inputs.",
    Rule.HOLLOW: "Make the test able to fail.",
    Rule.CRITERION: "Add a test that names the criterion and can fail.",
    Rule.CHECK: "Fix what the check reports.",
    Rule.SUITE: "Make the tests run again.",
}


def reason_of(findings: Sequence[Finding]) -> str:
    """Up to three findings, each with what to do about it; the same advice is given once."""
    if not findings:
        return f"Nothing shows that the change works. {_ALL}"
    parts: list[str] = []
    for number, finding in enumerate(findings[:MOST]):
        parts.append(f"{_place(finding)}.")
        following = findings[number + 1].rule if number + 1 < min(MOST, len(findings)) else None
        if finding.rule is not following and finding.rule in TO_DO:
            parts.append(TO_DO[finding.rule])
    more = len(findings) - MOST
    return " ".join((*parts, f"And {more} more. {_ALL}") if more > 0 else parts)


def _place(finding: Finding) -> str:
    """The sentence of a finding on one line, with its test and file where it does not name them."""
    text = in_line(finding.text)[:_LONGEST].rstrip(". ")
    test, file = (in_line(each)[:_LONGEST] for each in (finding.test, finding.file))
    named = f"{test}: {text}" if test and test not in text else text
    line = f":{finding.line}" if finding.line else ""
    return f"{named} ({file}{line})" if file and f"{file}{line}" not in named else named
