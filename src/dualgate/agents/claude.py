"""Claude Code: `--output-format json` (one document, with --verbose a list), `stream-json` and plain text.

`is_error` and a message of the model `<synthetic>` mark an API error (its subtype is "success"). The text of such a
result is the CLI's own, and errors are looked up in no other text.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from dualgate.agents import qwen
from dualgate.agents.client import Client, Errand, LoginFile
from dualgate.agents.formats import Doing, Event, OutputFormat
from dualgate.agents.messages import MESSAGE_KEPT, TOKENS, Conversation, as_count, as_list, as_text, by_status
from dualgate.agents.reset_times import from_epoch, read_reset
from dualgate.agents.values import amount, limit_use, mapping, usage_in
from dualgate.core.values.answer import LIMITS, Answer, AnswerFormat, CallEnd, Failure, Trouble, Usage

__all__ = ["CLIENT", "FORMAT"]

# Fields of a result that decide alone.
MARKS = {
    "subtype": {"error_max_turns": Trouble.TURN_LIMIT, "error_max_budget_usd": Trouble.BUDGET},
    "terminal_reason": {
        "max_turns": Trouble.TURN_LIMIT,
        "prompt_too_long": Trouble.CONTEXT_FULL,
        "aborted_tools": Trouble.INTERRUPTED,
        "aborted_streaming": Trouble.INTERRUPTED,
    },
    "stop_reason": {
        "refusal": Trouble.REFUSAL,
        "max_tokens": Trouble.OUTPUT_CAP,
        "model_context_window_exceeded": Trouble.CONTEXT_FULL,
    },
}
# The `error` of the last message; `server_error`, `invalid_request` and `unknown` say less than the status does.
ERRORS = {
    "authentication_failed": Trouble.AUTHENTICATION,
    "oauth_org_not_allowed": Trouble.AUTHENTICATION,
    "billing_error": Trouble.QUOTA,
    "model_not_found": Trouble.MODEL_UNKNOWN,
    "max_output_tokens": Trouble.OUTPUT_CAP,
    "rate_limit": Trouble.RATE_LIMIT,
    "overloaded": Trouble.OVERLOADED,
}
# Whole sentences of the CLI; plain text and `json` have nothing else.
SENTENCES = (
    (r"Claude AI usage limit reached\|\d+", Trouble.USAGE_LIMIT),
    (
        r"You've (?:hit|reached) your (?:[\w'-]+ )?(?:weekly|Opus|Sonnet)(?: [\w'-]+)? ?limit(?: [·∙] .+)?",
        Trouble.WEEKLY_LIMIT,
    ),
    (r"You've (?:hit|reached) your (?:[\w'-]+ ){0,3}limit(?: [·∙] .+)?", Trouble.USAGE_LIMIT),
    (r"(?:Opus )?[Ww]eekly limit reached [·∙] .+", Trouble.WEEKLY_LIMIT),
    (r"(?:5-hour|Session|Usage) limit reached [·∙] .+", Trouble.USAGE_LIMIT),
    (r"Credit balance is too low.*", Trouble.QUOTA),
    (r"(?:Invalid API key|Not logged in|Please run /login) · .+", Trouble.AUTHENTICATION),
    (r"There's an issue with the selected model \(.+", Trouble.MODEL_UNKNOWN),
    (r"Prompt is too long.*", Trouble.CONTEXT_FULL),
    (r"Error: Reached max turns \(\d+\)", Trouble.TURN_LIMIT),
    (r"Error: Exceeded USD budget \(.+\)", Trouble.BUDGET),
    (r"API Error: Claude Code is unable to respond to this request.+", Trouble.REFUSAL),
    (r"API Error: Claude's response exceeded the \d+ output token maximum.+", Trouble.OUTPUT_CAP),
    (r"API Error: Server is temporarily limiting requests.+", Trouble.RATE_LIMIT),
)
COMPILED = tuple((re.compile(sentence), kind) for sentence, kind in SENTENCES)
API_ERROR = re.compile(r"API Error: (?:Request rejected \()?(?P<status>[45]\d\d\b)?")
REJECTED = "the provider rejects calls by a limit, and the output ends without a result"
EPOCH = re.compile(r"\|(\d{9,13})\Z")
TORN = re.compile(r'\s*\[?\{"type":"(?:(?:system|result)","subtype":"|(?:assistant|user)","message":\{)')


def claims(event: Event) -> bool:
    """Qwen Code writes the same form with marks of its own; events without them are Claude Code's."""
    return _has_the_form(event) and not qwen.claims(event)


def _has_the_form(event: Event) -> bool:
    match event.get("type"):
        case "system":
            return event.get("subtype") in ("init", "api_retry")
        case "rate_limit_event":
            return isinstance(event.get("rate_limit_info"), dict)
        case "assistant":
            return isinstance(mapping(event.get("message")).get("content"), list)
        case "result":
            return "status" not in event and not event.keys().isdisjoint({"subtype", "is_error", "result"})
        case None:
            return isinstance(event.get("result"), str) and not event.keys().isdisjoint({"session_id", "sessionId"})
    return False


@dataclass(slots=True)
class ClaudeReader:
    talk: Conversation = field(default_factory=Conversation)
    retries: int = 0
    retry: str = ""
    limit: Event = field(default_factory=dict)

    @property
    def doing(self) -> Doing:
        return self.talk.doing

    def feed(self, event: Event) -> None:
        self.talk.feed(event)
        match event.get("type"), event.get("subtype"):
            case "system", "api_retry":
                self.retries += 1
                self.retry = as_text(event.get("error"))
            case "rate_limit_event", _:
                self.limit = mapping(event.get("rate_limit_info"))

    def finish(self, end: CallEnd) -> Answer:
        # reported when the account comes near a limit, and at a limit
        limit = self.limit
        use = limit_use(limit.get("rateLimitType"), limit.get("utilization"), from_epoch(limit.get("resetsAt")), 1.0)
        return replace(self._answer(end), limit_use=(use,) if use else ())

    def _answer(self, end: CallEnd) -> Answer:
        result = self.talk.result
        if result is None:
            why = self._rejected(end) or _cut(self.retry)
            return self.talk.answer(text=self.talk.text, usage=None, failure=why, retries=self.retries)
        failure = self._failure(result, end.now)
        used = mapping(result.get("modelUsage"))
        if self.talk.model is None and len(used) == 1:
            self.talk.model = next(iter(used))
        return self.talk.answer(
            text=as_text(result.get("result")) if failure is None else self.talk.text,
            usage=_usage(result),
            failure=failure,
            cost_usd=amount(result.get("total_cost_usd")),
            retries=self.retries,
        )

    def _rejected(self, end: CallEnd) -> Failure | None:
        """The failure of a call whose last event on limits was a rejection."""
        if not end.exit_code or self.limit.get("status") != "rejected" or self.limit.get("isUsingOverage"):
            return None
        return _with_reset(Failure(kind=Trouble.RATE_LIMIT, message=REJECTED), self.limit, end.now)

    def _failure(self, result: Event, now: datetime) -> Failure | None:
        marks = (kinds.get(as_text(result.get(key))) for key, kinds in MARKS.items())
        message = _message(result)
        kind = next((mark for mark in marks if mark), None)
        if kind is None and self._is_error(result):
            kind = self._kind(as_count(result.get("api_error_status")), message)
        if kind is None:
            return None
        return _with_reset(Failure(kind=kind, message=message[:MESSAGE_KEPT]), self.limit, now)

    def _is_error(self, result: Event) -> bool:
        fine = not result.get("is_error") and as_text(result.get("subtype")) in ("", "success")
        return not fine or bool(result.get("api_error_status")) or bool(self.talk.error)

    def _kind(self, status: int | None, message: str) -> Trouble:
        by_mark = ERRORS.get(self.talk.error) or (by_status(status) if status else None)
        return _own_sentence(message) or by_mark or _api_error(message) or Trouble.CRASH


def _cut(retry: str) -> Failure:
    why = f", while it tried again after {retry}" if retry else ""
    return Failure(kind=Trouble.CUT_STREAM, message=f"the output ends without a result{why}")


def _message(result: Event) -> str:
    errors = "; ".join(as_text(error) for error in as_list(result.get("errors")))
    return as_text(result.get("result")) or errors or as_text(result.get("subtype"))


def _own_sentence(text: str) -> Trouble | None:
    return next((kind for sentence, kind in COMPILED if sentence.fullmatch(text)), None)


def _api_error(text: str) -> Trouble | None:
    """The kind by its status; an error without a status is one of the connection."""
    error = API_ERROR.match(text)
    if error is None:
        return None
    return by_status(int(error["status"])) if error["status"] else Trouble.CUT_STREAM


def _with_reset(failure: Failure, limit: Event, now: datetime) -> Failure:
    """Add when a limit ends: by the event on limits, otherwise by the sentence."""
    if failure.kind not in LIMITS:
        return failure
    resets_at = from_epoch(limit.get("resetsAt")) if limit.get("status") == "rejected" else None
    if resets_at is not None:
        weekly = as_text(limit.get("rateLimitType")).startswith("seven_day")
        kind = Trouble.WEEKLY_LIMIT if weekly else Trouble.USAGE_LIMIT
        return Failure(kind=kind, message=failure.message, resets_at=resets_at)
    epoch = EPOCH.search(failure.message)
    said = from_epoch(int(epoch[1])) if epoch else read_reset(failure.message, now)
    return Failure(kind=failure.kind, message=failure.message, resets_at=said)


def _usage(result: Event) -> Usage | None:
    """The sum over all models, like the cost: `usage` leaves out sub-agents and broken streams."""
    models = [mapping(model) for model in mapping(result.get("modelUsage")).values()]
    if models:
        return _sum(models, "inputTokens", "cacheCreationInputTokens", "cacheReadInputTokens", "outputTokens")
    return _sum([mapping(result.get("usage"))], *TOKENS)


def _sum(items: list[Event], fresh: str, written: str, cached: str, output: str) -> Usage | None:
    return usage_in(items, read=[fresh, written, cached], wrote=[output], cached=[cached])


def read_text(text: str, end: CallEnd) -> Answer | None:
    """A failed call whose whole output is one sentence of the CLI, or a truncated document."""
    if TORN.match(text) and not qwen.TORN.match(text):
        return Answer(agent="claude", format=AnswerFormat.JSON, failure=_cut(""))
    sentence = (text.strip() or end.stderr.strip()[-MESSAGE_KEPT:]).replace("’", "'")
    kind = _own_sentence(sentence) or _api_error(sentence) if end.exit_code and "\n" not in sentence else None
    if kind is None:
        return None
    failure = Failure(kind=kind, message=sentence[:MESSAGE_KEPT])
    return Answer(agent="claude", failure=_with_reset(failure, {}, end.now))


FORMAT = OutputFormat(name="claude", claims=claims, reader=ClaudeReader, read_text=read_text)


READING_TOOLS = ("Read", "Grep", "Glob")
WRITING_TOOLS = ("Edit", "MultiEdit", "Write", "NotebookEdit")
DOCUMENTING_TOOLS = (*READING_TOOLS, *WRITING_TOOLS, "TodoWrite")
EDITING_TOOLS = ("Bash", *DOCUMENTING_TOOLS, "Task")
UNASKED = ("--dangerously-skip-permissions",)
ALLOWS = ("--allowedTools", "--allowed-tools")


def command_words(errand: Errand) -> tuple[str, ...]:
    """stream-json needs --verbose.

    Commands that only read, `git diff` among them, a reviewer may run without a rule. A rule for `git diff` would allow
    its --output too.
    """
    allowed: tuple[str, ...] = DOCUMENTING_TOOLS
    refused: tuple[str, ...] = ("Bash",)
    if not errand.may_edit:
        allowed, refused = READING_TOOLS, WRITING_TOOLS
    elif errand.may_run:
        allowed, refused = EDITING_TOOLS, ()
    elif "Bash" in (errand.given(*ALLOWS) or ""):
        refused = ()
    return (
        *("-p", "--output-format", "stream-json", "--verbose"),
        *errand.unless_given("--permission-mode", "acceptEdits" if errand.may_edit else "default", *UNASKED),
        *("--allowedTools", ",".join(allowed)),
        *(("--disallowedTools", ",".join(refused)) if refused else ()),
        *errand.unless_given("--model", errand.model),
        *(("--resume", errand.session) if errand.session else ()),
        *errand.args,
    )


def hampered(errand: Errand, environment: Mapping[str, str], is_root: bool) -> str:
    if errand.may_edit and errand.given("--permission-mode") == "plan":
        return "--permission-mode plan lets it change nothing"
    unasked = errand.given(*UNASKED) is not None or errand.given("--permission-mode") == "bypassPermissions"
    if unasked and is_root and not environment.get("IS_SANDBOX"):
        return "as root it refuses to work without asking; run as another user, or set IS_SANDBOX=1 in a container"
    return ""


CLIENT = Client(
    output=FORMAT,
    program="claude",
    package="@anthropic-ai/claude-code",
    words=command_words,
    variables=("ANTHROPIC_*", "CLAUDE_CODE_*", "CLAUDE_CONFIG_DIR", "DISABLE_*", "MAX_THINKING_TOKENS", "IS_SANDBOX"),
    keys=(
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "CLAUDE_CODE_OAUTH_TOKEN",
        "CLAUDE_CODE_USE_BEDROCK",
        "CLAUDE_CODE_USE_VERTEX",
    ),
    logins=(LoginFile(variable="CLAUDE_CONFIG_DIR", folder=".claude", name=".credentials.json"),),
    hosts=("api.anthropic.com", "platform.claude.com", "claude.ai"),
    addresses=("ANTHROPIC_BASE_URL",),
    log_in="run 'claude' once and log in, or set ANTHROPIC_API_KEY",
    settings=(
        LoginFile(variable="CLAUDE_CONFIG_DIR", folder=".claude", name="settings.json"),
        LoginFile(variable="CLAUDE_CONFIG_DIR", folder="", name=".claude.json"),
        LoginFile(variable="", folder="/etc/claude-code", name="managed-settings.json"),
    ),
    at_home=(".claude.json", ".cache/claude-cli-nodejs"),
    # Set by a Claude Code that started dualgate.
    withheld=frozenset({"CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT", "CLAUDE_CODE_SESSION_ID"}),
    variables_when={
        "CLAUDE_CODE_USE_BEDROCK": ("AWS_*",),
        "CLAUDE_CODE_USE_VERTEX": ("GOOGLE_*", "CLOUDSDK_*", "CLOUD_ML_REGION", "VERTEX_*"),
    },
    # The loop retries itself, and reports a limit that ten silent retries would hide.
    sets=lambda _: {"DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_MAX_RETRIES": "3"},
    hampered=hampered,
    hints={
        Trouble.DENIED: 'allow it with agents.default.args = ["--allowedTools", "<tool>"]',
        Trouble.TURN_LIMIT: "--max-turns in agents.default.args is too low",
        Trouble.BUDGET: "--max-budget-usd in agents.default.args is used up",
    },
    keychain=True,
    tells_cost=True,
    tells_limit_use=True,
    smallest_call=40_000,
)
