"""The action of doctor --hooks: fire a false "done" at each hook of the repository, and show whether it is stopped."""

import os

from dualgate.cli.output import here, say_json, show
from dualgate.cli.signals import stoppable
from dualgate.core.doctor.checkup import can_start
from dualgate.display.doctor import check_lines, doctor_record
from dualgate.errors import ExitCode
from dualgate.hooks.rehearsing import look_at_hooks
from dualgate.processes.supervisor import Supervisor
from dualgate.processes.worktrees import nearest_repository


def try_hooks(as_json: bool) -> int:
    supervisor, project = Supervisor(os.environ), here()
    with stoppable(supervisor.jobs) as control:
        checks = tuple(look_at_hooks(nearest_repository(project) or project, supervisor, control))
    if as_json:
        say_json({"checks": doctor_record(checks)["checks"]})
    else:
        show(check_lines(checks))
    return ExitCode.PROVEN if can_start(checks) else ExitCode.NOT_READY
