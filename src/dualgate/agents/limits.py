"""The own words of a failed call -> the limit that they name, whatever their wording, and the time when it ends.

Only words of the CLI are read: its error fields, its standard error, and a plain output that ends without an answer.
"""

import re
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from dualgate.agents.last_words import LONGEST_LINE, last_words
from dualgate.agents.limit_words import (
    COMES_BACK,
    LOGIN,
    MONEY,
    NOT_REACHED,
    PERIOD,
    RATE,
    TRANSLATED,
    USAGE,
    WEEKLY,
    is_limit_of_others,
    is_stated,
)
from dualgate.agents.reports import without_reports
from dualgate.agents.reset_times import JUST_OVER, LONGEST_WORDS, last_full_time, read_reset
from dualgate.core.values.answer import LIMITS, Answer, AnswerFormat, CallEnd, Ending, Failure, Trouble

__all__ = ["WEEKLY_FROM", "NamedLimit", "as_limit", "limit_in"]

NOT_THAT = re.compile(r"not your usage limit|retry limit", re.IGNORECASE)
# Kinds that say less than the words of the same failure may.
UNCERTAIN = frozenset(
    {Trouble.CRASH, Trouble.CUT_STREAM, Trouble.SERVER_ERROR, Trouble.EMPTY, Trouble.TIMED_OUT, Trouble.IDLE}
)
# Kinds that only a named time, or a limit of a plan, can change.
FIRM = frozenset({Trouble.QUOTA, Trouble.OVERLOADED, Trouble.AUTHENTICATION})
# the shorter limits of all plans last some hours
WEEKLY_FROM = timedelta(days=1)

CODED = re.compile(r"(?<=[a-z])_(?=[a-z])", re.IGNORECASE)
# Messages of this program, which says in them what it did not find.
OURS = re.compile(r"the (?:output|stream|answer|turn|last step) |there is no result|no event of ")
EXIT_CODE = re.compile(r"\Aexit code \S+: ")
QUOTED = re.compile(r"(?<!\w)(?:'[^'\n]*'(?!\w)|\"[^\"\n]*\"|`[^`\n]*`|«[^»\n]*»|“[^”\n]*”)")
WHOLE = re.compile(r"\s*(?P<quote>[\"'`])(?P<said>[^\"`]*)(?P=quote)\s*")
# JSON, or the values of a program in the same form: what it quotes is the message.
STRUCTURED = re.compile(
    r"[{\[,](?: |\\n)*\\?(?P<quote>[\"'])[\w.-]{1,40}\\?(?P=quote) ?:|\{\"|\b(?:message|msg|detail|reason)[:=] ?[\"']",
    re.IGNORECASE,
)
ERROR = re.compile(
    r"(?:been|being) (?:rate[ -])?limited|(?:is|are) rate[ -]limited(?! to)|"
    r"(?:'ve|have) temporarily limited|please slow down|exceededbudget|"
    r"error|fatal|fail|denied|rejected|refused|sorry|\b429\b|too many|too low|out of|insufficient|no capacity|"
    r"throttled|no active|payment required|suspended|unpaid|频繁|頻繁|限制|上限|不足",
    re.I,
)
# An account is spoken of to the person who has it; a report on work tells what they can do now.
YOURS = re.compile(r"(?:\A|[.!:;] )your?\b(?! can now)|: you can (?!now)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedLimit:
    kind: Trouble
    resets_at: datetime | None = None


def limit_in(words: str, now: datetime) -> NamedLimit | None:
    """The limit that the own words of a failed call name; None if they name neither a limit nor its end."""
    words = NOT_THAT.sub("", words[-LONGEST_WORDS:].replace("’", "'"))
    if is_limit_of_others(words):
        return None
    spelled = _spelled(words)
    named = _kind_named(spelled)
    resets_at = _end_in(words, now, is_named=named is not None)
    if resets_at is not None:
        return NamedLimit(kind=_kind_until(spelled, resets_at, now), resets_at=resets_at)
    return NamedLimit(kind=named) if named else None


def _kind_named(words: str) -> Trouble | None:
    kinds = (
        (MONEY, Trouble.QUOTA),
        (USAGE, Trouble.WEEKLY_LIMIT if WEEKLY.search(words) else Trouble.USAGE_LIMIT),
        (RATE, Trouble.RATE_LIMIT),
    )
    known = next((kind for pattern, kind in kinds if pattern.search(words)), None)
    return known or (Trouble.LIMIT if is_stated(words) else None)


def _spelled(words: str) -> str:
    """The words of codes such as `insufficient_quota` one by one."""
    return CODED.sub(" ", words)


def _end_in(words: str, now: datetime, is_named: bool) -> datetime | None:
    """The time at which the limit ends; one that is over says nothing, such as the time of a line in a log."""
    if not is_named and (not COMES_BACK.search(words) or NOT_REACHED.search(words)):
        return None
    said = read_reset(words, now)
    if said is None and is_named:
        last = last_full_time(words, now)
        said = last if last is not None and last > now else read_reset(words, now, anywhere=True)
    return said if said is not None and said >= now - JUST_OVER else None


def _kind_until(words: str, resets_at: datetime, now: datetime) -> Trouble:
    if resets_at - now > WEEKLY_FROM or (USAGE.search(words) and WEEKLY.search(words)):
        return Trouble.WEEKLY_LIMIT
    is_rate = RATE.search(words) or not is_stated(words)
    return Trouble.RATE_LIMIT if is_rate and not USAGE.search(words) else Trouble.USAGE_LIMIT


def as_limit(answer: Answer, end: CallEnd) -> Answer:
    """The answer of a failed call, with the limit that its own words name as the failure."""
    failure = answer.failure
    if failure is None:
        return answer
    for words in _own_words(answer, failure, end):
        found = limit_in(words, end.now)
        if found is not None and _decides(found, failure):
            message = words[:LONGEST_LINE] if failure.kind in UNCERTAIN else failure.message
            resets_at = failure.resets_at or found.resets_at
            return replace(answer, failure=replace(failure, kind=found.kind, message=message, resets_at=resets_at))
    return answer


def _decides(found: NamedLimit, failure: Failure) -> bool:
    """Whether the words say more than the kind of the failure, which its structure told."""
    if failure.kind in UNCERTAIN:
        return True
    is_money = found.kind is Trouble.QUOTA
    of_plan = found.kind in (Trouble.USAGE_LIMIT, Trouble.WEEKLY_LIMIT)
    if failure.kind is Trouble.AUTHENTICATION and (of_plan or is_money or not LOGIN.search(failure.message)):
        return True
    if failure.kind in FIRM:
        of_period = failure.kind is Trouble.QUOTA and not is_money and PERIOD.search(failure.message) is not None
        return found.resets_at is not None or of_period
    if failure.kind in LIMITS and failure.resets_at is None and (found.resets_at is not None or is_money):
        return True
    return failure.kind is Trouble.RATE_LIMIT and of_plan


def _own_words(answer: Answer, failure: Failure, end: CallEnd) -> tuple[str, ...]:
    """The words that the CLI itself said last: of its error, of standard error, of an output without an answer."""
    message = "" if OURS.match(failure.message) else EXIT_CODE.sub("", failure.message)
    if failure.kind not in UNCERTAIN:
        return (message,)
    if end.ending is Ending.EXITED and (end.exit_code is None or end.exit_code < 0):
        return ()  # after a signal the last line is not the reason
    if answer.agent is None and answer.format is AnswerFormat.TEXT:
        # a text that a CLI wrote instead of its events is no answer, whatever the exit code
        told = answer.text if failure.kind in (Trouble.CRASH, Trouble.CUT_STREAM) else ""
        return _unquoted(last_words(end.stderr)), _unquoted(last_words(told))
    return message, last_words(end.stderr)


def _unquoted(words: str) -> str:
    """The words without what they quote; nothing of a report on tests, code or work, which may speak of limits."""
    if (whole := WHOLE.fullmatch(words)) is not None:
        words = whole["said"]
    own = without_reports(words)
    if own != words and _kind_named(_spelled(own)) is None:
        return ""  # «Try again in 5 minutes» goes on from what the report said
    own = own if STRUCTURED.search(own) else QUOTED.sub("", own)
    is_of_account = YOURS.search(own) and (USAGE.search(own) or MONEY.search(own))
    is_said = any(pattern.search(_spelled(own)) for pattern in (ERROR, COMES_BACK, TRANSLATED))
    return own if is_of_account or is_said or is_stated(_spelled(own)) else ""
