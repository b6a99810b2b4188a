"""C# and the rest of .NET: tests are run by a command that is given."""

from dualgate.core.values.suite import FailureKind
from dualgate.languages.base import Language

LANGUAGE = Language(
    name="dotnet",
    programs=("dotnet",),
    class_endings=(".cs",),
    failures={
        FailureKind.ASSERTION: """AssertFailedException AssertionException XunitException EqualException
            TrueException""",
        FailureKind.MISSING: "NotImplementedException MissingMemberException",
    },
    test_files=r".*(?:Tests?|IT|Spec)\.cs",
    steering_variables=("DOTNET_*",),
)
