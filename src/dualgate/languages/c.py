"""C and C++: tests are run by a command that is given, such as ctest with JUnit XML."""

from dualgate.core.values.suite import FailureKind
from dualgate.languages.base import Language

LANGUAGE = Language(
    name="c",
    programs=("ctest",),
    phrases={FailureKind.BROKEN_FILE: "unable to find executable"},
    test_files=r".*_test\.(?:cc|cpp|c)",
    steering_variables=("GTEST_FILTER", "CTEST_*"),
)
