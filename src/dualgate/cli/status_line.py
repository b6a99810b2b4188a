"""The line of `status --line`, for prompts and status bars, which ask for it often: little is imported."""

import os

from dualgate.cli.output import here, say
from dualgate.display.summary import status_line
from dualgate.store.account import read_account
from dualgate.store.sessions import session_folder


def show_line() -> int:
    account = read_account(session_folder(here(), os.environ))
    say(status_line(account.state, account.metrics.view.tests))
    return 0
