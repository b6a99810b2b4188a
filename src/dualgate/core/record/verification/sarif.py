"""Verification -> SARIF 2.1.0, the form in which code hosts take findings."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from dualgate.core.record.verification.document import plain
from dualgate.core.record.verification.rules import RULES
from dualgate.core.values.notation import harmless, shown
from dualgate.core.values.verification import Finding, Rule, Verification, Weight

VERSION = "2.1.0"
SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
ROOT = "%SRCROOT%"
FINGERPRINT = "dualgateFinding/v1"
CODE_HOSTS = "primaryLocationLineHash"
"""The only fingerprint that GitHub compares; without it an alert would close and open again when lines move."""
LEVELS: Mapping[Weight, str] = {
    Weight.REFUSED: "error",
    Weight.UNUSABLE: "warning",
    Weight.NOT_PROVEN: "warning",
    Weight.NOTE: "note",
}
_RULES = tuple(Rule)


def sarif(seen: Verification, version: str) -> dict[str, Any]:
    """The log of one run; `version` is that of dualgate."""
    places = {case.id: (case.file, case.line) for case in seen.cases}
    run = {
        "tool": {"driver": {"name": "dualgate", "semanticVersion": version, "rules": [_rule(rule) for rule in _RULES]}},
        "automationDetails": {"id": "dualgate-verify/"},
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding, _place(finding, places, seen)) for finding in seen.findings],
        "properties": {"verdict": seen.standing, "base": seen.base.tree, "head": seen.head.tree},
    }
    log: dict[str, Any] = plain({"$schema": SCHEMA, "version": VERSION, "runs": [run]})
    return log


def _rule(rule: Rule) -> dict[str, Any]:
    text = RULES[rule]
    name = "".join(word.capitalize() for word in rule.split("-"))
    help_text = f"{text.meaning} {text.next_step}"
    return {"id": rule, "name": name, "shortDescription": {"text": text.meaning}, "help": {"text": help_text}}


def _result(finding: Finding, location: Mapping[str, Any]) -> dict[str, Any]:
    suppression = {"kind": "external", "status": "accepted", "justification": harmless(finding.accepted)}
    return {
        "ruleId": finding.rule,
        "ruleIndex": _RULES.index(finding.rule),
        "level": LEVELS[finding.weight],
        "message": {"text": _message(finding)},
        "locations": [location],
        "partialFingerprints": {FINGERPRINT: finding.id, CODE_HOSTS: finding.id},
        # a run in which one result has suppressions must say of each result whether it is suppressed
        "suppressions": [suppression] if finding.accepted else [],
    }


def _message(finding: Finding) -> str:
    about = f"{finding.test}: " if finding.test and finding.test not in finding.text else ""
    # `[text](target)` is a link, and names come from the change
    return harmless(f"{about}{finding.text} [{finding.id}]").replace("](", "] (")


def _place(
    finding: Finding, places: Mapping[str, tuple[str, int | None]], seen: Verification
) -> dict[str, Mapping[str, Any]]:
    """The file of the finding, or of its test. Code hosts refuse a result without one: then a changed file."""
    file, line = (finding.file, finding.line) if finding.file else places.get(finding.test, ("", None))
    located = quote(shown(file or next(iter(seen.changed), ".")))
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": located, "uriBaseId": ROOT},
            "region": {"startLine": max(1, line or 1)},
        }
    }
