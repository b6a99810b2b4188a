"""Messages, docstrings, prompts and pages use the words that a developer knows from other tools."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "src" / "dualgate"

BANNED = {
    r"\b[Mm]end(?:s|ed|ing)?\b": "fix",
    r"\b[Aa]new\b": "again, start over",
    r"\bundone\b": "reverted",
    r"\b(?:is|are|was|be) put back\b|\bputs? (?:it|them|that) back\b": "restored",
    r"\b(?:gives?|given) back\b": "restored, reverted",
    r"\b(?:have|has|had) (?:it |them )?back\b": "restored",
    r"\blets? go of\b": "delete, close",
    r"\b(?:is|are|was|were|cannot be|will be) told\b(?! apart)": "is reported, is shown",
    r"\btold (?:of|no|none)\b": "reported",
    r"\bknown of\b": "name the fact",
    r"\bthis very\b": "this",
    r"(?<!there )(?<!they )\b(?:is|are) none\b(?! of)": "is invalid, is missing",
    r"\bis another(?=[,.;:]| than\b|$)": "changed, differs",
    r"\bin its way\b": "name the obstacle",
    r"\b(?:testimony|prey|volatile)\b": "claim; mutant; unstable",
    r"\b(?:cannot|can|could not) be believed\b": "is not trusted",
    r"\bdo the same again\b": "try again, retry",
    r"\bwhich there is not\b": "which does not exist",
}
"""Pattern of an idiom that no reader knows -> plain words for it."""

RIDDLE = re.compile(r"(?:What|Who|Where) (?!.*\?$)")
"""A description that begins so names no subject."""

JUSTIFIED = {
    ("core/said/contradictions.py", "mended"),  # a word that reviews use
}
"""Module and phrase: texts of others that dualgate reads."""


class Text(NamedTuple):
    place: str
    line: int
    text: str
    describes: bool


def texts_of_module(path: Path) -> Iterator[Text]:
    place = path.relative_to(SOURCES).as_posix()
    tree = ast.parse(path.read_text())
    described = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield Text(place, node.lineno, " ".join(node.value.split()), id(node) in described)


def texts_of_page(path: Path, folder: Path) -> Iterator[Text]:
    place = path.relative_to(folder).as_posix()
    for number, paragraph in enumerate(path.read_text().split("\n\n"), 1):  # a sentence may span lines
        yield Text(place, number, " ".join(paragraph.split()), describes=False)


def every_text() -> Iterator[Text]:
    for path in sorted(SOURCES.rglob("*.py")):
        yield from texts_of_module(path)
    for path in sorted(SOURCES.rglob("*.md")):
        yield from texts_of_page(path, SOURCES)
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))):
        yield from texts_of_page(path, ROOT)


def faults(text: Text) -> Iterator[str]:
    for pattern, plain in BANNED.items():
        for found in re.finditer(pattern, text.text):
            if (text.place, found[0]) not in JUSTIFIED:
                yield f"{text.place}:{text.line}: '{found[0]}' -> {plain}: {text.text[:100]}"
    if text.describes and RIDDLE.match(text.text):
        yield f"{text.place}:{text.line}: begin with the subject: {text.text[:100]}"


def test_every_text_is_in_plain_words() -> None:
    assert [fault for text in every_text() for fault in faults(text)] == []


SPOKEN = [
    ("Fix the command, or pass another with --test-command.", False),
    ("tests: 5 passed (tree unchanged, result reused)", False),
    ("A pattern of guard.frozen is none: x", True),
    ("empty if there is none", False),
    ("Mends what is in its way.", True),
    ("--agent-command cannot be told of model", True),
    ("the environment is another, as x changed", True),
    ("Start anew.", True),
]


@pytest.mark.parametrize(("sentence", "is_idiom"), SPOKEN)
def test_an_idiom_is_found_and_a_plain_sentence_is_not(sentence: str, is_idiom: bool) -> None:
    assert bool([*faults(Text("core/x.py", 1, sentence, describes=False))]) is is_idiom


def test_a_description_begins_with_its_subject() -> None:
    assert [*faults(Text("core/x.py", 1, "What a run changed.", describes=True))]
    assert not [*faults(Text("core/x.py", 1, "The changes of a run.", describes=True))]
