"""An earlier report of `dualgate tests --json`, read back."""

import json
from pathlib import Path
from typing import Any

from dualgate.core.suite import CaseOutcome, CaseResult
from dualgate.errors import SettingError

NEXT_STEP = "Give a file that 'dualgate tests --json' wrote."


def read_earlier(file: Path) -> tuple[CaseResult, ...]:
    """The results of an earlier run; an error names the file and the field that is wrong."""
    try:
        document = json.loads(file.read_bytes())
    except OSError as error:
        raise SettingError(f"{file} cannot be read: {error.strerror}.", NEXT_STEP) from error
    except (ValueError, RecursionError) as error:
        raise SettingError(f"{file} is no JSON: {error}.", NEXT_STEP) from error
    tests = document.get("tests") if isinstance(document, dict) else None
    if not isinstance(tests, list):
        raise SettingError(f"{file} has no list 'tests'.", NEXT_STEP)
    return tuple(_result(file, number, test) for number, test in enumerate(tests))


def _result(file: Path, number: int, test: Any) -> CaseResult:
    values = test if isinstance(test, dict) else {}
    name, outcome = values.get("id"), values.get("outcome")
    if not isinstance(name, str):
        raise SettingError(f"{file}: 'tests[{number}].id' is no text.", NEXT_STEP)
    if outcome not in list(CaseOutcome):
        known = ", ".join(CaseOutcome)
        raise SettingError(f"{file}: 'tests[{number}].outcome' is {outcome!r}, and none of {known}.", NEXT_STEP)
    return CaseResult(id=name, outcome=CaseOutcome(outcome))
