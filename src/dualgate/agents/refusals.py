"""A provider's error -> Trouble, and the time when it ends. For CLIs that pass on the provider's message.

Only error fields are searched, never the text of a model.
"""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec

from dualgate.agents.limits import WEEKLY_FROM
from dualgate.agents.reset_times import from_epoch, later, read_reset
from dualgate.agents.values import mapping
from dualgate.core.values.answer import Trouble

STATUSES = {
    401: Trouble.AUTHENTICATION,
    402: Trouble.QUOTA,
    403: Trouble.AUTHENTICATION,
    404: Trouble.MODEL_UNKNOWN,
    413: Trouble.CONTEXT_FULL,
    429: Trouble.RATE_LIMIT,
    503: Trouble.OVERLOADED,
    529: Trouble.OVERLOADED,
}
CODES = {
    "usage_limit_reached": Trouble.USAGE_LIMIT,
    "insufficient_quota": Trouble.QUOTA,
    "billing_error": Trouble.QUOTA,
    "rate_limit_exceeded": Trouble.RATE_LIMIT,
    "rate_limit_error": Trouble.RATE_LIMIT,
    "server_is_overloaded": Trouble.OVERLOADED,
    "overloaded_error": Trouble.OVERLOADED,
    "invalid_api_key": Trouble.AUTHENTICATION,
    "authentication_error": Trouble.AUTHENTICATION,
    "permission_error": Trouble.AUTHENTICATION,
    "model_not_found": Trouble.MODEL_UNKNOWN,
    "not_found_error": Trouble.MODEL_UNKNOWN,
    "context_length_exceeded": Trouble.CONTEXT_FULL,
}
# No provider has the same words for it.
CONTEXT_FULL = (
    r"context[ _](?:length|window|limit|size)|(?:prompt|input|request)(?: is|_)? ?too[ _](?:long|large)|"
    r"too many tokens|max(?:imum)? (?:number of |prompt |allowed input )?(?:tokens|length)|reduce the length|"
    r"token limit exceeded|exceeded model token limit|entity too large|input token count"
)
SENTENCES = tuple(
    (re.compile(words, re.IGNORECASE), kind)
    for words, kind in (
        (r"usage limit", Trouble.USAGE_LIMIT),
        (r"(?<!disk )quota exceeded|exceeded your current quota|billing|credit balance|out of credits", Trouble.QUOTA),
        (r"rate[ _]limit|too many requests|resource has been exhausted|throttl|tokens per ", Trouble.RATE_LIMIT),
        (r"overloaded|at capacity", Trouble.OVERLOADED),
        (CONTEXT_FULL, Trouble.CONTEXT_FULL),
        (r"api[ _-]?key|unauthori[sz]ed|authenticat|access token|log ?in again", Trouble.AUTHENTICATION),
        (r"\bmodels?\b.{0,120}?(?:not found|does not exist)", Trouble.MODEL_UNKNOWN),
    )
)


def trouble_of_status(status: object) -> Trouble | None:
    """The kind by HTTP status; None for an ambiguous status such as 400."""
    if not isinstance(status, int) or isinstance(status, bool):
        return None
    return STATUSES.get(status, Trouble.SERVER_ERROR if 500 <= status < 600 else None)


def trouble_of_sentence(message: str) -> Trouble | None:
    return next((kind for words, kind in SENTENCES if words.search(message)), None)


def error_in(body: object) -> Mapping[str, Any]:
    """The error object in the JSON text of a provider's answer; empty if there is none."""
    if not isinstance(body, str) or not body.lstrip().startswith("{"):
        return {}
    try:
        document = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return {}
    return mapping(mapping(document).get("error"))


def trouble_of_error(error: Mapping[str, Any]) -> Trouble | None:
    """The kind by the provider's code or type; the code is more certain."""
    names = (error.get("code"), error.get("type"))
    return next((CODES[name] for name in names if isinstance(name, str) and name in CODES), None)


def reset_in_error(error: Mapping[str, Any], said_at: datetime) -> datetime | None:
    return from_epoch(error.get("resets_at")) or later(said_at, error.get("resets_in_seconds"))


def reset_in_sentence(message: str, said_at: datetime, *, other_day: bool = False) -> datetime | None:
    """The end of a limit; clock times are in the zone of `said_at`, and on its day unless `other_day` is True."""
    return read_reset(message, said_at, other_day=other_day)


def from_iso(text: object) -> datetime | None:
    """Parse a time with a zone; None without a zone, since the time would be ambiguous."""
    try:
        time = datetime.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        return None
    return time if time is not None and time.tzinfo is not None else None


def usage_limit(resets_at: datetime | None, said_at: datetime) -> Trouble:
    """Weekly if the limit ends more than a day later: CLIs seldom name the kind of limit."""
    weekly = resets_at is not None and resets_at - said_at > WEEKLY_FROM
    return Trouble.WEEKLY_LIMIT if weekly else Trouble.USAGE_LIMIT
