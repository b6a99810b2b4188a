"""Changes, the claim of a review -> Changes with the files that the review cites."""

from dataclasses import replace

from dualgate.core.said.findings import path_of
from dualgate.core.values.changes import Changes
from dualgate.core.values.claim import Claim
from dualgate.workspace.base import Workspace


def with_cited(changes: Changes, claim: Claim, worktree: Workspace) -> Changes:
    """Add the files that the answers and findings of a review cite and that exist, with the number of their lines."""
    answers = (answer.file for answer in (*claim.answers, *claim.justifications))
    names = dict.fromkeys(filter(None, (*answers, *map(path_of, claim.report.findings))))
    contents = {name: _cited(name, changes.tree, worktree) for name in names}
    cited = ((path, len(content.splitlines())) for path, content in contents.items() if content is not None)
    return replace(changes, cited=tuple(cited))


def _cited(name: str, tree: str, worktree: Workspace) -> bytes | None:
    """The file that a review names, from the project's root or by an absolute path; None if it does not exist."""
    parts = name.split("/") if name.startswith("/") else [name]
    paths = ("/".join(parts[start:]) for start in range(len(parts)))
    return next((content for path in paths if path and (content := worktree.read(tree, path)) is not None), None)
