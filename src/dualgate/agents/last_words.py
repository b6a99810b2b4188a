"""The end of an output -> its last sentence, without the frame around it and what a CLI writes beneath an error."""

import re

__all__ = ["LONGEST_LINE", "last_words"]

LONGEST_LINE = 600
LONGEST_TAIL = 6000
LAST_LINES = 12
COLOUR = re.compile(r"\x1b\[[\d;]*m")
# A box around a message: its sides, and its top and bottom.
SIDE = re.compile(r"^\s*[│┃║]\s?|\s*[│┃║]\s*$")
EDGE = re.compile(r"^[\s─━═╌╭╮╰╯┌┐└┘├┤^~]+$")
# «at 7:30 PM» is no place in code
STACK = re.compile(
    r"^\s+at .*(?:[./\\]\S*:\d+:\d+\)?|\((?:native|unknown|[\w.]+):\d[\d:]*\)|<anonymous>\)?|:line \d+)\s*$|^\s+File \""
)
# Places of installed programs; a stack with any other place tells of the project.
INSTALLED = re.compile(
    r"node_modules/|\$bunfs|~BUN|\bnode:|\(native:|[\\/]bundle[\\/]|unknown:\d|(?:site|dist)-packages/|"
    r"/lib/python|<frozen "
)
# Lines beneath an error that say nothing of its reason.
BENEATH = re.compile(
    r"\W{0,4}(?:(?:request|trace|session|conversation|feedback|correlation|thread|log)[ _-]?(?:id|saved)\b|"
    r"(?:tokens used|total [\w ()]{1,30}|cost|duration|session)\s?[:=]|Node\.js v\d|exit (?:status|code)\b|exiting\b|"
    r"(?:[\w ]{1,30}\. )?goodbye|location:$|backtrace omitted|run with RUST_BACKTRACE|"
    r"[\w./\\-]+\.\w{1,4}:\d+(?::\d+)?$)",
    re.IGNORECASE,
)
MOST_BENEATH = 6
ADVICE = re.compile(
    r"/|please|visit|run |see |upgrade|to |http|learn more|for more|possible quota|retry|view |manage", re.IGNORECASE
)
CLOSED = re.compile(r"[}\])]+[,;]?$")
ITEM = re.compile(r"\s+[-*+•] ")


def last_words(text: str) -> str:
    """The last line, with those before it that it goes on from, or that it only says what to do about."""
    lines = _lines(text)
    first = len(lines) - 1
    while first > 0 and len(lines) - first < LAST_LINES and _goes_on(lines[first], lines[first - 1]):
        first -= 1
    if any(ITEM.match(line) for line in lines[first + 1 :]):
        return ""  # a list reports on work
    return " ".join(line.strip() for line in lines[first:])[-2 * LONGEST_LINE :]


def _lines(text: str) -> list[str]:
    """The lines of the end that may tell the reason; none if a stack shows that the project's own code failed."""
    shown = [
        line for line in COLOUR.sub("", text[-LONGEST_TAIL:]).splitlines() if line.strip() and not EDGE.match(line)
    ]
    stack = [line for line in shown[-4 * LAST_LINES :] if STACK.match(line)]
    if not all(INSTALLED.search(line) for line in stack):
        return []
    lines = _unframed([line for line in shown if line not in stack or "File" in line])
    for _ in range(MOST_BENEATH):
        if len(lines) > 1 and BENEATH.match(lines[-1]):
            lines.pop()
    return lines


def _unframed(lines: list[str]) -> list[str]:
    """The lines without the sides of a frame; inside one they are indented, as one paragraph."""
    free, was_framed = [], False
    for line in lines:
        is_framed = SIDE.match(line) is not None
        free.append(("  " if is_framed and was_framed else "") + SIDE.sub("", line))
        was_framed = is_framed
    return [line for line in free if line.strip()]


def _goes_on(line: str, before: str) -> bool:
    is_indented, is_below = line[0].isspace(), before[0].isspace()
    line, before = line.strip(), before.strip()
    # below an indented line, such as code in a stack, a new sentence begins
    is_wrapped = line[0].islower() and before[-1] not in ".!?" and not is_below
    is_bracketed = line[0] == "(" or CLOSED.match(line) is not None or before.count("(") > before.count(")")
    return is_indented or is_wrapped or is_bracketed or before.endswith(":") or ADVICE.match(line) is not None
