"""`dualgate pr`, killed at each step of a push and of a pull request: one push, one request, nothing forced."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from tests.session.commit_kit import a_hook, begun, git
from tests.support import Dualgate

BRANCH = "dualgate/doubling"
ADDRESS = "https://github.example/o/r/pull/1"
LIMIT = 60
# once, and only if the test asks for this step
KILL = """
if [ "$(cat {folder}/step 2>/dev/null)" = {step} ]; then
  until [ -s {folder}/victim ]; do sleep 0.02; done
  rm {folder}/step
  kill -9 $(cat {folder}/victim)
  {then}
fi
"""
GH = """
case "$1 $2" in
  "pr list") {list}
    cat {folder}/open 2>/dev/null || echo "[]" ;;
  "pr create") {create}
    test -e {folder}/open && {{ echo "there is one already" >&2; exit 1; }}
    echo '[{{"url": "{address}"}}]' >{folder}/open
    echo made >>{folder}/made
    {created}
    echo {address} ;;
esac
"""
STEPS = {
    "pushing": "before anything is sent",
    "receiving": "the remote has the commits, and no branch",
    "refusing": "the remote refuses the push",
    "received": "the remote has the branch",
    "listing": "the branch is pushed",
    "creating": "the request is sent",
    "created": "the request is open, and not journaled",
}


@pytest.fixture
def remote(project: Path, tmp_path: Path) -> Path:
    """A bare repository as the remote of the project; it, git and gh kill `dualgate pr` where they are told to."""

    def kill(step: str, then: str = "") -> str:
        return KILL.format(folder=tmp_path, step=step, then=then)

    place = tmp_path / "remote.git"
    begun(project)
    git(tmp_path, "init", "-q", "--bare", "-b", "main", str(place))
    git(project, "remote", "add", "origin", str(place))
    git(project, "push", "-q", "origin", "main")
    a_hook(project, "pre-push", kill("pushing", "exit 1"))
    a_hook(place, "pre-receive", kill("receiving") + kill("refusing", "exit 1"), folder="hooks")
    a_hook(place, "post-receive", f"echo pushed >>{tmp_path}/pushes\n{kill('received')}", folder="hooks")
    steps = {step: kill(name) for step, name in (("list", "listing"), ("create", "creating"), ("created", "created"))}
    a_hook(tmp_path, "gh", GH.format(folder=tmp_path, address=ADDRESS, **steps), folder="bin")
    return place


def work_left(folder: Path) -> bool:
    """Whether a program that a killed process had started still works below a folder."""
    for process in psutil.process_iter():
        try:
            if Path(process.cwd()).is_relative_to(folder) and process.status() != psutil.STATUS_ZOMBIE:
                return True
        except psutil.Error:
            continue
    return False


@pytest.mark.parametrize("step", STEPS)
def test_a_kill_within_a_push_or_a_request_leads_to_one_of_each(
    dualgate: Dualgate, remote: Path, project: Path, tmp_path: Path, environment: dict[str, str], script: str, step: str
) -> None:
    variables = environment | {"DUALGATE_SENSITIVITY": "off", "PATH": f"{tmp_path / 'bin'}:{environment['PATH']}"}
    run = dualgate("run", "SPEC.md", "--agent", script, "--json", "--commit", "run", **variables)
    commit, main = (git(project, "rev-parse", each).strip() for each in (BRANCH, "main"))
    (tmp_path / "step").write_text(step)

    killed = subprocess.Popen([sys.executable, "-m", "dualgate", "pr"], cwd=project, env=variables)
    (tmp_path / "victim").write_text(str(killed.pid))
    code = killed.wait(LIMIT)
    end = time.monotonic() + LIMIT
    while work_left(tmp_path):
        assert time.monotonic() < end
        time.sleep(0.01)
    again = dualgate("pr", **variables)
    once_more = dualgate("pr", **variables)

    assert (run.code, code) == (0, -signal.SIGKILL)
    assert (again.code, once_more.code) == (0, 0), again.err
    assert git(remote, "for-each-ref", "--format=%(refname:short) %(objectname)").splitlines() == [
        f"{BRANCH} {commit}",
        f"main {main}",
    ]
    assert (tmp_path / "pushes").read_text() == "pushed\n"
    assert (tmp_path / "made").read_text() == "made\n"
    assert json.loads(dualgate("status", "--json").out)["commits"]["pull_request"] == ADDRESS
    assert git(project, "rev-parse", BRANCH).strip() == commit
