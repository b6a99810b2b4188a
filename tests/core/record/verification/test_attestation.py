"""An attestation names the tests of a tree, and a check says what does not match."""

import base64
import json
from collections.abc import Callable
from typing import Any

import pytest

from dualgate.core.record.verification.attestation import attestation
from dualgate.core.record.verification.checking import check_attestation
from dualgate.core.values.suite import CaseOutcome
from dualgate.core.values.verification import CaseChange, CaseState, Rule, Standing, Verification, Weight
from dualgate.errors import SettingError
from dualgate.testing import a_finding, a_verification

TREE = "c" * 40
FAILED, PASSED = CaseOutcome.FAILED, CaseOutcome.PASSED
OLD = CaseChange(id="test_old", states=(CaseState.STILL_FAILING,), base=FAILED, head=FAILED)
FLAKY = CaseChange(id="test_flaky", states=(CaseState.FLAKY,), base=PASSED, head=FAILED)
WAVERING = CaseChange(id="test_wavering", states=(CaseState.FLAKY,), base=FAILED, head=PASSED)
SKIPPED = CaseChange(id="test_skipped", base=CaseOutcome.SKIPPED, head=CaseOutcome.SKIPPED)
GONE = CaseChange(id="test_gone", states=(CaseState.VANISHED,), base=PASSED)
FINE = CaseChange(id="test_fine", base=PASSED, head=PASSED)
BROKEN = CaseChange(id="test_broken", states=(CaseState.REGRESSED,), base=PASSED, head=FAILED)
REGRESSED = a_finding(test="test_broken")
UNNOTICED = a_finding(Rule.UNNOTICED, Weight.NOT_PROVEN, test="", file="fee.py", subject="fee")
HOLLOW = a_finding(Rule.HOLLOW, Weight.NOT_PROVEN, test="test_fine")
CANNOT_RUN = a_finding(Rule.SUITE, Weight.UNUSABLE, test="")


def told(seen: Verification) -> tuple[str, list[str], list[str], list[str]]:
    predicate = attestation(seen)["predicate"]
    return predicate["result"], predicate["passedTests"], predicate["warnedTests"], predicate["failedTests"]


RESULTS = [
    (a_verification(cases=(FINE,)), ("PASSED", ["test_fine"], [], [])),
    (a_verification(cases=(FINE, SKIPPED)), ("PASSED", ["test_fine"], [], [])),
    (a_verification(cases=(FINE, OLD)), ("WARNED", ["test_fine"], [], ["test_old"])),
    (a_verification(cases=(FINE, WAVERING)), ("WARNED", ["test_fine"], ["test_wavering"], [])),
    (a_verification(HOLLOW, cases=(FINE,)), ("WARNED", [], ["test_fine"], [])),
    (a_verification(UNNOTICED, cases=(FINE,)), ("WARNED", ["test_fine"], [], [])),
    (a_verification(REGRESSED, cases=(FINE, BROKEN)), ("FAILED", ["test_fine"], [], ["test_broken"])),
    (a_verification(a_finding(test="test_gone"), cases=(FINE, GONE)), ("FAILED", ["test_fine"], [], ["test_gone"])),
    (a_verification(CANNOT_RUN, cases=()), ("FAILED", [], [], [])),
]


@pytest.mark.parametrize(("seen", "expected"), RESULTS)
def test_tests_are_listed_by_how_they_ended_on_the_head(
    seen: Verification, expected: tuple[str, list[str], list[str], list[str]]
) -> None:
    assert told(seen) == expected


def test_the_subject_is_the_tree_and_the_base_and_the_command_are_the_configuration() -> None:
    statement = attestation(a_verification(), url="https://ci.example/1")

    base, command = statement["predicate"]["configuration"]
    assert statement["subject"] == [{"name": "work tree", "digest": {"gitTree": TREE}}]
    assert base["digest"] == {"gitTree": "a" * 40, "gitCommit": "b" * 40}
    assert base64.b64decode(command["content"]) == b"pytest\n-q"
    assert statement["predicate"]["url"] == "https://ci.example/1"
    assert json.loads(json.dumps(statement)) == statement


def written(seen: Verification) -> bytes:
    return json.dumps(attestation(seen)).encode()


HONEST = [seen for seen, _ in RESULTS] + [
    a_verification(a_finding(test="test_broken", accepted="known"), cases=(FINE, BROKEN)),
    a_verification(cases=(FINE, FLAKY)),
    a_verification(REGRESSED, UNNOTICED, CANNOT_RUN, cases=(OLD, BROKEN)),
]


@pytest.mark.parametrize("seen", HONEST)
def test_an_attestation_of_our_own_matches_its_tree_and_holds_only_if_the_change_is_verified(
    seen: Verification,
) -> None:
    checked = check_attestation(written(seen), TREE)

    assert checked.problems == ()
    assert checked.holds is (seen.standing is Standing.VERIFIED)
    assert checked.verdict == seen.standing


def test_a_signed_envelope_and_a_bundle_are_opened() -> None:
    envelope = {"payloadType": "application/vnd.in-toto+json", "payload": base64.b64encode(written(HONEST[0])).decode()}

    assert check_attestation(json.dumps(envelope).encode(), TREE).holds
    assert check_attestation(json.dumps({"dsseEnvelope": envelope}).encode(), TREE).holds


def test_another_tree_is_named_with_the_attested_one() -> None:
    checked = check_attestation(written(HONEST[0]), "d" * 40)

    assert checked.problems == (f"it is about the tree {TREE}, and this is the tree {'d' * 40}",)
    assert not checked.holds


def test_a_statement_without_a_subject_is_about_no_tree() -> None:
    statement = attestation(HONEST[0]) | {"subject": []}

    assert "the tree of no subject" in check_attestation(json.dumps(statement).encode(), TREE).problems[0]


Edit = Callable[[dict[str, Any]], object]
FORGED: list[tuple[Verification, Edit, str]] = [
    (
        a_verification(REGRESSED, cases=(FINE, BROKEN)),
        lambda predicate: predicate.update(result="PASSED"),
        "the result is PASSED, and a change that is refused with these tests has the result FAILED",
    ),
    (
        a_verification(REGRESSED, cases=(FINE, BROKEN)),
        lambda predicate: predicate["dualgate"].update(verdict="verified"),
        f"the verdict is verified, and its findings make it refused: {REGRESSED.id}",
    ),
    (
        a_verification(REGRESSED, cases=(FINE, BROKEN)),
        lambda predicate: predicate["dualgate"].update(verdict="verified", findings=[]),
        "these tests fail, and are neither old failures nor in a finding: test_broken",
    ),
    (
        a_verification(cases=(FINE,)),
        lambda predicate: predicate["dualgate"].update(verdict="refused"),
        "the verdict is refused, and its findings make it verified: it has none",
    ),
    (
        a_verification(cases=(FINE,)),
        lambda predicate: predicate.update(failedTests=["test_fine"]),
        "the test test_fine is in passedTests and in failedTests",
    ),
    (
        a_verification(cases=(FINE,)),
        lambda predicate: predicate.update(result="GREAT"),
        "predicate.result must be one of PASSED, WARNED, FAILED: GREAT",
    ),
    (
        a_verification(cases=(FINE,)),
        lambda predicate: predicate.pop("configuration"),
        "predicate.configuration is missing",
    ),
]


@pytest.mark.parametrize(("seen", "edit", "told"), FORGED)
def test_an_edited_attestation_is_refused_with_what_contradicts_what(seen: Verification, edit: Edit, told: str) -> None:
    statement = attestation(seen)
    edit(statement["predicate"])

    checked = check_attestation(json.dumps(statement).encode(), TREE)

    assert told in checked.problems
    assert not checked.holds


def of_another_program(**predicate: Any) -> bytes:
    statement = attestation(HONEST[0]) | {"predicate": {"configuration": [], **predicate}}
    return json.dumps(statement).encode()


def test_the_attestation_of_another_program_is_checked_by_its_result_and_names() -> None:
    assert check_attestation(of_another_program(result="PASSED", passedTests=["a"]), TREE).holds
    assert not check_attestation(of_another_program(result="WARNED", warnedTests=["a"]), TREE).holds
    assert check_attestation(of_another_program(result="PASSED", failedTests=["a"]), TREE).problems == (
        "the result is PASSED, and it lists tests that did not pass: a",
    )


NO_STATEMENTS = [
    (b"{", "not JSON"),
    (b"\xff", "not JSON"),
    (b"[" * 100_000, "not JSON"),
    (b"[]", "not an object"),
    (b"{}", "no field '_type'"),
    (b'{"dsseEnvelope": 3}', "no field '_type'"),
    (b'{"payload": "!"}', "not base64"),
    (b'{"payload": 7}', "not base64"),
]


@pytest.mark.parametrize(("content", "told"), NO_STATEMENTS)
def test_what_is_no_attestation_is_refused_with_the_reason(content: bytes, told: str) -> None:
    with pytest.raises(SettingError, match=told):
        check_attestation(content, TREE)
