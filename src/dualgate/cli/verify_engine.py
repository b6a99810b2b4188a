"""Run the engine of verify for a command: with signals and a progress line."""

import os

from dualgate.cli.options import settings_from
from dualgate.cli.progress_line import progress_line
from dualgate.cli.signals import stoppable
from dualgate.core.values.control import Activity
from dualgate.core.values.verification import Verification
from dualgate.fleet.variables import environment_in
from dualgate.processes.supervisor import Supervisor
from dualgate.store.home import verify_store
from dualgate.verify.request import Request
from dualgate.verify.verifying import Host, verify


def run_request(request: Request) -> Verification:
    settings_from({"test_command": request.test_command})  # wrong settings are named before anything is run
    supervisor = Supervisor(environment_in(request.project, os.environ))
    host = Host(supervisor=supervisor, store=verify_store(request.project, os.environ))
    with stoppable(supervisor.jobs) as control, progress_line(control, in_log=False) as (live, speaking):
        live.heard(Activity(source="verify", text=""))
        return verify(request, host, speaking)
