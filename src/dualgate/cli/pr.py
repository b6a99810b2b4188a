"""dualgate pr: push the branch of a session, and open a pull request with its report."""

import click

from dualgate.cli.worktree_option import in_worktree


@click.command()
@click.argument("name", metavar="[ID]", required=False)
@click.option("--draft", is_flag=True, help="Open it as a draft.")
@click.option("--base", metavar="BRANCH", help="The branch that it goes to. Default: the main branch of the remote.")
@click.option("--remote", metavar="NAME", help="The remote to push to. Default: as git pushes, else origin.")
@in_worktree
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def pr(name: str | None, draft: bool, base: str | None, remote: str | None, as_json: bool) -> int:
    """Push the branch of a session, and open a pull request whose text is the session's report.

    ID is the beginning of a session's id; without it, it is the session of the current folder. The session must have
    committed: 'dualgate run SPEC --commit run'.

    The push is a plain one: nothing on the remote is overwritten. The request is opened with gh or glab. If neither is
    installed and logged in, nothing is pushed, and the two commands are printed. A second call pushes new commits, and
    opens no second request.
    """
    from dualgate.cli.pr_action import open_request

    return open_request(name, {"draft": draft or None, "base": base, "remote": remote}, as_json)
