"""Settings of what a run writes to git, declared as in `declaration.py`. Without them git is only read."""

from dualgate.core.values.naming import BRANCHES
from dualgate.core.values.vocabulary import AgentCommits, CommitUse, SubjectStyle
from dualgate.settings.declaring import Group, key
from dualgate.settings.kinds import FLAG, TEXT, choice, duration


class Commits(Group):
    """Commits of proven trees. Without them git is only read. A single value says when."""

    when: CommitUse = key(
        CommitUse.NEVER,
        choice(CommitUse),
        "When a run commits what it proved: never, after each phase, or once for a proven run.",
        flag="--commit",
    )
    branch: str | None = key(
        None,
        TEXT,
        "The branch of these commits, or `current` for the present one. Default: one of the run's own.",
        flag="--branch NAME",
    )
    prefix: str = key(BRANCHES, TEXT, "The beginning of the names of branches that runs make.")
    agent: AgentCommits = key(
        AgentCommits.SQUASH,
        choice(AgentCommits),
        "Commits of the agent itself: squash leaves them out of the branch, keep commits after them.",
    )
    style: SubjectStyle = key(
        SubjectStyle.AUTO,
        choice(SubjectStyle),
        "The form of subjects and titles: plain, conventional (`feat: …`), or auto: as most commits before.",
    )
    coauthor: str | None = key(None, TEXT, "Co-author of each commit, as `Name <address>`.")
    timeout: float = key(600.0, duration(1), "Time that one commit hook may take.")


class PullRequests(Group):
    open: bool = key(
        False,
        FLAG,
        "Whether a proven run pushes its branch and opens a pull request at its end.",
        flag="--pr",
        help="At the end of a proven run, push its branch and open a pull request. Implies --commit run.",
    )
    remote: str | None = key(None, TEXT, "The remote that branches are pushed to. Default: as git pushes, else origin.")
    base: str | None = key(None, TEXT, "The branch that pull requests go to. Default: the main branch of the remote.")
    draft: bool = key(False, FLAG, "Whether pull requests are opened as drafts.")
