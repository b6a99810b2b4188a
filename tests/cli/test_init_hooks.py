"""dualgate init --hooks: shown first, written once, removed exactly."""

import json
import subprocess
from pathlib import Path

import pytest

from dualgate.hooks.answers import HOSTS
from dualgate.hooks.opting import PLACES, has_opted_in
from tests.support import Dualgate


@pytest.fixture
def project(project: Path) -> Path:
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    return project


def test_all_hosts_are_set_up_and_removed_without_a_trace(dualgate: Dualgate, project: Path) -> None:
    before = sorted(project.rglob("*"))
    added = dualgate("init", "--hooks", ",".join(HOSTS), "--yes")
    opted_in = has_opted_in(project)
    removed = dualgate("init", "--hooks", ",".join(HOSTS), "--remove", "--yes")

    assert (added.code, removed.code) == (0, 0)
    assert [f"wrote {place}" in added.out for place in PLACES.values()] == [True] * len(HOSTS)
    assert (opted_in, has_opted_in(project)) == (True, False)
    assert sorted(project.rglob("*")) == before


def test_the_diff_is_shown_and_nothing_is_written_unasked(dualgate: Dualgate, project: Path) -> None:
    ended = dualgate("init", "--hooks", "claude")

    assert ended.code == 1
    assert '+            "command": "dualgate hook stop --host claude",' in ended.out
    assert "dualgate init --hooks claude --yes" in ended.err
    assert not (project / ".claude").exists()


def test_a_second_time_there_is_nothing_to_do(dualgate: Dualgate, project: Path) -> None:
    dualgate("init", "--hooks", "codex", "--yes")
    written = (project / PLACES["codex"]).read_bytes()
    ended = dualgate("init", "--hooks", "codex", "--yes")

    assert (ended.code, ended.out) == (0, "Nothing to do: codex has the hooks already\n")
    assert (project / PLACES["codex"]).read_bytes() == written


def test_settings_that_are_there_stay_with_their_permissions(dualgate: Dualgate, project: Path) -> None:
    place = project / PLACES["claude"]
    place.parent.mkdir()
    place.write_text(json.dumps({"model": "opus"}, indent=4))
    place.chmod(0o640)
    dualgate("init", "--hooks", "claude", "--yes")
    added = json.loads(place.read_text())
    dualgate("init", "--hooks", "claude", "--yes", "--remove")

    assert added["model"] == "opus"
    assert place.read_text() == json.dumps({"model": "opus"}, indent=4)
    assert place.stat().st_mode & 0o777 == 0o640


def test_a_file_with_comments_is_named_and_no_file_is_changed(dualgate: Dualgate, project: Path) -> None:
    place = project / PLACES["gemini"]
    place.parent.mkdir()
    place.write_text("{\n  // mine\n}\n")
    ended = dualgate("init", "--hooks", "claude,gemini", "--yes")

    assert ended.code == 1
    assert ".gemini/settings.json is not plain JSON" in ended.err
    assert place.read_text() == "{\n  // mine\n}\n"
    assert not (project / ".claude").exists()


def test_a_link_to_the_outside_is_not_followed(dualgate: Dualgate, project: Path, tmp_path: Path) -> None:
    outside = tmp_path / "settings.json"
    outside.write_text("{}")
    (project / ".claude").mkdir()
    (project / PLACES["claude"]).symlink_to(outside)
    ended = dualgate("init", "--hooks", "claude", "--yes")

    assert (ended.code, outside.read_text()) == (1, "{}")


WRONG = [
    (("--hooks", "cursor"), "unknown host 'cursor'"),
    (("--hooks", ","), "names no host"),
    (("--remove",), "--remove needs --hooks"),
]


@pytest.mark.parametrize(("words", "said"), WRONG)
def test_wrong_words_are_named(words: tuple[str, ...], said: str, dualgate: Dualgate, project: Path) -> None:
    ended = dualgate("init", *words)

    assert ended.code == 2
    assert said in ended.err
