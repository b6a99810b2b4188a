"""Texts of changed files of one tree, as the session read them. They are not journaled; what they show is."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceTexts:
    tests: Mapping[str, str] = field(default_factory=dict)
    """New and changed test files, and those with tests that failed before any work, by path."""
    tests_before: Mapping[str, str] = field(default_factory=dict)
    """Changed and removed test files, as they were when the session began."""
    helpers: tuple[str, ...] = ()
    """Files with fixtures and helpers that these tests use."""
    sources: Mapping[str, str] = field(default_factory=dict)
    """New and changed files that are not tests."""
    before: Mapping[str, str] = field(default_factory=dict)
    """Those of `sources` that existed when the session began, as they were then."""
    unfrozen: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """After RED: Python and data outside the tests that changed since, as RED left each and as it is."""


NO_TEXTS = SourceTexts()
