"""The file of a JavaScript test by its title, where the report of its tool names none."""

from pathlib import Path

import pytest

from dualgate.core.values.suite import CaseResult
from dualgate.runners.cases import CaseFiles
from dualgate.runners.junit import read_case
from dualgate.runners.junit_report import read_document_at
from dualgate.runners.tap import read_result
from dualgate.runners.tap_report import read_tap

MAIL = "describe('Mail', () => {\n  it('has a host', () => {});\n  it('is short', () => {});\n});\n"
XUNIT = (
    '<testsuite name="Mocha Tests" tests="1" failures="0" errors="0" skipped="0">'
    '<testcase classname="{group}" name="{name}" time="0.01"/></testsuite>'
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write(tmp_path / "web/package.json", "{}")
    write(tmp_path / "web/test/mail.js", MAIL)
    write(tmp_path / "web/src/url.test.ts", "it('has a scheme', () => {});\nit(`has ${'no'} title`, () => {});\n")
    write(tmp_path / "web/src/name.spec.js", "it('has a letter', () => {});\n")
    write(tmp_path / "web/test/other.js", "it('has a letter', () => {});\nit('is short', () => {});\n")
    write(tmp_path / "web/node_modules/x/test/x.js", MAIL)
    return tmp_path


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def from_xml(project: Path, group: str, name: str) -> CaseResult:
    write(project / "report.xml", XUNIT.format(group=group, name=name))
    (case,) = read_document_at(project / "report.xml").cases
    return read_case(case, CaseFiles(project=project, folder="web"))


def from_tap(project: Path, title: str) -> CaseResult:
    (point,) = read_tap([f"ok 1 {title}", "1..1"]).points
    return read_result(point, CaseFiles(project=project, folder="web"))


FOUND = [
    ("Mail", "has a host", "web/test/mail.js"),
    ("Mail", "is short", "web/test/mail.js"),
    ("", "is short", "web/test/other.js"),
    ("", "has a scheme", "web/src/url.test.ts"),
    ("", "has a letter", ""),
    ("", "has no title", ""),
    ("Mail", "has a port", ""),
]


@pytest.mark.parametrize(("group", "name", "file"), FOUND)
def test_a_test_is_in_the_only_file_that_has_its_title(project: Path, group: str, name: str, file: str) -> None:
    xml, tap = from_xml(project, group, name), from_tap(project, f"{group} {name}".strip())

    assert (xml.file, tap.file) == (file, file)
    assert file not in xml.id or not file


def test_files_are_looked_for_only_in_a_package_of_javascript(project: Path) -> None:
    (project / "web/package.json").unlink()

    assert from_tap(project, "Mail has a host").file == ""
