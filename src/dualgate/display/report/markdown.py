"""Report -> Markdown. Texts of agents and specifications stay texts: no markup, no links, no mentions."""

import re
from collections.abc import Iterable, Iterator, Sequence

from dualgate.core.report.values import Catch, Command, PhaseDiff, Report, RunPoint
from dualgate.core.values.notation import counted, listed
from dualgate.display.findings import place_of
from dualgate.display.lines import shown
from dualgate.display.markdown_text import code, prose
from dualgate.display.report import words

_FENCES = re.compile(r"`{3,}")
_MOST_DIFF = 8_000


def report_markdown(report: Report) -> str:
    """The whole report, as a page."""
    return "\n\n".join(part for part in _parts(report) if part) + "\n"


def _parts(report: Report) -> Iterator[str]:
    head, _, rest = report.conclusion.sentence.partition(": ")
    yield f"# {prose(head)}: {prose(rest)}" if rest else f"# {prose(head)}"
    yield bullets(map(prose, (*report.conclusion.reasons, *words.not_made(report))))
    yield about(report)
    yield section("What you can do now", bullets(map(code, report.conclusion.ways_on)))
    yield section("Criteria", criteria_table(report), probe_sentence(report))
    yield section("Tasks", _tasks(report))
    yield section("What was caught", *map(_caught, report.catches)) or section("What was caught", "Nothing.")
    yield section("Timeline", _timeline(report), _left_out(report, "timeline"))
    yield section("Tests over iterations", _iterations(report), _left_out(report, "iterations"))
    yield section("Cost and tokens", usage_table(report))
    yield section("Review", prose(words.review_sentence(report)), findings_table(report))
    yield section("Documents", bullets(map(code, report.documents.counting)))
    yield section("Commits", *commit_parts(report))
    yield section("Changes by phase", prose(report.diff_note), *map(_diff, report.diffs))
    yield section("Specification", fenced(report.specification))
    yield section("Warnings", warnings_list(report))
    yield section("Verify it again", commands_block(report.commands))


def about(report: Report) -> str:
    when = f"{words.moment(report.started)} to {words.moment(report.ended)}"
    facts = (code(report.spec_file), report.workflow.value, f"session {code(report.session_id)}", when)
    return f"{prose(report.title)} · {' · '.join(facts)}"


def section(title: str, *parts: str) -> str:
    """A section with its title; empty if all its parts are."""
    filled = [part for part in parts if part]
    return "\n\n".join((f"## {title}", *filled)) if filled else ""


def bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; empty without rows."""
    written = [f"| {' | '.join(row)} |" for row in rows]
    head = [f"| {' | '.join(titles)} |", f"|{'---|' * len(titles)}"]
    return "\n".join((*head, *written)) if written else ""


def fenced(text: str, language: str = "") -> str:
    """A block of code whose fence is longer than any in the text."""
    longest = max((len(found) for found in _FENCES.findall(text)), default=2)
    fence = "`" * (longest + 1)
    body = text.removesuffix("\n")
    return f"{fence}{language}\n{body}\n{fence}" if text.strip() else ""


def criteria_table(report: Report) -> str:
    titles = ("criterion", "kind", "proven by", "red", "green", "sensitivity")
    rows = (
        (
            f"{code(each.id)} {prose(each.text)}",
            each.kind.value,
            f"{each.state}: {', '.join(map(code, each.proof[:3]))}" if each.proof else each.state.value,
            _point(each.red),
            _point(each.green),
            prose(words.sensitivity_words(each)),
        )
        for each in report.criteria
    )
    return table(titles, rows)


def probe_sentence(report: Report) -> str:
    probes = report.probes
    if probes is None or not (probes.killed or probes.surviving):
        return ""
    survivors = f": {prose(listed(probes.surviving, between='; '))}" if probes.surviving else ""
    made = counted(probes.killed + len(probes.surviving), "probe", "probes")
    return f"{probes.killed} of {made} killed, {len(probes.surviving)} surviving{survivors}"


def usage_table(report: Report) -> str:
    rows = [(row.phase.value, code(shown(row.agent)), row.used, row.seconds) for row in report.usage]
    total = [("all", "", report.used, sum(row.seconds for row in report.usage))] if rows else []
    cells = [
        (phase, agent, str(used.calls), words.took(seconds), words.short_tokens(used), words.short_cost(used))
        for phase, agent, used, seconds in (*rows, *total)
    ]
    if report.escalations:
        apart = report.escalated
        cells.append(
            ("of it", "after takeovers", str(apart.calls), "", words.short_tokens(apart), words.short_cost(apart))
        )
    return table(("phase", "agent", "calls", "time", "tokens", "cost"), cells)


def findings_table(report: Report) -> str:
    rows = (
        (
            code(each.request.id),
            each.request.severity.value,
            code(place_of(each.request)),
            prose(each.request.description),
            each.state.value,
        )
        for each in report.findings
    )
    return table(("finding", "severity", "place", "description", "state"), rows)


def commit_parts(report: Report) -> Iterator[str]:
    """The branch with its commits, the reason if the last one is missing, and the pull request."""
    if report.branch:
        yield f"On the branch {code(report.branch)}:"
    yield bullets(
        f"{code(each.commit[:12])} {each.phase}: {prose(each.subject)} ({counted(each.files, 'file', 'files')})"
        for each in report.commits
    )
    if report.not_committed:
        yield f"Not committed: {prose(report.not_committed)}"
    if report.no_request:
        yield f"No pull request: {prose(report.no_request)}"
    if report.pull_request:
        yield f"Pull request: {prose(report.pull_request)}"


def warnings_list(report: Report) -> str:
    places = ((f"{each.phase} {each.iteration}: " if each.iteration else "", each.text) for each in report.warnings)
    return bullets(f"{place}{prose(text)}" for place, text in places)


def commands_block(commands: Iterable[Command]) -> str:
    return fenced("\n".join(f"# {each.shows}\n{each.command}" for each in commands), "sh")


def _point(point: RunPoint | None) -> str:
    return f"{words.clock(point.at)} {words.place(point)}" if point else "–"


def _tasks(report: Report) -> str:
    tasks = report.tasks
    if tasks is None:
        return ""
    done = (f"✓ {prose(task)}" for task in tasks.done)
    return "\n\n".join((prose(tasks.summary), bullets((*done, *map(prose, (*tasks.open, *tasks.unmarked))))))


def _caught(caught: Catch) -> str:
    times = f" ({caught.times} times)" if caught.times > 1 else ""
    rows = (
        f"Said: {prose(caught.said)}" if caught.said else "",
        *(f"Found: {prose(found)}" for found in caught.found[:10]),
        f"Then: {prose(caught.followed)} {words.passed_later(caught)}".rstrip() if caught.followed else "",
    )
    diffs = [fenced(each.diff, "diff") for each in caught.violations[:5] if each.diff]
    head = f"### {_point(caught.point)}: {prose(caught.title)}{times}"
    return "\n\n".join((head, bullets(filter(None, rows)), *diffs))


def _timeline(report: Report) -> str:
    rows = (
        (words.moment(each.at), f"{each.phase} {each.iteration or ''}".strip(), prose(each.text))
        for each in report.timeline
    )
    return table(("time", "phase", "event"), rows)


def _iterations(report: Report) -> str:
    rows = (
        (
            f"{row.phase} {row.iteration}",
            str(row.tests.passing),
            str(row.tests.failing),
            str(row.tests.skipped),
            words.took(row.agent_seconds),
            words.took(row.test_seconds),
            row.decision.replace("_", " "),
        )
        for row in report.iterations
    )
    return table(("iteration", "passing", "failing", "skipped", "agent time", "test time", "decision"), rows)


def _left_out(report: Report, name: str) -> str:
    found = next((each for each in report.left_out if each.section == name), None)
    return f"{found.count} more are not shown here: {code(found.command)}" if found else ""


def _diff(diff: PhaseDiff) -> str:
    again = f" ({diff.number}. time)" if diff.number > 1 else ""
    files = table(
        ("file", "change", "lines"),
        ((code(each.path), each.change.value, f"+{each.added} −{each.removed}") for each in diff.files),
    )
    shows = f"Show it: {code(diff.command)}" if diff.command else ""
    texts = "".join(each.diff for each in diff.files)
    body = fenced(texts, "diff") if len(texts) <= _MOST_DIFF else ""
    return "\n\n".join(filter(None, (f"### {diff.phase}{again}", files, body, shows)))
