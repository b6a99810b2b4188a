"""A real CLI at work in a run, with the hooks of `dualgate init --hooks`: a frozen test is guarded before the edit."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.live.desk import COMMANDS, Script, with_dualgate
from tests.live.model_server import FakeModel
from tests.live.place import PATIENCE
from tests.live.player import Step
from tests.live.setups import MODEL, SETUPS
from tests.loop.scripts import RED

TESTS, CODE = "tests/test_double.py", "doubling.py"
WEAKER = "def test_ac1_numbers():\n    pass\n\n\ndef test_ac2_texts():\n    pass\n"
WORK = "def double(x):\n    return x + x\n"
REFUSED = f"dualgate: {TESTS} cannot be changed in GREEN"


def rewritten(project: Path, name: str, content: str) -> list[Step]:
    """The steps of a model that replaces a file, which Claude Code wants to have read before."""
    path = str(project / name)
    return [
        {"call": "Read", "input": {"file_path": path}},
        {"call": "Write", "input": {"file_path": path, "content": content}},
    ]


@pytest.mark.quick
@pytest.mark.parametrize("host", ["claude"])
def test_an_edit_of_a_frozen_test_is_refused_before_it_is_made_and_one_of_code_is_made(
    host: str, project: Path, home: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    environment = with_dualgate(environment, tmp_path)
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=project, check=True)
    dualgate = (sys.executable, "-m", "dualgate")
    subprocess.run([*dualgate, "init", "--hooks", host, "--yes"], cwd=project, env=environment, check=True)
    command = shlex.join(COMMANDS[host](project, home))
    at_work = [f"echo Work. | {command} > ../said.txt 2>&1", f"cp {TESTS} ../tests.py", f"cp {CODE} ../code.py"]
    turn = f'[[turn]]\nphase = "GREEN"\nrun = {json.dumps(at_work)}\n'
    (project / "script.toml").write_text(RED + turn)

    script = Script([*rewritten(project, TESTS, WEAKER), *rewritten(project, CODE, WORK), {"text": "Done."}])
    with FakeModel(script) as model:
        seen = environment | {k: v for k, v in SETUPS[host](home, model.url()).items() if k != MODEL}
        words = ("run", "SPEC.md", "--agent", "rehearsal:script.toml", "--max-iterations", "2", "--sandbox", "none")
        ended = subprocess.run(
            [*dualgate, *words], cwd=project, env=seen, capture_output=True, text=True, timeout=PATIENCE
        )

    said = ended.stdout + ended.stderr + (tmp_path / "said.txt").read_text()
    assert len(script.told) == 5, said
    assert REFUSED in script.told[2], said
    assert "def test_ac1_numbers():\n    check(double(2), 4)" in (tmp_path / "tests.py").read_text()
    assert (tmp_path / "code.py").read_text() == WORK
