"""An attestation and a git tree -> what does not match. Signatures are not checked: other programs do that."""

import base64
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from dualgate.core.record.verification.attestation import (
    EXTENSION,
    PREDICATE,
    STATEMENT,
    TREE,
    Result,
    result_of,
)
from dualgate.core.values.notation import listed
from dualgate.core.values.problems import Severity
from dualgate.core.values.shapes import ANY_TEXT, SOME_TEXT, Schema, check, list_of, record, words
from dualgate.core.values.verification import Finding, Rule, Standing, Weight, standing_of
from dualgate.errors import SettingError

_NEXT_STEP = "Give a file that 'dualgate verify --attest FILE' wrote, or one in which it was signed."
_LISTS = ("passedTests", "warnedTests", "failedTests")
_FINDING = {"id": SOME_TEXT, "weight": words(Weight), "accepted": ANY_TEXT}
_EXTENSION = record(
    {
        "verdict": words(Standing),
        "oldFailures": list_of(ANY_TEXT),
        "flakyTests": list_of(ANY_TEXT),
        "findings": list_of(record(_FINDING)),
    }
)
SCHEMA: Schema = record(
    {
        "_type": words([STATEMENT]),
        "subject": list_of(record({"digest": record({TREE: SOME_TEXT})})),
        "predicateType": words([PREDICATE]),
        "predicate": record(
            {"result": words(Result), "configuration": list_of(record({}))},
            {**dict.fromkeys(_LISTS, list_of(ANY_TEXT)), EXTENSION: _EXTENSION},
        ),
    }
)
"""The parts of a statement that the check needs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """The content of an attestation, and its problems."""

    verdict: str = ""
    """The verdict of dualgate, or the result where another program wrote the attestation."""
    is_verified: bool = False
    problems: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether the tree was verified, if the attestation is trusted."""
        return self.is_verified and not self.problems


def check_attestation(content: bytes, tree: str) -> Checked:
    """Compare a statement, plain or in a signed envelope, with a tree. Raises SettingError if there is no statement."""
    statement = _statement(_loaded(content))
    malformed = [each.message for each in check(SCHEMA, statement) if each.severity is Severity.ERROR]
    if malformed:
        return Checked(problems=tuple(malformed))
    predicate = statement["predicate"]
    extension = predicate.get(EXTENSION)
    verdict = extension["verdict"] if extension else predicate["result"]
    problems = (*_other_trees(statement, tree), *_twice(predicate), *_disagreements(predicate, extension))
    return Checked(verdict=verdict, is_verified=verdict in (Standing.VERIFIED, Result.PASSED), problems=problems)


def _loaded(content: bytes) -> Mapping[str, Any]:
    try:
        document = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise SettingError(f"It is no attestation: it is not JSON: {error}.", _NEXT_STEP) from error
    if not isinstance(document, dict):
        raise SettingError("It is no attestation: it is not an object.", _NEXT_STEP)
    return document


def _statement(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """The statement itself, or the one in an envelope (DSSE) or in a bundle with such an envelope."""
    envelope = document.get("dsseEnvelope", document)
    payload = envelope.get("payload") if isinstance(envelope, dict) else None
    if payload is not None:
        return _loaded(_decoded(payload))
    if "_type" not in document:
        raise SettingError("It is no attestation: it has no field '_type' and no 'payload'.", _NEXT_STEP)
    return document


def _decoded(payload: Any) -> bytes:
    try:
        return base64.b64decode(payload, validate=True)
    except (TypeError, ValueError) as error:
        raise SettingError(f"It is no attestation: its payload is not base64: {error}.", _NEXT_STEP) from error


def _other_trees(statement: Mapping[str, Any], tree: str) -> Iterator[str]:
    attested = [subject["digest"][TREE] for subject in statement["subject"]]
    if tree not in attested:
        yield f"it is about the tree {listed(attested) or 'of no subject'}, and this is the tree {tree}"


def _twice(predicate: Mapping[str, Any]) -> Iterator[str]:
    seen: dict[str, str] = {}
    for place in _LISTS:
        for name in predicate.get(place, ()):
            if name in seen:
                yield f"the test {name} is in {seen[name]} and in {place}"
            seen[name] = place


def _disagreements(predicate: Mapping[str, Any], extension: Mapping[str, Any] | None) -> Iterator[str]:
    result, failed, warned = predicate["result"], predicate.get("failedTests", ()), predicate.get("warnedTests", ())
    if extension is None:
        if result == Result.PASSED and (failed or warned):
            yield f"the result is PASSED, and it lists tests that did not pass: {listed([*failed, *warned])}"
        return
    verdict = Standing(extension["verdict"])
    expected = result_of(verdict, not failed and not warned)
    if result != expected:
        yield f"the result is {result}, and a change that is {verdict} with these tests has the result {expected}"
    if (found := _standing(extension)) is not verdict:
        deciding = (each["id"] for each in extension["findings"] if not each["accepted"])
        yield f"the verdict is {verdict}, and its findings make it {found}: {listed(deciding) or 'it has none'}"
    named = (str(each.get("test")) for each in extension["findings"])
    excused = {*named, *extension["oldFailures"], *extension["flakyTests"]}
    if unexplained := [name for name in failed if name not in excused]:
        yield f"these tests fail, and are neither old failures nor in a finding: {listed(unexplained)}"


def _standing(extension: Mapping[str, Any]) -> Standing:
    return standing_of(
        Finding(rule=Rule.CHANGE, weight=Weight(each["weight"]), text="", accepted=each["accepted"])
        for each in extension["findings"]
    )
