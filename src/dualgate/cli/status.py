"""dualgate status: show the state of this project's session."""

import os

import click


@click.command()
@click.option("--line", is_flag=True, help="One line only.")
@click.option("--json", "as_json", is_flag=True, help="The whole state as one JSON object.")
def status(line: bool, as_json: bool) -> int:
    """Say where the session of the current folder stands. Exit code 1 where there is none."""
    from dualgate.cli.output import here, in_unicode, our_redactor, say, say_json, show
    from dualgate.core.machine.criteria import criteria_rows
    from dualgate.core.machine.reviewing import is_self_reviewed
    from dualgate.core.team.fallover import asked_agent
    from dualgate.core.values.vocabulary import Status
    from dualgate.display.box import box
    from dualgate.display.criteria import criteria_lines
    from dualgate.display.records import documents_record
    from dualgate.display.summary import status_line, summary_lines
    from dualgate.session.spec_file import ADOPT, DECLINE, spec_note, spec_of
    from dualgate.store.account import read_account
    from dualgate.store.lease import owner_of
    from dualgate.store.owners import described
    from dualgate.store.projections import loop_state_document
    from dualgate.store.sessions import session_folder

    project = here()
    folder = session_folder(project, os.environ)
    account = read_account(folder)
    state = account.state
    owner = owner_of(project, os.environ)
    changes = spec_of(account.cut_off, our_redactor()).changes()
    note = spec_note(state.prp_file, changes)
    if as_json:
        alive = {
            "workflow": state.workflow.value,
            "proven": state.proven,
            "self_reviewed": is_self_reviewed(state),
            "unproven": list(state.unproven),
            "alive": owner is not None,
            "owner": owner or None,
            "agent": asked_agent(state) or None,
            "agents": dict(state.calls_by),
            "session": str(folder),
            "spec_changed": bool(changes),
            "spec_changes": list(changes),
            "documents": documents_record(state),
        }
        say_json(loop_state_document(state, account.seq) | alive)
    elif line:
        say(status_line(state, account.metrics.view.tests))
    else:
        say(box(state, account.metrics, ascii_only=not in_unicode()))
        show(summary_lines(state, folder, note))
        say("".join(f"{line}\n" for line in ("", *criteria_lines(criteria_rows(state)), "")).rstrip("\n"))
        if owner is not None:
            say(f"Owner    {described(owner)}")
        elif state.status is Status.RUNNING:
            way = f"'{ADOPT}' or '{DECLINE}'" if changes else "'dualgate resume'"
            say(f"Next     Its process is gone; go on with {way}, or anew with 'dualgate run … --fresh'.")
    return 0
