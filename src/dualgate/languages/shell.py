"""Scripts of the shell: tests are run by bats, which writes TAP."""

from dualgate.core.values.suite import FailureKind
from dualgate.languages.base import Language, words

LANGUAGE = Language(
    name="shell",
    programs=("bats",),
    interpreters="sh|bash|zsh",
    reports={"tap": r"\bbats\b"},
    phrases={FailureKind.MISSING: "command not found"},
    test_files=r".*\.bats",
    steering_variables=words("ENV BASH_ENV BATS_*"),
)
