"""The documents say what is so."""

import doctest
import re
import shlex
import subprocess
from pathlib import Path

import click
import pytest

from dualgate import analyzer
from dualgate.agents.script import KEYS, read_script
from dualgate.cli.commands import dualgate as program
from dualgate.cli.doctor_action import ALWAYS, BY_SETTINGS
from dualgate.core.spec.reading import read_specification
from dualgate.core.values.answer import Trouble
from dualgate.core.values.verification import Rule
from dualgate.core.values.vocabulary import Decision, Phase
from dualgate.errors import ExitCode
from dualgate.settings.limits import limits_of
from dualgate.settings.resolving import SettingsFile, Source, resolve

ROOT = Path(__file__).parent.parent
DOCUMENTS = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_every_exit_code_is_explained() -> None:
    explained = {int(code) for code in re.findall(r"^\| (\d+) \|", text("docs/exit-codes.md"), re.MULTILINE)}

    assert explained == {int(code) for code in ExitCode}


def test_every_check_of_the_doctor_is_explained() -> None:
    page = text("docs/doctor.md")

    assert all(f"`{name}`" in page for name in BY_SETTINGS | ALWAYS)


def test_the_settings_in_the_documents_can_be_used() -> None:
    (example,) = re.findall(r"```toml\n(.*?)```", text("docs/configuration.md"), re.DOTALL)
    file = SettingsFile(path="dualgate.toml", source=Source.PROJECT_FILE, text=example)

    assert resolve({}, {}, [file]).settings.breaker.thresholds[Phase.GREEN].same_error == 4


def test_the_settings_of_budgets_can_be_used() -> None:
    budgets, prices = re.findall(r"```toml\n(.*?)```", text("docs/budgets.md"), re.DOTALL)
    file = SettingsFile(path="dualgate.toml", source=Source.PROJECT_FILE, text=budgets + prices)

    limits = limits_of(resolve({}, {}, [file]).settings)

    assert (limits.budget_of(Phase.GREEN).calls, limits.prices["gpt-5.1*"].output) == (20, 10.0)


def test_every_key_of_a_script_is_explained() -> None:
    explained = set(re.findall(r"^\| `(\w+)` \|", text("docs/rehearsal.md"), re.MULTILINE))

    assert explained == KEYS.keys()


def test_the_script_in_the_documents_can_be_played() -> None:
    (example,) = re.findall(r"```toml\n(.*?)```", text("docs/rehearsal.md"), re.DOTALL)

    assert len(read_script(example).scenes) == 2


EXAMPLES = re.findall(
    r"```(markdown|gherkin)\n(.*?)```\n\nRead as: (.*?)\.\n", text("docs/specification.md"), re.DOTALL
)


@pytest.mark.parametrize(("form", "example", "told"), EXAMPLES)
def test_a_specification_in_the_documents_is_read_as_the_document_says(form: str, example: str, told: str) -> None:
    spec = read_specification(example, "a.feature" if form == "gherkin" else "a.md")

    criteria = ", ".join(f"{criterion.id} {criterion.kind}" for criterion in spec.criteria)
    assert (criteria or f"{len(spec.tasks)} tasks, {len(spec.validation)} command") == told
    assert spec.is_ready


def test_every_example_of_a_specification_says_what_it_is_read_as() -> None:
    assert len(EXAMPLES) == len(re.findall(r"^```\w", text("docs/specification.md"), re.MULTILINE)) >= 10


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


def test_the_readme_is_short() -> None:
    assert len(text("README.md").splitlines()) < 120


def commands_in(page: str) -> list[str]:
    """The commands of a page: those on lines of their own, and those in a sentence or a table, each once."""
    fenceless = re.sub(r"^```.*?^```", "", page, flags=re.DOTALL | re.MULTILINE)
    own_lines = re.findall(r"^ {4}(?:\w+=\S+ )*(dualgate [a-z].*)$", page, re.MULTILINE)
    return list(dict.fromkeys((*own_lines, *re.findall(r"`(dualgate [a-z][^`\n]*)`", fenceless))))


EVERY_COMMAND = [
    pytest.param(path, line, id=f"{path.name}: {line[:40]}")
    for path in DOCUMENTS
    for line in commands_in(path.read_text(encoding="utf-8"))
]


@pytest.mark.parametrize(("path", "line"), EVERY_COMMAND)
def test_every_command_in_the_documents_can_be_called_like_this(path: Path, line: str) -> None:
    name, *rest = shlex.split(re.split(r"  #| > ", line)[0].replace("[--json]", "--json"))[1:]
    command = program.get_command(click.Context(program), name)
    assert command is not None, f"{path.name}: {line}"
    if isinstance(command, click.Group) and rest and rest[0] in command.commands:
        command = command.commands[rest[0]]

    known = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}

    assert {word.partition("=")[0] for word in rest if word.startswith("--")} <= {*known, "--help"}


def test_every_rule_of_a_verification_is_explained() -> None:
    _, _, findings = text("docs/verify.md").partition("## Findings")
    rows = re.findall(r"^\| (`.*?`) \|", findings, re.MULTILINE)

    assert set(re.findall(r"`([\w-]+)`", " ".join(rows))) == {str(rule) for rule in Rule}


def test_the_policy_in_the_documents_can_be_used() -> None:
    (policy,) = re.findall(r"```toml\n(.*?)```", text("docs/verify.md"), re.DOTALL)
    file = SettingsFile(path="dualgate.toml", source=Source.PROJECT_FILE, text=policy)

    assert resolve({}, {}, [file]).settings.verify.budget == 600.0


def test_every_decision_of_a_turn_is_named() -> None:
    (row,) = re.findall(r"^\| `decision` \|.*", text("docs/json.md"), re.MULTILINE)

    assert {str(decision) for decision in Decision} - {"aborted"} == set(re.findall(r"`(\w+)`", row)) - {"decision"}


def test_every_room_is_explained() -> None:
    package = ROOT / "src" / "dualgate"
    rooms = {path.stem for path in package.iterdir() if not path.name.startswith(("_", "py."))}
    inside = {path.name for path in (package / "core").iterdir() if path.is_dir() and not path.name.startswith("_")}
    tables = text("docs/how-it-works.md").partition("| inside `core` |")
    named = [set(re.findall(r"`(\w+)`", " ".join(re.findall(r"^\| (`.*?`) \|", part, re.M)))) for part in tables[::2]]

    assert named == [rooms - {"prompts", "testing"}, inside]


@pytest.mark.parametrize("path", DOCUMENTS, ids=[str(path.relative_to(ROOT)) for path in DOCUMENTS])
def test_every_link_leads_somewhere(path: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)[^)]*\)", path.read_text(encoding="utf-8"))

    assert [link for link in links if not (path.parent / link).exists()] == []


@pytest.mark.parametrize("path", DOCUMENTS, ids=[str(path.relative_to(ROOT)) for path in DOCUMENTS])
def test_every_link_into_a_page_leads_to_one_of_its_headings(path: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]*)#([^)]+)\)", path.read_text(encoding="utf-8"))

    assert [(page, place) for page, place in links if place not in headings(path.parent / page if page else path)] == []


def headings(path: Path) -> set[str]:
    """As a link names them."""
    found = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in found}


def test_decision_records_are_short() -> None:
    assert [path.name for path in ROOT.glob("docs/adr/*.md") if len(path.read_text().splitlines()) > 60] == []


@pytest.mark.parametrize("name", ["lock", "run", "docs"])
def test_the_lock_has_hashes_and_no_addresses(name: str) -> None:
    lock = text(f"requirements/{name}.txt")

    pinned = re.findall(r"^[\w.-]+==\S+ \\\n    --hash=sha256:", lock, re.MULTILINE)
    assert len(pinned) == len(re.findall(r"^[\w.-]+==", lock, re.MULTILINE)) > 10
    assert "://" not in lock


def test_what_the_action_installs_is_what_the_tests_ran_with() -> None:
    whole, part = (
        dict(re.findall(r"^([\w.-]+)==(\S+)", text(f"requirements/{name}.txt"), re.M)) for name in ("lock", "run")
    )

    assert part.items() <= whole.items()


def test_nothing_but_what_git_tracks_is_needed() -> None:
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False).stdout.split()

    assert not [name for name in tracked if name.startswith((".venv", "build", "dist"))]
