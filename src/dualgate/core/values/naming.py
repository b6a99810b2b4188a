"""A specification -> the name of its work: of a file, of a worktree and of a branch. One rule for all of them."""

import re
from posixpath import basename, dirname, splitext
from unicodedata import normalize

BRANCHES = "dualgate/"
"""The beginning of every branch that dualgate makes."""
UNNAMED = "specification"
LONGEST_NAME = 60
GENERIC = frozenset({"spec", "specification", "prompt", "prd", "prp", "readme", "task", "feature", "requirements"})
"""Names of files that do not say what the work is about; the title of the document does."""
GENERIC_TITLES = GENERIC | {
    *("requirements-document", "design", "design-document", "implementation-plan", "plan", "tasks"),
    *("product-requirements-document", "feature-specification", "untitled"),
}
"""Titles that say as little; the folder of the file does, as in `.kiro/specs/login/requirements.md`."""
_NO_WORD = re.compile(r"[\W_]+")
_NAME = re.compile(r"\w(?:[\w.-]*\w)?")


def slug(title: str) -> str:
    """A title as the name of a file, in its own script."""
    return _NO_WORD.sub("-", normalize("NFKC", title).lower())[:LONGEST_NAME].strip("-") or UNNAMED


def work_name(file: str, title: str) -> str:
    """The name of the work on a specification: its file's, or that of its title where the file has a generic name, or
    that of its folder where both have.
    """
    stem = slug(splitext(basename(file))[0]) if file else UNNAMED
    if stem not in GENERIC or not title:
        return stem
    folder = basename(dirname(file))
    return slug(folder) if folder.strip(".") and slug(title) in GENERIC_TITLES else slug(title)


def branch_of(name: str) -> str:
    """The branch of a piece of work."""
    return f"{BRANCHES}{name}"


def is_name(text: str) -> bool:
    """Whether a text can name a worktree: one part of a path, and of a branch that git takes."""
    return bool(_NAME.fullmatch(text)) and ".." not in text and not text.endswith(".lock") and len(text) <= 100
