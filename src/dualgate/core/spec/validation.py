"""Specification -> which of its validation commands can be run as checks, and why others cannot."""

import re
from collections.abc import Container

from dualgate.core.spec.readiness import commands_of
from dualgate.core.values.specification import Specification

RUNS = "run before each review"
NOT_APPROVED = "not run: not approved"
_WITH_A_CRITERION = "run with a criterion"
_PLACEHOLDER = re.compile(
    r"<[A-Za-z][\w .-]*>|\{\{?[\w .-]+\}?\}|\[[A-Z][\w .-]*\]|(?<![\w/])\.\.\.|…|\bpath/to\b|\byour[-_]", re.IGNORECASE
)
_THRESHOLD = re.compile(r"--cov|\bcoverage (?:report|run)|--coverage\b")
_RUNS_TESTS = re.compile(
    r"\b(?:py\.?test|unittest|nose2|tox|nox|jest|vitest|mocha|ava|playwright|cypress|rspec|phpunit|ctest|nextest)\b"
    r"|\b(?:npm|pnpm|yarn|bun|deno|go|cargo|make|just|task|mvn|gradlew?|dotnet|rake|mix|swift|node)\s+"
    r"(?:-\S+\s+|run\s+|--)*t(?:ests?)?\b"
)
_SERVERS = r"uvicorn|gunicorn|flask|streamlit"
_NO_CHECK = re.compile(
    r"^(?:cd|export|source|set|echo|printf|read|rm|mv|cp|mkdir|touch|cat|ls|open|kill|sleep|git|curl|wget|http|ssh|psql"
    rf"|sudo|{_SERVERS}|nohup|docker|docker-compose|podman|kubectl|claude|codex|gemini"
    r"|if|then|else|fi|for|while|do|done|case|esac|function)\b"
    r"|^(?:pip3?|npm|pnpm|yarn|bun|poetry|uv|pipenv|pdm|conda|brew|apt|apt-get)\s+"
    r"(?:install|ci|add|sync|i|start|run (?:dev|start|serve))\b"
    rf"|^(?:uv|poetry) run (?:{_SERVERS})\b|(?:runserver|--watch|--reload|--fix|--write)\b|&\s*$|<<|\\$|^[A-Z_]+=\S*$"
)


def validation_states(spec: Specification, may_run: Container[str]) -> dict[str, str]:
    """Each validation command with what a run does with it."""
    proven = commands_of(spec)
    return {each.command: _state(each.command, proven, may_run) for each in spec.validation}


def proposed_validation(spec: Specification) -> tuple[str, ...]:
    """The validation commands that a person can approve as checks."""
    return tuple(command for command, state in validation_states(spec, ()).items() if state == NOT_APPROVED)


def _state(command: str, proven: Container[str], may_run: Container[str]) -> str:
    if command in proven:
        return _WITH_A_CRITERION
    if command in may_run:
        return RUNS
    if _PLACEHOLDER.search(command):
        return "not run: placeholder"
    if _RUNS_TESTS.search(command) and not _THRESHOLD.search(command):
        return "not run: the tests"
    return "not run: no check" if _NO_CHECK.search(command.strip()) else NOT_APPROVED
