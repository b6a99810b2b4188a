"""ExitDecision, Analysis -> the object that `dualgate analyze --json` prints, and lines for people."""

from typing import Any

from dualgate.core.gates.analysis import Analysis
from dualgate.core.gates.exits import ExitDecision
from dualgate.core.values.answer import LIMITS, Usage


def analysis_record(decision: ExitDecision, last: Analysis) -> dict[str, Any]:
    answer, claim = last.answer, last.claim
    failure = answer.failure
    limit = failure if failure is not None and failure.kind in LIMITS else None
    usage = answer.usage
    return {
        "decision": decision.decision.value,
        "reasons": list(decision.reasons),
        "exit_signal": claim.exit_signal,
        "indicators": {"count": len(decision.indicators), "which": [str(each) for each in decision.indicators]},
        "format": answer.format.value,
        "agent": answer.agent,
        "status": claim.status and claim.status.value,
        "work_type": last.work_type and last.work_type.value,
        "error": {"kind": failure and failure.kind.value, "message": failure and failure.message},
        "stuck": decision.stuck,
        "limit": {
            "kind": limit and limit.kind.value,
            "resets_at": limit.resets_at.isoformat() if limit and limit.resets_at else None,
        },
        "session_id": answer.session_id,
        "usage": {name: usage and getattr(usage, name) for name in ("input", "output", "cached")},
        "cost_usd": answer.cost_usd,
        "turns": answer.turns,
        "denied": list(answer.denied),
        "questions": list(answer.questions),
        "problems": list(last.problems),
    }


def analysis_lines(decision: ExitDecision, last: Analysis) -> list[str]:
    """The decision and its reasons first, then what was read."""
    answer = last.answer
    rows = [
        ("Decision", decision.decision.replace("_", " ")),
        *(("because", reason) for reason in decision.reasons),
        ("Agent", f"{answer.agent or 'unknown'}, {answer.format.replace('_', ' ')}"),
        ("Status", f"{last.claim.status or 'none'}, EXIT_SIGNAL {'true' if last.claim.exit_signal else 'false'}"),
        ("Tokens", _tokens(answer.usage)),
        ("Denied", ", ".join(answer.denied)),
        ("Asks", " / ".join(answer.questions)),
        *(("Note", problem) for problem in last.problems),
    ]
    return [f"{name:<9} {text}" for name, text in rows if text]


def _tokens(usage: Usage | None) -> str:
    return f"{usage.input} in ({usage.cached} cached), {usage.output} out" if usage else ""
