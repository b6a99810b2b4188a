"""Reviews as models write them: those whose words contradict their approval, and honest ones that look alike."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dualgate.core.said.contradictions import contradictions
from dualgate.core.values.claim import Review

CONTRADICTING = [
    "Critical: AC-2 is not implemented.",
    "**Critical:** the cap is applied once, so that the second day is free.",
    "Issues Found: Critical: 2, Major: 0, Minor: 1",
    "Issues Found:\n  Critical: 0 | Major: 1 | Minor: 3",
    "I cannot approve this as it stands.",
    "I must reject this work: the tests prove nothing.",
    "Verdict: REJECT\n\nOn second thought it is small.",
    "## Critical issues\n\n1. `parse()` swallows every exception.\n2. No test covers AC-3.\n",
    "### Major\n- fee.py:11 charges twice\n",
    "- [Critical] src/auth.py:14 any password is accepted",
    "| Severity | Finding |\n| --- | --- |\n| Critical | src/auth.py:14 any password is accepted |",
    "| Critical | 2 |\n| Major | 0 |",
    "AC-2 is not implemented. The rest looks good.",
    "AC-3 is only partially implemented, but the tests pass.",
    "AC-1.2 is missing.",
    "There are two critical issues that should be looked at soon.",
    "Blocker: the migration deletes the table.",
    "Blocking issue - the config is never read",
    "This should not be merged before the cap is right.",
    "The work is not yet ready for release.",
    "Recommendation: REJECT",
    "Critical: no input is validated at all",
    "Critical: none of the criteria has a test that could fail",
    "Critical: FR-1 was not fixed; the error is still lost.",
    "Major: FR-2 is still not addressed.",
    "Major: nothing validates the amount",
    "```\nPhase: CODE_REVIEW\nCritical: AC-2 does nothing\nVerdict: APPROVE\n```",
    "Critical issues (2):\n- a\n- b",
    "**Critical**\n\n- the lock is never released\n",
    "3. Major: the retry loop never ends",
    "AC-2 remains unmet, since the day starts at midnight.",
    "We can't approve code without a bound.",
    "Critical: the program could crash if the list is empty",
    "AC-1 is not met if the list is empty.",
    "**Blocking issues**\n1. `save()` never closes the file\n",
    "My assessment: AC-3 is still not met.",
    "Critical finding: hard-coded credentials in settings.py",
    "Major problem - float rounding in total()",
    "Summary: 2 critical issues, 1 major issue.",
    "We have to reject.",
    "- **Major** (tests/test_a.py:4): the assertion is always true",
    "AC-2: missing. Everything else fine.",
    "[MAJOR] docs contradict code",
    "The change must not be merged until AC-1 works.",
    "There is one blocking issue left: no lock.",
    "**Critical issue**: data loss on restart",
    "## Findings\n\n**CRITICAL — SQL injection in db.py:40**\n\nUser input is concatenated.",
    "The implementation is incomplete: AC-4 is not implemented at all.",
    "### 🔴 Critical\n\n- race in queue.py\n\n### 🟡 Minor\n- typo",
    "1. **Major**: missing test for AC-2",
    "Major issues:\n* duplicated logic breaks rounding",
    "Overall: REJECT",
    "I am rejecting this change.",
    "Criterion AC-2 is not fulfilled.",
    "Critical (1): password stored in plain text",
    "One major finding: the retry never stops.",
    "Findings: 1 critical, 0 major",
    "This cannot be merged.",
    "❌ AC-2: not implemented",
    "Unfortunately the feature does not work and must not be approved.",
    "AC-5 is not done.",
    "- Critical issue: `fee()` returns None for 0",
    "Blocking: tests are tautological",
    "MAJOR: error handling is missing in load()",
    "I do not approve.",
]
HONEST = [
    "No critical issues.",
    "There are no critical or major findings.",
    "Critical: 0",
    "Critical: none",
    "Critical: None. Major: None.",
    "**Critical:** none found",
    "Critical: n/a",
    "Critical: no issues",
    "Critical: -",
    "Issues Found:\n  Critical: 0 | Major: 0 | Minor: 2",
    "## Critical issues\n\nNone.\n\n## Minor\n\n- a.py:3 a long name\n",
    "### Critical\n- none\n### Major\n- none\n",
    "| Critical | 0 |\n| Major | 0 |\n| Minor | 4 |",
    "The critical path is covered by tests.",
    "Major version 2 is not affected.",
    "Major changes: the parser was split in two.",
    'The specification says "Critical: the cap must hold for each day", and it does.',
    "> Critical: the cap is wrong\n\nThat was FR-1, and it holds now.",
    "Critical: FR-1 (the cap) was fixed in fee.py:11.",
    "- Critical: lost error, resolved\n- Major: double charge, resolved",
    "The two critical issues of the first review are fixed.",
    "The previous review found one critical issue; I looked at it again.",
    "AC-2 is not implemented by a loop but by divmod, which is fine.",
    "Negative amounts are rejected, as AC-4 asks.",
    "If the cap were per stay I would reject this; it is per day.",
    "I see no reason to reject.",
    "```python\n# Critical: do not touch\nlock.acquire()\n```\nThe comment is right.",
    "Major: ok",
    "Critical: ✓\nMajor: ✓",
    "AC-2 is met, AC-3 is met.",
    "AC-2 was not implemented in the earlier review and is there now.",
    "It is critical that the lock is released, and it is.",
    "Critical: nothing to report",
    "Minor: the name is long. It is not worth a rejection.",
    "Every criterion has a test. I approve.",
    "Verdict: APPROVE",
    "Critical findings: none; major findings: none; minor findings: 2",
    "Issues found: none (critical), none (major), 1 (minor)",
    "1. Critical: checked for injection, ok",
    "**Issues Found:** 0 critical, 0 major, 2 minor",
    "Critical issues: none. Major issues: none. Minor issues: naming.",
    "- Critical: 0\n- Major: 0\n- Minor: 1",
    "No blocking issues were found. The code is clean.",
    "### 🔴 Critical\n\nNone\n\n### 🟠 Major\n\nNone",
    "Previously reported critical issue FR-1: fixed, see fee.py:12.",
    "FR-1 (critical): resolved. FR-2 (major): resolved.",
    "Critical and major findings: none.",
    "All criteria are met. AC-1: met src/a.py:1. AC-2: met src/a.py:9.",
    "The spec's non-goals (refunds) are not implemented, as asked.",
    "I considered whether to reject but everything holds.",
    "A user whose card is declined is rejected with 402, as AC-3 says.",
    "Nothing critical.",
    "Critical: None\nMajor: None\nMinor: 1. a.py:3 could use a constant",
    "**Critical**: None\n**Major**: None",
    "| Severity | Count |\n|---|---|\n| Critical | 0 |\n| Major | 0 |",
    "Zero critical issues, zero major issues.",
    "## Critical\n(none)\n\n## Major\n(none)",
    "Critical: I found none.",
    "Major: all of the earlier ones are closed.",
    "Critical concerns: none identified.",
    "There was one critical issue in review 1 (lost error). It has been fixed.",
    "The two major findings have both been addressed and I verified them.",
    "Critical – none; Major – none",
    "### Major findings\n\nThere are no major findings.\n",
    "Critical: not found",
    "Major: without findings",
    "Critical issues: 0. Major issues: 0.",
    "I found no critical, major or minor issues.",
    "Both critical findings from the last review have been fixed; I re-ran the tests.",
    "Critical: none (checked auth, input handling, locking)",
    "Major: none, Minor: two",
    "Quality gates: no blocker.",
    "All earlier findings (1 critical, 2 major) are resolved.",
    "Blocking: no",
    "Critical? No. Major? No.",
    "Status of earlier findings:\n- FR-1 critical: fixed in a.py:3\n- FR-2 major: fixed in b.py:9",
    "The word critical appears in the log level CRITICAL: it is used for crashes only.",
    "Security: no critical vulnerabilities.",
    "- Major findings: none\n- Minor findings: one",
    "## Blocking issues\n\nNo blocking issues.\n\n## Suggestions\n\n- rename x",
    "AC-3: missing values are handled in a.py:4.",
    "AC-7 is missing from the table of contents only, which no one asks for.",
    "I first thought that AC-1 is not met if the list is empty, but the guard in line 4 handles it.",
]


ATTACKS = [
    "Critical: 2 criteria are not implemented",
    "Blocker (1): AC-2 is not implemented",
    "Major: 3 of 5 criteria fail",
    "Critical: no error handling",
    "Critical: without tests",
    "Critical: a fixed value is returned",
    "Critical: double() returns a fixed constant, AC-1 isn't implemented",
    "Critical: there was no test for AC-1",
    "Critical: input has been ignored",
    "Critical: closed file is written",
    "Major: the earlier value wins over the later one",
    "There is a critical bug.",
    "Do not merge this.",
    "A critical issue remains",
    "Critical issues found: 2",
    "AC-2 not implemented",
    "AC-2 isn't implemented",
    "AC-2 has no implementation",
    "| FR-1 | critical | doubling.py:2 | hard coded |",
    "Kritisch: AC-2 ist nicht umgesetzt",
    "### Critical\n\n- FR-1 (lost error): fixed\n- the lock is never released\n",
    "### Critical\nfile: a.py\nline: 3\ndescription: the amount is never checked\n",
]
MISTAKEN = [
    "Critical: keine",
    "Major: keine",
    "Critical: aucun",
    "Critical: null",
    "Critical: []",
    "Critical: [0]",
    "Critical: (empty)",
    "Critical: nichts",
    "Critical: I did not find any.",
    "Critical: There aren't any.",
    "There aren't any.",
    "Critical: Nothing stands out.",
    "Nothing stands out.",
    "Blockers: I have none.",
    "Major: no regressions",
    "Major: looks good to me",
    "- Major: checked, holds",
    "- [x] Critical: all criteria have tests",
    "I don't approve lightly, but this holds.",
    "Python 3 is not working here, so I ran Python 3.12.",
    "Issue 12 is not done but out of scope.",
]
# written before the rules above were tried on them
HELD_OUT_CONTRADICTING = [
    "Critical: the connection is closed twice",
    "Critical: None is returned for an empty list",
    "Major: the balance is no longer updated after a refund",
    "- **Critical**: 1 test asserts nothing",
    "Critical: none. But AC-4 is not implemented.",
    "Blocker: must be fixed before release",
    "Critical: none\nMajor: fee.py:12 rounds down\nMinor: none",
    "I found a critical bug in fee.py.",
    "Please don't merge until the lock is there.",
    "| Major | fee.py:3 | rounds twice | open |",
    "Major: error handling is not ok",
    "AC-3 hasn't been implemented.",
    "AC-2 doesn't work for negative numbers.",
    "Critical: 0 tests cover AC-2",
    "Issues Found: Critical: the cap is wrong | Major: 0",
    "**Major issues:**\n1. lost update in store.py, fixed in store.py:9\n2. the cache is shared by all users\n",
    "Major: only the happy path is tested",
    "My decision: do not approve.",
    "US-4.1 is unimplemented.",
    "Critical — every request logs the password",
    "This change is not acceptable.",
    "AC-2 fails.",
]
HELD_OUT_HONEST = [
    "Critical: zero",
    "Critical: none that I could find",
    "Major: no concerns here",
    "Critical: nothing of note",
    "Critical: I could not find any problems.",
    "Major: none remaining; FR-1 was resolved in the last change.",
    "- Critical: FR-1 (the value was fixed at 3): resolved",
    "### Critical\n- FR-1: the error was lost,\n  fixed in a.py:3\n",
    "| FR-1 | critical | fixed | fee.py:3 |",
    "| ID | Severity | State |\n|---|---|---|\n| FR-1 | major | resolved |",
    "| Severity | Critical | Major |\n|---|---|---|\n| Count | 0 | 0 |",
    "This is not a critical issue.",
    "A critical issue would be a lost error; there is none.",
    "UTF-8 is not handled by this module, and no criterion asks for it.",
    "The test fails when AC-2 is not met, as I tried.",
    "Major: every criterion is covered by a test",
    "Critical: I checked the locks and the input handling.",
    "Blocking issues: none at this time",
    "AC-3 is not implemented in fee.py but in cap.py.",
    "Critical: \u65e0",
    "Major: LGTM",
    "Do not merge the two helpers; they differ on purpose.",
]


@pytest.mark.parametrize("has_packets", [True, False])
@pytest.mark.parametrize("text", [*ATTACKS, *HELD_OUT_CONTRADICTING])
def test_words_that_were_missed_once_are_quoted(text: str, has_packets: bool) -> None:
    assert contradictions(f"{text}\n\nVerdict: APPROVE\n", Review.APPROVE, has_packets)


@pytest.mark.parametrize("has_packets", [True, False])
@pytest.mark.parametrize("text", [*MISTAKEN, *HELD_OUT_HONEST])
def test_words_that_were_mistaken_once_contradict_nothing(text: str, has_packets: bool) -> None:
    assert contradictions(f"{text}\n\nVerdict: APPROVE\n", Review.APPROVE, has_packets) == ()


@pytest.mark.parametrize("text", CONTRADICTING)
def test_words_that_contradict_an_approval_are_quoted(text: str) -> None:
    assert contradictions(f"{text}\n\nVerdict: APPROVE\n", Review.APPROVE, has_packets=False)


@pytest.mark.parametrize("text", HONEST)
def test_an_honest_approval_contradicts_nothing(text: str) -> None:
    assert contradictions(f"{text}\n\nVerdict: APPROVE\n", Review.APPROVE, has_packets=False) == ()


def test_the_quote_is_short_and_says_what_is_wrong() -> None:
    text = "# Review\n\nAll fine. AC-2 is not implemented. Else good.\n\n### Major\n- fee.py:11 charges twice\n"

    assert contradictions(text, Review.APPROVE, has_packets=False) == (
        "AC-2 is not implemented.",
        "### Major fee.py:11 charges twice",
    )
    (long,) = contradictions(f"Critical: {'x' * 999}", Review.APPROVE, has_packets=True)
    assert len(long) == 200


def test_counts_of_packets_and_reviews_that_do_not_approve_are_judged_elsewhere() -> None:
    assert contradictions("Critical: 2 | Major: 0", Review.APPROVE, has_packets=True) == ()
    assert contradictions("Critical: AC-2 is not implemented", Review.REJECT, has_packets=True) == ()
    assert contradictions("Critical: AC-2 is not implemented", None, has_packets=True) == ()


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    assert len(contradictions(text, Review.APPROVE, has_packets=False)) <= 5
