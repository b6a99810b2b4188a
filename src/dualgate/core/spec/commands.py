"""Fence or item -> the commands and tasks that it lists."""

import re
from collections.abc import Iterator

from dualgate.core.spec.kinds import COMMAND
from dualgate.core.spec.markdown import Form, Node
from dualgate.core.spec.sections import own_text
from dualgate.core.spec.wording import codes, plain
from dualgate.core.values.specification import Task, ValidationCommand

_SHELLS = frozenset({"", "bash", "sh", "shell", "console", "zsh", "terminal", "shellsession", "powershell", "cmd"})
_PROMPT = re.compile(r"^(?:\$|>|%|PS[^>\n]{0,60}>|[A-Z]:\\[^>\n]{0,60}>)\s+")
_COMMENT = re.compile(r"\s+#(?=\s|$).*$")
_FIRST_CODE = re.compile(r"^(?:run:?\s+)?`(?P<command>[^`]+)`(?:[.;]?|\s*[-–—:(].*)$", re.IGNORECASE | re.DOTALL)
_AFTER_COLON = re.compile(r"^[^`]{0,120}:\s*`(?P<command>[^`]+)`[.;]?$", re.DOTALL)
_LIKE_A_COMMAND = re.compile(r"[\w./~-]+(?:\s+\S.*)?", re.DOTALL)
_TASK_LINE = re.compile(
    r"^(?:[-*]\s+)?task\s+#?(?P<number>\d+(?:\.\d+)*|[a-z])\b\s*[:.)–—-]*\s*(?P<text>.*)$", re.IGNORECASE
)
_CODE_FENCES = frozenset(
    {"python", "py", "javascript", "js", "typescript", "ts", "go", "rust", "java", "sql", "json", "html"}
)


def fence_commands(node: Node, level: int | None) -> Iterator[ValidationCommand]:
    """The command lines of a shell fence; a backslash at the end of a line joins it with the next."""
    if node.info not in _SHELLS:
        return
    lines = node.text.splitlines()
    place = 0
    while place < len(lines):
        first = place
        words = [lines[place]]
        while words[-1].rstrip().endswith("\\") and place + 1 < len(lines):
            place += 1
            words.append(lines[place])
        place += 1
        command = _command(words)
        if command:
            yield ValidationCommand(command=command, line=node.text_line + first + 1, lines=len(words), level=level)


def _command(lines: list[str]) -> str:
    joined = " ".join(line.strip().removesuffix("\\").strip() for line in lines)
    bare = _COMMENT.sub("", _PROMPT.sub("", joined)).strip()
    return "" if bare.startswith("#") else bare


def item_command(item: Node, level: int | None) -> Iterator[ValidationCommand]:
    """The command of an item that is only a code span, or ends with one after a colon."""
    text = item.text if item.form is Form.PARAGRAPH else own_text(item)
    words = plain(text)
    found = _FIRST_CODE.match(words) or _AFTER_COLON.match(words)
    named = [found["command"].strip()] if found else [code for code in codes(words) if COMMAND.fullmatch(code)]
    for command in named:
        if _LIKE_A_COMMAND.fullmatch(command):
            yield ValidationCommand(command=command, line=item.line + 1, lines=text.count("\n") + 1, level=level)


def fence_tasks(node: Node) -> Iterator[Task]:
    """The lines 'Task 1: …' at the left edge of a fence; a bare 'Task 1:' takes the text of the next line."""
    if node.info in _CODE_FENCES:
        return
    lines = node.text.splitlines()
    for place, line in enumerate(lines):
        found = _TASK_LINE.match(line)
        if not found:
            continue
        following = next((text.strip() for text in lines[place + 1 : place + 3] if text.strip()), "")
        own = found["text"].strip() or following.rstrip(":")
        text = f"Task {found['number']}: {own}" if own else f"Task {found['number']}"
        taken = 1 if found["text"].strip() or not following else 2
        yield Task(text=text, line=node.text_line + place + 1, lines=taken)
