"""Read an earlier report of `dualgate tests --json`."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dualgate.core.evidence.lone_run import Configuration
from dualgate.core.values.suite import CaseOutcome, CaseResult
from dualgate.errors import SettingError

NEXT_STEP = "Give a file that 'dualgate tests --json' wrote."


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    results: tuple[CaseResult, ...]
    configurations: Mapping[str, Configuration] = field(default_factory=dict)
    """The configuration of each suite, by the suite's name."""


def read_earlier(file: Path) -> Earlier:
    """Read results and configurations of an earlier run. An error names the file and the invalid field."""
    try:
        document = json.loads(file.read_bytes())
    except OSError as error:
        raise SettingError(f"{file} cannot be read: {error.strerror}.", NEXT_STEP) from error
    except (ValueError, RecursionError) as error:
        raise SettingError(f"{file} is no JSON: {error}.", NEXT_STEP) from error
    tests = document.get("tests") if isinstance(document, dict) else None
    if not isinstance(tests, list):
        raise SettingError(f"{file} has no list 'tests'.", NEXT_STEP)
    return Earlier(
        results=tuple(_result(file, number, test) for number, test in enumerate(tests)),
        configurations=dict(map(_configuration, _objects(document.get("suites")))),
    )


def _result(file: Path, number: int, test: Any) -> CaseResult:
    values = test if isinstance(test, dict) else {}
    name, outcome = values.get("id"), values.get("outcome")
    if not isinstance(name, str):
        raise SettingError(f"{file}: 'tests[{number}].id' is no text.", NEXT_STEP)
    if outcome not in list(CaseOutcome):
        known = ", ".join(CaseOutcome)
        raise SettingError(f"{file}: 'tests[{number}].outcome' is {outcome!r}, and none of {known}.", NEXT_STEP)
    # what the test does, by which a renamed test is recognised; reports of other programs have none
    return CaseResult(id=name, outcome=CaseOutcome(outcome), body=str(values.get("body") or ""))


def _configuration(suite: dict[str, Any]) -> tuple[str, Configuration]:
    """The configuration of a suite; empty if another program wrote the report, which is valid too."""
    pairs = (pair for pair in _items(suite.get("configuration")) if isinstance(pair, list) and len(pair) == 2)
    return str(suite.get("name")), tuple((str(name), str(value)) for name, value in pairs)


def _objects(value: Any) -> list[dict[str, Any]]:
    return [each for each in _items(value) if isinstance(each, dict)]


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
