"""The meaning of each rule of a verification, and how to fix a finding: for reports and for `--explain`."""

from collections.abc import Mapping
from typing import NamedTuple

from dualgate.core.values.verification import Rule


class RuleText(NamedTuple):
    meaning: str
    next_step: str


RULES: Mapping[Rule, RuleText] = {
    Rule.REGRESSED: RuleText(
        "A test passes on the base and fails on the head.",
        "Fix the code. If the requirement changed, change the test in the same change.",
    ),
    Rule.LOST: RuleText(
        "A test of the base cannot be collected on the head any more.",
        "Restore what the test file needs to be imported and collected.",
    ),
    Rule.WEAKENED: RuleText(
        "A test was removed, skipped or changed, and its version on the base fails on the head.",
        "Restore the test. If the requirement changed, replace it by a test that fails on the base's code.",
    ),
    Rule.HIDDEN: RuleText(
        "A test that fails on the base was removed, skipped or marked as an expected failure instead of being fixed.",
        "Restore the test. A test that fails on both sides does not block the change.",
    ),
    Rule.BENT: RuleText(
        "A test that fails on the base was changed so that it passes there, without a change of the code.",
        "Restore the test and fix the code.",
    ),
    Rule.STEERED: RuleText(
        "A test of the base does better only because a file that steers the test run changed.",
        "Restore the configuration, conftest or plug-in for this test.",
    ),
    Rule.FORGED: RuleText(
        "The reported result of a test contradicts the result that the runner saw.",
        "Remove the code that changes results.",
    ),
    Rule.UNNOTICED: RuleText(
        "No test fails when the changed code is broken on purpose.",
        "Add a test that checks what the changed code does.",
    ),
    Rule.UNTESTED: RuleText(
        "No test runs the changed code.",
        "Add a test that runs the changed code and checks its result.",
    ),
    Rule.FIXTURE_CODE: RuleText(
        "The changed code looks at its tests, or answers only the inputs of its tests.",
        "Write code that computes the answer for every input.",
    ),
    Rule.OLD_FAILURE: RuleText(
        "A test that fails on both sides runs changed code, so it cannot show whether the change is right.",
        "Fix the test's failure, or add a passing test for the changed code.",
    ),
    Rule.PASSES_ON_BASE: RuleText(
        "A new test passes on the base too, so it proves nothing about the change.",
        "Add a test that fails without the change.",
    ),
    Rule.HOLLOW: RuleText(
        "A new or changed test cannot fail.",
        "Add an assertion on the result of the code.",
    ),
    Rule.FLAKY: RuleText(
        "A test has different results in runs of the same tree.",
        "Make the test independent of time, order and chance.",
    ),
    Rule.CRITERION: RuleText(
        "A criterion of the specification has no proof.",
        "Add a test whose name or docstring has the id of the criterion, and which fails without the change.",
    ),
    Rule.CHECK: RuleText(
        "A configured check, such as a linter, is worse than on the base.",
        "Run the check and fix what it reports.",
    ),
    Rule.BUDGET: RuleText(
        "A step did not fit into the time.",
        "Give more time with --budget, or leave the option out.",
    ),
    Rule.SUITE: RuleText(
        "The tests cannot be run, or their result cannot be trusted.",
        "Run 'dualgate tests' and fix what it reports.",
    ),
    Rule.SETUP: RuleText(
        "How the trees were set up.",
        "Nothing, if the tests run.",
    ),
    Rule.SURVIVORS: RuleText(
        "Some deliberate breaks of changed code were not noticed by any test.",
        "Add a test for the lines that are named.",
    ),
    Rule.CHANGE: RuleText(
        "Something about the change itself.",
        "Read the message.",
    ),
}
