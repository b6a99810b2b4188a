"""A session that committed, the remote of its repository, and scripted programs of code hosts."""

import os
from dataclasses import dataclass
from pathlib import Path

from dualgate.core.secrets.redaction import Redactor
from dualgate.core.values.vocabulary import Phase
from dualgate.session.reporting import ReportSource
from dualgate.session.requesting import Requested, RequestOptions, request_pull
from dualgate.store.journal import Journal
from dualgate.store.lines import JOURNAL
from dualgate.testing import NOW, a_start
from tests.session.commit_kit import Bench, a_repository, git

BRANCH = "dualgate/doubling"
HOSTILE = "# Close #7; $(touch owned) `x` @team\n\n## Acceptance Criteria\n\n- AC-1: it works\n"
GH = r"""
echo "$@" >>"{log}"
case "$1 $2" in
  "auth status") exit $(cat "{folder}/login" 2>/dev/null || echo 0) ;;
  "pr list") cat "{folder}/open" 2>/dev/null || echo "[]" ;;
  "pr create")
    for word in "$@"; do case "$word" in --body-file=*) cp "${{word#--body-file=}}" "{folder}/body" ;; esac; done
    test -e "{folder}/broken" && {{ echo "the host is down" >&2; exit 1; }}
    echo '[{{"url": "https://github.example/o/r/pull/1"}}]' >"{folder}/open"
    echo "Creating pull request"
    echo "https://github.example/o/r/pull/1" ;;
esac
"""
GLAB = r"""
echo "$@" >>"{log}"
case "$1 $2 $3 $4" in
  "auth status"*) exit 0 ;;
  *"--method POST") cat >"{folder}/body"; echo '{{"web_url": "https://gitlab.example/o/r/-/merge_requests/1"}}' ;;
  "api projects/:id "*) echo '{{"default_branch": "trunk", "id": 5}}' ;;
  *) echo "[]" ;;
esac
"""


@dataclass
class Place:
    """A repository with a committed session, its bare remote, and scripted programs of a code host."""

    tmp_path: Path
    project: Path
    remote: Path
    folder: Path
    bench: Bench

    @property
    def calls(self) -> list[str]:
        log = self.tmp_path / "bin" / "log"
        return log.read_text().splitlines() if log.exists() else []

    @property
    def refs(self) -> list[str]:
        return git(self.remote, "for-each-ref", "--format=%(refname:short)").splitlines()

    def has(self, name: str, script: str) -> "Place":
        """Install a program, under the address of its host."""
        folder = self.tmp_path / "bin"
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(f"#!/bin/sh\n{script.format(folder=folder, log=folder / 'log')}")
        (folder / name).chmod(0o755)
        return self

    def journal(self) -> None:
        (self.folder / JOURNAL).unlink(missing_ok=True)
        journal = Journal(self.folder / JOURNAL, 1, lambda: True)
        journal.append(a_start(project=str(self.project), prp_text=HOSTILE))
        for event in self.bench.events:
            journal.append(event)

    def request(self, **options: object) -> Requested:
        self.journal()
        path = f"{self.tmp_path / 'bin'}:{os.defpath}"
        source = ReportSource(
            folder=self.folder,
            project=self.project,
            environment={"PATH": path, "HOME": str(self.tmp_path), "PRP_SESSION_DIR": str(self.folder)},
            redactor=Redactor(),
        )
        return request_pull(source, RequestOptions(**options), NOW, lambda _: None)  # type: ignore[arg-type]


def a_place(tmp_path: Path) -> Place:
    """A session with one commit, in a repository with a remote, a tag and a branch of its person."""
    project = a_repository(tmp_path / "shop")
    remote = tmp_path / "github.git"
    git(tmp_path, "init", "-q", "--bare", "-b", "main", str(remote))
    git(project, "remote", "add", "origin", str(remote))
    git(project, "push", "-q", "origin", "main")
    git(project, "tag", "mine")
    git(project, "branch", "private")
    folder = tmp_path / "session"
    folder.mkdir()
    bench = Bench(project, tmp_path / "store").planned()
    (project / "added.py").write_text("added = 1\n")
    bench.passed(Phase.GREEN).commit()
    return Place(tmp_path, project, remote, folder, bench)
