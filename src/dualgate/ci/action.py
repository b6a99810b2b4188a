"""The steps of the GitHub Action: `verify` runs dualgate once and reports, `comment` answers a pull request.

Untrusted code runs inside the first step. So it never has the token, and what it prints is never a command.
"""

import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from dualgate.ci.comments import CommentRefused, Thread
from dualgate.ci.events import WITH_RIGHTS, Build
from dualgate.ci.workflow import ERROR, NOTICE, WARNING, annotations, command, inert, output
from dualgate.core.values.verification import Standing, Weight
from dualgate.display.markdown_text import prose
from dualgate.display.verification.markdown import LIMIT, MARKER
from dualgate.errors import ExitCode
from dualgate.workspace.git import ask_git

SUMMARY_LIMIT = 1 << 20
REPORT = "report.md"
PREDICATE = "predicate.json"
DOCUMENTS = {"sarif": "--sarif", "junit": "--junit", "attestation": "--attest"}
INPUT = "INPUT_"
COMMAND_FILES = ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_ENV", "GITHUB_PATH", "GITHUB_STATE")
"""Files by which a step steers those after it: tests have no use for them."""
DEEPER = "The clone is shallow: give actions/checkout 'fetch-depth: 0', so that the base is there."
FAILING: Mapping[str, tuple[Weight, ...]] = {
    "refused": (Weight.REFUSED, Weight.UNUSABLE),
    "not-proven": (Weight.REFUSED, Weight.UNUSABLE, Weight.NOT_PROVEN),
}
"""The input `fail-on` -> the weights of findings that fail the step."""
FOREIGN = (
    f"The event {WITH_RIGHTS} gives the code of a fork the rights of this repository, so its tests are not run. "
    "Use the event pull_request."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Runner:
    """The environment of a step."""

    variables: Mapping[str, str]
    say: Callable[[str], None]

    def input(self, name: str) -> str:
        return self.variables.get(f"{INPUT}{name.upper().replace('-', '_')}", "").strip()

    def append(self, name: str, text: str) -> None:
        """Append to a file that the host reads after the step."""
        if place := self.variables.get(name):
            with Path(place).open("a", encoding="utf-8") as file:
                file.write(text)

    @property
    def build(self) -> Build:
        return Build(
            event=self.variables.get("GITHUB_EVENT_NAME", ""),
            base_ref=self.variables.get("GITHUB_BASE_REF", ""),
            branch=self.variables.get("GITHUB_REF_NAME", ""),
            payload=_json(Path(self.variables.get("GITHUB_EVENT_PATH") or os.devnull)),
        )

    @property
    def folder(self) -> Path:
        """A folder of this use of the action, outside of the project."""
        return Path(self.input("place") or self.variables["RUNNER_TEMP"])

    @property
    def project(self) -> str:
        """The folder that is verified, seen from the checkout; empty for the checkout itself."""
        top = Path(self.variables.get("GITHUB_WORKSPACE") or ".").resolve()
        here = Path.cwd().resolve()
        return here.relative_to(top).as_posix().removeprefix(".") if here.is_relative_to(top) else ""


def verify_step(runner: Runner) -> int:
    """Verify, and write summary, annotations and outputs; the exit code is that of verify, as `fail-on` has it."""
    if (fails := FAILING.get(runner.input("fail-on") or "not-proven")) is None:
        return _failed(runner, f"The input fail-on is one of: {', '.join(FAILING)}.")
    if runner.build.runs_foreign_code_with_rights:
        return _failed(runner, FOREIGN)
    try:
        words = _words(runner)
    except ValueError as error:
        return _failed(runner, f"The input arguments cannot be split into words: {error}.")
    code, told = _run(words, runner)
    if "verdict" not in told:
        return _failed(runner, _problem(code, told), code or ExitCode.BUG)
    for line in annotations(told["findings"], runner.project, fails):
        runner.say(line)
    runner.append("GITHUB_STEP_SUMMARY", _cut(_text(runner.folder / REPORT), SUMMARY_LIMIT))
    runner.say(f"dualgate: {told['verdict']}")
    _put_out(runner, told["verdict"], code)
    is_let_pass = code == ExitCode.UNPROVEN and Weight.NOT_PROVEN not in fails
    return ExitCode.PROVEN if is_let_pass else code


def comment_step(runner: Runner) -> int:
    """Write the report below the pull request. A comment that cannot be written fails no build."""
    build, token = runner.build, runner.input("token")
    body = _text(runner.folder / REPORT)
    if build.pull_request is None:
        return _noted(runner, "no comment: this is no pull request")
    if build.is_from_fork:
        return _noted(runner, "no comment: the pull request comes from a fork")
    if not token or not body.startswith(MARKER):
        return _noted(runner, f"no comment: there is no {'report' if token else 'token'}")
    marker = _marker(runner.project)
    thread = Thread(
        api=runner.variables.get("GITHUB_API_URL", "").rstrip("/"),
        repository=runner.variables.get("GITHUB_REPOSITORY", ""),
        number=build.pull_request,
        token=token,
    )
    try:
        done = thread.write(_cut(body.replace(MARKER, marker, 1), LIMIT), marker)
    except CommentRefused as error:
        needs = "it needs 'permissions: pull-requests: write'"
        runner.say(command(WARNING, f"The comment could not be written ({needs}): {error}", title="dualgate"))
        return 0
    runner.say(f"comment {done}")
    return 0


def _words(runner: Runner) -> list[str]:
    base = runner.input("base") or runner.build.base(_is_there)
    words = ["--json", f"--md={runner.folder / REPORT}"]
    words += [f"--base={base}"] if base else []
    words += [f"--{name}={given}" for name in ("head", "budget") if (given := runner.input(name))]
    words += [f"{flag}={file}" for name, flag in DOCUMENTS.items() if (file := runner.input(name))]
    return [*words, *shlex.split(runner.input("arguments"))]


def _run(words: Sequence[str], runner: Runner) -> tuple[int, Mapping[str, Any]]:
    """The exit code of verify, and the object that it printed."""
    place = runner.folder / "verification.json"
    # isolated: no module of the project is imported in place of ours, while its tests have their own PYTHONPATH
    argv = [sys.executable, "-I", "-m", "dualgate", "verify", *words]
    with place.open("wb") as printed, _started(argv, _without_ours(runner.variables), printed) as process:
        assert process.stderr is not None
        for line in process.stderr:
            runner.say(inert(line.decode("utf-8", "replace").rstrip("\n")))
        code = process.wait()
    return code, _json(place)


@contextmanager
def _started(argv: Sequence[str], variables: Mapping[str, str], printed: Any) -> Iterator[subprocess.Popen[bytes]]:
    """A process that is asked to end when we are: the host cancels a build by a signal to us alone."""
    with subprocess.Popen(
        argv, env=dict(variables), stdin=subprocess.DEVNULL, stdout=printed, stderr=subprocess.PIPE
    ) as process:
        before = {
            number: signal.signal(number, lambda *_: process.terminate()) for number in (signal.SIGINT, signal.SIGTERM)
        }
        try:
            yield process
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def _without_ours(variables: Mapping[str, str]) -> dict[str, str]:
    return {
        name: value
        for name, value in variables.items()
        if name not in COMMAND_FILES and not name.startswith((INPUT, "ACTIONS_"))
    }


def _put_out(runner: Runner, verdict: str, code: int) -> None:
    """The outputs of the step. What a signer takes is the predicate alone, so it gets a file of its own."""
    files = {name: str(Path(file).resolve()) for name in DOCUMENTS if (file := runner.input(name))}
    if predicate := _json(Path(files.get("attestation") or os.devnull)).get("predicate"):
        place = runner.folder / PREDICATE
        place.write_text(json.dumps(predicate), encoding="utf-8")
        files |= {"predicate": str(place)}
    told = {"verdict": verdict, "exit-code": str(int(code)), "report": str(runner.folder / REPORT), **files}
    runner.append("GITHUB_OUTPUT", "".join(output(name, value) for name, value in told.items()))


def _failed(runner: Runner, text: str, code: int = ExitCode.USAGE) -> int:
    runner.say(command(ERROR, text, title="dualgate"))
    runner.append("GITHUB_STEP_SUMMARY", f"### dualgate: the change cannot be verified\n\n{prose(text)}\n")
    verdict = Standing.UNUSABLE if code == ExitCode.HALTED else "error"
    runner.append("GITHUB_OUTPUT", output("verdict", verdict) + output("exit-code", str(int(code))))
    return code


def _problem(code: int, told: Mapping[str, Any]) -> str:
    """The message of dualgate about its own end, and how the clone may be the reason."""
    error = told.get("error") or {}
    said = " ".join(filter(None, (error.get("message"), error.get("next"))))
    is_shallow = ask_git(Path.cwd(), "rev-parse", "--is-shallow-repository").strip() == b"true"
    hint = DEEPER if is_shallow and code == ExitCode.USAGE else ""
    return " ".join(filter(None, (hint, said or f"dualgate verify ended with {code}; its words are in the log.")))


def _noted(runner: Runner, text: str) -> int:
    runner.say(command(NOTICE, text, title="dualgate"))
    return 0


def _marker(folder: str) -> str:
    """The first line of the comment, one for each folder of a repository."""
    return MARKER.replace(" -->", f" {sha256(folder.encode()).hexdigest()[:8]} -->") if folder else MARKER


def _is_there(commit: str) -> bool:
    return ask_git(Path.cwd(), "cat-file", "-t", commit).strip() == b"commit"


def _cut(text: str, most: int) -> str:
    raw = text.encode()
    return text if len(raw) <= most else raw[:most].decode("utf-8", "ignore")


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""


def _json(path: Path) -> Mapping[str, Any]:
    """An object that another program wrote; empty if there is none."""
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


STEPS: Mapping[str, Callable[[Runner], int]] = {"verify": verify_step, "comment": comment_step}


def main(words: Sequence[str]) -> int:
    return STEPS[words[0]](Runner(variables=os.environ, say=lambda line: print(line, flush=True)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
