"""The options and help of approve, reject and answer. The action is imported when a command is called."""

import click

from dualgate.cli.intervene import AS_JSON
from dualgate.cli.worktree_option import in_worktree


@click.command()
@click.argument("amendment", required=False, metavar="[ID]")
@click.option("--list", "listed", is_flag=True, help="Show what waits for you, with its ids and diffs.")
@in_worktree
@AS_JSON
def approve(amendment: str | None, listed: bool, as_json: bool) -> int:
    """Approve what waits for you in the session of the current folder.

    That is the change of a frozen test, or with '--approve human' the finished work. Without ID it is the only thing
    that waits. An approved change of a test is proven before it is applied: a run does so before its next call,
    otherwise 'dualgate resume' does. Approved work completes the session if the work tree is still the one that was
    proven; the commit and the pull request that the run was asked for are then made. Exit code 1 where nothing waits,
    or more than one thing without ID; 7 if completed work is not proven; 8 if it is not committed.
    """
    from dualgate.cli.decide_action import approve_waiting, list_waiting

    if listed and amendment is not None:
        raise click.UsageError("Give ID or --list, not both.")
    return list_waiting(as_json) if listed else approve_waiting(amendment, as_json)


@click.command()
@click.argument("reason")
@click.option("--amendment", metavar="ID", help="The change of a test to reject, if more than one thing waits.")
@in_worktree
@AS_JSON
def reject(reason: str, amendment: str | None, as_json: bool) -> int:
    """Reject what waits for you in the session of the current folder, and tell the agent REASON.

    A rejected change of a test leaves the test as it is. Rejected work goes back to GREEN, or in ralph to BUILD, with
    REASON as guidance. 'dualgate resume' then goes on. Exit code 1 where nothing waits.
    """
    from dualgate.cli.decide_action import reject_waiting

    return reject_waiting(_filled(reason, "REASON"), amendment, as_json)


@click.command()
@click.argument("text")
@in_worktree
@AS_JSON
def answer(text: str, as_json: bool) -> int:
    """Answer the agent's question in the session of the current folder.

    TEXT is in every prompt from the next one on, with the question; 'dualgate guide --withdraw' removes it. A run that
    halted for the question goes on with 'dualgate resume'. Exit code 1 where no question is open.
    """
    from dualgate.cli.decide_action import answer_agent

    return answer_agent(_filled(text, "TEXT"), as_json)


def _filled(text: str, name: str) -> str:
    if not text.strip():
        raise click.BadParameter("there is nothing in it to tell the agent.", param_hint=name)
    return text.strip()
