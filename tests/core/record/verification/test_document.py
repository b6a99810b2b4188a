"""The object of verify --json."""

import json

from jsonschema import Draft202012Validator

from dualgate.core.record.verification.codes import EXIT_CODES
from dualgate.core.record.verification.document import verification_document
from dualgate.core.report.schemas import schema
from dualgate.core.values.specification import CriterionStatus, Kind
from dualgate.core.values.verification import CriterionProof, ProbeCounts, Rule, Standing, Weight
from dualgate.testing import a_finding, a_verification

NOTE = a_finding(Rule.PASSES_ON_BASE, Weight.NOTE, details=("it passes there too",))
ACCEPTED = a_finding(Rule.WEAKENED, accepted="the requirement is gone")
FULL = a_verification(
    a_finding(file="tests/test_x.py", line=7),
    NOTE,
    ACCEPTED,
    probes=ProbeCounts(killed=4, surviving=1),
    criteria=(
        CriterionProof(id="AC-1", text="it works", kind=Kind.NEW, state=CriterionStatus.GREEN, tests=("test_a",)),
    ),
)


def test_every_verification_is_legal_by_the_schema() -> None:
    legal = Draft202012Validator(schema("verification"))

    for seen in (FULL, a_verification()):
        document = verification_document(seen)
        legal.validate(document)
        assert json.loads(json.dumps(document)) == document


def test_notes_are_apart_and_what_is_accepted_stays_a_finding() -> None:
    document = verification_document(FULL)

    assert [each["rule"] for each in document["findings"]] == ["regressed-test", "weakened-test"]
    assert [each["id"] for each in document["notes"]] == [NOTE.id]
    assert document["findings"][1]["accepted"] == "the requirement is gone"


def test_the_verdict_and_its_exit_code_are_told() -> None:
    told = {
        str(standing): verification_document(a_verification(standing=standing))["exit_code"] for standing in Standing
    }

    assert told == {"verified": 0, "refused": 1, "not proven": 7, "unusable": 3}
    assert EXIT_CODES.keys() == set(Standing)


def test_sides_have_their_counts_with_the_total() -> None:
    document = verification_document(FULL)

    assert document["head"]["counts"]["total"] == 3
    assert document["base"]["command"] == ["pytest", "-q"]
