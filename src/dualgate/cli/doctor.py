"""dualgate doctor: check everything that a run needs, and show the command that fixes what is missing."""

import os
import sys

import click

from dualgate.cli.options import setting_options
from dualgate.cli.output import columns_of, here, say_json, show
from dualgate.cli.sections import BySubject
from dualgate.cli.sources import require_one, spec_arguments
from dualgate.cli.worktree_option import in_worktree


@click.command(cls=BySubject)
@spec_arguments
@setting_options
@click.option("--run", "may_run", is_flag=True, help="Let pytest collect the tests; this imports them.")
@click.option("--run-tests", is_flag=True, help="Run the tests once, as a run does.")
@click.option("--hooks", is_flag=True, help="Test the hooks of this repository instead: each must stop a false 'done'.")
@click.option("--all", "every", is_flag=True, help="Show every check, also if one fails.")
@in_worktree
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object with all checks.")
def doctor(
    spec: str | None,
    prompt: str | None,
    may_run: bool,
    run_tests: bool,
    hooks: bool,
    every: bool,
    as_json: bool,
    **flags: object,
) -> int:
    """Check that a run can start in the current folder, and show how to fix what is missing. Costs nothing.

    Runs no code of the project, unless you pass --run or --run-tests. With SPEC, the specification is checked too.
    The options are those of run. Exit codes: 0 a run can start, 2 it cannot.

    With --hooks, each hook of this repository gets a false "done" in a scratch repository. Exit codes: 0 every hook
    sends the agent back, 2 one does not.
    """
    if hooks:
        from dualgate.cli.doctor_hooks_action import try_hooks

        return try_hooks(as_json)
    require_one(spec=spec, prompt=prompt)

    from dualgate.cli.doctor_action import Ground, look_at_all, surveyed
    from dualgate.cli.signals import stoppable
    from dualgate.core.doctor.checkup import can_start
    from dualgate.display.doctor import doctor_lines, doctor_record
    from dualgate.display.lines import Line
    from dualgate.display.specification import specification_lines
    from dualgate.errors import ExitCode
    from dualgate.fleet.variables import environment_in
    from dualgate.processes.supervisor import Supervisor

    supervisor = Supervisor(environment_in(here(), os.environ))
    with stoppable(supervisor.jobs) as control:
        ground = Ground(
            project=here(),
            supervisor=supervisor,
            control=control,
            source=(spec, prompt),
            may_run=may_run,
            run_tests=run_tests,
        )
        ground = surveyed(ground, flags)
        checks = tuple(look_at_all(ground))
    if as_json:
        say_json(doctor_record(checks))
        return ExitCode.PROVEN if can_start(checks) else ExitCode.NOT_READY
    if ground.spec and ground.document:
        table = specification_lines(ground.spec, ground.document.name, ground.workflow, columns_of(sys.stdout))
        show([*table, Line(text="")])
    show(doctor_lines(checks, every))
    return ExitCode.PROVEN if can_start(checks) else ExitCode.NOT_READY
