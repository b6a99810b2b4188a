"""Languages whose tests are run only by a given command. Little more than their file names is declared."""

from dualgate.core.values.suite import FailureKind
from dualgate.languages.base import Language, words
from dualgate.languages.sources import CLike

C = CLike(has_directives=True)
CSHARP = CLike(has_directives=True, unsure=r'"{3}|[$]@?"|@[$]"')
ENDING_LINES = CLike(ends_lines=True)

LANGUAGES = (
    Language(
        name="dotnet",
        programs=("dotnet",),
        class_endings=(".cs",),
        failures={
            FailureKind.ASSERTION: """AssertFailedException AssertionException XunitException EqualException
                TrueException""",
            FailureKind.MISSING: "NotImplementedException MissingMemberException",
        },
        sources={".cs": CSHARP},
        test_files=r".*(?:Tests?|IT|Spec)\.cs",
        steering_variables=("DOTNET_*",),
    ),
    Language(
        name="c",
        programs=("ctest",),
        phrases={FailureKind.BROKEN_FILE: "unable to find executable"},
        sources=dict.fromkeys(words(".c .h .cc .cpp .cxx .hpp .hh"), C),
        test_files=r".*_test\.(?:cc|cpp|c)",
        steering_variables=("GTEST_FILTER", "CTEST_*"),
    ),
    Language(
        name="perl",
        programs=("perl", "prove"),
        interpreters="perl",
        reports={"tap": r"\bprove\b"},
        phrases={FailureKind.MISSING: "can't locate object method|undefined subroutine"},
        test_files=r".*\.t",
        steering_variables=words("PERL5LIB PERL5OPT HARNESS_OPTIONS"),
    ),
    Language(
        name="shell",
        programs=("bats",),
        interpreters="sh|bash|zsh",
        reports={"tap": r"\bbats\b"},
        phrases={FailureKind.MISSING: "command not found"},
        test_files=r".*\.bats",
        steering_variables=words("ENV BASH_ENV BATS_*"),
    ),
    Language(
        name="elixir",
        class_endings=(".exs",),
        failures={FailureKind.MISSING: "UndefinedFunctionError"},
        test_files=r".*_test\.exs",
    ),
    Language(name="dart", sources={".dart": ENDING_LINES}, test_files=r".*_test\.dart"),
    Language(name="swift", sources={".swift": ENDING_LINES}, test_files=r".*(?:Tests?|IT|Spec)\.swift"),
    Language(name="lua", test_files=r".*_spec\.lua"),
    Language(name="gherkin", test_files=r".*\.feature"),
)
