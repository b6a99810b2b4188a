"""The documents say what is so."""

import doctest
import re
import subprocess
from pathlib import Path

import pytest

from dualgate import analyzer
from dualgate.agents.script import KEYS, read_script
from dualgate.cli.commands import COMMANDS
from dualgate.core.answer import Trouble
from dualgate.core.prp import read_prp
from dualgate.errors import ExitCode
from tools.draw_machine import PAGE, page

ROOT = Path(__file__).parent.parent
DOCUMENTS = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_page_of_the_machine_is_drawn_from_the_tables() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()


def test_every_exit_code_is_explained() -> None:
    explained = {int(code) for code in re.findall(r"^\| (\d+) \|", text("docs/exit-codes.md"), re.MULTILINE)}

    assert explained == {int(code) for code in ExitCode}


def test_every_key_of_a_script_is_explained() -> None:
    explained = set(re.findall(r"^\| `(\w+)` \|", text("docs/rehearsal.md"), re.MULTILINE))

    assert explained == KEYS.keys()


def test_the_script_in_the_documents_can_be_played() -> None:
    (example,) = re.findall(r"```toml\n(.*?)```", text("docs/rehearsal.md"), re.DOTALL)

    assert len(read_script(example).scenes) == 2


def test_the_specification_in_the_documents_can_be_worked_from() -> None:
    (example,) = re.findall(r"```markdown\n(.*?)```", text("docs/specification.md"), re.DOTALL)

    assert [criterion.id for criterion in read_prp(example).criteria] == ["AC-1", "AC-2", "AC-3"]


@pytest.mark.parametrize(("name", "least"), [("python-api.md", 20), ("analyzer.md", 6)])
def test_the_examples_in_python_run(monkeypatch: pytest.MonkeyPatch, name: str, least: int) -> None:
    monkeypatch.chdir(ROOT)

    failed, tried = doctest.testfile(str(ROOT / "docs" / name), module_relative=False)

    assert (failed, tried >= least) == (0, True)


def test_every_kind_of_trouble_and_every_counterpart_is_named() -> None:
    page = text("docs/analyzer.md")

    assert all(f"`{kind}`" in page for kind in Trouble)
    counterparts = re.findall(r"^\| `ra_\w+` \| `(\w+)\(", page, re.MULTILINE)
    assert len(counterparts) == 8
    assert all(hasattr(analyzer, name) for name in counterparts)


def test_the_readme_is_short_and_names_every_command() -> None:
    readme = text("README.md")

    assert len(readme.splitlines()) < 150
    assert all(f"dualgate {name}" in readme for name in COMMANDS)


@pytest.mark.parametrize("path", DOCUMENTS, ids=[str(path.relative_to(ROOT)) for path in DOCUMENTS])
def test_every_link_leads_somewhere(path: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)[^)]*\)", path.read_text(encoding="utf-8"))

    assert [link for link in links if not (path.parent / link).exists()] == []


def test_decision_records_are_short() -> None:
    assert [path.name for path in ROOT.glob("docs/adr/*.md") if len(path.read_text().splitlines()) > 60] == []


def test_the_lock_has_hashes_and_no_addresses() -> None:
    lock = text("requirements/lock.txt")

    pinned = re.findall(r"^[\w.-]+==\S+ \\\n    --hash=sha256:", lock, re.MULTILINE)
    assert len(pinned) == len(re.findall(r"^[\w.-]+==", lock, re.MULTILINE)) > 10
    assert "://" not in lock


def test_nothing_but_what_git_tracks_is_needed() -> None:
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False).stdout.split()

    assert not [name for name in tracked if name.startswith((".venv", "build", "dist"))]
