"""Verifications are read back as they were written."""

import json

import pytest

from dualgate.core.record.verification.document import verification_document
from dualgate.core.values.specification import CriterionStatus, Kind
from dualgate.core.values.verification import CriterionProof, ProbeCounts, Rule, Verification, Weight
from dualgate.errors import SettingError
from dualgate.store.verifications import decode_verification
from dualgate.testing import a_finding, a_verification

NOTE = a_finding(Rule.FLAKY, Weight.NOTE, subject="twice", details=("run 1: passed", "run 2: failed"))
PROOF = CriterionProof(id="AC-1", text="it works", kind=Kind.NEW, state=CriterionStatus.GREEN, tests=("test_a",))
CHANGES = [
    a_verification(),
    a_verification(a_finding(line=3), NOTE, probes=ProbeCounts(killed=2), criteria=(PROOF,)),
    a_verification(a_finding(accepted="known")),
]


@pytest.mark.parametrize("seen", CHANGES)
def test_a_document_is_read_back_as_it_was(seen: Verification) -> None:
    assert decode_verification(json.dumps(verification_document(seen)).encode()) == seen


def test_a_name_that_is_no_text_is_escaped_and_keeps_the_id_of_its_finding() -> None:
    finding = a_finding(test="tests/test_x.py::test_\udcff")

    (read,) = decode_verification(json.dumps(verification_document(a_verification(finding))).encode()).findings

    assert (read.test, read.id) == ("tests/test_x.py::test_\\udcff", finding.id)


WRONG = [
    (b"[]", "Expected `object`"),
    (b"\xff", "This is not a verification"),
    (b"{}", "'format' is None"),
    (b'{"format": 2}', "'format' is 2"),
    (b'{"format": 1, "verdict": "fine", "base": {"ref": "a"}, "head": {"ref": "b"}}', "fine"),
    (b'{"format": 1, "verdict": "refused", "findings": 3}', "findings|base"),
]


@pytest.mark.parametrize(("content", "told"), WRONG)
def test_what_is_no_verification_is_refused_with_the_reason(content: bytes, told: str) -> None:
    with pytest.raises(SettingError, match=told):
        decode_verification(content)
