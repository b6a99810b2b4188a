"""The check of the built site finds what a reader would stumble over."""

from pathlib import Path

import pytest

from tools.check_site import main, problems

GOOD = '<html><body><h1 id="top">A</h1><a href="b.html#there">b</a><a href="https://example.org/x">x</a></body></html>'
OTHER = '<html><body><h2 id="there">B</h2><a href="#there">here</a><a href="mailto:a@b.org">m</a></body></html>'
FAULTS = [
    ('<a href="c.html">c</a>', "broken link: c.html"),
    ('<a href="b.html#gone">b</a>', "missing anchor: b.html#gone"),
    ('<a href="#gone">here</a>', "missing anchor: #gone"),
    ('<a href="/c.html">c</a>', "broken link: /c.html"),
    ('<a href="https://example/x y">x</a>', "invalid: https://example/x y"),
    ('<a href="ftp://example.org">x</a>', "unknown scheme: ftp://example.org"),
    ('<script src="https://example.org/a.js"></script>', "loads from another host: https://example.org/a.js"),
    ('<link rel="stylesheet" href="//example.org/a.css">', "loads from another host: //example.org/a.css"),
    ('<img src="gone.svg">', "missing file: gone.svg"),
]


@pytest.fixture
def site(tmp_path: Path) -> Path:
    (tmp_path / "a.html").write_text(GOOD)
    (tmp_path / "b.html").write_text(OTHER)
    return tmp_path


def test_a_site_whose_links_hold_has_no_problems(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(site) == 0
    assert capsys.readouterr().out == "2 pages, 4 links checked, 0 problems\n"


@pytest.mark.parametrize(("html", "problem"), FAULTS)
def test_a_fault_is_named_with_its_page(site: Path, html: str, problem: str) -> None:
    (site / "faulty.html").write_text(f"<html><body>{html}</body></html>")

    assert list(problems(site)) == [f"faulty.html: {problem}"]
    assert main(site) == 1


def test_a_style_that_loads_from_another_host_is_named(site: Path) -> None:
    (site / "a.css").write_text('@font-face { src: url("https://example.org/font.woff2") }')

    assert list(problems(site)) == ["a.css: loads from another host"]


def test_a_folder_without_pages_is_a_problem(tmp_path: Path) -> None:
    assert list(problems(tmp_path)) == [f"{tmp_path}: no page was built"]
