"""Languages of which little more is known than how files of tests are named."""

from dualgate.core.values.suite import FailureKind
from dualgate.languages.base import Language

LANGUAGES = (
    Language(
        name="elixir",
        class_endings=(".exs",),
        failures={FailureKind.MISSING: "UndefinedFunctionError"},
        test_files=r".*_test\.exs",
    ),
    Language(name="dart", test_files=r".*_test\.dart"),
    Language(name="swift", test_files=r".*(?:Tests?|IT|Spec)\.swift"),
    Language(name="lua", test_files=r".*_spec\.lua"),
    Language(name="gherkin", test_files=r".*\.feature"),
)
