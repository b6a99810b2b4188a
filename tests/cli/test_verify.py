"""dualgate verify, as a user calls it."""

import json
import os
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import fromstring

import click
import pytest

from dualgate.cli.verify import verify_command
from dualgate.cli.verify_action import run_verify
from dualgate.core.values.verification import Finding, Rule, Verification, Weight
from dualgate.errors import CannotVerify, RevisionMissing, SettingError, SuiteUnusable
from dualgate.store.acceptances import read_acceptances
from dualgate.store.sessions import acceptance_log
from dualgate.testing import a_finding, a_verification
from dualgate.verify.request import Request
from tests.support import Dualgate

Run = Callable[..., int]


def git(project: Path, *words: str) -> str:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.example")
    return subprocess.run(["git", *identity, *words], cwd=project, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def repository(project: Path) -> Path:
    git(project, "init", "-q", "-b", "main")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "base")
    return project


@pytest.fixture
def run(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The action with a verification that is already made."""
    monkeypatch.chdir(project)
    monkeypatch.setenv("HOME", str(tmp_path))

    def call(seen: Verification | Callable[[Request], Verification], *words: str) -> int:
        options = verify_command.make_context("verify", list(words)).params
        return run_verify(options, seen if callable(seen) else lambda _: seen)

    return call


WRONG = [
    (("--md", "--sarif"), "--md and --sarif both go to standard output"),
    (("--json", "--junit", "-"), "--junit and --json both go to standard output"),
    (("--json", "--explain", "test_a"), "both go to standard output"),
    (("--allow", "lost-test-1"), "--allow needs --reason"),
    (("--reason", "so"), "--reason needs --allow"),
    (("--budget", "soon"), "'soon' is no duration"),
    (("--md", "nowhere/page.md"), "there is no folder nowhere"),
    (("--spec", "nowhere.md"), "There is no file nowhere.md"),
    (("--check", "a.json", "--md"), "--check reads a file and runs nothing; --md has no use"),
    (("--check", "a.json", "--base", "dev"), "--base has no use with it"),
    (("--check", "nowhere.json"), "nowhere.json cannot be read"),
    (("--check", "SPEC.md"), "It is no attestation"),
    (("--check", "SPEC.md", "--head", "nowhere"), "There is no commit 'nowhere' here"),
    (("--base", "nowhere"), "nowhere"),
]


@pytest.mark.parametrize(("words", "told"), WRONG)
def test_wrong_words_end_with_2_and_nothing_is_printed(
    dualgate: Dualgate, repository: Path, words: tuple[str, ...], told: str
) -> None:
    ended = dualgate("verify", *words)

    assert (ended.code, ended.out) == (2, "")
    assert told in ended.err


def test_a_change_of_documents_is_verified_in_every_form_and_its_attestation_holds_for_the_tree(
    dualgate: Dualgate, repository: Path, tmp_path: Path
) -> None:
    (repository / "README.md").write_text("# Doubling\n")
    forms = [f"--{form}={tmp_path / form}" for form in ("md", "sarif", "junit", "attest")]

    ended, as_json = dualgate("verify", *forms), dualgate("verify", "--json")

    assert (ended.code, ended.err, as_json.code) == (0, "", 0)
    assert ended.out.startswith("verified: work tree against main (")
    assert as_json.lines[0]["changed"] == ["README.md"]
    assert (tmp_path / "md").read_text().startswith("<!-- dualgate verify -->\n\n### dualgate: verified\n")
    assert json.loads((tmp_path / "sarif").read_text())["version"] == "2.1.0"
    assert fromstring((tmp_path / "junit").read_bytes()).get("failures") == "0"
    checked = dualgate("verify", "--check", str(tmp_path / "attest"))
    assert (checked.code, checked.out) == (
        0,
        f"attested: the tree {as_json.lines[0]['head']['tree']} is verified; signatures are not checked\n",
    )


def test_an_attestation_is_about_one_tree_and_may_lie_in_it(dualgate: Dualgate, repository: Path) -> None:
    (repository / "README.md").write_text("# Doubling\n")
    dualgate("verify", "--attest", "attested.json")

    beside = dualgate("verify", "--check", "attested.json")
    other = dualgate("verify", "--check", "attested.json", "--head", "main", "--json")
    (repository / "README.md").write_text("# Trebling\n")
    changed = dualgate("verify", "--check", "attested.json")

    assert (beside.code, other.code, changed.code) == (0, 1, 1)
    assert other.lines[0]["holds"] is False
    assert changed.out.startswith("does not match: it is about the tree ")


def test_without_a_repository_nothing_is_refused(dualgate: Dualgate) -> None:
    ended = dualgate("verify", "--json")

    assert (ended.code, ended.lines[0]["exit_code"]) == (2, 2)


CODES = [
    (a_verification(), 0),
    (a_verification(a_finding()), 1),
    (a_verification(a_finding(weight=Weight.NOT_PROVEN)), 7),
    (a_verification(a_finding(weight=Weight.UNUSABLE)), 3),
    (a_verification(a_finding(weight=Weight.NOTE)), 0),
]


@pytest.mark.parametrize(("seen", "code"), CODES)
def test_the_verdict_is_the_exit_code_and_at_most_ten_lines(
    run: Run, capsys: pytest.CaptureFixture[str], seen: Verification, code: int
) -> None:
    assert run(seen) == code

    assert 1 < len(capsys.readouterr().out.splitlines()) <= 10


FORMS: list[tuple[str, Callable[[str], Any]]] = [
    ("--json", json.loads),
    ("--sarif", json.loads),
    ("--attest", json.loads),
    ("--junit", fromstring),
    ("--md", lambda text: text.index("### dualgate: refused")),
]


@pytest.mark.parametrize(("form", "read"), FORMS)
def test_a_document_on_standard_output_stands_alone(
    run: Run, capsys: pytest.CaptureFixture[str], form: str, read: Callable[[str], Any]
) -> None:
    assert run(a_verification(a_finding()), form) == 1

    told = capsys.readouterr()
    assert told.err == ""
    assert read(told.out) is not None


def test_a_file_is_replaced_at_once_and_the_lines_are_still_printed(
    run: Run, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "page.md").write_text("old")
    (project / "link.md").symlink_to("page.md")

    run(a_verification(a_finding()), "--md", "link.md", "--junit", "tests.xml")

    assert (project / "link.md").is_symlink()
    assert "### dualgate: refused" in (project / "page.md").read_text()
    assert sorted(path.name for path in project.iterdir() if path.name.startswith(".")) == []
    assert capsys.readouterr().out.startswith("refused: ")


def test_a_pipe_is_written_and_not_replaced(run: Run, project: Path) -> None:
    os.mkfifo(project / "pipe")
    reader = os.open(project / "pipe", os.O_RDONLY | os.O_NONBLOCK)

    run(a_verification(), "--md", "pipe")

    assert os.read(reader, 100).startswith(b"<!-- dualgate verify -->")
    assert (project / "pipe").is_fifo()
    os.close(reader)


def test_a_test_is_explained_with_the_command_for_the_same_change(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    finding = a_finding()

    assert run(a_verification(finding), "--explain", "test_vat", "--base", "my branch", "--budget", "90s") == 1

    call = "dualgate verify --base 'my branch' --budget 1m30s"
    assert f"    to accept it: {call} --allow {finding.id} --reason TEXT" in capsys.readouterr().out


def test_an_unknown_test_is_answered_with_names_that_come_near(run: Run) -> None:
    with pytest.raises(click.UsageError, match=r"Did you mean: tests/test_x.py::test_vat,"):
        run(a_verification(a_finding()), "--explain", "test_vta")


def accepting(*findings: Finding) -> Callable[[Request], Verification]:
    """As the engine marks them."""
    return lambda request: a_verification(*(replace(f, accepted=request.allow.get(f.id, "")) for f in findings))


def test_what_a_person_accepts_decides_nothing_and_is_recorded(
    run: Run, project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, other = a_finding(), a_finding(Rule.LOST)
    words = ("--allow", one.id, "--allow", other.id, "--allow", "lost-test-0", "--reason", "the feature is gone")

    assert run(accepting(one, other), *words) == 0

    recorded = read_acceptances(acceptance_log(project, {"HOME": str(tmp_path)}))
    assert [(each.id, each.reason, each.tree) for each in recorded] == [
        (finding.id, "the feature is gone", "c" * 40) for finding in (one, other)
    ]
    assert (bool(recorded[0].by), recorded[0].terminal) == (True, False)
    told = capsys.readouterr()
    assert told.err == "dualgate: no finding has the id lost-test-0; nothing was accepted\n"
    assert "accepted: 2 findings" in told.out


def failing(error: Exception) -> Callable[[Request], Verification]:
    def engine(request: Request) -> Verification:
        del request
        raise error

    return engine


def test_an_error_is_never_a_refusal(run: Run) -> None:
    with pytest.raises(CannotVerify) as caught:
        run(failing(SuiteUnusable("The tests cannot be run.", "Install pytest.")))
    assert (caught.value.exit_code, str(caught.value)) == (3, "The tests cannot be run.\nInstall pytest.")
    with pytest.raises(click.UsageError, match="No such setting"):
        run(failing(SettingError("No such setting.")))
    with pytest.raises(RevisionMissing):
        run(failing(RevisionMissing("There is no commit 'x' here.")))


def test_the_request_has_what_was_asked(run: Run, project: Path) -> None:
    asked: list[Request] = []
    change = ("--base", "dev", "--head", "topic", "--session", "--spec", "SPEC.md")
    how = ("--budget", "60s", "--test-command", "make", "--runner", "junit")

    def engine(request: Request) -> Verification:
        asked.append(request)
        return a_verification()

    run(engine, *change, *how)

    assert asked == [
        Request(
            project=project,
            base="dev",
            head="topic",
            session=True,
            budget=60.0,
            test_command="make",
            runner="junit",
            spec=Path("SPEC.md"),
        )
    ]
