"""Commits in repositories with unusual settings."""

from pathlib import Path

import pytest

from dualgate.core.values.vocabulary import Phase
from tests.session.commit_kit import Bench, Killed, a_hook, a_repository, git


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return a_repository(tmp_path / "shop")


def test_a_message_is_in_utf_8_whatever_encoding_the_repository_sets(project: Path, tmp_path: Path) -> None:
    git(project, "config", "i18n.commitEncoding", "ISO-8859-1")
    bench = Bench(project, tmp_path / "store").planned()
    (project / "code.py").write_text("new = 1\n")

    bench.passed(Phase.GREEN).commit()

    assert "encoding" not in git(project, "cat-file", "-p", bench.branch).partition("\n\n")[0]


def test_a_commit_is_found_after_a_kill_although_a_hook_wrote_behind_its_trailers(
    project: Path, tmp_path: Path
) -> None:
    a_hook(project, "commit-msg", 'printf "\\nSee the internal wiki.\\n" >>"$1"')
    bench = Bench(project, tmp_path / "store").planned()
    (project / "code.py").write_text("new = 1\n")
    bench.dies_at = "commit.made"
    with pytest.raises(Killed):
        bench.passed(Phase.GREEN).commit()
    bench.dies_at = ""

    bench.commit()

    assert bench.reason == ""
    assert len(bench.log()) == 2
