"""The state of a folder and the next commands there -> lines for people."""

from collections.abc import Iterator, Sequence

from dualgate.core.doctor.next_steps import SessionFound, Situation, Step
from dualgate.display.agents import LOGINS
from dualgate.display.lines import Line, Tone

MISSING = "none"


def next_lines(name: str, seen: Situation, steps: Sequence[Step]) -> list[Line]:
    facts = dict(_session_facts(seen.session) if seen.session else _facts(seen))
    width = max(map(len, ("Project", *facts)))
    kind = "git repository" if seen.is_repository else "no git repository"
    head = {"Project": f"{name} ({kind})"} | facts
    found = [Line(text=f"{what:<{width}}  {text}", hang=width + 2) for what, text in head.items()]
    broad = max(len(step.command) for step in steps)
    next_ = [Line(text=f"  {step.command:<{broad}}  {step.why}", hang=broad + 4) for step in steps]
    return [*found, Line(text=""), Line(text="Next:", tone=Tone.GOOD), *next_]


def _session_facts(session: SessionFound) -> Iterator[tuple[str, str]]:
    state = "running" if session.is_alive else _ended(session)
    yield "Session", f"{session.spec}, {session.phase} iteration {session.iteration}, {state}"
    if session.reason and not session.is_alive:
        yield "Reason", session.reason


def _ended(session: SessionFound) -> str:
    return "interrupted" if session.status == "running" else str(session.status)


def _facts(seen: Situation) -> Iterator[tuple[str, str]]:
    if not seen.is_project:
        return
    yield "Tests", ", ".join(seen.tests) or "none found"
    yield "Settings", seen.broken_settings or seen.settings or "none; defaults are used"
    yield "Specification", seen.specification or MISSING
    agents = ", ".join(f"{each.name} ({LOGINS[each.login]})" if each.login else each.name for each in seen.agents)
    yield "Agents", agents or "none on the PATH"
