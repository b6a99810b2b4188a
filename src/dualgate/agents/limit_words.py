"""The words of limits: what an account has, the states in which nothing of it is left, and how it comes back."""

import re

__all__ = [
    "COMES_BACK",
    "LOGIN",
    "MONEY",
    "NOT_REACHED",
    "PERIOD",
    "RATE",
    "TRANSLATED",
    "USAGE",
    "WEEKLY",
    "is_limit_of_others",
    "is_stated",
    "names_limit",
]

# Other things that are reached, exceeded or run out of.
NO_LIMIT = re.compile(
    r"context[ _](?:length|window|limit|size)|(?:prompt|input|request) (?:is )?too (?:long|large)|"
    r"max(?:imum)? (?:\w+ )?tokens(?! per)|"
    r"(?:input|output|prompt|completion) token(?: count| limit| maximum|s(?! per))|"
    r"max(?:imum)?[ _](?:number of )?(?:session )?turns|time limit|out ?of ?memory|max-budget|"
    r"model(?:'s)? token limit|"
    r"(?:upper|lower) (?:limit|bound)|\d ?(?:[kmg]i?b|bytes|characters|chars|lines|pixels|px)\b|"
    r"(?<![a-z])(?:memory|heap|stack|recursion|recursive|disk|storage|inode|file|process|thread|"
    r"descriptor|size|length|depth|line)s?[\w ]{0,20}"
    r"(?:limit|exceed(?:s|ed)|depth|full|quota)|exceed\w* the max\w* (?:(?!usage)\w+ )?(?:size|length|depth)|"
    r"limit (?:for|of|on) (?:the )?(?:number of )?(?:file|open|process|thread|memory)|"
    r"(?:connection|password|pipeline) (?:was |has been )?reset|econnreset",
    re.IGNORECASE,
)
# A rate limit by its name may advise fewer tokens.
RATE_NAMED = re.compile(
    r"rate[ _-]limit[ _]error|(?:hit|reached|exceed\w*) .{0,40}?rate[ _-]limit|rate[ _-]limit (?:reached|exceeded)",
    re.IGNORECASE,
)
_FOREIGN = (
    r"l[íi]mite|\w*grenze|kontingent|guthaben|cuota|cota|cr[ée]dit\w*|mensajes|mensagens|nachrichten|utilisation|\buso"
)
_FOREIGN_END = (
    r"agotad\w|alcanzad\w|superad\w|excedid\w|atingi\w+|esgotad\w|atteint\w*|épuis\w+|dépass\w+|erreicht|aufgebraucht|"
    r"überschritten|raggiunt\w|esaurit\w"
)
_TRANSLATED = (
    rf"\b(?:{_FOREIGN})\b.{{0,40}}?\b(?:{_FOREIGN_END})|\b(?:{_FOREIGN_END})\b.{{0,40}}?\b(?:{_FOREIGN})\b|"
    r"5 小时|使用(?:上限|限制|制限)|利用(?:制限|上限)|限额|額度|额度|配额|配額|사용(?:량)? ?한도|"
    r"limite d'utilisation|nutzungslimit|l[íi]mite de uso|limite di utilizzo"
)
TRANSLATED = re.compile(_TRANSLATED, re.IGNORECASE)
# The words that tell the kinds of limits apart; an error that has them names a limit without any state.
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
    r"billing (?:hard|limit|issue|problem)|(?:subscription|plan) (?:has )?(?:expired|ended)|"
    r"(?:free tier|plan) .{0,20}discontinued|account.{0,80}\bsuspended|key limit exceeded|余额不足|餘額不足|欠费|欠費",
    re.IGNORECASE,
)
# A status is told by an error; «on a 429» and «rate limiting» are spoken of.
RATE = re.compile(
    r"rate[ _-]?limit(?!er|ing|s\b|\.\w|/)|too many (?:requests|concurrent|messages|prompts|calls|sessions)|throttl|"
    r"(?:rate|temporarily) limiting|limiting requests|"
    r"(?:requests?|frequency|usage) (?:has|have|is|are) (?:been |being )?limited(?! to)|temporarily limited|"
    r"(?:request|call|token) rate (?:is |has |was )?(?:been )?(?:increas|too|exceed|limit|high)|"
    r"per (?:second|minute|hour|day)|resource (?:has been )?exhausted|slow down|no capacity|"
    r"(?:^|[:([{\"'=,#-] ?|\b(?:error|status|code|https?(?:/[\d.]+)?|with|returned|got|received|response)\W{1,3})"
    r"429\b(?!s)|"
    r"(?:请求|請求|频率|頻率|速率).{0,6}(?:频繁|頻繁|限制|上限|过多|過多|超)|限流|(?:並發|并发).{0,6}(?:限制|上限|超)",
    re.IGNORECASE,
)
WEEKLY = re.compile(r"weekly|7[- ]day|1[- ]week|opus limit|sonnet limit", re.IGNORECASE)
# A quota of these comes back by itself, other than money.
PERIOD = re.compile(
    r"\b(?:daily|hourly|weekly|per (?:minute|hour|day)|(?:hour|day|\d+[- ]?(?:hour|day))s? (?:\w+ )?quota)\b", re.I
)

# What only an account has so much of, and what others have too.
_METER = r"limits?|quotas?|usage|credits?|allowances?|allocations?|caps?|allotments?"
_AMOUNT = (
    r"budgets?|capacity|plans?|requests|messages|tokens?|units|windows?|balance|hours|subscription|prompts|calls|pool|"
    r"compute|throughput|bandwidth|threshold|sessions|generations|completions|queries|interactions|points|minutes"
)
_ACCOUNT = re.compile(
    r"\b(?:you|your|you've|account|organi[sz]ation|workspace|team|seat|tier|free|premium|daily|weekly|monthly|hourly|"
    r"today|this (?:hour|day|week|month|period|model|key)|per (?:minute|hour|day))\b",
    re.IGNORECASE,
)
# Nothing is left of it: before what it is of, behind it, or on either side.
_NONE = r"out of|no more|no remaining|0 remaining|exhausted|used up|used all|maxed out|depleted|drained|burned through"
_EMPTY = r"exhausted|used up|burned through|fully used|depleted|all gone|spent|maxed out|empty|drained|run out|ran out"
_MET = (
    r"hit|reached|exceed(?:s|ed|ing)?|crossed|surpassed|overrun|used all|consumed|gone|insufficient|not enough|all used"
)
_FOR = r"(?:(?:for|of) (?:this|the current) (?:\w+ )?(?:hour|day|week|month|session|period) |of [$€£]?\d[\d.,]* )?"
_LEFT = r"(?:left|remaining|available)\b(?! (?:in|to|un(?!til)\w+|open)\b)"
_GONE = r"exhausted|used up|fully used|depleted|maxed out|drained|burned through"
# A limit by its own name, or an amount of which nothing is left.
_STATED = re.compile(
    rf"\b(?:{_MET}|{_EMPTY}|{_NONE})\b.{{0,60}}?\b(?:{_METER})\b(?!\.\w)|"
    rf"\b(?:{_METER})\b(?!\.\w).{{0,60}}?\b(?:{_MET}|{_EMPTY}|used\.|at 100 ?%|resets?|too low)(?!\w)|"
    rf"\b(?:{_NONE}) (?:[\w'-]+ ){{0,2}}(?:{_AMOUNT})\b|\b(?:{_AMOUNT}) {_FOR}(?:[\w'-]+ ){{0,2}}(?:{_EMPTY})\b|"
    rf"\b(?:is|are|went|you're) over (?:its|your|the|their) (?:[\w'-]+ )?(?:{_METER}|budget)\b|"
    rf"\b(?:{_METER}) (?:is |was |has been )?met\b|\blimited to \d+ (?:\w+ )?(?:{_AMOUNT})\b|"
    rf"\b(?:no|zero|0|none of (?:the|your)) (?:[\w'-]+ ){{0,2}}(?:{_METER}|{_AMOUNT}) (?:[\w'-]+ ){{0,2}}{_LEFT}|"
    rf"\byou (?:don't|do not|no longer) have (?:enough|any more) (?:[\w'-]+ ){{0,2}}(?:{_METER}|{_AMOUNT})\b|"
    rf"\byou (?:don't|do not|no longer) have (?:[\w'-]+ ){{0,3}}(?:{_METER}|{_AMOUNT}) {_LEFT}|"
    r"\byou have no (?:[\w'-]+ )?(?:quota|usage|credits?|allowance|allocation|allotment)\b|"
    rf"\b(?:used (?:up )?100 ?% of (?:your|the|its)|100 ?% of your) (?:[\w'-]+ ){{0,3}}(?:{_METER}|{_AMOUNT})\b|"
    rf"\bused (\d{{1,9}}) ?(?:/|of|out of) ?\1 (?:of )?(?:[\w'-]+ ){{0,3}}(?:{_METER}|{_AMOUNT})\b|"
    rf"\byou(?:'ve| have| are|'re)? (?:just |now |already )?(?:{_GONE}|run out of|ran out of)\b"
    r"(?! (?:every|the|an?|its|this)\b)|"
    rf"\b(?:{_MET}|{_EMPTY}) (?:for|of) (?:today|(?:this|the current) (?:hour|day|week|month|period|billing \w+))\b|"
    rf"\byour (?:[\w'-]+ ){{1,4}}(?:is|are|has been|have been) (?:now |all )?(?:{_GONE})\b(?! by\b)",
    re.IGNORECASE,
)
# A sentence of nothing else: «Capacity exceeded.», «Error: not enough tokens».
_BARE = re.compile(
    rf"(?:\A|[.:!] )(?:[\w'-]+ ){{0,2}}(?:{_AMOUNT}) (?:is |are |has been |have been )?(?:{_MET}|at 100 ?%)"
    r"(?=[.!,;(]|\Z| until\b| for\b| \()|"
    rf"(?:\A|[.:!] )(?:insufficient|not enough) (?:[\w'-]+ ){{0,2}}(?:{_AMOUNT})(?=[.!,;(]|\Z| left\b| to continue\b)",
    re.IGNORECASE,
)
# An amount that somebody's account has met the end of.
_OF_ACCOUNT = re.compile(
    rf"\b(?:{_MET}|{_EMPTY})\b.{{0,60}}?\b(?:{_AMOUNT})\b(?!\.\w)|"
    # «requests hit the cache» says nothing of their end
    rf"\b(?:{_AMOUNT})\b(?!\.\w).{{0,60}}?\b(?:{_MET}|at 100 ?%)(?!\w)(?! (?:an?|the|its|our|my)\b)",
    re.IGNORECASE,
)
# Without the name of a limit, only these words make a time the end of one: what comes back by itself, and what does
# so if it is the account's.
_BACK = (
    r"(?<!p)reset(?:s|ting)?|again|later|retry\w*|wait|renew\w*|refresh\w*|refill\w*|replenish\w*|unlock\w*|unblock\w*|"
    r"resum\w*|cool(?:ing)?[ -]?(?:down|off|period)|back (?:at|in|on|after|tomorrow)|"
    r"(?:limited|paused|blocked|suspended|locked out|break)(?: \w+){0,3}? (?:until|for)"
)
_OPEN = (
    r"opens?|starts?|begins?|returns?|available|restored|lift\w*|ends|possible|allowed|accepted|until|hold|before|after|"
    r"(?:restricted|frozen|unavailable) for|continue|"
    r"go on|proceed|carry on|sen[dt]|made?|make|used?|ask|chat|submit(?:ted)?|start(?:ed)?|prompt|work"
)
_OWN = (
    r"you|your|please|accounts?|access|usage|quota|plan|tier|models?|messages?|requests?|prompts?|calls?|sessions?|window|"
    r"API|keys?|organi[sz]ation|workspace|service|pool|capacity|balance|budget|credits|allowance|allocation|allotment|"
    r"paused|blocked|limited|break"
)
COMES_BACK = re.compile(
    r"重试|重試|再试|再試|恢复|恢復|réessay|erneut|reintent|inténtalo|novamente|riprov|"
    # keys too: retryDelay, nextResetAt, reset_time
    rf"(?:\b|_|(?<=[a-z])(?=[A-Z]))(?:{_BACK})(?![a-z])|(?:{_BACK})(?-i:[A-Z])|"
    rf"\b(?:{_OWN})\b.{{0,60}}?(?:\b|_)(?:{_OPEN})(?![a-z])",
    re.IGNORECASE,
)
# Words of a failed login, which no waiting helps.
LOGIN = re.compile(
    r"log ?in|sign ?in|api[ _-]?key|credential|unauthori[sz]ed|authenticat|invalid|permission|not (?:have )?access",
    re.IGNORECASE,
)
# A time to try again after these is the CLI's own, or that of something in the project.
NOT_REACHED = re.compile(
    r"timed[ -]?out|timeout|network|unreachable|enotfound|eai_again|econnrefused|offline|connect|\block\b|"
    r"database|(?:build|web|mcp|dev|test|language|deployment) server|certificate|maintenance|migration|password|cookie|"
    r"\bcache|\bbranch|(?:deploy\w*|release) window|booking|(?:access|oauth|refresh|auth|new) token",
    re.IGNORECASE,
)


def is_limit_of_others(words: str) -> bool:
    """Whether the words are on something else that is reached or exceeded, such as a context or a disk."""
    return NO_LIMIT.search(words) is not None and RATE_NAMED.search(words) is None


def is_stated(words: str) -> bool:
    """Whether the words say of an account that nothing is left of what it may use."""
    return bool(_STATED.search(words) or _BARE.search(words) or (_ACCOUNT.search(words) and _OF_ACCOUNT.search(words)))


def names_limit(words: str) -> bool:
    return is_stated(words) or any(pattern.search(words) for pattern in (MONEY, USAGE, RATE))
