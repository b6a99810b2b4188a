"""Report -> the body of a pull request: the verdict and its evidence, short enough to be read."""

import re
from collections.abc import Iterator
from dataclasses import replace

from dualgate.core.report.values import Command, Report
from dualgate.core.values.notation import counted, listed
from dualgate.display.markdown_text import code, prose
from dualgate.display.report import words
from dualgate.display.report.markdown import (
    bullets,
    commands_block,
    criteria_table,
    findings_table,
    probe_sentence,
    section,
    warnings_list,
)

LIMIT = 60_000
"""Characters: code hosts refuse a longer body."""
_CUT = "\n\nCut: `dualgate report` has everything.\n"
_MOST_CAUGHT = 10
_FOLDERS = re.compile(r"(?<![\w.$}])/(?:[^\s'\"/]+/)+(?=[^\s'\"/])")
"""The folders of a whole path."""


def pull_request_body(report: Report) -> str:
    body = "\n\n".join(part for part in _parts(report) if part) + "\n"
    return body if len(body) <= LIMIT else body[:LIMIT].rpartition("\n")[0] + _CUT


def _parts(report: Report) -> Iterator[str]:
    head, _, rest = report.conclusion.sentence.partition(": ")
    yield f"**{prose(head)}**: {prose(rest)}" if rest else f"**{prose(head)}**"
    yield bullets(map(prose, report.conclusion.reasons))
    yield f"{prose(report.title)} (specification {code(report.spec_file)}, session {code(report.session_id[:8])})"
    yield section("Evidence", criteria_table(report), _tasks(report), probe_sentence(report))
    yield section("Caught on the way", bullets(_catches(report)))
    yield section("Review", prose(words.review_sentence(report)), findings_table(report))
    yield section("Documents", bullets(map(code, report.documents.counting)))
    yield section("Warnings", warnings_list(report))
    yield section("Cost", _cost(report))
    yield section("Verify it again", commands_block(_elsewhere(report)))


def _elsewhere(report: Report) -> Iterator[Command]:
    """The commands that work on other machines, without folders of this one."""
    for each in report.commands:
        if not each.is_local:
            inside = each.command.replace(f"{report.project}/", "")
            yield replace(each, command=_FOLDERS.sub("", inside))


def _cost(report: Report) -> str:
    used = report.used
    facts = (words.cost_of(used), f"tokens: {words.tokens_of(used)}", counted(used.calls, "call", "calls"))
    return f"{'; '.join(facts)}; worked for {words.took(report.seconds_worked)}"


def _tasks(report: Report) -> str:
    return prose(report.tasks.summary) if report.tasks else ""


def _catches(report: Report) -> Iterator[str]:
    for caught in report.catches[:_MOST_CAUGHT]:
        times = f" ({caught.times} times)" if caught.times > 1 else ""
        found = f": {prose(listed(caught.found, 2, '; '))}" if caught.found else ""
        yield f"{words.place(caught.point)}: {prose(caught.title)}{times}{found}"
    more = len(report.catches) - _MOST_CAUGHT
    if more > 0:
        yield f"and {more} more"
