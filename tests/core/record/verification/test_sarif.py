"""SARIF: rules with help, findings with stable fingerprints, places and levels."""

import json
from typing import Any

from jsonschema import Draft202012Validator

from dualgate.core.record.verification.rules import RULES
from dualgate.core.record.verification.sarif import sarif
from dualgate.core.values.verification import Finding, Rule, Weight
from dualgate.testing import a_finding, a_verification

TEXT = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string", "minLength": 1}}}
NAMED = {"type": "string", "minLength": 1}
LOCATION = {
    "type": "object",
    "required": ["physicalLocation"],
    "properties": {
        "physicalLocation": {
            "type": "object",
            "required": ["artifactLocation"],
            "properties": {
                "artifactLocation": {
                    "type": "object",
                    "required": ["uri"],
                    "properties": {"uri": {"type": "string", "pattern": r"^[A-Za-z0-9._~/%-]+$"}},
                },
                "region": {"type": "object", "properties": {"startLine": {"type": "integer", "minimum": 1}}},
            },
        }
    },
}
SUPPRESSION = {
    "type": "object",
    "required": ["kind"],
    "properties": {
        "kind": {"enum": ["inSource", "external"]},
        "status": {"enum": ["accepted", "underReview", "rejected"]},
        "justification": {"type": "string"},
    },
    "additionalProperties": False,
}
RESULT = {
    "type": "object",
    "required": ["message", "ruleId", "locations", "partialFingerprints"],
    "properties": {
        "ruleId": NAMED,
        "ruleIndex": {"type": "integer", "minimum": 0},
        "level": {"enum": ["none", "note", "warning", "error"]},
        "message": TEXT,
        "locations": {"type": "array", "minItems": 1, "items": LOCATION},
        "partialFingerprints": {"type": "object", "additionalProperties": {"type": "string"}},
        "suppressions": {"type": "array", "items": SUPPRESSION},
    },
    "additionalProperties": False,
}
RULE = {
    "type": "object",
    "required": ["id"],
    "properties": {"id": NAMED, "name": NAMED, "shortDescription": TEXT, "help": TEXT},
    "additionalProperties": False,
}
DRIVER = {
    "type": "object",
    "required": ["name"],
    "properties": {"name": NAMED, "rules": {"type": "array", "uniqueItems": True, "items": RULE}},
}
RUN = {
    "type": "object",
    "required": ["tool", "results"],
    "properties": {
        "tool": {"type": "object", "required": ["driver"], "properties": {"driver": DRIVER}},
        "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
        "results": {"type": "array", "items": RESULT},
        "automationDetails": {"type": "object"},
        "properties": {"type": "object"},
    },
    "additionalProperties": False,
}
# the constraints of SARIF 2.1.0 on what is written here
LOG = {
    "type": "object",
    "required": ["version", "runs"],
    "properties": {"$schema": NAMED, "version": {"const": "2.1.0"}, "runs": {"type": "array", "items": RUN}},
    "additionalProperties": False,
}


def results(*findings: Finding, **values: Any) -> list[dict[str, Any]]:
    log = json.loads(json.dumps(sarif(a_verification(*findings, **values), "1.0")))
    Draft202012Validator(LOG).validate(log)
    (run,) = log["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert all(rules[result["ruleIndex"]] == result["ruleId"] for result in run["results"])
    found: list[dict[str, Any]] = run["results"]
    return found


def place(result: dict[str, Any]) -> tuple[str, int]:
    physical = result["locations"][0]["physicalLocation"]
    return physical["artifactLocation"]["uri"], physical["region"]["startLine"]


def test_every_rule_is_explained_with_what_to_do() -> None:
    assert RULES.keys() == set(Rule)
    assert all(text.endswith(".") for texts in RULES.values() for text in texts)


def test_a_level_for_every_weight() -> None:
    found = results(*(a_finding(weight=weight, test=weight) for weight in Weight))

    assert [result["level"] for result in found] == ["error", "warning", "warning", "note"]


def test_fingerprints_stay_when_lines_and_words_move() -> None:
    before, after = (
        results(a_finding(file="a.py", line=3)),
        results(a_finding(file="a.py", line=40, text="it fails now")),
    )

    assert before[0]["partialFingerprints"] == after[0]["partialFingerprints"]
    assert place(before[0]) != place(after[0])


def test_a_finding_is_at_its_own_place_or_at_that_of_its_test_or_in_the_change() -> None:
    own = a_finding(file="src/my fee.py", line=4)
    of_test = a_finding(test="tests/test_x.py::test_fee")
    nowhere = a_finding(Rule.CHECK, test="", subject="lint")

    assert [place(each) for each in results(own, of_test, nowhere)] == [
        ("src/my%20fee.py", 4),
        ("tests/test_x.py", 3),
        ("src/fee.py", 1),
    ]
    assert place(results(nowhere, changed=())[0]) == (".", 1)


def test_what_is_accepted_is_suppressed_with_the_reason() -> None:
    accepted, open_one = results(a_finding(accepted="the requirement is gone"), a_finding(Rule.BENT))

    assert accepted["suppressions"] == [
        {"kind": "external", "status": "accepted", "justification": "the requirement is gone"}
    ]
    assert open_one["suppressions"] == []


def test_names_of_the_change_make_no_links_and_steer_no_terminal() -> None:
    (result,) = results(a_finding(test="test_a[x](https://evil.example)\x1b[2J", file="a\udcff\ud800.py"))

    assert "](" not in result["message"]["text"]
    assert "\x1b" not in result["message"]["text"]
    assert place(result)[0] == "a%5Cxff%5Cud800.py"


def test_a_test_that_the_sentence_names_is_not_named_twice() -> None:
    (result,) = results(a_finding(test="test_a", text="test_a fails on the head"))

    assert result["message"]["text"].startswith("test_a fails on the head [regressed-test-")
