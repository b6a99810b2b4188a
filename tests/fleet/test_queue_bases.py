"""The commit that a job starts from: the branches that it needs, merged in git's object store and verified."""

from pathlib import Path

import pytest

from dualgate.core.values.queue import Base, Job, JobState, Overlap, Queue
from dualgate.core.values.verification import Standing
from dualgate.errors import Interrupted
from dualgate.fleet.queue.bases import Part, Verdict, conflicts_between, make_base
from dualgate.fleet.queue.overlaps import find_overlaps
from tests.fleet.places import committed, everything, git

Verified = list[tuple[str, str]]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root").mkdir()
    committed(tmp_path / "root", **{"a.py": "a = 1\n", "b.py": "b = 1\n"})
    git(tmp_path / "root", "config", "user.name", "A")
    git(tmp_path / "root", "config", "user.email", "a@example.org")
    return tmp_path / "root"


def branch(root: Path, name: str, **files: str) -> Part:
    """A branch of a job with its work; main is checked out again."""
    git(root, "switch", "-q", "-c", f"dualgate/{name}", "main")
    commit = committed(root, **files)
    git(root, "switch", "-q", "main")
    return Part(job=name, branch=f"dualgate/{name}", commit=commit, start=git(root, "rev-parse", "main"))


def made(root: Path, *parts: Part, verdict: Verdict | None = None, accept: bool = False) -> tuple[Base, Verified]:
    asked: Verified = []

    def verify(base: str, head: str) -> Verdict:
        asked.append((base, head))
        return verdict or Verdict(standing=Standing.VERIFIED)

    return make_base(root, git(root, "rev-parse", "HEAD"), parts, verify, accept), asked


def test_one_branch_on_top_of_the_checkout_is_the_base_as_it_is(root: Path) -> None:
    one = branch(root, "one", **{"a.py": "a = 2\n"})

    base, asked = made(root, one)

    assert (base.commit, base.reason, asked) == (one.commit, "", [])


def test_two_branches_are_merged_and_the_merge_is_verified_and_nothing_of_the_person_changes(root: Path) -> None:
    parts = branch(root, "one", **{"a.py": "a = 2\n"}), branch(root, "two", **{"b.py": "b = 2\n"})
    (root / "a.py").write_text("a = 'mine'\n")
    before, refs = everything(root), git(root, "for-each-ref")

    base, asked = made(root, *parts)

    assert git(root, "show", f"{base.commit}:a.py") == "a = 2"
    assert git(root, "show", f"{base.commit}:b.py") == "b = 2"
    assert asked == [(git(root, "rev-parse", "HEAD"), base.commit)]
    assert (everything(root), git(root, "for-each-ref")) == (before, refs)


def test_work_that_a_person_committed_meanwhile_is_merged_too(root: Path) -> None:
    one = branch(root, "one", **{"a.py": "a = 2\n"})
    committed(root, **{"b.py": "b = 'mine'\n"})

    base, asked = made(root, one)

    assert git(root, "show", f"{base.commit}:b.py") == "b = 'mine'"
    assert len(asked) == 1


def test_branches_that_a_person_merged_are_in_the_checkout(root: Path) -> None:
    one = branch(root, "one", **{"a.py": "a = 2\n"})
    git(root, "merge", "-q", "--no-ff", "-m", "merged", one.branch)

    base, asked = made(root, one)

    assert (base.commit, asked) == (git(root, "rev-parse", "HEAD"), [])


def test_a_conflict_names_the_branches_and_files_and_is_no_base(root: Path) -> None:
    parts = branch(root, "one", **{"a.py": "a = 2\n"}), branch(root, "two", **{"a.py": "a = 3\n", "ö b.py": "x\n"})

    base, asked = made(root, *parts)

    assert (base.commit, base.conflicts, asked) == ("", ("a.py",), [])
    assert base.reason.startswith("dualgate/two conflicts with dualgate/one in a.py. Both must hold: merge them into ")
    assert base.unmerged == ("dualgate/one", "dualgate/two")
    assert conflicts_between(root, parts[0].commit, parts[1].commit) == ("a.py",)
    assert conflicts_between(root, parts[0].commit, "no-such-commit") == ()


def test_a_conflict_with_work_of_the_person_names_only_what_they_have_not_merged(root: Path) -> None:
    one, two = branch(root, "one", **{"b.py": "b = 2\n"}), branch(root, "two", **{"a.py": "a = 3\n"})
    git(root, "merge", "-q", "--no-ff", "-m", "merged", one.branch)
    committed(root, **{"a.py": "a = 'mine'\n"})

    base, _ = made(root, one, two)

    assert base.unmerged == ("dualgate/two",)
    assert base.reason.startswith(
        f"dualgate/two conflicts with your commit {git(root, 'rev-parse', 'HEAD')[:12]} in a.py."
    )


def test_untracked_files_that_would_stop_the_merge_are_named(root: Path) -> None:
    parts = branch(root, "one", **{"a.py": "a = 2\n", "one.md": "x\n"}), branch(root, "two", **{"a.py": "a = 3\n"})
    (root / "one.md").write_text("mine\n")
    (root / "other.md").write_text("mine\n")

    assert made(root, *parts)[0].in_the_way == ("one.md",)


REFUSED = Verdict(standing=Standing.REFUSED, reason="test_a fails")
NOT_PROVEN = Verdict(standing=Standing.NOT_PROVEN)
UNUSABLE = Verdict(standing=Standing.UNUSABLE)


@pytest.mark.parametrize(
    ("verdict", "accept", "counts"),
    [
        (REFUSED, False, False),
        (REFUSED, True, False),
        (NOT_PROVEN, False, False),
        (NOT_PROVEN, True, True),
        (UNUSABLE, True, False),
    ],
)
def test_a_merge_counts_only_if_it_is_verified(root: Path, verdict: Verdict, accept: bool, counts: bool) -> None:
    parts = branch(root, "one", **{"a.py": "a = 2\n"}), branch(root, "two", **{"b.py": "b = 2\n"})

    base, _ = made(root, *parts, verdict=verdict, accept=accept)

    assert bool(base.commit) is counts
    assert counts or f"the merge of its dependencies is {verdict.standing}: " in base.reason
    assert counts or "See: dualgate verify --base " in base.reason


def test_a_merge_that_is_refused_is_the_work_of_a_person_and_one_that_is_not_proven_their_decision(root: Path) -> None:
    parts = branch(root, "one", **{"a.py": "a = 2\n"}), branch(root, "two", **{"b.py": "b = 2\n"})

    refused, _ = made(root, *parts, verdict=REFUSED)
    doubtful, _ = made(root, *parts, verdict=NOT_PROVEN)

    assert refused.reason.endswith("fix it, commit, and run the queue again")
    assert refused.unmerged == ("dualgate/one", "dualgate/two")
    assert doubtful.reason.endswith("If that is enough: dualgate queue run --accept-unproven")
    assert doubtful.unmerged == ()


def test_branches_that_conflict_are_named_until_both_are_merged(root: Path) -> None:
    branch(root, "one", **{"a.py": "a = 2\n"}), branch(root, "two", **{"a.py": "a = 3\n"})
    names = enumerate(("one", "two"))
    jobs = [Job(id=name, spec="", number=n, state=JobState.PROVEN, branch=f"dualgate/{name}") for n, name in names]
    before = find_overlaps(root, Queue(jobs=tuple(jobs)), {})
    git(root, "merge", "-q", "dualgate/one")
    between = find_overlaps(root, Queue(jobs=tuple(jobs)), {})

    git(root, "merge", "-q", "-s", "ours", "-m", "both", "dualgate/two")

    assert before == between == (Overlap(jobs=("one", "two"), paths=("a.py",)),)
    assert find_overlaps(root, Queue(jobs=tuple(jobs)), {}) == ()


def test_a_stop_is_no_verdict(root: Path) -> None:
    parts = branch(root, "one", **{"a.py": "a = 2\n"}), branch(root, "two", **{"b.py": "b = 2\n"})

    def stopped(base: str, head: str) -> Verdict:
        raise Interrupted("stop")

    with pytest.raises(Interrupted):
        make_base(root, git(root, "rev-parse", "HEAD"), parts, stopped, False)


def test_a_merge_that_git_refuses_is_named(root: Path) -> None:
    ghost = Part(job="ghost", branch="dualgate/ghost", commit="0" * 40)

    base, _ = made(root, ghost)

    assert base.reason.startswith("dualgate/ghost cannot be merged: 'git ")
