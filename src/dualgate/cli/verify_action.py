"""The action of verify: gather the evidence for a change, write it in the forms that were asked for, and judge."""

import os
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from dualgate.agents.command import local_now
from dualgate.cli.options import settings_from
from dualgate.cli.output import columns_of, here, open_input, our_redactor, say_json, show
from dualgate.cli.outside import require_person
from dualgate.cli.progress_line import progress_line
from dualgate.cli.signals import stoppable
from dualgate.cli.verify_documents import FORMS, print_document, write_document
from dualgate.core.record.verification.checking import Checked, check_attestation
from dualgate.core.record.verification.document import EXIT_CODES
from dualgate.core.values.control import Activity
from dualgate.core.values.notation import harmless, in_line, show_duration
from dualgate.core.values.verification import Verification
from dualgate.display.lines import Line, Tone
from dualgate.display.verification.explaining import explain
from dualgate.display.verification.summary import COMMAND, verification_lines
from dualgate.errors import CannotVerify, DualgateError, ExitCode, OutputLost, SettingError, SpecError
from dualgate.processes.scratch import scratch_folder
from dualgate.processes.supervisor import Supervisor
from dualgate.runners.cache import ResultCache
from dualgate.store.acceptances import Acceptance, record_acceptances
from dualgate.store.owners import person
from dualgate.store.sessions import RESULTS, acceptance_log, setup_store
from dualgate.verify.request import Request
from dualgate.verify.verifying import Host, verify
from dualgate.workspace.repository import repository_root
from dualgate.workspace.revisions import open_revisions

STANDARD_OUTPUT = "-"
EXPLAIN, JSON = "explain", "json"
# the options that say which change is verified, and how; those of the output are left out
SAME_CHANGE = ("base", "head", "spec", "session", "budget", "test_command", "runner")
Verify = Callable[[Request], Verification]


def run_verify(options: Mapping[str, Any], engine: Verify | None = None) -> int:
    """Verify, or check an attestation; `engine` is another way to come to a verification, for tests."""
    files, printed = _places(options)
    with _never_refusing():
        if options["check"]:
            return _check(options, [*files, *printed])
        return _verify(options, files, next(iter(printed), ""), engine or _run)


@contextmanager
def _never_refusing() -> Iterator[None]:
    """Give errors exit codes of their own: code 1 says that something is worse than on the base."""
    try:
        yield
    except (SettingError, SpecError) as error:
        raise click.UsageError(str(error)) from error
    except DualgateError as error:
        if error.exit_code is not ExitCode.ERROR or isinstance(error, OutputLost):
            raise
        raise CannotVerify(error.message, error.next_step, error.details) from error


def _verify(options: Mapping[str, Any], files: Mapping[str, str], printed: str, engine: Verify) -> int:
    request = _request(options)
    if request.allow:
        require_person(f"verify --allow {' '.join(request.allow)}", _log())
    seen = engine(request)
    _accept(seen, request)
    for name, file in files.items():
        write_document(Path(file), FORMS[name](seen, _call(options)))
    _print(seen, printed, options)
    return EXIT_CODES[seen.standing]


def _places(options: Mapping[str, Any]) -> tuple[dict[str, str], list[str]]:
    """The files that documents are written to, and the one thing that standard output is for."""
    wanted = {name: str(options[name]) for name in FORMS if options.get(name)}
    files = {name: place for name, place in wanted.items() if place != STANDARD_OUTPUT}
    printed = [name for name in (*wanted, *_also(options)) if name not in files]
    if len(printed) > 1:
        both = " and ".join(f"--{name}" for name in printed)
        raise click.UsageError(f"{both} both go to standard output; give one of them a file.")
    for name, place in files.items():
        if not Path(place).resolve().parent.is_dir():
            raise click.UsageError(f"--{name} {place}: there is no folder {Path(place).parent}.")
    return files, printed


def _also(options: Mapping[str, Any]) -> list[str]:
    return [name for name, given in ((JSON, options["as_json"]), (EXPLAIN, options["explain"] is not None)) if given]


def _request(options: Mapping[str, Any]) -> Request:
    # wrong settings are named before anything is run
    settings_from({"test_command": options["test_command"]})
    if (spec := options["spec"]) is not None and not spec.is_file():
        raise click.UsageError(f"There is no file {spec}.")
    return Request(
        project=here(),
        base=options["base"],
        head=options["head"],
        spec=spec,
        session=options["session"],
        budget=options["budget"],
        allow=dict.fromkeys(options["allowed"], options["reason"] or ""),
        test_command=options["test_command"],
        runner=options["runner"],
    )


def _run(request: Request) -> Verification:
    supervisor = Supervisor(os.environ)
    store = setup_store(request.project, os.environ)
    host = Host(supervisor=supervisor, cache=ResultCache(store / RESULTS) if store else None)
    with stoppable(supervisor.jobs) as control, progress_line(control, in_log=False) as (live, speaking):
        live.heard(Activity(source="verify", text=""))
        return verify(request, host, speaking)


def _accept(seen: Verification, request: Request) -> None:
    """Record what was accepted, and say which ids fit no finding."""
    there = {finding.id for finding in seen.findings}
    for name in request.allow:
        if name not in there:
            click.echo(f"dualgate: no finding has the id {harmless(in_line(name))}; nothing was accepted", err=True)
    accepted = [
        Acceptance(
            at=local_now(),
            by=person(os.environ),
            id=name,
            reason=our_redactor().text(reason),
            tree=seen.head.tree,
            terminal=sys.stdin is not None and sys.stdin.isatty(),
        )
        for name, reason in request.allow.items()
        if name in there
    ]
    if accepted:
        record_acceptances(_log(), accepted)


def _log() -> Path:
    return acceptance_log(repository_root(here()) or here(), os.environ)


def _print(seen: Verification, name: str, options: Mapping[str, Any]) -> None:
    """What standard output is for: a document, an explanation, or the ten lines."""
    call = _call(options)
    if name in (*FORMS, JSON):
        print_document(FORMS[name](seen, call))
    elif name == EXPLAIN:
        found = explain(seen, options["explain"], call)
        if not found.lines:
            raise click.UsageError(_unknown(options["explain"], found.meant))
        show(found.lines)
    else:
        show(verification_lines(seen, call, columns_of(sys.stdout)))


def _unknown(wanted: str, meant: tuple[str, ...]) -> str:
    known = f" Did you mean: {', '.join(map(in_line, meant))}?" if meant else ""
    return f"There is no test or finding '{in_line(wanted)}' in this change.{known}"


def _call(options: Mapping[str, Any]) -> str:
    """The command that verifies the same change."""
    words = []
    for name in SAME_CHANGE:
        value = show_duration(options[name]) if name == "budget" and options[name] else options[name]
        flag = f"--{name.replace('_', '-')}"
        words += [flag] if value is True else [flag, str(value)] if value else []
    return " ".join([COMMAND, *map(shlex.quote, words)])


def _check(options: Mapping[str, Any], others: list[str]) -> int:
    given = [name for name in others if name != JSON] + [f for f in SAME_CHANGE if f != "head" and options[f]]
    if given:
        raise click.UsageError(
            f"--check reads a file and runs nothing; --{given[0].replace('_', '-')} has no use with it."
        )
    with open_input(options["check"]) as file:
        content = file.read()
    found = [(tree, check_attestation(content, tree)) for tree in _trees(options["head"], options["check"])]
    # an attestation that lies in the work tree is not part of the tree that it is about
    tree, checked = next((each for each in found if not each[1].problems), found[0])
    _show_checked(checked, tree, options["as_json"])
    return ExitCode.PROVEN if checked.holds else ExitCode.ERROR


def _trees(head: str, file: str) -> list[str]:
    """The git tree of a commit; or that of the work tree, and the same without the file."""
    with scratch_folder("verify") as scratch:
        revisions = open_revisions(here(), scratch)
        if head:
            if not (commit := revisions.commit(head)):
                raise click.UsageError(f"There is no commit '{in_line(head)}' here.")
            return [revisions.tree(commit)]
        tree, place = revisions.work_tree(), Path(os.path.realpath(file))
        if file == STANDARD_OUTPUT or not place.is_relative_to(revisions.root.resolve()):
            return [tree]
        path = place.relative_to(revisions.root.resolve()).as_posix()
        return [tree, revisions.overlaid(tree, {path: None})] if path in revisions.entries(tree) else [tree]


def _show_checked(checked: Checked, tree: str, as_json: bool) -> None:
    if as_json:
        say_json({"holds": checked.holds, "verdict": checked.verdict, "tree": tree, "problems": list(checked.problems)})
        return
    problems = [Line(text=f"does not match: {problem}", tone=Tone.BAD) for problem in checked.problems]
    said = f"attested: the tree {tree} is {checked.verdict}; signatures are not checked"
    show(problems or [Line(text=said, tone=Tone.GOOD if checked.holds else Tone.BAD)])
