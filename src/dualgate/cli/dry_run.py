"""The output of `run --dry-run`. It builds the parts of a run and starts none; it creates and locks no session."""

import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from pathlib import Path

from dualgate.cli.output import columns_of, say, say_json
from dualgate.cli.questions import with_approval
from dualgate.core.machine.history import begin
from dualgate.core.values.naming import work_name
from dualgate.core.values.suite import Suite
from dualgate.core.values.vocabulary import Phase
from dualgate.display.lines import printable
from dualgate.display.preview import Preview, preview_record, preview_text
from dualgate.errors import DualgateError, ExitCode
from dualgate.fleet.plan import WorktreePlan, path_there, plan_record, plan_rows
from dualgate.runners.detect import detect_by_files
from dualgate.session.commit_preview import CommitPreview, commit_preview_rows, preview_commits
from dualgate.session.document import Document, first_readings
from dualgate.session.first_prompt import prompt_before_work
from dualgate.session.forecast import forecast
from dualgate.session.host import Host
from dualgate.session.open import start_of
from dualgate.session.team import build_agents
from dualgate.session.templates import own_templates
from dualgate.session.work import read_work
from dualgate.settings import Settings
from dualgate.store.earlier import size_of
from dualgate.store.making_room import require_room
from dualgate.store.owners import is_owned
from dualgate.store.sessions import session_folder
from dualgate.store.work_trees import session_folders


def show_plan(
    document: Document,
    host: Host,
    settings: Settings,
    fresh: bool,
    yes: bool,
    as_json: bool,
    beside: tuple[str, str] | None = None,
) -> int:
    """Show a run by the first reading of each question; exit code 1 says that questions are open."""
    worktree = _worktree(document, beside, settings)
    planned = preview(document, host, settings, fresh, yes, worktree)
    if worktree:
        session = session_folder(worktree.path / worktree.project, host.environment)
        planned = replace(planned, session=str(session), in_the_way=_in_the_way_of(worktree, fresh, host))
    commits = _commits(document, host, settings, worktree)
    if as_json:
        beside_it = {"worktree": plan_record(worktree)} if worktree else {}
        say_json(preview_record(planned) | beside_it | {"commits": asdict(commits) if commits else None})
    else:
        for name, text in plan_rows(worktree) if worktree else ():
            say(f"{name:<8} {text}")
        for name, text in commit_preview_rows(commits) if commits else ():
            say(printable(f"{name:<8} {text}"))
        say(preview_text(planned, columns_of(sys.stdout)))
    is_refused = (commits is not None and bool(commits.refused)) or bool(worktree and planned.in_the_way)
    return ExitCode.ERROR if planned.spec.questions or is_refused else ExitCode.PROVEN


def _commits(document: Document, host: Host, settings: Settings, worktree: WorktreePlan | None) -> CommitPreview | None:
    name = work_name(document.name, document.read(settings).title)
    beside = (worktree.branch, worktree.commit) if worktree else None
    return preview_commits(settings, host.project, name, host.environment, beside)


def _worktree(document: Document, beside: tuple[str, str] | None, settings: Settings) -> WorktreePlan | None:
    if beside is None:
        return None
    from dualgate.cli.worktree_action import planned

    return planned(document, *beside, settings)


def preview(
    document: Document,
    host: Host,
    settings: Settings,
    fresh: bool,
    yes: bool = False,
    worktree: WorktreePlan | None = None,
) -> Preview:
    taken = with_approval(document, settings) if yes else document
    answered = first_readings(taken, settings)
    read = (answered if yes else document).read(settings)
    work = read_work(answered, host.project, settings, host.environment, detect_by_files)
    if worktree:
        work = replace(work, suites=replace(work.suites, suites=tuple(_moved(work.suites.suites, worktree))))
    agents = build_agents(settings, host)
    folder, folders = host.folder(), session_folders(host.project, host.environment)
    started = start_of(work, agents, host, settings, (), own_templates(host.project))
    state = begin(started)
    return Preview(
        prp=work.prp,
        spec=read,
        validation=taken.validation_states(read, settings),
        unapproved=() if yes else document.unapproved_commands(read, settings),
        state=state,
        agents={phase: ", then ".join(agents.lineup.of(phase)) for phase in Phase},
        escalation=agents.lineup.escalation,
        estimate=forecast(settings, started.workflow, size_of(started), folders),
        suites=work.suites.suites,
        notes=work.suites.notes,
        prompt=prompt_before_work(state, work, host, started.templates).text,
        session=str(folder),
        unused=work.unused,
        in_the_way=_in_the_way(host.project, folder, fresh),
    )


def _moved(suites: Iterable[Suite], worktree: WorktreePlan) -> Iterator[Suite]:
    """The suites with the commands that the worktree will have."""
    for suite in suites:
        yield replace(suite, command=tuple(path_there(worktree, word) for word in suite.command))


def _in_the_way_of(worktree: WorktreePlan, fresh: bool, host: Host) -> str:
    """Why the worktree would not be made; a run or a session in the checkout is in nobody's way."""
    from dualgate.cli.worktree_action import require_ended
    from dualgate.fleet.making import is_leftover, require_free
    from dualgate.store.worktree_records import read_record

    record = read_record(worktree.checkout.main, worktree.name, host.environment)
    try:
        require_ended(worktree, fresh)
        if record is None or not is_leftover(record, host.environment):
            require_free(worktree, host.environment)
    except DualgateError as error:
        return f"{error.message} {error.next_step}"
    return ""


def _in_the_way(project: Path, folder: Path, fresh: bool) -> str:
    if is_owned(project):
        return "another run owns this folder"
    try:
        require_room(folder, fresh)
    except DualgateError as error:
        return f"{error.message} {error.next_step}"
    return ""
