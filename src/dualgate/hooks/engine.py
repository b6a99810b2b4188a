"""Project, base commit, seconds -> Verification, by the same engine as `dualgate verify`."""

import os
import time
from pathlib import Path

from dualgate.core.values.control import Control
from dualgate.core.values.verification import Verification
from dualgate.errors import Interrupted
from dualgate.hooks.time_limit import OutOfTime, limited
from dualgate.processes.supervisor import Supervisor
from dualgate.store.home import verify_store
from dualgate.verify.request import Request
from dualgate.verify.verifying import Host, verify


def verify_tree(project: Path, base: str, budget: float) -> Verification:
    """Verify the work tree against the commit at which the session began, or against the main branch.

    Raises OutOfTime if the engine does not keep its budget.
    """
    host = Host(supervisor=Supervisor(os.environ), store=verify_store(project, os.environ))
    request = Request(project=project, base=base, budget=budget)
    with limited(budget) as limit:
        try:
            return verify(request, host, Control(cancel=limit.stop, clock=time.monotonic))
        except Interrupted:
            if limit.is_over:
                raise OutOfTime("The time is over.") from None
            raise
