"""Each CLI is allowed the least that its phase needs: an implementer all, a documenter edits, a reviewer reading."""

from pathlib import Path

import pytest

from dualgate.agents.client_agent import ClientAgent
from dualgate.agents.registry import CLIENTS
from dualgate.core.values.vocabulary import Phase
from dualgate.processes.supervisor import Supervisor
from dualgate.testing import a_call, a_control
from tests.live.model_server import FakeModel, Req
from tests.live.player import Step
from tests.live.setups import SETUPS

MARK = "the words of a document"
WRITE = {"tool": "write", "path": "written.txt", "content": "written\n"}
SHELL: list[Step] = [
    {"tool": "shell", "command": command}
    for command in (
        "touch touched.txt",
        "git diff --no-index --output=output.txt /dev/null notes.md",
        "git diff --no-index /dev/null notes.md > redirected.txt",
        "git status; touch after.txt",
    )
]
BY_SHELL = ["after.txt", "output.txt", "redirected.txt", "touched.txt"]
ALLOWED = {
    Phase.GREEN: ["written.txt", *BY_SHELL],
    Phase.DOCUMENT: ["written.txt"],
    Phase.QA: [],
}
# Codex reads files by its shell, and so must have one
OWN = {("codex", Phase.DOCUMENT): ["written.txt", *BY_SHELL]}
READS = {
    "claude": ("Read", "file_path"),
    "gemini": ("read_file", "file_path"),
    "qwen": ("read_file", "file_path"),
    "opencode": ("read", "filePath"),
}


class Trying:
    """Reads a document, then tries to write in every way; `results` is what the tools answered."""

    def __init__(self, agent: str, project: Path) -> None:
        name, key = READS.get(agent, ("", ""))
        read: Step = {"call": name, "input": {key: str(project / "notes.md")}} if name else {}
        self._steps: list[Step] = [read or {"tool": "shell", "command": "cat notes.md"}, WRITE, *SHELL]
        self.results: list[str] = []

    def __call__(self, request: Req) -> Step:
        if not request.has_tools:
            return {"text": "ok"}
        self.results = [text for _, text, is_result in request.texts if is_result]
        done = len(self.results)
        return self._steps[done] if done < len(self._steps) else {"text": "That is all."}


@pytest.mark.quick
@pytest.mark.parametrize("agent", sorted(CLIENTS))
@pytest.mark.parametrize("phase", ALLOWED)
def test_who_implements_may_do_all_who_documents_may_edit_and_who_reviews_may_read(
    agent: str, phase: Phase, home: Path, environment: dict[str, str], project: Path
) -> None:
    (project / "notes.md").write_text(f"{MARK}\n")
    trying = Trying(agent, project)
    with FakeModel(trying) as model:
        seen = environment | SETUPS[agent](home, model.url())
        asked = ClientAgent(
            client=CLIENTS[agent],
            project=project,
            supervisor=Supervisor(seen),
            model=seen.get("DUALGATE_MODEL"),
            timeout=300,
        )
        asked.ask(a_call(phase=phase), a_control())

    assert MARK in trying.results[0]
    made = sorted(path.name for path in project.glob("*.txt"))
    assert made == sorted(OWN.get((agent, phase), ALLOWED[phase])), trying.results
