"""A request -> the two trees that are compared, and the paths that differ."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

from dualgate.core.values.verification import Side
from dualgate.errors import RevisionMissing
from dualgate.verify.request import Request
from dualgate.workspace.revisions import Revisions, open_revisions

WORK_TREE = "work tree"
HEAD = "HEAD"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    revisions: Revisions
    folder: str
    """The project's folder, seen from the root of the repository; "." for the root itself."""
    base: Side
    head: Side
    base_commit: str
    head_commit: str
    """The commit that the head is at; a work tree may differ from it."""

    @property
    def changed(self) -> tuple[str, ...]:
        """Changed paths in the project's folder, seen from the root."""
        found = self.revisions.changed(self.base.tree, self.head.tree)
        return found if self.folder == "." else tuple(path for path in found if path.startswith(f"{self.folder}/"))

    def seen_from_project(self, path: str) -> str:
        return path if self.folder == "." else path.removeprefix(f"{self.folder}/")

    def seen_from_root(self, path: str) -> str:
        return path if self.folder == "." else f"{self.folder}/{path}"


def resolve(request: Request, own: Path) -> Sides:
    """Find both trees; nothing is run. Raises RevisionMissing with what to do."""
    revisions = open_revisions(request.project, own)
    head_ref = request.head or HEAD
    revisions.look_up(head_ref, *filter(None, [request.base]))
    head_commit = revisions.commit(head_ref)
    if request.head and not head_commit:
        raise RevisionMissing(f"There is no commit '{request.head}' here.", "Name another with --head.")
    base_ref = request.base or _configured(revisions, request.project) or revisions.main_branch()
    if not head_commit:
        raise RevisionMissing("The repository has no commit yet.", "Commit something first: git commit")
    if not base_ref:
        raise RevisionMissing("No main branch was found to compare with.", "Name one with --base REF.")
    base_commit = revisions.merge_base(base_ref, head_ref)
    head_tree = revisions.tree(head_commit) if request.head else revisions.work_tree()
    is_committed = head_tree == revisions.tree(head_commit)
    top = revisions.root.resolve()
    return Sides(
        revisions=revisions,
        folder=request.project.resolve().relative_to(top).as_posix(),
        base=Side(ref=base_ref, commit=base_commit, tree=revisions.tree(base_commit)),
        head=Side(ref=request.head or WORK_TREE, commit=head_commit if is_committed else "", tree=head_tree),
        base_commit=base_commit,
        head_commit=head_commit,
    )


def _configured(revisions: Revisions, project: Path) -> str:
    """The base that the settings on the main branch name; those of the head could make it verify nothing."""
    from dualgate.settings.names import PROJECT_FILE

    main = revisions.main_branch()
    folder = project.resolve().relative_to(revisions.root.resolve())
    text = revisions.shown(f"{main}:{(folder / PROJECT_FILE).as_posix()}") if main else ""
    try:
        found = tomllib.loads(text).get("verify", {}).get("base", "") if text else ""
    except (tomllib.TOMLDecodeError, AttributeError):
        return ""  # the settings are read again, and their error is named, when the base is there
    return found if isinstance(found, str) else ""
