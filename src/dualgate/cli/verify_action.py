"""The action of verify: gather the evidence for a change, write it in the forms that were asked for, and judge."""

import os
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from dualgate.cli.killed import tell_killed_step
from dualgate.cli.output import columns_of, here, show
from dualgate.cli.verify_documents import FORMS, print_document, write_document
from dualgate.core.record.verification.codes import EXIT_CODES
from dualgate.core.values.notation import in_line, show_duration
from dualgate.core.values.verification import Verification
from dualgate.display.verification.summary import COMMAND, verification_lines
from dualgate.errors import CannotVerify, DualgateError, ExitCode, OutputLost, SettingError, SpecError
from dualgate.fleet.variables import environment_in
from dualgate.store.home import verify_store
from dualgate.verify.answers import known_answer
from dualgate.verify.request import Request

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
            return _checked(options, [*files, *printed])
        return _verify(options, files, next(iter(printed), ""), engine or _answered)


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
        from dualgate.cli.verify_acceptance import require_acceptor

        require_acceptor(request)
    tell_killed_step()
    seen = engine(request)
    if request.allow:
        from dualgate.cli.verify_acceptance import record_accepted

        record_accepted(seen, request)
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


def _answered(request: Request) -> Verification:
    """The kept answer to the request, else a new one: most of what is imported is only needed for the latter."""
    store = verify_store(request.project, os.environ)
    known = None if request.session else known_answer(request, environment_in(request.project, os.environ), store)
    if known is not None:
        return known
    from dualgate.cli.verify_engine import run_request

    return run_request(request)


def _print(seen: Verification, name: str, options: Mapping[str, Any]) -> None:
    """The use of standard output: a document, an explanation, or the ten lines."""
    call = _call(options)
    if name in (*FORMS, JSON):
        print_document(FORMS[name](seen, call))
    elif name == EXPLAIN:
        from dualgate.display.verification.explaining import explain

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


def _checked(options: Mapping[str, Any], others: list[str]) -> int:
    given = [name for name in others if name != JSON] + [f for f in SAME_CHANGE if f != "head" and options[f]]
    if given:
        raise click.UsageError(
            f"--check reads a file and runs nothing; --{given[0].replace('_', '-')} has no use with it."
        )
    from dualgate.cli.attestation_check import check_file

    return check_file(options["check"], options["head"], options["as_json"])
