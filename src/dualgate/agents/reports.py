"""The last words of a failed call -> those that its CLI may have said of its account, not code and reports on work.

A CLI speaks to the person who has the account, or names a limit without much grammar: «Usage limit reached». A report
on work tells of something else in whole sentences, or has the form of code, a commit, a list or a help text.
"""

import re

from dualgate.agents.limit_words import names_limit

__all__ = ["without_reports"]

# A text that has any of these quotes a test, code or the model's own report, and is not the CLI's own.
REPORTED = re.compile(
    r"^(?:E\s{2,}|(?:not )?ok \d|"
    r"[>+|#-]\s|---|===|\d+ (?:passed|failed)|FAILED|PASSED|Traceback)|::test|\bassert|\btests?\b|"
    r"\bI(?:'ve|'ll|'m)?\b|\b[Ww]e (?!recommend|are |have )|\b[Ii]mplement|\blimiter\b|\bfunction\b|\bconfig key\b|"
    r"^(?:Add|Updat|Fix|Creat|Chang|Remov|Refactor|Document|Writ|Wrote|Done|Mov|Renam|Replac|Handl)|"
    r"^The (?:\w+ ){0,2}(?:message|code|module|endpoint|client|server|page|docs?)\b"
    r"(?! (?:cap|limit|quota|allow\w+|budget)s?\b)|\bclass\b|[{;]\s*$|"
    r"\b(?:Assertion|Value|Type|Key|Index|Attribute|Name|Import|Syntax)Error\b|"
    r"^(?!Exceed|Reach|Us|Exhaust|Deplet|Consum|Block|Reject|Limit|Throttl|Refus|Suspend|Paus|Fail|Hit|Cross|Burn|Wait|"
    r"Try|Retry|Come|Return|Contact|Visit|Upgrade|Run|Ran|Resum|At|In|On|For|Until|After|By|Because|With|Of|From|To|Not|"
    r"All|Both|Half)[A-Z][a-z]+ (?:an?|the|all|it|its|each|every)\b|"
    r"^(?:Next(?: steps?)?|Question|Summary|Remaining work|STATUS|RECOMMENDATION):|\?$|"
    r"\bcriteri(?:on|a)\b|\b[Ss]pecification\b|\b[Mm]iddleware\b|\b[Uu]sers? (?:are|is|can|get|see|who)\b|"
    r"\bnow (?:say|wait|return|reset|raise|answer|reject|count|use|work)s?\b|\bwhen the (?:server|client|balance)\b|"
    r"(?:^|[\s(`])[\w-]+(?:/[\w-]+)*\.(?:py|[jt]sx?|go|rs|rb|java|kt|php|cs|md|toml|ya?ml)\b(?!:\d+ [-|] )|"
    r"^(?:npm|yarn|pnpm|docker|pip|curl|remote|bash|sh|zsh)\b|GitHub(?:Error| API)\b|"
    r"API rate limit exceeded for (?:installation|user|\d+\.)|"
    r"unable to access '|QueuePool|MCP server|^Error from server \(|RPC failed|remote error|"
    r"//localhost|//127\.|\bpull rate limit|"
    r"\b[Yy]ou can now\b|"
    r"\b(?:README|CHANGELOG|[Ff]ile|[Ss]pec\w*|[Cc]omment|[Ii]ssue|[Tt]icket) (?:says?|said|reads|states?)\b",
    re.MULTILINE,
)
# Forms that no sentence has: a line of code, of a commit, of a help text, of a plan or of a tracker.
FORMED = re.compile(
    r"^(?:return|raise|throw|yield|elif|await|const|let|var|def|func|fn|import|export|public|private|static)\b|"
    r"^(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER) |^[A-Z][A-Z\d]*_[A-Z\d_]*=[\"']|^[a-z_][\w.-]*: \{ [a-z_]\w*: |"
    r"\bexpected .{1,80}\b(?:got|but|received|found)\b|^Options: -|"
    r"^[a-z_][\w.]* [:+-]?= \S|(?:^| )// |^/\*|  # |=> |"
    r"\b(?!(?:\w*(?:Error|Exception)|String|Some|Err)\()[A-Za-z_]\w*\([\"']|"
    r"^(?=[a-f]*\d)(?=\d*[a-f])[\da-f]{7,40} \(?[A-Za-z]|^\[[\w./-]+ (?:\([\w-]+\) )?[\da-f]{7,40}\] |"
    r"^(?:feat|fix|docs|chore|refactor|tests?|perf|style|build|ci|revert)(?:\([^()]{1,40}\))?!?: |"
    r"^[Uu]sage: \S+ .{0,200}[\[<-]|^--?[a-z]|\[--?[a-z]|"
    r"\b1[.)] .{1,200}?\b2[.)] |^(?:(?:Step|Task|Story|Scenario|Example)(?: \d+)?|TODO|FIXME): |"
    r"^(?!ERR|HTTP|API|CODE|STATUS|GPT|GLM)[A-Z]{2,10}-\d{1,5}(?: \([^()]{1,40}\))?[:,] |"
    r"\b(?:in|at) \d{1,6} (?:of \d{1,6} )?(?:functions|methods|files|modules|lines|places|cases|rows|records)\b",
)
CLAUSE = re.compile(r"(?<=[.!?;]) +(?=[\"'(]?\w)")
LABEL = re.compile(r"(?:(?!(?:the|an?) )[\w.\[\]-]{1,40}(?: [\w.\[\]-]{1,40})?: ){1,3}", re.IGNORECASE)
ADDRESSED = re.compile(r"\b(?:you|your|you'(?:ve|re|ll))\b|\bplease\b", re.IGNORECASE)
# What a limit is of, and who has it or names it.
OF_ACCOUNT = re.compile(
    r"\b(?:limits?|quotas?|usage|credits?|balances?|allow\w+|allocations?|allotments?|budgets?|caps?|capacity|rates?|"
    r"plans?|tiers?|accounts?|organi[sz]ations?|workspaces?|teams?|seats?|subscriptions?|trial|keys?|API|models?|"
    r"engines?|systems?|services?|providers?|gateways?|deployments?|regions?|requests?|prompts?|messages?|calls?|"
    r"tokens?|sessions?|agents?|hours|units|windows?|pools?|throughput|concurren\w+|access|status|cool-?down|"
    r"(?:bi)?(?:hour|dai|week|month)ly|hours?|days?|weeks?|months?|periods?|cycles?|"
    r"resets?(?! (?:links?|pages?|tokens?|codes?|e?mails?|forms?|buttons?)\b)|renewal|next|today|"
    r"number|max\w*|free|fast|premium|operation|upstream|conversation|chat|proxy|run|project|errors?|attempts?|retry|retries)\b",
    re.IGNORECASE,
)
# A product or a model; everything else that has a capital letter begins a sentence or is an abbreviation.
NAMED = re.compile(r"\b[A-Z][a-z]+\b")
# The first words of a sentence on something that is named with an article, up to what is said of it.
SUBJECT = re.compile(
    r"(?:the|an?|each|every|both|some|another|one) "
    r"((?:(?!(?:is|are|was|were|has|have|had|will|would|can|could|do|does|did|must|may|should|with|without|of|in|on|at|"
    r"for|to|from|by|that|which|who|whose|when|if|how|what|and|or|not|only)\b)[\w'\"./-]+ ?){1,3})",
    re.IGNORECASE,
)
STATE = re.compile(r"(?:is|are|was|were|has|have|had|will|can|could|may|must|does|do|did)\b")
OTHERS = re.compile(
    r"([A-Z][a-z]+s) (?:who|whose|that|which|with|without|above|over|below|beyond|of|on|in|are|get|have|fail|see|pay|"
    r"wait|receive|lose|keep|may|can|must|will|cannot)\b"
)
CONDITION = re.compile(r"(?:when(?:ever)?|if|once|as soon as|given|suppose) ", re.IGNORECASE)
OWNER = re.compile(
    r"\b(?:limit|quota|usage|credit|balance|allowance|budget|cap)s? (?:of (?:(?:the|an?|each|every|one) )?|"
    r"for (?:the|an?|each|every) )([a-z][\w'-]*(?: [\w'-]+){0,2})"
)
# Somebody wanted it so.
INTENDED = re.compile(
    r"\bby design\b|"
    r"\bas (?:(?:the|an?) )?(?:[\w-]+ )?(?:demand|ask|require|specif|expect|intend|plann|describ|agree)\w*",
    re.IGNORECASE,
)
ATTEMPTS = re.compile(
    r"\b(?:failed|wrong|login|log-in|sign-?in|password|pin) (?:\w+ )?(?:attempts?|tries|logins?|limits?)\b", re.I
)
ASKED = re.compile(r"(?:try|retry|wait|come back|continue|resume)\b", re.IGNORECASE)
# What happens on a condition, or describes something, is not what happened.
SUBORDINATE = re.compile(
    r"\b(?:if|when|whenever|once|unless|whether|that|which|who|whose|how much|as if|so that)\b[^,;:]*", re.IGNORECASE
)


def without_reports(words: str) -> str:
    """The sentences that the CLI may have said of its account; nothing of code, commits and reports on tests."""
    if REPORTED.search(words) or FORMED.search(words):
        return ""
    clauses = CLAUSE.split(words)
    own = [clause for clause in clauses if not _is_of_others(clause)]
    return words if len(own) == len(clauses) else " ".join(own)


def _is_of_others(clause: str) -> bool:
    """Whether a clause is about something else than the account of the person who reads it."""
    label = LABEL.match(clause)
    said = clause[label.end() :] if label else clause
    if ADDRESSED.search(said):
        return False
    if CONDITION.match(said) or INTENDED.search(said) or ATTEMPTS.search(said):
        return True
    if names_limit(said) and not ASKED.match(said) and not names_limit(SUBORDINATE.sub("", said)):
        return True
    if (subject := SUBJECT.match(said)) and NAMED.search(subject[1]):
        return False
    things = (subject, OTHERS.match(said), OWNER.search(said))
    # «the shop's limit» is the shop's
    if subject and STATE.match(said, subject.end()) and not OF_ACCOUNT.search(subject[1].split()[-1]):
        return True  # a daily job is a job
    return any(found is not None and not OF_ACCOUNT.search(found[1].split("'s ")[0]) for found in things)
