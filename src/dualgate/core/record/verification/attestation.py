"""Verification -> an in-toto statement about the git tree of the head, with the names of its tests."""

import base64
from collections.abc import Collection, Mapping
from enum import StrEnum
from typing import Any

from dualgate.core.record.verification.document import plain, verification_document
from dualgate.core.values.suite import FAILURES, IDLE
from dualgate.core.values.verification import CaseChange, CaseState, Finding, Side, Standing, Verification, Weight

STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATE = "https://in-toto.io/attestation/test-result/v0.1"
TREE = "gitTree"
EXTENSION = "dualgate"
"""The field of the predicate for what the predicate type has no field for."""


class Result(StrEnum):
    """The words of the predicate type."""

    PASSED = "PASSED"
    WARNED = "WARNED"
    FAILED = "FAILED"


RESULTS: Mapping[Standing, Result] = {
    Standing.VERIFIED: Result.PASSED,
    Standing.NOT_PROVEN: Result.WARNED,
    Standing.REFUSED: Result.FAILED,
    Standing.UNUSABLE: Result.FAILED,
}


def result_of(standing: Standing, is_clean: bool) -> Result:
    """The result of a verification. A verified change beside an old failure or a flaky test is not clean: a warning."""
    result = RESULTS[standing]
    return Result.WARNED if result is Result.PASSED and not is_clean else result


def attestation(seen: Verification, url: str = "") -> dict[str, Any]:
    """The statement. Every test that fails on the head is in `failedTests`, old failures too."""
    failed = _failed(seen)
    warned = _doubted(seen, frozenset(failed))
    others = frozenset((*failed, *warned))
    passed = (case.id for case in seen.cases if case.head is not None and case.head not in FAILURES | IDLE)
    predicate = {
        "result": result_of(seen.standing, not others),
        "configuration": [_base(seen.base), _command(seen.head)],
        **({"url": url} if url else {}),
        "passedTests": [name for name in passed if name not in others],
        "warnedTests": warned,
        "failedTests": failed,
        EXTENSION: _extension(seen),
    }
    subject = {"name": seen.head.ref, "digest": _digest(seen.head)}
    statement = {"_type": STATEMENT, "subject": [subject], "predicateType": PREDICATE, "predicate": predicate}
    written: dict[str, Any] = plain(statement)
    return written


def _failed(seen: Verification) -> tuple[str, ...]:
    failing = (case.id for case in seen.cases if case.head in FAILURES)
    refused = (finding.test for finding in seen.deciding if finding.weight is Weight.REFUSED)
    return tuple(dict.fromkeys(filter(None, (*failing, *refused))))


def _doubted(seen: Verification, failed: Collection[str]) -> tuple[str, ...]:
    flaky = (case.id for case in seen.with_state(CaseState.FLAKY) if case.head is not None)
    doubted = (finding.test for finding in seen.deciding if finding.weight is not Weight.REFUSED)
    return tuple(name for name in dict.fromkeys((*flaky, *doubted)) if name and name not in failed)


def _extension(seen: Verification) -> dict[str, Any]:
    document = verification_document(seen)
    return {
        "format": document["format"],
        "verdict": document["verdict"],
        "oldFailures": [case.id for case in seen.cases if _is_old_failure(case)],
        "flakyTests": [case.id for case in seen.with_state(CaseState.FLAKY)],
        "skippedTests": [case.id for case in seen.cases if case.head in IDLE],
        "findings": [_finding(finding) for finding in seen.findings if finding.weight is not Weight.NOTE],
        "probes": document["probes"],
        "criteria": document["criteria"],
        "counts": document["head"]["counts"],
    }


def _is_old_failure(case: CaseChange) -> bool:
    return case.head in FAILURES and CaseState.STILL_FAILING in case.states


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "id": finding.id,
        "rule": finding.rule,
        "weight": finding.weight,
        "text": finding.text,
        "test": finding.test,
        "accepted": finding.accepted,
    }


def _base(side: Side) -> dict[str, Any]:
    return {"name": "base", "digest": _digest(side), "annotations": {"ref": side.ref}}


def _digest(side: Side) -> dict[str, str]:
    return {TREE: side.tree} | ({"gitCommit": side.commit} if side.commit else {})


def _command(side: Side) -> dict[str, Any]:
    """How the tests were run; the words of the command are its content, one a line."""
    words = "\n".join(side.command).encode("utf-8", "backslashreplace")
    told = {"runner": side.runner, "tools": side.tools, "environment": side.environment}
    return {
        "name": "test command",
        "mediaType": "text/plain",
        "content": base64.b64encode(words).decode(),
        "annotations": told,
    }
