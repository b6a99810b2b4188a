"""Events about commits, LoopState -> lines, rows and the object of `--json` about the commits of a run."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from dualgate.core.machine.committing import COMMIT, PULL_REQUEST, NotMade, not_made
from dualgate.core.values.commits import (
    CommitFailed,
    CommitMade,
    CommitPlanned,
    CommitRefusal,
    CommitStarted,
    HooksTried,
    RequestOpened,
    RequestRefused,
)
from dualgate.core.values.notation import counted, listed
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import CommitUse
from dualgate.display.lines import Line, Tone

SHORT = 10
"""Characters of a commit's id that are shown."""
OUTPUT_LINES = 12
LAST_LINES = 3
"""Lines of a hook's output in a summary; the log has more."""


_MISSING = {COMMIT: "NOT COMMITTED", PULL_REQUEST: "NO PULL REQUEST"}


def missing_word(state: LoopState) -> str:
    """The words behind the status of a proven run whose commit or pull request was not made."""
    missing = not_made(state)
    return f", {_MISSING[missing.what]}" if missing else ""


def commit_rows(state: LoopState) -> list[tuple[str, str]]:
    """The branch with its commits, and the reason if the last one or the pull request was not made."""
    log, missing = state.commits, not_made(state)
    made = [each for each in log.made if each.commit]
    rows = []
    if made:
        ids = ", ".join(f"{each.commit[:SHORT]} ({each.phase})" for each in made)
        rows.append(("Branch", f"{log.plan.branch}: {counted(len(made), 'commit', 'commits')}, {ids}"))
    if log.request:
        rows.append(("Request", log.request.url))
    if missing:
        rows.append(("Commit" if missing.what == COMMIT else "Request", f"not made: {_reason(missing)}"))
        rows += _output_rows(missing.output)
    elif log.refusal:
        rows.append(("Commit", f"not made: {_reason(log.refusal)}"))
        rows += _output_rows(log.refusal.output)
    return rows


def _output_rows(output: str) -> list[tuple[str, str]]:
    """The last lines that a hook wrote: its reason."""
    return [("", line) for line in [each.rstrip() for each in output.splitlines() if each.strip()][-LAST_LINES:]]


def commits_record(state: LoopState) -> dict[str, Any] | None:
    """None if the run commits nothing."""
    log, missing = state.commits, not_made(state)
    if log.plan.use is CommitUse.NEVER:
        return None
    return {
        "use": log.plan.use.value,
        "branch": log.plan.branch,
        "base": log.plan.base,
        "made": [_made_record(each) for each in log.made if each.commit],
        "refusal": _refusal_record(log.refusal) if log.refusal else None,
        "pull_request": log.request.url if log.request else None,
        "not_made": asdict(missing) if missing else None,
    }


def _made_record(made: CommitMade) -> dict[str, Any]:
    return {
        "commit": made.commit,
        "phase": made.phase.value,
        "subject": made.subject,
        "files": made.files,
        "mixed": list(made.mixed),
        "left_out": list(made.left_out),
        "rewritten": list(made.rewritten),
    }


def _refusal_record(refusal: CommitRefusal) -> dict[str, Any]:
    return {
        "reason": refusal.reason,
        "next_step": refusal.next_step or None,
        "hook": refusal.hook or None,
        "output": refusal.output or None,
    }


def _planned(event: CommitPlanned, _: LoopState) -> list[Line]:
    plan = event.plan
    if plan.use is CommitUse.NEVER:
        return [Line(text="commits: none from now on", tone=Tone.QUIET)]
    when = "after each phase that passes" if plan.use is CommitUse.PHASE else "at the end of a proven run"
    when += "; then a pull request" if plan.request else ""
    told = [Line(text=f"commits: on branch {plan.branch}, {when}", tone=Tone.QUIET)]
    if plan.edited:
        files = counted(len(plan.edited), "file has", "files have")
        text = (
            f"{files} uncommitted edits of yours: {listed(plan.edited)}. They are not committed, unless the run changes"
            " the same file. Tests see them; a run with --worktree does not."
        )
        told.append(Line(text=text, tone=Tone.BAD, hang=4))
    return told


def _made(event: CommitMade, _: LoopState) -> list[Line]:
    if not event.commit:
        return [Line(text=f"{event.phase:<8}    nothing new to commit", tone=Tone.QUIET)]
    files = counted(event.files, "file", "files")
    told = [f"committed {event.commit[:SHORT]} on {event.branch} ({files}): {event.subject}"]
    told += [f"the commit holds your own edits too: {listed(event.mixed)}"] if event.mixed else []
    told += [f"not in the commit (ignored or in a submodule): {listed(event.left_out)}"] if event.left_out else []
    told += (
        [f"as a hook rewrote them, with the same test results: {listed(event.rewritten)}"] if event.rewritten else []
    )
    told += event.notes
    return [Line(text=f"{event.phase:<8}    {text}") for text in told]


def _failed(event: CommitFailed, _: LoopState) -> list[Line]:
    return _refused(f"{event.phase:<8}    not committed: ", event.refusal)


def _tried(event: HooksTried, _: LoopState) -> list[Line]:
    return _refused(f"{event.phase:<8}    would not be committed: ", event.refusal) if event.refusal else []


def _requested(event: RequestOpened, _: LoopState) -> list[Line]:
    what = "pull request opened" if event.is_new else "pushed again"
    return [Line(text=f"{what} by {event.by}: {event.url} ({event.branch} at {event.commit[:SHORT]})")]


def _request_refused(event: RequestRefused, _: LoopState) -> list[Line]:
    return _refused(f"no pull request for {event.branch}: ", event.refusal)


def _refused(start: str, refusal: CommitRefusal) -> list[Line]:
    output = refusal.output.splitlines()[-OUTPUT_LINES:]
    step = [refusal.next_step] if refusal.next_step else []
    first, *rest = refusal.reason.splitlines()
    return [
        Line(text=f"{start}{first}", tone=Tone.BAD),
        *(Line(text=f"    {text}", tone=Tone.BAD, hang=6) for text in (*rest, *output)),
        *(Line(text=f"    {text}", hang=6) for text in step),
    ]


def _reason(refusal: CommitRefusal | NotMade) -> str:
    return " ".join(f"{refusal.reason}. {refusal.next_step}".split())


def _nothing(event: CommitStarted, state: LoopState) -> list[Line]:
    del event, state
    return []


COMMIT_WRITERS: dict[type, Callable[[Any, LoopState], list[Line]]] = {
    CommitPlanned: _planned,
    CommitStarted: _nothing,
    CommitMade: _made,
    CommitFailed: _failed,
    HooksTried: _tried,
    RequestOpened: _requested,
    RequestRefused: _request_refused,
}
