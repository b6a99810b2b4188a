"""The page of a report in a browser: silent, alone, readable by everybody, on any width."""

from dataclasses import replace
from pathlib import Path

import pytest

from dualgate.core.report.values import Report
from dualgate.display.report.html import report_html
from tests.browser.conftest import Open
from tests.display.report.samples import a_full_report, a_halted_report, a_hostile_report, a_ralph_report

REPORTS = {
    "full": a_full_report(),
    "halted": a_halted_report(),
    "hostile": a_hostile_report(),
    "ralph": a_ralph_report(),
}


@pytest.fixture(params=REPORTS)
def report(request: pytest.FixtureRequest) -> Report:
    return REPORTS[request.param]


@pytest.fixture
def page(report: Report, tmp_path: Path) -> Path:
    path = tmp_path / "report.html"
    path.write_text(report_html(report), encoding="utf-8")
    return path


def test_a_page_logs_nothing_asks_for_nothing_and_fits_a_desk_and_a_phone(page: Path, open_page: Open) -> None:
    for width, scheme in ((1440, "light"), (390, "dark")):
        shown = open_page(page, width=width, scheme=scheme)

        assert shown.messages == []
        assert shown.requests == [page.as_uri()]
        assert shown.overflow <= 0
        assert shown.page.title()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(scheme: str, tmp_path: Path, open_page: Open) -> None:
    page = tmp_path / "report.html"
    # axe is a script, which the policy of the page would refuse
    page.write_text(report_html(a_full_report()).replace('http-equiv="Content-Security-Policy"', 'name="none"'))

    for width in (1440, 390):
        assert open_page(page, width=width, scheme=scheme).grave_findings() == []


def test_the_policy_refuses_what_is_not_of_the_page(tmp_path: Path, open_page: Open) -> None:
    """The check would see it: a page with a script and an image is refused both."""
    page = tmp_path / "report.html"
    evil = "<script>document.title = 'owned'</script><img src='http://127.0.0.1:9/x.png'></body>"
    page.write_text(report_html(a_full_report()).replace("</body>", evil))

    shown = open_page(page)

    assert shown.page.title() != "owned"
    assert len(shown.messages) == 2


def test_a_printed_page_shows_what_is_folded(tmp_path: Path, open_page: Open) -> None:
    page = tmp_path / "report.html"
    page.write_text(report_html(replace(a_full_report(), specification="THE WHOLE TEXT")))
    shown = open_page(page)
    folded = shown.page.get_by_text("THE WHOLE TEXT")
    assert not folded.is_visible()

    shown.page.emulate_media(media="print")

    assert folded.is_visible()
