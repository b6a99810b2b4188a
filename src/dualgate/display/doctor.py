"""Checks -> lines for people, with the command that mends each under it, and a record for programs."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from dualgate.core.doctor.checkup import Check, Health, can_start
from dualgate.display.lines import Line, Tone

TONES = {Health.OK: Tone.GOOD, Health.WARN: Tone.PLAIN, Health.FAIL: Tone.BAD}


def doctor_lines(checks: Sequence[Check]) -> list[Line]:
    width = max(len(check.name) for check in checks)
    told = [line for check in checks for line in _told(check, width)]
    return [*told, Line(text=""), _end(checks)]


def _told(check: Check, width: int) -> list[Line]:
    seen = f"{check.health:<4}  {check.name:<{width}}  "
    told = [Line(text=f"{seen}{check.seen}", tone=TONES[check.health], hang=len(seen))]
    mend = f"{'':{len(seen)}}mend: {check.fix}"
    return [*told, Line(text=mend, tone=Tone.QUIET, hang=len(seen))] if check.fix else told


def doctor_record(checks: Sequence[Check]) -> dict[str, Any]:
    return {"can_start": can_start(checks), "checks": [_plain(check) for check in checks]}


def _plain(check: Check) -> dict[str, Any]:
    return {**asdict(check), "health": check.health.value, "fix": check.fix or None}


def _end(checks: Sequence[Check]) -> Line:
    failed = [check.name for check in checks if check.health is Health.FAIL]
    if failed:
        return Line(text=f"A run cannot start: {', '.join(failed)}", tone=Tone.BAD)
    warned = [check.name for check in checks if check.health is Health.WARN]
    told = f"; worth a look: {', '.join(warned)}" if warned else ""
    return Line(text=f"A run can start{told}", tone=Tone.GOOD)
