"""The files of the page, as they are in the package: no markup from text, nothing inline, nothing from elsewhere."""

import re
from importlib import resources
from pathlib import Path

STATIC = Path(str(resources.files("dualgate.web") / "static"))
REPORT = resources.files("dualgate.display.report") / "templates" / "report.css"
READS_MARKUP = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\(|new Function|srcdoc"
)
INLINE = re.compile(r"<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon[a-z]+=|javascript:")
ELSEWHERE = re.compile(r"https?://(?!www\.w3\.org/2000/svg)|@import|url\(")
COLOUR = re.compile(r"--([a-z-]+): (#[0-9a-f]{3,6});")
BOTH = re.compile(r"--([a-z-]+): light-dark\((#[0-9a-f]{3,6}), (#[0-9a-f]{3,6})\);")
LONGEST = 400


def files(suffix: str) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in STATIC.glob(f"*{suffix}")}


def test_no_module_reads_text_as_markup() -> None:
    assert [name for name, text in files(".js").items() if READS_MARKUP.search(text)] == []


def test_the_page_has_nothing_inline_and_asks_no_other_host() -> None:
    every = files(".js") | files(".css") | files(".html")

    assert INLINE.search(every["index.html"]) is None
    assert [name for name, text in every.items() if ELSEWHERE.search(text)] == []


def test_modules_are_short_and_say_what_they_are_for() -> None:
    modules = files(".js")

    assert [name for name, text in modules.items() if len(text.splitlines()) > LONGEST] == []
    assert [name for name, text in modules.items() if not text.startswith("/** ")] == []


def test_every_import_names_a_file_that_exists() -> None:
    modules = files(".js")
    named = {name for text in modules.values() for name in re.findall(r'from "\./([^"]+)"', text)}

    assert named <= modules.keys()
    assert modules.keys() - named == {"main.js"}


def test_the_colours_are_those_of_the_report() -> None:
    css = REPORT.read_text(encoding="utf-8")
    light, dark = css.split("@media (prefers-color-scheme: dark)")
    pairs = {name: (one, other) for name, one, other in BOTH.findall(files(".css")["palette.css"])}
    report = dict(COLOUR.findall(light)), dict(COLOUR.findall(dark.split("* { box-sizing")[0]))

    shared = pairs.keys() & report[0].keys()
    assert len(shared) >= 20
    assert {name: pairs[name] for name in shared} == {name: (report[0][name], report[1][name]) for name in shared}
