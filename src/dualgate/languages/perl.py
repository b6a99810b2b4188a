"""Perl: tests are run by a command that is given, such as prove, and write TAP."""

from dualgate.core.values.suite import FailureKind
from dualgate.languages.base import Language, words

LANGUAGE = Language(
    name="perl",
    programs=("perl", "prove"),
    interpreters="perl",
    reports={"tap": r"\bprove\b"},
    phrases={FailureKind.MISSING: "can't locate object method|undefined subroutine"},
    test_files=r".*\.t",
    steering_variables=words("PERL5LIB PERL5OPT HARNESS_OPTIONS"),
)
