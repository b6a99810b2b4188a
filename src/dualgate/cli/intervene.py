"""The options and help of pause, guide, reset, skip and abort. The action is imported when a command is called."""

import click

from dualgate.cli.words import OneOf
from dualgate.cli.worktree_option import in_worktree
from dualgate.core.values.vocabulary import Phase

AS_JSON = click.option("--json", "as_json", is_flag=True, help="The state after it as one JSON object.")
AT_ONCE = click.option(
    "--now", "at_once", is_flag=True, help="Do not wait for the end of the turn: stop the agent, keep its edits."
)
WAIT = "wait"


@click.command()
@AT_ONCE
@in_worktree
@AS_JSON
def pause(at_once: bool, as_json: bool) -> int:
    """Pause the run of the current folder after its present turn; one that waits pauses at once.

    Exit code 1 where nothing runs here, or where the run does not heed --now within ten seconds; the request stands
    then.
    """
    from dualgate.cli.intervene_action import pause_run

    return pause_run(at_once, as_json)


@click.command()
@click.argument("text", required=False)
@click.option("--list", "listed", is_flag=True, help="Show the guidance in force, with its numbers.")
@click.option("--withdraw", metavar="N", help="Withdraw the guidance with this number, or 'all'.")
@in_worktree
@AS_JSON
def guide(text: str | None, listed: bool, withdraw: str | None, as_json: bool) -> int:
    """Tell the agent TEXT in every prompt from the next one on, until you withdraw it.

    A call that runs is not disturbed. Exit code 1 where there is no session, or no guidance with that number.
    """
    from dualgate.cli.intervene_action import guide_agent, list_guidance, withdraw_guidance

    if sum((text is not None, listed, withdraw is not None)) != 1:
        raise click.UsageError("Give one of TEXT, --list and --withdraw N.")
    if listed:
        return list_guidance(as_json)
    if withdraw is not None:
        return withdraw_guidance(withdraw, as_json)
    if not (text or "").strip():
        raise click.BadParameter("there is nothing in it to tell the agent.", param_hint="TEXT")
    return guide_agent((text or "").strip(), as_json)


@click.command()
@click.option("--guidance", default="", metavar="TEXT", help="Guidance for the agent, added to every prompt.")
@in_worktree
@AS_JSON
def reset(guidance: str, as_json: bool) -> int:
    """Close the breaker of a halted session of the current folder and begin its counts again.

    What was proven stays. 'dualgate resume' then goes on; 'dualgate resume --reset' does both. A run that is at work
    does so after its present turn. Exit code 1 where there is no session or it is completed.
    """
    from dualgate.cli.intervene_action import reset_session

    return reset_session(guidance.strip(), as_json)


@click.command()
@click.argument("phase", type=OneOf((*Phase, WAIT)), metavar="PHASE|wait")
@click.option("--yes", is_flag=True, help="Do not ask.")
@in_worktree
@AS_JSON
def skip(phase: str, yes: bool, as_json: bool) -> int:
    """Let PHASE, the one the session is in, through without proof. The session can then not be proven any more.

    It says what is then not proven, and asks; without a terminal it needs --yes. A run that is at work skips after its
    present turn. Exit code 7 where that completes the session, 1 where it is in another phase, else 0.

    'dualgate skip wait' ends the wait of a run for a limit, a retry or a cool-down; nothing else changes.
    """
    from dualgate.cli.intervene_action import skip_phase, skip_wait

    if phase == WAIT:
        return skip_wait(as_json)
    return skip_phase(Phase(phase), yes, as_json)


@click.command()
@AT_ONCE
@in_worktree
@AS_JSON
def abort(at_once: bool, as_json: bool) -> int:
    """Give the session of the current folder up; a run of it ends after its present turn.

    Its files stay; the next run archives them.
    """
    from dualgate.cli.intervene_action import abort_session

    return abort_session(at_once, as_json)
