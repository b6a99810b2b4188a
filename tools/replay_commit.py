"""A commit of any git repository -> a run that plays it: its tests as RED, its code as GREEN, its documents after that.

Documents are played in GREEN too if its tests fail without them, as an agent would write them then.

`python -m tools.replay_commit --python PYTHON REPOSITORY COMMIT [WORD …]`, where the interpreter has what the tests
need and the words go to pytest. `--setup 'pip install -e .'` is run in the clone before, and `--place FOLDER` keeps the
clone and the session. `--command COMMAND` runs the tests of another tool, and `--test NAME` names one where the changed
test functions cannot be found. `--kind keep` or `review` is the kind of the criterion, for a commit without new
behaviour, and `--red PATH` names a file beside the tests that belongs to RED. It ends as the run does.
`tests/data/commits.txt` names commits to play.
"""

import argparse
import ast
import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dualgate.core.evidence.doubted import MOST
from dualgate.core.values.specification import Kind
from dualgate.core.values.vocabulary import Phase
from dualgate.workspace.steering.paths import is_document, is_of_tests

PACKETS = "Phase: CODE_REVIEW\nStatus: passed\n\nPhase: ARCHITECTURE\nStatus: passed\n\n"
SETTINGS = {"DUALGATE_DOCUMENTS": "0", "DUALGATE_ADR_REQUIRED": "false"}
"""Not every commit has documents."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    repository: Path
    name: str
    kind: str = ""
    """The kind of its criterion; empty for one that dualgate infers."""
    red: tuple[str, ...] = ()
    """Files beside the tests that are played in RED."""
    tests: tuple[str, ...] = ()
    """The names of its tests; empty for those that are found in Python files."""

    def git(self, *words: str) -> bytes:
        command = ["git", "-C", str(self.repository), *words]
        return subprocess.run(command, capture_output=True, check=True).stdout

    @property
    def subject(self) -> str:
        return self.git("log", "-1", "--format=%s", self.name).decode().strip().rstrip(".").replace("`", "")

    @property
    def paths(self) -> list[str]:
        names = self.git("diff-tree", "-r", "-z", "--name-only", "--no-renames", f"{self.name}^", self.name)
        return [path for path in names.decode().split("\0") if path]

    def text(self, revision: str, path: str) -> bytes | None:
        """A file at a revision; None if it is not there."""
        try:
            return self.git("show", f"{revision}:{path}")
        except subprocess.CalledProcessError:
            return None


def phase_of(commit: Commit, path: str) -> Phase:
    """The phase in which a changed file is played."""
    if is_of_tests(path) or path in commit.red:
        return Phase.RED
    return Phase.DOCUMENT if is_document(path) else Phase.GREEN


def changed_tests(commit: Commit) -> list[str]:
    """The names of new and changed test functions, by which the criterion names its tests."""
    found = dict[str, None]()
    for path in commit.paths:
        if is_of_tests(path) and path.endswith(".py"):
            before = {*test_functions(commit.text(f"{commit.name}^", path) or b"")}
            after = test_functions(commit.text(commit.name, path) or b"")
            found |= dict.fromkeys(name for name, code in after if (name, code) not in before)
    return list(found) or tests_of_data(commit)


def tests_of_data(commit: Commit) -> list[str]:
    """The names of test functions that mention a changed file of data by its name."""
    names = [Path(path).name for path in commit.paths if is_of_tests(path) and not path.endswith(".py")]
    listed = commit.git("ls-tree", "-r", "-z", "--name-only", commit.name).decode().split("\0") if names else []
    sources = [path for path in listed if is_of_tests(path) and path.endswith(".py")]
    tests = (test for path in sources for test in test_functions(commit.text(commit.name, path) or b""))
    return list(dict.fromkeys(test for test, code in tests if any(name in code for name in names)))


def test_functions(source: bytes) -> Iterator[tuple[str, str]]:
    """The test functions of a file, each with its code; what a docstring says is no code."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test"):
            node.body = node.body[ast.get_docstring(node) is not None :]
            yield node.name, ast.dump(node)


def specification(commit: Commit) -> str:
    tests = ", ".join(f"`{name}`" for name in commit.tests or changed_tests(commit))
    text = f"{f'[{commit.kind}] ' if commit.kind else ''}{commit.subject}{f' ({tests})' if tests else ''}"
    return f"# {commit.subject}\n\n## Acceptance Criteria\n\n- {text}\n"


def script(commit: Commit) -> str:
    """The script of the rehearsal agent. Git brings the files, so that bytes and modes stay as they are."""
    phases = (phase for phase in Phase if phase is not Phase.BUILD)
    return "\n".join(scene(commit, phase, brought) for phase in phases for brought in turns_of(phase))


def turns_of(phase: Phase) -> list[Phase]:
    """For each call of a phase, the phase whose files it brings: a second call of GREEN comes if tests fail."""
    return [phase, Phase.DOCUMENT] if phase is Phase.GREEN else [phase]


def scene(commit: Commit, phase: Phase, brought: Phase) -> str:
    paths = [path for path in commit.paths if phase_of(commit, path) is brought]
    lines = ["[[turn]]", f'phase = "{phase}"']
    if paths:
        command = shlex.join(["git", "restore", "--worktree", f"--source={commit.name}", "--", *paths])
        lines.append(f"run = [{json.dumps(command)}]")
    if phase is Phase.QA:
        lines.append(f"says = {json.dumps(approval(commit))}")
    return "\n".join(lines) + "\n"


def approval(commit: Commit) -> str:
    """A review that finds every removed and changed test justified: the commit is what was asked for."""
    place = f"{commit.paths[0]}:1"
    answers = (f"T-{number}: justified {place} the commit asks for it" for number in range(1, MOST + 1))
    met = (f"AC-1: met {place} the commit does it",) if commit.kind == Kind.REVIEW else ()
    return PACKETS + "\n".join((*met, *answers, "", "Verdict: APPROVE"))


def replay(commit: Commit, command: str, place: Path, setup: str = "") -> int:
    """Play a commit with a test command in a clone, in an environment without sessions of this machine."""
    root = place / "project"
    subprocess.run(["git", "clone", "-q", "--no-checkout", str(commit.repository), str(root)], check=True)
    subprocess.run(["git", "-C", str(root), "checkout", "-q", "--detach", f"{commit.name}^"], check=True)
    subprocess.run(setup, shell=True, cwd=root, check=True)
    (place / "script.toml").write_text(script(commit), encoding="utf-8")
    (root / "SPEC.md").write_text(specification(commit), encoding="utf-8")
    run = [sys.executable, "-m", "dualgate", "run", "SPEC.md", "--yes", "--max-iterations", "3"]
    run += ["--agent", f"rehearsal:{place / 'script.toml'}", "--test-command", command]
    environment = {**os.environ, **SETTINGS, "PRP_SESSION_DIR": str(place / "session")}
    return subprocess.run(run, cwd=root, env=environment).returncode


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repository", type=Path)
    parser.add_argument("commit")
    parser.add_argument("--python", type=Path, default=Path(sys.executable))
    parser.add_argument("--setup", default="", metavar="COMMAND")
    parser.add_argument("--place", type=Path, metavar="FOLDER")
    parser.add_argument("--kind", choices=(Kind.KEEP, Kind.REVIEW), default="")
    parser.add_argument("--command", default="", metavar="COMMAND")
    parser.add_argument("--test", action="append", default=[], metavar="NAME")
    parser.add_argument("--red", action="append", default=[], metavar="PATH")
    parser.add_argument("words", nargs="*")
    given = parser.parse_args()
    commit = Commit(
        repository=given.repository.resolve(),
        name=given.commit,
        kind=given.kind,
        red=tuple(given.red),
        tests=tuple(given.test),
    )
    command = given.command or shlex.join([str(given.python.absolute()), "-m", "pytest", *given.words])
    with tempfile.TemporaryDirectory() as place:
        folder = given.place.absolute() if given.place else Path(place)
        return replay(commit, command, folder, given.setup)


if __name__ == "__main__":
    sys.exit(main())
