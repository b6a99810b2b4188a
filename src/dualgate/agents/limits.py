"""The own words of a failed call -> the limit that they name, whatever their wording, and the time when it ends.

Only words of the CLI are read: its error fields, its standard error, and a plain output that ends without an answer.
"""

import re
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from dualgate.agents.reports import without_reports
from dualgate.agents.reset_times import JUST_OVER, LONGEST_WORDS, last_full_time, read_reset
from dualgate.core.values.answer import LIMITS, Answer, AnswerFormat, CallEnd, Ending, Failure, Trouble

__all__ = ["WEEKLY_FROM", "NamedLimit", "as_limit", "limit_in"]

# Other things that are reached, exceeded or run out of.
NO_LIMIT = re.compile(
    r"context[ _](?:length|window|limit|size)|(?:prompt|input|request) (?:is )?too (?:long|large)|"
    r"max(?:imum)? (?:\w+ )?tokens(?! per)|"
    r"(?:input|output|prompt|completion) token(?: count| limit| maximum|s(?! per))|"
    r"max(?:imum)?[ _](?:number of )?(?:session )?turns|time limit|out ?of ?memory|max-budget|"
    r"model(?:'s)? token limit|"
    r"(?:upper|lower) (?:limit|bound)|"
    r"(?<![a-z])(?:memory|heap|stack|recursion|recursive|disk|storage|inode|file|process|thread|"
    r"descriptor|size|length|depth|line)s?[\w ]{0,20}"
    r"(?:limit|exceed(?:s|ed)|depth|full|quota)|exceed\w* the max\w* (?:(?!usage)\w+ )?(?:size|length|depth)|"
    r"limit (?:for|of|on) (?:the )?(?:number of )?(?:file|open|process|thread|memory)|"
    r"(?:connection|password|pipeline) (?:was |has been )?reset|econnreset",
    re.IGNORECASE,
)
NOT_THAT = re.compile(r"not your usage limit|retry limit", re.IGNORECASE)
_TRANSLATED = (
    r"5 小时|使用(?:上限|限制|制限)|利用(?:制限|上限)|限额|額度|额度|配额|配額|사용(?:량)? ?한도|"
    r"limite d'utilisation|nutzungslimit|l[íi]mite de uso|limite di utilizzo"
)
TRANSLATED = re.compile(_TRANSLATED, re.IGNORECASE)
USAGE = re.compile(
    r"usage (?:limits?|quota)|(?:session|weekly|daily|hourly|opus|sonnet|\d{1,4}[- ]?(?:hour|day|week)s?)"
    r" (?:\([^)]*\) )?(?:[\w'-]+ ){0,2}(?:limit|quota)|(?:hit|reached|exceeded) your (?:[\w'-]+ ){0,3}limit|"
    r"out of (?:[\w'-]+ ){0,2}(?:usage|messages|requests)|free (?:usage|tier|allocated quota)|usage exceeded|"
    rf"limits? will reset|quota will reset|exhausted your|quota (?:has been |is )?exhausted|{_TRANSLATED}",
    re.IGNORECASE,
)
MONEY = re.compile(
    r"out of (?:[\w'-]+ ){0,2}credits?|(?:credit|account|insufficient) balance|balance is too low|"
    r"(?:insufficient|enough|no|requires? more) (?:\w+ )?(?:funds|credits)|"
    r"budget has been exceeded|exceededbudget|exceeded budget for|over budget\. spend|"
    r"(?:no active|renew your) (?:subscription|plan)|(?:balance|credits?|wallet) (?:is |are )?(?:empty|zero|negative)|"
    r"\$0(?:\.00)? (?:is |are )?(?:\w+ )?(?:remaining|left|available|balance)|add (?:more )?(?:funds|credits)|"
    r"trial (?:has )?(?:ended|expired)|"
    r"card (?:was |is )?declined|unpaid|payment (?:is )?(?:over|past )due|"
    r"credits? (?:are |is |have |has )?(?:been )?"
    r"(?:depleted|exhausted|used up|required|expired)|spend(?:ing)? (?:cap|limit)|"
    r"monthly (?:[\w'-]+ ){0,3}(?:limit|quota|cap|budget|allowance|plan)|payment (?:method|required)|"
    r"billing (?:hard|limit|issue|problem)|subscription (?:has )?(?:expired|ended)|"
    r"(?:free tier|plan) .{0,20}discontinued|account.{0,80}\bsuspended|key limit exceeded|余额不足|餘額不足|欠费|欠費",
    re.IGNORECASE,
)
RATE = re.compile(
    r"rate[ _-]?limit(?!er|\.\w|/)|too many (?:requests|concurrent)|throttl|limiting requests|"
    r"(?:requests?|frequency|usage) (?:has|have|is|are) (?:been |being )?limited(?! to)|temporarily limited|"
    r"per (?:second|minute|hour|day)|resource (?:has been )?exhausted|slow down|no capacity|\b429\b|"
    r"(?:请求|請求|频率|頻率|速率).{0,6}(?:频繁|頻繁|限制|上限|过多|過多|超)|限流|(?:並發|并发).{0,6}(?:限制|上限|超)",
    re.IGNORECASE,
)
WEEKLY = re.compile(r"weekly|7[- ]day|1[- ]week|opus limit|sonnet limit", re.IGNORECASE)
# Words for an account's limit, and words that mean one only if nothing is left of it, or it is somebody's.
_METER = r"limits?|quotas?|usage|credits?|allowances?|allocations?|caps?|allotments?"
_AMOUNT = (
    r"budgets?|capacity|plans?|requests|messages|tokens?|units|windows?|balance|hours|subscription|prompts|calls|pool"
)
_MET = r"hit|reached|exceed(?:s|ed|ing)?|used all|consumed|gone|insufficient|not enough|all used"
_EMPTY = r"exhausted|used up|depleted|all gone|spent|maxed out|empty"
_NONE = r"out of|no more|no remaining|0 remaining|exhausted|used up|used all|maxed out|depleted"
_FOR = r"(?:(?:for|of) (?:this|the current) (?:\w+ )?(?:hour|day|week|month|session|period) |of [$€£]?\d[\d.,]* )?"
_LEFT = r"(?:left|remaining|available)\b(?! (?:in|to|un(?!til)\w+|open)\b)"
_YOURS = r"\b(?:you|your|you've|account|organi[sz]ation|workspace|team)\b"
NAMED = re.compile(
    rf"\b(?:{_MET}|{_EMPTY}|{_NONE})\b.{{0,60}}?\b(?:{_METER})\b(?!\.\w)|"
    rf"\b(?:{_METER})\b(?!\.\w).{{0,60}}?\b(?:{_MET}|{_EMPTY}|used\.|at 100 ?%|resets?|too low)(?!\w)|"
    rf"\b(?:{_NONE}) (?:[\w'-]+ ){{0,2}}(?:{_AMOUNT})\b|\b(?:{_AMOUNT}) {_FOR}(?:[\w'-]+ ){{0,2}}(?:{_EMPTY})\b|"
    rf"{_YOURS}.{{0,60}}?\b(?:{_MET})\b.{{0,60}}?\b(?:{_AMOUNT})\b|"
    rf"{_YOURS}.{{0,60}}?\b(?:{_AMOUNT})\b.{{0,60}}?\b(?:{_MET})\b|\blimited to \d+ (?:\w+ )?(?:{_AMOUNT})\b|"
    rf"\b(?:no|zero|0|none of (?:the|your)) (?:[\w'-]+ ){{0,2}}(?:{_METER}|{_AMOUNT}) (?:[\w'-]+ ){{0,2}}{_LEFT}|"
    rf"\b(?:used (?:up )?100 ?% of (?:your|the|its)|100 ?% of your) (?:[\w'-]+ ){{0,3}}(?:{_METER}|{_AMOUNT})\b",
    re.IGNORECASE,
)
# Without the name of a limit, only these words make a time the end of one.
COMES_BACK = re.compile(
    r"(?<!p)reset(?!ting)|\btry(?:ing)? again|\bretry(?!ing)|\bwait\b|"
    r"\bavailable (?:again|in|at)|\bregain|\b(?:come )?back (?:at|in|on|after|tomorrow)\b|"
    r"\b(?:limit|quota|usage|allowance|allocation|allotment|capacity|balance|window|budget|tokens|requests|messages|"
    r"prompts|credits|access|plan|tier|service|pool)\b.{0,40}\b(?:renew|refresh|refill|restor|resum|replenish|unlock|lift)|"
    r"\bfills? up again\b|"
    r"\byou (?:can|may|will be able to) (?:[\w'-]+ ){1,4}again (?:at|in|on|after|from)\b|"
    r"\byou (?:can|may|will be able to) (?:continue|go on|proceed|resume|carry on)(?: \w+ing)? "
    r"(?:at|in|after|from|tomorrow)\b|"
    r"\bnext (?:request|message|prompt|call|session) (?:is )?(?:possible|allowed|accepted)\b|"
    r"\b(?:you |your (?:[\w'-]+ ){1,3}?|(?:requests|prompts|messages|calls|sessions) )(?:may|can|could|will)\b"
    r"(?: \w+){0,3}? (?:sen[dt]|made?|make|used?|accepted|ask|chat|submit(?:ted)?|start(?:ed)?|prompt|work)\b"
    r".{0,30}?\b(?:in|at|after|before|from|until)\b|"
    r"\bcool(?:ing)?[ -]?(?:down|off)\b|"
    r"\b(?:limited|break|paused|blocked|suspended|locked out)\b.{0,20}\b(?:until|for)\b|"
    r"\b(?:you|your|accounts?|access|requests?|usage|API|plan|tier|models?|keys?|organi[sz]ation|workspace)\b.{0,40}?"
    r"\b(?:restricted|on hold|frozen|unavailable)\b.{0,20}\b(?:until|for)\b",
    re.IGNORECASE,
)
# Words of a failed login, which no waiting helps.
LOGIN = re.compile(
    r"log ?in|sign ?in|api[ _-]?key|credential|unauthori[sz]ed|authenticat|invalid|permission|not (?:have )?access",
    re.IGNORECASE,
)
# A time to try again after these is the CLI's own.
NOT_REACHED = re.compile(
    r"timed[ -]?out|timeout|network|unreachable|enotfound|eai_again|econnrefused|offline|\block\b|n[o']t connect",
    re.IGNORECASE,
)
# Kinds that say less than the words of the same failure may.
UNCERTAIN = frozenset(
    {Trouble.CRASH, Trouble.CUT_STREAM, Trouble.SERVER_ERROR, Trouble.EMPTY, Trouble.TIMED_OUT, Trouble.IDLE}
)
# Kinds that only a named time, or a limit of a plan, can change.
FIRM = frozenset({Trouble.QUOTA, Trouble.OVERLOADED, Trouble.AUTHENTICATION})
# A quota of these comes back by itself, other than money.
PERIOD = re.compile(
    r"\b(?:daily|hourly|weekly|per (?:minute|hour|day)|(?:hour|day|\d+[- ]?(?:hour|day))s? (?:\w+ )?quota)\b", re.I
)
# the shorter limits of all plans last some hours
WEEKLY_FROM = timedelta(days=1)

CODED = re.compile(r"(?<=[a-z])_(?=[a-z])", re.IGNORECASE)
COLOUR = re.compile(r"\x1b\[[\d;]*m")
LONGEST_LINE = 600
LAST_LINES = 4
ADVICE = re.compile(
    r"/|please|visit|run |see |upgrade|to |http|learn more|possible quota|retry|view |manage", re.IGNORECASE
)
# Messages of this program, which says in them what it did not find.
OURS = re.compile(r"the (?:output|stream|answer|turn|last step) |there is no result|no event of ")
EXIT_CODE = re.compile(r"\Aexit code \S+: ")
QUOTED = re.compile(r"(?<!\w)(?:'[^'\n]*'(?!\w)|\"[^\"\n]*\"|`[^`\n]*`|«[^»\n]*»|“[^”\n]*”)")
ERROR = re.compile(
    r"(?:been|being) (?:rate[ -])?limited|(?:'ve|have) temporarily limited|please slow down|exceededbudget|"
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
    if NO_LIMIT.search(words):
        return None
    spelled = _spelled(words)
    kinds = (
        (MONEY, Trouble.QUOTA),
        (USAGE, Trouble.WEEKLY_LIMIT if WEEKLY.search(spelled) else Trouble.USAGE_LIMIT),
        (RATE, Trouble.RATE_LIMIT),
        (NAMED, Trouble.LIMIT),
    )
    named = next((kind for pattern, kind in kinds if pattern.search(spelled)), None)
    resets_at = _end_in(words, now, is_named=named is not None)
    if resets_at is not None:
        return NamedLimit(kind=_kind_until(spelled, resets_at, now), resets_at=resets_at)
    return NamedLimit(kind=named) if named else None


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
    is_rate = RATE.search(words) or not NAMED.search(words)
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
        return _unquoted(_last_words(end.stderr)), _unquoted(_last_words(told))
    return message, _last_words(end.stderr)


def _last_words(text: str) -> str:
    """The last line, with those before it that it goes on from, or that it only says what to do about."""
    lines = [line.strip() for line in COLOUR.sub("", text[-4 * LONGEST_LINE :]).splitlines() if line.strip()]
    first = len(lines) - 1
    while first > 0 and len(lines) - first < LAST_LINES and _goes_on(lines[first], lines[first - 1]):
        first -= 1
    return " ".join(lines[first:])[-LONGEST_LINE:] if lines else ""


def _goes_on(line: str, before: str) -> bool:
    is_wrapped = line[0].islower() and before[-1] not in ".!?"
    is_bracketed = line[0] == "(" or before.count("(") > before.count(")")
    return is_wrapped or is_bracketed or before.endswith(":") or ADVICE.match(line) is not None


def _unquoted(words: str) -> str:
    """The words without what they quote; nothing of a report on tests, code or work, which may speak of limits."""
    own = without_reports(words)
    if own != words and not any(pattern.search(_spelled(own)) for pattern in (MONEY, USAGE, RATE, NAMED)):
        return ""  # «Try again in 5 minutes» goes on from what the report said
    own = own if '{"' in own else QUOTED.sub("", own)
    is_of_account = YOURS.search(own) and (USAGE.search(own) or MONEY.search(own))
    said = (ERROR, NAMED, COMES_BACK, TRANSLATED)
    return own if is_of_account or any(pattern.search(_spelled(own)) for pattern in said) else ""
