"""What kind of failure a foreign runner tells of, by the names and phrases of the common languages."""

import re

from dualgate.core.values.suite import CaseOutcome, FailureKind

LOOKED_AT = 2000
MESSAGE_KEPT = 2000
EXCEPTION = re.compile(r"\w*(?:Error|Exception|Failure|Failed|Assertion)\w*")

ASSERTIONS = """AssertionError AssertionFailedError AssertionFailure ComparisonFailure ExpectationFailedException
    ExpectationNotMetError AssertFailedException AssertionException AssertionFailedException XunitException
    EqualException TrueException MultipleFailuresError MultipleFailureException Assertion ERR_ASSERTION
    JestAssertionError TestFailedException SpecificationFailure"""
ABSENCES = """ReferenceError NameError AttributeError ImportError ModuleNotFoundError NotImplementedError NoMethodError
    UnboundLocalError NoSuchMethodError NoSuchMethodException NoSuchFieldError NoSuchFieldException
    NoSuchElementException ClassNotFoundException NoClassDefFoundError UnsupportedOperationException
    NotImplementedException UndefinedFunctionError MissingMethodException MissingPropertyException
    MissingMemberException BadMethodCallException UnsatisfiedLinkError LoadError AbstractMethodError"""
KIND_OF_EXCEPTION = {
    **dict.fromkeys(ASSERTIONS.split(), FailureKind.ASSERTION),
    **dict.fromkeys(ABSENCES.split(), FailureKind.MISSING),
}
PHRASES = (
    (
        FailureKind.BROKEN_FILE,
        r"^collection failure$|test suite failed to run|\[(build|setup) failed\]|\b_FailedTest\b|could not compile"
        r"|COMPILATION ERROR|\binitializationError\b|unable to find executable|failed to load test|error TS\d+:",
    ),
    (
        FailureKind.MISSING,
        r"\bis not defined\b|\bis not a (function|constructor)\b|\bhas no attribute\b|not (yet )?implemented"
        r"|cannot find (module|symbol|package)|can't locate object method|undefined subroutine|\bundefined: \w"
        r"|undefined (local variable or )?method|call to undefined|command not found|no such function"
        r"|unresolved import|class \S+ (not found|does not exist)|function \S+ does not exist",
    ),
    (
        FailureKind.ASSERTION,
        r"assertion .*failed|\bassert\b|\bexpect(ed)?\b|should (be|equal|have)|\bgot:|!=|==|\bto (be|equal)\b",
    ),
)
PATTERNS = tuple((kind, re.compile(pattern, re.IGNORECASE | re.MULTILINE)) for kind, pattern in PHRASES)


def failure_kind(outcome: CaseOutcome, exception: str, message: str, text: str = "") -> FailureKind:
    """The kind that the named exception says, else the words of the message, else those of the longer text."""
    told = f"{exception}\n{message}"[:LOOKED_AT]
    broken, pattern = PATTERNS[0]
    if pattern.search(told):
        return broken
    for part in (told, text[:LOOKED_AT]):
        if kind := _by_exception(part) or _by_phrase(part):
            return kind
    # who says `failure` and names no exception means that an expectation was not met
    unnamed = not EXCEPTION.search(told)
    return FailureKind.ASSERTION if outcome is CaseOutcome.FAILED and unnamed else FailureKind.OTHER


def _by_exception(text: str) -> FailureKind | None:
    kinds = (KIND_OF_EXCEPTION.get(word) for word in EXCEPTION.findall(text))
    return next((kind for kind in kinds if kind), None)


def _by_phrase(text: str) -> FailureKind | None:
    return next((kind for kind, pattern in PATTERNS if pattern.search(text)), None)
