"""KEY=VALUE of --what-if -> the limits of a run with that one as it says."""

from collections.abc import Callable
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from dualgate.core.values.limits import Limits
from dualgate.core.values.vocabulary import OnQuestion, Phase
from dualgate.errors import SettingError
from dualgate.settings.keys import KEYS, Key
from dualgate.settings.resolving import read_text

# settings that decisions compare with, by their names in Limits; those of the breaker are by phase
LIMITS: dict[str, str] = {
    "max_iterations": "max_iterations",
    "max_duration": "max_duration",
    "max_calls_per_hour": "max_calls_per_hour",
    "max_tokens_per_hour": "max_tokens_per_hour",
    "max_tokens": "max_tokens",
    "max_cost": "max_cost",
    "wait": "wait",
    "on_question": "halt_on_question",
    "documents": "documents",
    "adr_required": "adr_required",
    "qa_returns": "qa_returns",
    "breaker.cooldown": "cooldown",
}
AS_LIMIT: dict[str, Callable[[Any], Any]] = {"on_question": lambda value: value is OnQuestion.HALT}
BY_PHASE = tuple(name for name in KEYS if name.count(".") == 2)


def with_limit(limits: Limits, word: str) -> Limits:
    """The limits with one of them as KEY=VALUE says."""
    name, equals, text = word.partition("=")
    if not equals:
        raise SettingError(f"--what-if {word} has no value.", "Write KEY=VALUE, such as documents=1.")
    key = _key(name.strip())
    value = read_text(key, text.strip(), f"--what-if {key.name}")
    if key.name in LIMITS:
        return replace(limits, **{LIMITS[key.name]: AS_LIMIT.get(key.name, _as_it_is)(value)})
    group, *_, phase, count = key.at
    if group == "budget":
        budget = replace(limits.budget_of(Phase(phase)), **{count: value})
        return replace(limits, budgets={**limits.budgets, Phase(phase): budget})
    thresholds = replace(limits.of(Phase(phase)), **{count: value})
    return replace(limits, thresholds={**limits.thresholds, Phase(phase): thresholds})


def _key(name: str) -> Key:
    known = {other.lower(): other for other in (*LIMITS, *BY_PHASE)}
    if (found := known.get(name.lower())) is not None:
        return KEYS[found]
    close = get_close_matches(name.lower(), known, n=1, cutoff=0.6)
    meant = f"Did you mean {known[close[0]]}? " if close else ""
    problem = f"No decision is compared with {name}." if name in KEYS else f"There is no setting {name}."
    by_phase = "breaker.PHASE.no_progress, .same_error, budget.PHASE.calls, .tokens, .cost"
    raise SettingError(problem, f"{meant}Those there are: {', '.join(LIMITS)}, {by_phase}.")


def _as_it_is(value: Any) -> Any:
    return value
