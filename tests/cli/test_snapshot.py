"""dualgate snapshot and dualgate guard, as a user calls them."""

import fcntl
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import Dualgate


@pytest.fixture
def saved(dualgate: Dualgate) -> str:
    """The id of a snapshot of the project as it is."""
    name = dualgate("snapshot", "save", "--label", "at first", "--json").lines[0]["id"]
    assert isinstance(name, str)
    return name


@pytest.fixture
def untold(environment: dict[str, str]) -> None:
    """Nobody says how tests are run."""
    del environment["DUALGATE_TEST_COMMAND"]


@pytest.fixture
def owned(project: Path) -> Iterator[None]:
    """A run is at work: it holds the lock of the folder."""
    descriptor = os.open(project, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    yield
    os.close(descriptor)


def test_what_was_saved_is_listed_shown_compared_and_given_back(dualgate: Dualgate, project: Path, saved: str) -> None:
    old = (project / "tests" / "test_old.py").read_text()
    (project / "tests" / "test_old.py").rename(project / "tests" / "test_new.py")
    (project / "SPEC.md").write_text("other")
    (project / "extra").write_text("x")

    listed = dualgate("snapshot", "list", "--json").lines[0]
    changed = dualgate("snapshot", "diff", saved, "--json").lines[0]
    shown = dualgate("snapshot", "show", saved, "tests/test_old.py")
    given_back = dualgate("snapshot", "restore", saved[:6], "--json")

    assert [(each["id"], each["label"]) for each in listed["snapshots"]] == [(saved, "at first")]
    assert changed == {
        "created": ["extra"],
        "modified": ["SPEC.md"],
        "deleted": [],
        "renamed": [{"from": "tests/test_old.py", "to": "tests/test_new.py"}],
    }
    assert (shown.code, shown.out) == (0, old)
    assert given_back.code == 0
    assert sorted(given_back.lines[0]["restored"]) == ["SPEC.md", "extra", "tests/test_new.py", "tests/test_old.py"]
    assert dualgate("snapshot", "diff", saved).out == "Nothing changed.\n"
    undone = dualgate(*given_back.lines[0]["undo_command"].split()[1:])
    assert undone.code == 0
    assert ((project / "SPEC.md").read_text(), (project / "extra").read_text()) == ("other", "x")


def test_a_restore_asks_nothing_off_a_terminal_and_says_how_to_undo_it(
    dualgate: Dualgate, project: Path, saved: str
) -> None:
    (project / "SPEC.md").unlink()

    ended = dualgate("snapshot", "restore", saved, "SPEC.md")

    first, second = ended.out.splitlines()
    assert (ended.code, first) == (0, f"1 file is as in {saved} again.")
    undo = second.removeprefix("Undo with: dualgate ").split()
    assert dualgate(*undo).code == 0
    assert not (project / "SPEC.md").exists()


def test_any_name_can_be_given_back(dualgate: Dualgate, project: Path) -> None:
    names = ["-dash", "..dots", "new\nline", os.fsdecode(b"\xff")]
    for name in names:
        (project / name).write_text(name.encode("utf-8", "surrogateescape").hex())
    saved = dualgate("snapshot", "save", "--json").lines[0]["id"]
    for name in names:
        (project / name).unlink()

    ended = dualgate("snapshot", "restore", saved, "--", *names)

    assert (ended.code, ended.err) == (0, "")
    assert all((project / name).exists() for name in names)


def test_no_name_breaks_a_line_or_speaks_to_the_terminal(dualgate: Dualgate, project: Path, saved: str) -> None:
    (project / "new\nline\x1b[2J").write_text("x")

    assert dualgate("snapshot", "diff", saved).out == "new       new\\nline\\x1b[2J\n"
    checked = dualgate("guard", "check", "--since", saved, "--phase", "QA").out
    assert checked.startswith("new\\nline\\x1b[2J: a review may not change files\n")
    assert "\x1b" not in checked
    later = dualgate("snapshot", "save", "--json").lines[0]["id"]
    assert "new\\nline\\x1b[2J" in dualgate("snapshot", "show", later).out.splitlines()


def test_the_users_repository_is_as_before_byte_by_byte(dualgate: Dualgate, project: Path) -> None:
    who = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"], ["add", "-N", "SPEC.md"]):
        subprocess.run(["git", *who, *words], cwd=project, check=True)
    before = {item: item.read_bytes() for item in (project / ".git").rglob("*") if item.is_file()}
    saved = dualgate("snapshot", "save", "--json").lines[0]["id"]
    (project / "SPEC.md").write_text("other")

    for words in (["diff", saved], ["show", saved], ["restore", saved], ["prune"], ["list"]):
        assert dualgate("snapshot", *words).code == 0
    dualgate("guard", "check", "--since", saved, "--phase", "QA", "--undo")

    assert {item: item.read_bytes() for item in (project / ".git").rglob("*") if item.is_file()} == before


MISTAKES = [
    (("snapshot", "restore", "nosuch"), "There is no snapshot 'nosuch'."),
    (("snapshot", "show", "nosuch"), "There is no snapshot 'nosuch'."),
    (("snapshot", "diff", "nosuch"), "There is no snapshot 'nosuch'."),
    (("guard", "check", "--since", "nosuch", "--phase", "GREEN"), "There is no snapshot 'nosuch'."),
]


@pytest.mark.parametrize(("words", "message"), MISTAKES)
def test_a_name_that_is_none_is_told(dualgate: Dualgate, saved: str, words: tuple[str, ...], message: str) -> None:
    ended = dualgate(*words)

    assert ended.code == 1
    assert message in ended.err
    assert "'dualgate snapshot list' shows them all." in ended.err


@pytest.mark.parametrize("path", ["../outside", "/etc/passwd", "nowhere"])
def test_a_path_that_is_not_the_projects_is_told(dualgate: Dualgate, saved: str, path: str) -> None:
    assert dualgate("snapshot", "restore", saved, path).code == 1


@pytest.mark.parametrize("words", [("snapshot", "restore"), ("guard", "check", "--phase", "QA", "--undo", "--since")])
def test_nothing_is_given_back_while_a_run_owns_the_tree(
    dualgate: Dualgate, project: Path, saved: str, owned: None, words: tuple[str, ...]
) -> None:
    (project / "SPEC.md").write_text("other")

    ended = dualgate(*words, saved)

    assert ended.code == 6
    assert "A run is active in" in ended.err
    assert (project / "SPEC.md").read_text() == "other"


def test_nothing_is_pruned_while_a_run_owns_the_tree(dualgate: Dualgate, saved: str, owned: None) -> None:
    assert dualgate("snapshot", "prune", "--keep-last", "0", "--keep-days", "0").code == 6
    assert dualgate("snapshot", "show", saved).code == 0


def test_pruning_is_by_policy(dualgate: Dualgate, saved: str) -> None:
    assert dualgate("snapshot", "prune", "--json").lines[0]["pruned"] == []
    assert dualgate("snapshot", "prune", "--keep-last", "0", "--keep-days", "0", "--json").lines[0]["pruned"] == [saved]
    assert dualgate("snapshot", "list").out.startswith("There is no snapshot yet.")


def test_the_guard_names_path_rule_phase_and_diff(dualgate: Dualgate, project: Path, saved: str) -> None:
    (project / "tests" / "test_old.py").write_text("def test_old():\n    pass\n")
    (project / "app.py").write_text("x = 1\n")

    ended = dualgate("guard", "check", "--since", saved, "--phase", "GREEN", "--json")

    assert ended.code == 1
    (violation,) = ended.lines[0]["violations"]
    assert (violation["path"], violation["phase"], violation["reverted"]) == ("tests/test_old.py", "GREEN", False)
    assert "frozen after RED" in violation["rule"]
    assert "-    assert True" in violation["diff"]
    assert (project / "tests" / "test_old.py").read_text() == "def test_old():\n    pass\n"


def test_a_change_of_mode_alone_is_shown(dualgate: Dualgate, project: Path) -> None:
    (project / "SPEC.md").chmod(0o644)
    saved = dualgate("snapshot", "save", "--json").lines[0]["id"]
    (project / "SPEC.md").chmod(0o755)

    (violation,) = dualgate("guard", "check", "--since", saved, "--phase", "QA", "--json").lines[0]["violations"]

    assert violation["diff"] == "old mode 100644\nnew mode 100755\n"
    assert violation["diff"] in dualgate("snapshot", "diff", saved, "--patch").out


PHASES = [
    ("RED", "tests/test_old.py", "", 0),
    ("GREEN", "app.py", "x = 1\n", 0),
    ("REFACTOR", "conftest.py", "collect_ignore = ['tests']\n", 1),
    ("DOCUMENT", "README.md", "# Read\n", 0),
    ("DOCUMENT", "app.py", "x = 1\n", 1),
    ("QA", "README.md", "# Read\n", 1),
    ("qa", "app.py", "x = 1\n", 1),
]


@pytest.mark.parametrize(("phase", "path", "text", "code"), PHASES)
def test_each_phase_has_its_rule(
    dualgate: Dualgate, project: Path, saved: str, phase: str, path: str, text: str, code: int
) -> None:
    (project / path).write_text(text)

    assert dualgate("guard", "check", "--since", saved, "--phase", phase).code == code


DOCTEST = 'def twice(x):\n    """Double.\n\n    >>> twice(1)\n    2\n    """\n    return x\n'
MAKEFILE = "build:\n\ttrue\n\ntest:\n\tsh unit.sh\n"
EDITS = [
    ("Makefile", MAKEFILE, MAKEFILE.replace("sh unit.sh", "true"), 1),
    ("Makefile", MAKEFILE, "build:\n\ttrue\n", 1),
    ("Makefile", MAKEFILE, MAKEFILE.replace("\ttrue", "\tcc a.c"), 0),
    ("Makefile", "build:\n\ttrue\n", "build:\n\tcc a.c\n", 0),
    ("twice.py", DOCTEST, DOCTEST.replace("    2\n", "    1\n"), 1),
    ("twice.py", DOCTEST, "def twice(x):\n    return x\n", 1),
    ("twice.py", DOCTEST, DOCTEST.replace("return x", "return 2 * x").replace("Double", "Twice as much"), 0),
]


@pytest.mark.parametrize(("path", "before", "after", "code"), EDITS)
@pytest.mark.usefixtures("untold")
def test_the_guard_knows_what_is_frozen_without_a_run(
    dualgate: Dualgate, project: Path, path: str, before: str, after: str, code: int
) -> None:
    (project / path).write_text(before)
    saved = dualgate("snapshot", "save", "--json").lines[0]["id"]
    (project / path).write_text(after)

    assert dualgate("guard", "check", "--since", saved, "--phase", "GREEN").code == code


COMMANDS = ["test_command = 'sh unit.sh'\n", "[suites.unit]\ncommand = 'sh unit.sh'\nrunner = 'exit-code'\n"]


@pytest.mark.parametrize("settings", [*COMMANDS, "test_command = 'make test'\n", ""])
@pytest.mark.usefixtures("untold")
def test_the_guard_follows_the_test_command(dualgate: Dualgate, project: Path, settings: str) -> None:
    (project / "dualgate.toml").write_text(settings)
    (project / "Makefile").write_text(MAKEFILE)
    (project / "unit.sh").write_text("pytest\n")
    saved = dualgate("snapshot", "save", "--json").lines[0]["id"]
    (project / "unit.sh").write_text("true\n")

    ended = dualgate("guard", "check", "--since", saved, "--phase", "GREEN", "--json")

    assert [each["path"] for each in ended.lines[0]["violations"]] == ["unit.sh"]


@pytest.mark.usefixtures("untold")
def test_what_was_hidden_by_what_the_guard_puts_back_is_put_back_too(dualgate: Dualgate, project: Path) -> None:
    (project / "Makefile").write_text(MAKEFILE)
    (project / "unit.sh").write_text("pytest\n")
    saved = dualgate("snapshot", "save", "--json").lines[0]["id"]
    (project / "Makefile").write_text(MAKEFILE.replace("sh unit.sh", "true"))
    (project / "unit.sh").write_text("true\n")
    (project / "tests" / "test_old.py").unlink()
    (project / "dualgate.toml").write_text("[guard]\nallowed = ['tests/']\n")

    ended = dualgate("guard", "check", "--since", saved, "--phase", "GREEN", "--undo", "--json").lines[0]

    assert {each["path"] for each in ended["violations"] if each["reverted"]} == {
        "Makefile",
        "dualgate.toml",
        "tests/test_old.py",
        "unit.sh",
    }
    assert dualgate("snapshot", "diff", saved).out == "Nothing changed.\n"
    assert dualgate("snapshot", "restore", ended["undo"]).code == 0
    assert (project / "dualgate.toml").exists()


def test_what_steers_is_a_change_where_nothing_was_before(
    dualgate: Dualgate, project: Path, environment: dict[str, str]
) -> None:
    shutil.rmtree(project)
    project.mkdir()
    saved = dualgate("snapshot", "save", "--json").lines[0]["id"]
    (project / "conftest.py").write_text("collect_ignore = ['tests']\n")

    assert dualgate("guard", "check", "--since", saved, "--phase", "GREEN").code == 1


def test_the_guard_puts_back_what_it_is_told_to_and_that_can_be_undone(
    dualgate: Dualgate, project: Path, saved: str
) -> None:
    old = (project / "tests" / "test_old.py").read_text()
    (project / "tests" / "test_old.py").unlink()
    (project / "tests" / "test_old.py").symlink_to("/etc/passwd")

    ended = dualgate("guard", "check", "--since", saved, "--phase", "GREEN", "--undo", "--json")

    assert [each["reverted"] for each in ended.lines[0]["violations"]] == [True]
    assert (project / "tests" / "test_old.py").read_text() == old
    before = dualgate("snapshot", "list", "--json").lines[0]["snapshots"][-1]
    assert before["label"] == "before the guard"
    dualgate("snapshot", "restore", before["id"])
    assert (project / "tests" / "test_old.py").is_symlink()


def test_what_is_frozen_can_be_widened_and_narrowed(dualgate: Dualgate, project: Path, saved: str) -> None:
    (project / "SPEC.md").write_text("other")
    (project / "tests" / "test_old.py").write_text("other = 1\n")
    words = ("guard", "check", "--since", saved, "--phase", "GREEN", "--json")

    def paths(*more: str) -> list[str]:
        return [each["path"] for each in dualgate(*words, *more).lines[0]["violations"]]

    assert paths("--freeze", "*.md") == ["SPEC.md", "tests/test_old.py"]
    assert paths("--allow", "tests/") == []
    (project / "dualgate.toml").write_text('[guard]\nfrozen = ["*.md"]\nallowed = ["tests/", "dualgate.toml"]\n')
    assert paths() == ["SPEC.md", "dualgate.toml"]


def test_a_store_that_is_no_database_is_told_without_a_trace(
    dualgate: Dualgate, environment: dict[str, str], saved: str
) -> None:
    (store,) = Path(environment["HOME"]).glob(".bp-sessions/.snapshots/*.db")
    for item in store.parent.iterdir():
        item.write_bytes(b"spoilt" * 1000)

    ended = dualgate("snapshot", "list", "--json")

    assert ended.code == 1
    assert ended.lines[0]["error"]["kind"] == "StoreFailed"
    assert "move it away" in ended.err


def test_a_store_in_the_project_is_no_part_of_it(dualgate: Dualgate, project: Path) -> None:
    saved = dualgate("snapshot", "save", "--json", PRP_SESSION_DIR=".prp-session").lines[0]["id"]

    assert (project / ".prp-session" / "snapshots.db").exists()
    assert json.loads(dualgate("snapshot", "diff", saved, "--json", PRP_SESSION_DIR=".prp-session").out) == {
        "created": [],
        "modified": [],
        "deleted": [],
        "renamed": [],
    }


def test_one_file_is_compared_whole(dualgate: Dualgate, project: Path, saved: str) -> None:
    (project / "tests" / "test_old.py").write_text("".join(f"line{n} = {n}\n" for n in range(500)))
    (project / "SPEC.md").write_text("other")

    whole = dualgate("snapshot", "diff", saved, "--file", "tests/test_old.py")

    assert (whole.code, "+line499 = 499" in whole.out, "SPEC.md" in whole.out) == (0, True, False)
    assert dualgate("snapshot", "diff", saved, "--file", "README.md").out == "Nothing changed.\n"
