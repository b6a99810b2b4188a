"""The GitHub Action, each of its steps run with bash, on repositories of this machine."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from dualgate.display.verification.markdown import LIMIT, MARKER
from tests.ci.composite import ACTION, ROOT, TOKEN, Api, Host, plain_environment, played, ready_environment

ZEROS = "0" * 40
CODE = "def double(n):\n    return n + n\n"
TEST = "from doubling import double\n\n\ndef test_double():\n    assert double(2) == 4\n"
FOR_ZERO = "\n\ndef test_nothing_doubled_is_nothing():\n    assert double(None) == 0\n"


def git(folder: Path, *words: str) -> str:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.example")
    done = subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def commit(folder: Path, **files: str) -> str:
    for name, text in files.items():
        (folder / name.replace("__", "/").replace("_py", ".py").replace("_md", ".md")).write_text(text)
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "change")
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture
def origin(tmp_path: Path) -> Path:
    """The repository on the host, with a topic branch that changes nothing yet."""
    folder = tmp_path / "origin"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    commit(folder, doubling_py=CODE, test_doubling_py=TEST, README_md="# Doubling\n")
    git(folder, "checkout", "-qb", "topic")
    return folder


@pytest.fixture(scope="session")
def ready(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(ready_environment(tmp_path_factory.mktemp("ready")))


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(workspace=tmp_path / "work", temp=tmp_path / "temp", environment=plain_environment(tmp_path / "home"))


@pytest.fixture
def api() -> Iterator[Api]:
    with played(Api()) as made:
        yield made


def check_out(origin: Path, host: Host, *words: str) -> None:
    git(origin.parent, "clone", "-q", *words, "--branch", "topic", origin.as_uri(), str(host.workspace))


def pull_request(head: str = "a/b") -> dict[str, Any]:
    sides = {"head": {"repo": {"full_name": head}}, "base": {"ref": "main", "repo": {"full_name": "a/b"}}}
    return {"pull_request": {"number": 7, **sides}}


def test_a_weakened_test_is_refused_with_summary_annotation_documents_and_one_comment(
    origin: Path, host: Host, ready: str, api: Api
) -> None:
    commit(origin, doubling_py=CODE.replace("n + n", "n + 1"), test_doubling_py=TEST.replace(" == 4", ""))
    check_out(origin, host)
    files = {"sarif": "out.sarif", "junit": "out.xml", "attestation": "out.json"}

    job = host.run("pull_request", pull_request(), api, ready=ready, comment="true", **files)

    assert (job.code, job.outputs["verdict"], job.outputs["exit-code"]) == (1, "refused", "1")
    assert job.steps == ("verify", "comment")
    assert re.search(
        r"^::error file=test_doubling\.py,line=4,title=dualgate%3A refused::test_doubling\.py::test_double was changed",
        job.log,
        re.M,
    )
    assert job.summary.startswith(f"{MARKER}\n\n### dualgate: refused\n")
    assert json.loads((host.workspace / "out.sarif").read_text())["runs"][0]["results"]
    assert job.outputs["attestation"] == str(host.workspace / "out.json")
    statement = json.loads((host.workspace / "out.json").read_text())
    assert json.loads(Path(job.outputs["predicate"]).read_text()) == statement["predicate"]
    assert statement["subject"][0]["digest"]["gitTree"] == git(host.workspace, "rev-parse", "HEAD^{tree}")
    assert [comment["body"] for comment in api.comments] == [job.summary]
    assert {authorization for _, _, authorization in api.requests} == {f"Bearer {TOKEN}"}
    assert TOKEN not in job.log + json.dumps(dict(job.environments["verify"]))


def test_an_honest_change_is_verified_in_a_push_beside_files_that_the_build_left(
    origin: Path, host: Host, ready: str
) -> None:
    before = git(origin, "rev-parse", "HEAD")
    commit(origin, doubling_py=CODE.replace("return", "return 0 if n is None else"), test_doubling_py=TEST + FOR_ZERO)
    check_out(origin, host)
    (host.workspace / "generated.py").write_text("def untested():\n    return 1\n")

    job = host.run("push", {"before": before, "ref": "refs/heads/topic"}, ready=ready, comment="true")

    assert (job.code, job.outputs["verdict"], job.steps[0]) == (0, "verified", "verify"), job.log
    assert "::error" not in job.log
    assert "no comment: this is no pull request" in job.log


UNTESTED = "\n\ndef halve(n):\n    return n / 2\n"


@pytest.mark.parametrize(("fail_on", "code", "level"), [("refused", 0, "warning"), ("not-proven", 7, "error")])
def test_code_without_a_test_fails_as_the_workflow_has_it(
    origin: Path, host: Host, ready: str, fail_on: str, code: int, level: str
) -> None:
    commit(origin, doubling_py=CODE + UNTESTED)
    check_out(origin, host)
    new_branch = {"before": ZEROS, "ref": "refs/heads/topic", "repository": {"default_branch": "main"}}

    job = host.run("push", new_branch, ready=ready, fail_on=fail_on)

    assert (job.code, job.outputs["verdict"], job.outputs["exit-code"]) == (code, "not proven", "7"), job.log
    assert f"::{level} file=doubling.py" in job.log


def test_a_shallow_clone_is_told_what_to_fetch(origin: Path, host: Host, ready: str) -> None:
    commit(origin, README_md="# Doubled\n")
    check_out(origin, host, "--depth=1")

    job = host.run("pull_request", pull_request(), ready=ready)

    assert (job.code, job.outputs["verdict"], job.outputs["exit-code"]) == (2, "error", "2")
    assert "::error title=dualgate::The clone is shallow: give actions/checkout 'fetch-depth: 0'" in job.log
    assert "fetch-depth" in job.summary


def test_the_comment_is_replaced_and_those_of_others_are_left_alone(
    origin: Path, host: Host, ready: str, api: Api
) -> None:
    commit(origin, README_md="# Doubled\n")
    check_out(origin, host)
    theirs = {"id": 1, "user": {"login": "eve", "type": "User"}, "body": f"{MARKER}\n\nall is well"}
    api.comments = [theirs, *({"id": n, "user": None, "body": "hello"} for n in range(2, 150))]

    for _ in range(2):
        host.run("pull_request", pull_request(), api, ready=ready, comment="true")
    commit(host.workspace, README_md="# Doubling things\n")
    host.run("pull_request", pull_request(), api, ready=ready, comment="true")

    assert (len(api.comments), api.comments[0]["body"]) == (150, theirs["body"])
    assert [method for method, _, _ in api.requests if method != "GET"] == ["POST", "PATCH"]


def test_each_folder_has_a_comment_of_its_own_and_paths_are_those_of_the_repository(
    origin: Path, host: Host, ready: str, api: Api
) -> None:
    (origin / "sub").mkdir()
    commit(origin, sub__test_nothing_py="def test_nothing():\n    assert True\n")
    git(origin, "branch", "-f", "main")
    commit(origin, sub__halving_py=UNTESTED.strip() + "\n")
    check_out(origin, host)
    given = {"ready": ready, "comment": "true", "fail_on": "refused"}

    whole = host.run("pull_request", pull_request(), api, **given)
    part = host.run("pull_request", pull_request(), api, working_directory="sub", **given)

    assert (whole.outputs["exit-code"], part.outputs["exit-code"]) == ("7", "7"), whole.log + part.log
    assert "file=sub/halving.py" in whole.log
    assert "file=sub/halving.py" in part.log
    first, second = (comment["body"].splitlines()[0] for comment in api.comments)
    assert first == MARKER
    assert re.fullmatch(r"<!-- dualgate verify [0-9a-f]{8} -->", second)


def test_no_comment_is_written_below_a_pull_request_from_a_fork(origin: Path, host: Host, ready: str, api: Api) -> None:
    commit(origin, README_md="# Doubled\n")
    check_out(origin, host)

    job = host.run("pull_request", pull_request("eve/b"), api, ready=ready, comment="true")

    assert (job.code, api.requests) == (0, [])
    assert "no comment: the pull request comes from a fork" in job.log


def test_a_comment_that_is_refused_fails_no_build_and_a_redirect_does_not_get_the_token(
    origin: Path, host: Host, ready: str, api: Api
) -> None:
    commit(origin, README_md="# Doubled\n")
    check_out(origin, host)

    for status in (403, 302):
        api.status = status
        job = host.run("pull_request", pull_request(), api, ready=ready, comment="true")
        assert job.code == 0
        assert "::warning title=dualgate::The comment could not be written" in job.log
    assert [path for _, path, _ in api.requests if path == "/elsewhere"] == []


def test_a_fork_is_not_run_with_the_rights_of_the_repository(origin: Path, host: Host, ready: str) -> None:
    commit(origin, test_doubling_py="import pathlib\n\npathlib.Path('ran').touch()\n" + TEST)
    check_out(origin, host)

    job = host.run("pull_request_target", pull_request("eve/b"), ready=ready)

    assert (job.code, job.outputs["verdict"]) == (2, "error")
    assert "Use the event pull_request." in job.log


HOSTILE = """
import os, sys


def test_prints():
    os.write(2, b"\\n::add-path::/tmp\\n::set-output name=verdict::verified\\n")
    print("\\n::stop-commands::x\\n##[error]y")
    assert not [name for name in os.environ if name.startswith(("INPUT_", "GITHUB_OUTPUT", "GITHUB_ENV"))]
    assert double(1) == 3, "::error::forged\\n::add-mask::e"


test_prints.__doc__ = None
"""


def test_what_tests_print_and_how_branches_are_called_is_no_command(origin: Path, host: Host, ready: str) -> None:
    name = "$(touch${IFS}ran);`touch${IFS}ran`"
    git(origin, "branch", name, "main")
    commit(origin, test_doubling_py=TEST + HOSTILE)
    check_out(origin, host)
    payload = pull_request()
    payload["pull_request"]["base"]["ref"] = name

    job = host.run("pull_request", payload, ready=ready, arguments="--runner pytest $(touch${IFS}ran)")
    good = host.run("pull_request", payload, ready=ready)

    assert (job.code, job.outputs["verdict"]) == (2, "error")  # the words are no argument, and no command
    assert (good.code, good.outputs["verdict"]) == (1, "refused"), good.log
    assert not [*host.workspace.rglob("ran")]
    commands = [line for line in (job.log + good.log).splitlines() if line.lstrip().startswith("::") or "##[" in line]
    assert all(line.startswith(("::error title=", "::error file=")) for line in commands)


def test_a_module_of_the_project_is_not_imported_by_the_action(origin: Path, host: Host, ready: str) -> None:
    commit(origin, json_py="raise SystemExit(0)\n", dualgate_py="raise SystemExit(0)\n", README_md="# D\n")
    check_out(origin, host)

    job = host.run("pull_request", pull_request(), ready=ready, fail_on="refused")

    assert job.outputs["verdict"] in ("verified", "not proven", "refused", "unusable")


WRONG = [({"fail_on": "never"}, "The input fail-on is one of"), ({"arguments": "'"}, "cannot be split into words")]


@pytest.mark.parametrize(("inputs", "told"), WRONG)
def test_a_wrong_input_is_named(origin: Path, host: Host, ready: str, inputs: dict[str, str], told: str) -> None:
    check_out(origin, host)

    job = host.run("push", {}, None, ready=ready, **inputs)

    assert (job.code, told in job.log) == (2, True)


def test_an_old_python_is_named(origin: Path, host: Host) -> None:
    check_out(origin, host)
    old = host.temp.parent / "old"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)

    job = host.run("push", {}, python=str(old))

    assert (job.code, job.steps) == (2, ("install",))
    assert "dualgate needs Python 3.11 or newer" in job.log


@pytest.mark.parametrize("given", ["", str(ROOT)])
def test_dualgate_is_installed_into_an_environment_of_its_own(origin: Path, host: Host, given: str) -> None:
    commit(origin, README_md="# Doubled\n")
    check_out(origin, host)
    asked = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(host.temp.parent), "mdurl"]
    if subprocess.run(asked, capture_output=True, timeout=120).returncode:
        pytest.skip("no index of packages can be reached")

    job = host.run("pull_request", pull_request(), dualgate=given)

    assert (job.code, job.outputs["verdict"], job.steps) == (0, "verified", ("install", "verify")), job.log
    assert Path(job.outputs["report"]).is_relative_to(host.temp)


def test_no_script_has_an_expression_in_it_and_every_input_is_handed_on() -> None:
    steps = ACTION["runs"]["steps"]
    handed = " ".join(
        str({**step["env"], "folder": step.get("working-directory"), "if": step.get("if")}) for step in steps
    )

    assert not any("${{" in step["run"] for step in steps)
    assert [name for name in ACTION["inputs"] if f"inputs.{name} " not in handed] == []
    assert all(step["shell"] == "bash" and "github.event" not in str(step) for step in steps)


def test_the_example_of_a_workflow_calls_the_action_as_it_is() -> None:
    workflow = yaml.safe_load((ROOT / "docs" / "examples" / "verify.yml").read_text(encoding="utf-8"))
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    ours = [step["with"] for step in steps if "dualgate" in step.get("uses", "")]
    used = set(re.findall(r"steps\.verify\.outputs\.([\w-]+)", str(workflow)))

    assert ours
    assert all(with_.keys() <= ACTION["inputs"].keys() for with_ in ours)
    assert used <= ACTION["outputs"].keys()
    assert not any("${{" in step.get("run", "") for step in steps)
    assert any(step.get("with", {}).get("fetch-depth") == 0 for step in steps)


def test_a_report_fits_into_a_comment() -> None:
    assert LIMIT < 65_536
