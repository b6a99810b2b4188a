"""Run the demo in a pseudo-terminal, and draw what it caught and how it ended as an SVG for the README.

    python -m tools.draw_terminal            # writes docs/assets/demo.svg
    python -m tools.draw_terminal RECORDING  # draws a recorded output instead of running the demo

The picture has no external font and no script, and names neither a folder nor a machine.
"""

import io
import os
import pty
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent
PICTURE = ROOT / "docs" / "assets" / "demo.svg"
COLUMNS = 80
CALL, CAUGHT, END, LAST = "asking", "==> caught", "completed and proven", "five phases"
ERASE = "\x1b[K"
LEFT_OUT = "\x1b[2m  …\x1b[0m"
TITLE = "dualgate demo"
# what differs between machines, or is of no use in a picture
HIDDEN = (
    (re.compile(r"\S*/dualgate-demo-\w+"), "/tmp/dualgate-demo"),
    (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d"), "2026-01-01 12:00"),
    (re.compile(r"PRP_SESSION_DIR=\S+ \S*dualgate log"), "PRP_SESSION_DIR=/tmp/dualgate-demo/session dualgate log"),
)
FONT_RULES = re.compile(r"\s*@font-face \{.*?\}\n", re.DOTALL)
FONT_FAMILIES = re.compile(r"Fira Code, monospace")
OWN_FONTS = "ui-monospace, SFMono-Regular, Menlo, Consolas, DejaVu Sans Mono, monospace"


def main(arguments: Sequence[str]) -> int:
    recorded = Path(arguments[0]).read_bytes().decode() if arguments else record(("dualgate", "demo"))
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    PICTURE.write_text(drawn(recorded), encoding="utf-8")
    print(f"wrote {PICTURE.relative_to(ROOT)}")
    return 0


def record(words: Sequence[str]) -> str:
    """The output of a program that believes to have a terminal of COLUMNS columns."""
    ours, theirs = pty.openpty()
    variables = os.environ | {"COLUMNS": str(COLUMNS), "TERM": "xterm-256color", "LANG": "C.UTF-8"}
    program = str(Path(sys.executable).with_name(words[0]))
    path = f"{Path(program).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    with subprocess.Popen([program, *words[1:]], stdout=theirs, stderr=theirs, env=variables | {"PATH": path}):
        os.close(theirs)
        return _read_all(ours)


def _read_all(terminal: int) -> str:
    parts = []
    while True:
        try:
            part = os.read(terminal, 1 << 16)
        except OSError:  # the program is gone
            break
        if not part:
            break
        parts.append(part)
    os.close(terminal)
    return b"".join(parts).decode("utf-8", "replace")


def drawn(recorded: str) -> str:
    """The telling parts of a recorded demo as an SVG."""
    from rich.console import Console
    from rich.terminal_theme import MONOKAI
    from rich.text import Text

    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    for line in chosen(recorded):
        console.print(Text.from_ansi(line), soft_wrap=False)
    made = console.export_svg(title=TITLE, theme=MONOKAI, unique_id="dualgate-demo")
    return FONT_FAMILIES.sub(OWN_FONTS, FONT_RULES.sub("", made))


def chosen(recorded: str) -> list[str]:
    """The iterations in which something was caught, each from the call of the agent on, and the end."""
    for pattern, instead in HIDDEN:
        recorded = pattern.sub(instead, recorded)
    # what a progress line overwrote is left out
    lines = [line.rsplit("\r", 1)[-1].removeprefix(ERASE) for line in recorded.replace("\r\n", "\n").split("\n")]
    calls = [number for number, line in enumerate(lines) if CALL in line]
    caught = [number for number, line in enumerate(lines) if CAUGHT in line]
    picked = ["$ dualgate demo"]
    for number in caught:
        begin = max(call for call in calls if call < number)
        end = next(each for each in range(number, len(lines)) if not lines[each].strip())
        picked += [LEFT_OUT, *lines[begin:end]]
    begin = max(number for number, line in enumerate(lines) if END in line)
    end = next(number for number, line in enumerate(lines) if number > begin and LAST in line)
    return [*picked, LEFT_OUT, *lines[begin : end + 1]]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
