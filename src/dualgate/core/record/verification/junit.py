"""Verification -> JUnit XML: the tests of the head, with the findings as failures of their tests."""

import re
from collections.abc import Iterable, Mapping
from xml.etree.ElementTree import Element, SubElement, tostring

from dualgate.core.values.notation import harmless
from dualgate.core.values.suite import FAILURES, IDLE, SEPARATOR
from dualgate.core.values.verification import CaseChange, CaseState, Finding, Verification, Weight

SUITE = "dualgate verify"
# what XML cannot hold besides control characters
_FORBIDDEN = re.compile("[\ud800-\udfff\ufffe\uffff]")
_TAGS: Mapping[Weight, str] = {Weight.REFUSED: "failure", Weight.NOT_PROVEN: "failure", Weight.UNUSABLE: "error"}


def junit(seen: Verification) -> bytes:
    """The report as UTF-8. An old failure and what a person accepts are reported as skipped, with the reason."""
    suite = Element("testsuite", name=SUITE)
    by_test: dict[str, list[Finding]] = {}
    for finding in seen.findings:
        if finding.test and finding.weight is not Weight.NOTE:
            by_test.setdefault(finding.test, []).append(finding)
    for case in seen.cases:
        if case.head is not None or case.id in by_test:
            _case(suite, case, by_test.pop(case.id, ()))
    for name, findings in by_test.items():
        _case(suite, CaseChange(id=name), findings)
    for finding in seen.findings:
        if not finding.test and finding.weight is not Weight.NOTE:
            _lone(suite, finding)
    _count(suite, seen)
    root = Element("testsuites", suite.attrib)
    root.append(suite)
    written: bytes = tostring(root, encoding="utf-8", xml_declaration=True)
    return written + b"\n"


def _case(suite: Element, case: CaseChange, findings: Iterable[Finding]) -> None:
    group, _, name = case.id.rpartition(SEPARATOR)
    place = {"file": case.file, "line": "" if case.line is None else str(case.line)}
    named = {"classname": group or SUITE, "name": name, "time": f"{case.seconds:.3f}"}
    element = SubElement(suite, "testcase", _clean(named | {key: value for key, value in place.items() if value}))
    deciding = [finding for finding in findings if finding.decides]
    accepted = [finding for finding in findings if finding.accepted]
    if deciding:
        _verdict(element, deciding)
    elif accepted:
        _child(element, "skipped", f"accepted: {accepted[0].accepted}")
    elif case.head in FAILURES:
        _failing(element, case)
    elif case.head in IDLE:
        _child(element, "skipped", str(case.head))


def _failing(element: Element, case: CaseChange) -> None:
    if CaseState.STILL_FAILING in case.states:
        _child(element, "skipped", "fails on the base too", case.message)
    else:
        _child(element, "failure", "fails on the head", case.message)


def _lone(suite: Element, finding: Finding) -> None:
    element = SubElement(suite, "testcase", _clean({"classname": SUITE, "name": finding.id, "time": "0.000"}))
    if finding.decides:
        _verdict(element, [finding])
    else:
        _child(element, "skipped", f"accepted: {finding.accepted}")


def _verdict(element: Element, findings: list[Finding]) -> None:
    """One failure for all findings of a test: readers of these files expect at most one."""
    worst = min(findings, key=lambda finding: list(_TAGS).index(finding.weight))
    lines = [line for finding in findings for line in (f"{finding.text} [{finding.id}]", *finding.details)]
    _child(element, _TAGS[worst.weight], worst.text, "\n".join(lines)).set("type", worst.rule)


def _child(element: Element, tag: str, message: str, text: str = "") -> Element:
    child = SubElement(element, tag, _clean({"message": message}))
    child.text = _legal(text) or None
    return child


def _clean(texts: Mapping[str, str]) -> dict[str, str]:
    return {name: _legal(text) for name, text in texts.items()}


def _legal(text: str) -> str:
    return _FORBIDDEN.sub("", harmless(text))


def _count(suite: Element, seen: Verification) -> None:
    tags = [child.tag for case in suite for child in case]
    counts = {f"{tag}s": tags.count(tag) for tag in ("failure", "error")} | {"skipped": tags.count("skipped")}
    for name, count in ({"tests": len(suite)} | counts).items():
        suite.set(name, str(count))
    suite.set("time", f"{seen.head.seconds:.3f}")
