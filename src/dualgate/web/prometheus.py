"""Sessions -> metrics in the text format of Prometheus. Labels are words of fixed sets, so their number is bounded."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from dualgate import __version__
from dualgate.core.record.session_state import Standing
from dualgate.core.values.vocabulary import BreakerState, HaltCause
from dualgate.web.rows import SeenSession, by_standing
from dualgate.web.totals import OTHER, causes_of, totals_of

KIND = "text/plain; version=0.0.4; charset=utf-8"
_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """One metric: its name, meaning and values by their labels."""

    name: str
    about: str
    values: Sequence[tuple[Mapping[str, str], float]]
    kind: str = "gauge"


def metrics_text(sessions: Sequence[SeenSession], streams: int, answered: int) -> str:
    return "".join(f"{line}\n" for each in _families(sessions, streams, answered) for line in written(each))


def _families(sessions: Sequence[SeenSession], streams: int, answered: int) -> Iterator[Family]:
    """Sums are gauges: they fall when a session is deleted."""
    totals, standing = totals_of(sessions), by_standing(sessions)
    causes = {**dict.fromkeys((*(cause.value for cause in HaltCause), OTHER), 0), **causes_of(sessions)}
    yield _one("dashboard_info", "The version of the dashboard.", 1, {"version": __version__})
    yield _by("sessions", "Sessions by their standing.", "standing", {each.value: standing[each] for each in Standing})
    yield _one("sessions_archived", "Sessions in an archive.", sum(each.summary.archived for each in sessions))
    yield _by("sessions_halted", "Halted sessions by cause.", "cause", causes)
    yield _by("breakers", "Unfinished sessions by the state of their breaker.", "state", _breakers(sessions))
    yield _by("tests", "Last test results of unfinished sessions.", "result", _tests(sessions))
    yield _one("iterations", "Iterations of all sessions.", totals["iterations"])
    yield _one("agent_calls", "Calls of agents in all sessions.", totals["calls"])
    yield _one("agent_calls_without_cost", "Calls that reported no cost.", totals["calls_without_cost"])
    yield _one("tokens", "Tokens that calls reported.", totals["tokens"] or 0)
    yield _one("cost_dollars", "Cost that calls reported, in US dollars.", totals["cost_usd"] or 0)
    yield _one("agent_seconds", "Seconds that agents worked.", totals["agent_seconds"])
    yield _one("test_seconds", "Seconds that tests ran.", totals["test_seconds"])
    yield _one("proven_criteria", "Criteria of proven sessions.", totals["proven_criteria"])
    yield _one("session_bytes", "Bytes of all sessions on disk.", totals["bytes"])
    yield _one("dashboard_streams", "Open streams of events.", streams)
    yield Family(
        name="dualgate_dashboard_requests_total",
        about="Requests that were admitted.",
        values=[({}, answered)],
        kind="counter",
    )


def _breakers(sessions: Sequence[SeenSession]) -> dict[str, float]:
    states = Counter(each.summary.figures.breaker for each in sessions if _goes_on(each) and each.summary.figures)
    return {state.value: states[state] for state in BreakerState}


def _tests(sessions: Sequence[SeenSession]) -> dict[str, float]:
    found = [each.summary.figures.tests for each in sessions if _goes_on(each) and each.summary.figures]
    return {
        "passing": sum(each.passing for each in found),
        "failing": sum(each.failing for each in found),
        "skipped": sum(each.skipped for each in found),
    }


def _goes_on(seen: SeenSession) -> bool:
    return not seen.summary.archived and not seen.summary.finished


def _one(name: str, about: str, value: float, labels: Mapping[str, str] | None = None) -> Family:
    return Family(name=f"dualgate_{name}", about=about, values=[(labels or {}, value)])


def _by(name: str, about: str, label: str, values: Mapping[str, float]) -> Family:
    return Family(name=f"dualgate_{name}", about=about, values=[({label: key}, value) for key, value in values.items()])


def written(family: Family) -> Iterator[str]:
    """The lines of a metric."""
    yield f"# HELP {family.name} {family.about}"
    yield f"# TYPE {family.name} {family.kind}"
    for labels, value in family.values:
        inside = ",".join(f'{name}="{text.translate(_ESCAPES)}"' for name, text in labels.items())
        yield f"{family.name}{f'{{{inside}}}' if inside else ''} {value:.15g}"
