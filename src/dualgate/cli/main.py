"""The program's entry point, and the one place that turns errors into messages and exit codes."""

import errno
import sys
from contextlib import suppress
from io import StringIO
from typing import TYPE_CHECKING, TypeVar

from dualgate import __version__
from dualgate.errors import (
    MACHINE_FULL,
    ControlRefused,
    DualgateError,
    ExitCode,
    MachineFull,
    OutputLost,
    SessionMissing,
)

if TYPE_CHECKING:
    import click

T = TypeVar("T")
USE_JSON = "--json"
# errors of printing when the reader is gone or the disk is full
OUTPUT_ERRORS = frozenset({errno.EPIPE, errno.ENOSPC, errno.EIO, errno.EBADF})
# what Python says in place of the number
NO_THREAD = "can't start new thread"
FREE_ROOM = (
    "Try again when fewer programs run, or with higher limits (ulimit -n for files, -u for processes). "
    "A run that had begun goes on with: dualgate resume"
)


def main(arguments: list[str] | None = None) -> int:
    """Run a command and return its exit code."""
    arguments = sys.argv[1:] if arguments is None else arguments
    _open_closed_streams()
    try:
        return _command(arguments)
    except OutputLost:
        from dualgate.cli.output import silence

        silence()
        return ExitCode.ERROR
    except DualgateError as error:
        return _told(_with_hint(error), USE_JSON in arguments)
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return ExitCode.PAUSED
    except Exception as error:
        return _failed(error, arguments)


def _open_closed_streams() -> None:
    """Discard output if the program was started with stdout or stderr closed."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open("/dev/null", "w", encoding="utf-8"))  # noqa: PTH123, SIM115


def _command(arguments: list[str]) -> int:
    import click

    from dualgate.cli.commands import dualgate

    try:
        code = dualgate.main(args=arguments, prog_name="dualgate", standalone_mode=False)
    except click.exceptions.Exit as ended:
        return ended.exit_code
    except click.Abort:
        raise KeyboardInterrupt from None
    except click.ClickException as error:
        return _shown(error)
    return code if isinstance(code, int) else ExitCode.PROVEN


def _shown(error: "click.ClickException") -> int:
    """Show a wrong call. It quotes words of the command line, which may hold a secret."""
    shown = StringIO()
    error.show(shown)
    print(_redacted(shown.getvalue()), end="", file=sys.stderr)
    return error.exit_code


def _failed(error: Exception, arguments: list[str]) -> int:
    """End after an error that nothing below explained: of the machine, of the output, or else a bug in dualgate."""
    if _is_machine_full(error):
        return _told(
            MachineFull(f"This machine can start or open nothing more: {error}.", FREE_ROOM), USE_JSON in arguments
        )
    if not isinstance(error, OSError) or error.errno not in OUTPUT_ERRORS:
        return _reported(error, arguments)
    if error.errno != errno.EPIPE:
        with suppress(OSError):
            print(f"dualgate: {error.filename or 'a file'} cannot be written: {error.strerror}.", file=sys.stderr)
    return ExitCode.ERROR


def _is_machine_full(error: Exception) -> bool:
    return getattr(error, "errno", None) in MACHINE_FULL or (
        isinstance(error, RuntimeError) and str(error) == NO_THREAD
    )


def _with_hint(error: DualgateError) -> DualgateError:
    """Name the worktree with a session to a person who looks for it in the checkout."""
    if not isinstance(error, SessionMissing | ControlRefused):
        return error
    from dualgate.cli.worktree_hint import session_hint, worktree_hint

    if told := session_hint() if isinstance(error, SessionMissing) else worktree_hint():
        error.next_step = f"{told}. {error.next_step}".rstrip()
    return error


def _told(error: DualgateError, as_json: bool) -> int:
    from dualgate.cli.output import reached

    error.next_step = reached(error.next_step)
    if as_json:
        import json

        message, next_step = _redacted(error.message), _redacted(error.next_step) or None
        told = {"kind": type(error).__name__, "message": message, "next": next_step, **_redacted(dict(error.details))}
        print(json.dumps({"status": "error", "proven": False, "error": told, "exit_code": int(error.exit_code)}))
    from dualgate.core.values.notation import harmless

    print(harmless(_redacted(f"dualgate: {error}")), file=sys.stderr)
    return error.exit_code


def _redacted(value: T) -> T:
    """Redact secrets, since error messages go into reports and to other people."""
    import os

    from dualgate.core.secrets.redaction import redactor_of

    return redactor_of(os.environ).value(value)


def _reported(error: Exception, arguments: list[str]) -> int:
    import platform
    import tempfile
    import traceback

    with tempfile.NamedTemporaryFile(
        "w", prefix="dualgate-bug-", suffix=".txt", delete=False, encoding="utf-8"
    ) as file:
        file.write(f"dualgate {__version__}, Python {platform.python_version()}, {platform.platform()}\n")
        file.write(_redacted(f"arguments: {arguments}\n\n{''.join(traceback.format_exception(error))}"))
    print(_redacted(f"dualgate: this is a bug in dualgate: {type(error).__name__}: {error}"), file=sys.stderr)
    print(
        f"The details are in {file.name}; please send it with your report. Nothing of your work was lost.",
        file=sys.stderr,
    )
    return ExitCode.BUG


if __name__ == "__main__":
    sys.exit(main())
