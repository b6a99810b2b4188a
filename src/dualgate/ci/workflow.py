"""Texts -> lines that a runner of GitHub Actions reads as commands, and texts that it cannot read as commands."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from uuid import uuid4

from dualgate.core.values.notation import harmless, in_line
from dualgate.core.values.verification import Weight

SHOWN = 10
"""Annotations of one level that the host shows for a step."""
ERROR, WARNING, NOTICE = "error", "warning", "notice"
_IN_MESSAGES = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_IN_PROPERTIES = {**_IN_MESSAGES, ":": "%3A", ",": "%2C"}


def command(name: str, text: str, **properties: str | int | None) -> str:
    """`::error file=a.py,line=3::text`. Neither text nor properties can begin another command."""
    told = ",".join(f"{key}={_escaped(str(value), _IN_PROPERTIES)}" for key, value in properties.items() if value)
    return f"::{name}{f' {told}' if told else ''}::{_escaped(harmless(text), _IN_MESSAGES)}"


def inert(text: str) -> str:
    """A line of other programs, which the runner must only show."""
    line = in_line(text)
    return f"| {line.replace('##[', '# #[')}"


def output(name: str, value: str) -> str:
    """An output of the step, with a delimiter that no value can know."""
    end = f"end-{uuid4().hex}"
    return f"{name}<<{end}\n{value}\n{end}\n"


def annotations(findings: Sequence[Mapping[str, Any]], folder: str, fails: Sequence[str]) -> Iterator[str]:
    """Findings that decide, the worst first. `fails` are the weights that fail the step; others are warnings."""
    weights = list(Weight)
    deciding = [each for each in findings if not each["accepted"]]
    deciding.sort(key=lambda each: weights.index(Weight(each["weight"])))
    for each in deciding[:SHOWN]:
        level = ERROR if each["weight"] in fails else WARNING
        file = f"{folder}/{each['file']}" if folder and each["file"] else each["file"]
        about = f"{each['test']}: " if each["test"] and each["test"] not in each["text"] else ""
        text = in_line(f"{about}{each['text']} [{each['id']}]")
        title = f"dualgate: {each['weight']}"
        yield command(level, text, file=in_line(file), line=each["line"], title=title)
    if len(deciding) > SHOWN:
        yield f"and {len(deciding) - SHOWN} more findings, in the summary of the job"


def _escaped(text: str, table: Mapping[str, str]) -> str:
    return "".join(table.get(sign, sign) for sign in text)
