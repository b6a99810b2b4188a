"""Report -> one HTML file that needs nothing else: no script, no request, its style allowed by its hash alone."""

import re
from base64 import b64encode
from hashlib import sha256
from importlib import resources
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from dualgate.core.report.values import MomentKind, Report, SessionEnd, StayEnd
from dualgate.core.values.amendments import AmendmentOutcome
from dualgate.core.values.checks import CheckState
from dualgate.core.values.notation import counted
from dualgate.core.values.reviews import FindingState
from dualgate.display.findings import place_of
from dualgate.display.lines import shown
from dualgate.display.report import charts, words
from dualgate.display.report.highlight import diff_html

if TYPE_CHECKING:
    from jinja2 import Environment

_IN_BACKTICKS = re.compile(r"`([^`\n]+)`")
END_KINDS = {
    SessionEnd.PROVEN: "good",
    SessionEnd.NOT_PROVEN: "warn",
    SessionEnd.HALTED: "bad",
    SessionEnd.ABORTED: "bad",
    SessionEnd.PAUSED: "warn",
    SessionEnd.RUNNING: "info",
}
MOMENT_KINDS = {
    MomentKind.STEP: "step",
    MomentKind.PASSED: "good",
    MomentKind.CAUGHT: "bad",
    MomentKind.TROUBLE: "warn",
    MomentKind.PERSON: "info",
}
FINDING_KINDS = {FindingState.OPEN: "bad", FindingState.ADVICE: "warn", FindingState.CLOSED: "good"}
STAY_KINDS = {end: charts.STAY_COLOURS.get(end, "bad") for end in StayEnd}
AMENDMENT_KINDS = {
    AmendmentOutcome.ACCEPTED: "good",
    AmendmentOutcome.REFUSED: "bad",
    AmendmentOutcome.WAITING: "warn",
}
CHECK_KINDS = {CheckState.PASSES: "good", CheckState.BROKEN: "bad"}


def report_html(report: Report) -> str:
    style = _style()
    head, _, rest = report.conclusion.sentence.partition(": ")
    seconds = sum(row.seconds for row in report.usage)
    measure = charts.share_measure(report.used, seconds)
    page = _environment().get_template("report.html.jinja")
    return page.render(
        not_made=tuple(words.not_made(report)),
        report=report,
        policy=_policy(style),
        style=Markup(style),
        verdict=head,
        because=rest,
        end=END_KINDS[report.conclusion.end],
        figures=_figures(report),
        tests=charts.test_chart(report.iterations),
        phases=charts.phase_bars(report.stays, report.started, report.ended),
        measure=measure,
        usage=[(row, charts.share_of(measure, row, report.used, seconds)) for row in report.usage],
        agent_seconds=seconds,
        left_out={each.section: each for each in report.left_out},
    ).lstrip()


def report_policy() -> str:
    """The Content-Security-Policy of the page: its own style and nothing else."""
    return _policy(_style())


def _style() -> str:
    return (resources.files("dualgate.display.report") / "templates" / "report.css").read_text(encoding="utf-8")


def _policy(style: str) -> str:
    digest = b64encode(sha256(style.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("dualgate.display.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "clock": words.clock,
        "day": words.day,
        "moment": words.moment,
        "took": words.took,
        "place": words.place,
        "ticks": ticks,
        "agent": shown,
        "diff": lambda each: diff_html(each.path, each.diff),
        "where": place_of,
        "tokens": words.short_tokens,
        "cost": words.short_cost,
        "sensitivity": words.sensitivity_words,
        "later": words.passed_later,
        "mood": MOMENT_KINDS.__getitem__,
        "urgency": FINDING_KINDS.__getitem__,
        "result": STAY_KINDS.__getitem__,
        "decided": AMENDMENT_KINDS.__getitem__,
        "checked": lambda state: CHECK_KINDS.get(state, "warn"),
        "reviewed": words.review_sentence,
        "counted": counted,
    }
    return made


def ticks(text: str) -> Markup:
    """A sentence in which words in backticks are code; everything else is escaped."""
    parts = _IN_BACKTICKS.split(text)
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if number % 2 else escape(part) for number, part in enumerate(parts)
    )


def _figures(report: Report) -> list[tuple[str, str]]:
    """The figures at the top: name and value."""
    holding = sum(criterion.green is not None for criterion in report.criteria)
    catches = sum(caught.times for caught in report.catches)
    figures = [
        ("Criteria", f"{holding} of {len(report.criteria)}" if report.criteria else ""),
        ("Tasks", f"{len(report.tasks.done)} of {_tasks(report)}" if report.tasks else ""),
        ("Tests passing", f"{report.tests.passing} of {report.tests.total}" if report.tests.total else "none"),
        ("Probes killed", _probes(report)),
        ("Caught", str(catches)),
        ("Agent calls", str(report.used.calls)),
        ("Worked", words.took(report.seconds_worked)),
        ("Cost", words.short_cost(report.used) if report.used.tells_cost else "unknown"),
    ]
    return [figure for figure in figures if figure[1]]


def _tasks(report: Report) -> int:
    tasks = report.tasks
    return len(tasks.done) + len(tasks.open) + len(tasks.unmarked) if tasks else 0


def _probes(report: Report) -> str:
    probes = report.probes
    return f"{probes.killed} of {probes.killed + len(probes.surviving)}" if probes and probes.killed else ""
