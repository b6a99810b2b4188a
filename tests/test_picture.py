"""The picture of the README: drawn from a recorded run, and safe to show anywhere."""

import re
from xml.etree import ElementTree

from tools.draw_terminal import PICTURE, chosen, drawn

RECORDED = (
    "baseline: 1 test\r\n"
    "\x1b[2mGREEN     1  asking the author (call 2)\x1b[0m\r\n"
    "\r\x1b[K\x1b[2mtests  1/4\x1b[0m\r\x1b[K\x1b[2mGREEN     1  tests: 3 passed, 1 failed\x1b[0m\r\n"
    '\x1b[31mGREEN     1  the agent says "done"; the evidence says no\x1b[0m\r\n'
    '==> caught 1: a false "done".\r\n'
    "\r\n"
    "GREEN     2  asking the author (call 3)\r\n"
    "\x1b[32mcompleted and proven\x1b[0m\r\n"
    "The run ended in all\r\n"
    "five phases.\r\n"
    "The project of this demo is /home/somebody/dualgate-demo-x1/parking\r\n"
)


def test_the_parts_that_caught_something_and_the_end_are_chosen() -> None:
    plain = [re.sub(r"\x1b\[\d*[mK]", "", line) for line in chosen(RECORDED)]

    assert plain == [
        "$ dualgate demo",
        "  …",
        "GREEN     1  asking the author (call 2)",
        "GREEN     1  tests: 3 passed, 1 failed",
        'GREEN     1  the agent says "done"; the evidence says no',
        '==> caught 1: a false "done".',
        "  …",
        "completed and proven",
        "The run ended in all",
        "five phases.",
    ]


def test_a_drawing_keeps_the_colours_and_names_no_folder() -> None:
    made = drawn(RECORDED)

    assert "somebody" not in made
    assert len(re.findall(r"\{ fill: #\w+", made)) >= 4


def test_the_picture_loads_nothing_and_shows_the_three_catches() -> None:
    text = PICTURE.read_text(encoding="utf-8")
    shown = "".join(ElementTree.fromstring(text).itertext()).replace("\xa0", " ")

    assert re.findall(r"<script|<image|<foreignObject|@import|@font-face|url\((?!#)|href=", text) == []
    assert re.findall(r"==> caught (\d)", shown) == ["1", "2", "3"]
    assert "completed and proven" in shown
    assert re.findall(r"(?<![\w.])/(?:home|Users|root|work|tmp)/", shown) == []
