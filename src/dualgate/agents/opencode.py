"""opencode, `opencode run`: JSON lines (--format json), or text with the errors on standard error."""

import json
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from dualgate.agents import refusals
from dualgate.agents.client import Client, Errand, LoginFile
from dualgate.agents.formats import Doing, Event, OutputFormat
from dualgate.agents.reset_times import from_epoch, later
from dualgate.agents.values import TextTail, added, amount, mapping, remember, remember_questions, string, usage_in
from dualgate.core.values.answer import LIMITS, Answer, CallEnd, Failure, Trouble, Usage

__all__ = ["CLIENT", "FORMAT"]


NAME = "opencode"
TROUBLE_OF_NAME = {
    "ContextOverflowError": Trouble.CONTEXT_FULL,
    "ProviderAuthError": Trouble.AUTHENTICATION,
    "ProviderModelNotFoundError": Trouble.MODEL_UNKNOWN,
    "MessageOutputLengthError": Trouble.OUTPUT_CAP,
    "MessageAbortedError": Trouble.INTERRUPTED,
    "ContentFilterError": Trouble.REFUSAL,
}
TROUBLE_OF_REASON = {"length": Trouble.OUTPUT_CAP, "content-filter": Trouble.REFUSAL, "error": Trouble.SERVER_ERROR}
# After a step with one of these reasons opencode takes another step.
GOING_ON = frozenset({"tool-calls", "unknown"})
DENIALS = (
    "The user rejected permission to use this specific tool call",
    "The user has specified a rule which prevents you from using this specific tool call",
)
QUESTION_TOOL = "question"
MOST_COMPACTIONS = 3
COMPACTS = f"opencode compacted the conversation {MOST_COMPACTIONS} times without using a tool"

COLOUR = re.compile(r"\x1b\[[\d;]*m")
HEADER = re.compile(r"^> \S.* · (\S+)$", re.MULTILINE)
ERROR_MARK = "\x1b[91m\x1b[1mError: \x1b[0m"
LAST_ERROR = re.compile(r"Error: (?P<message>.+)", re.DOTALL)
REJECTED = re.compile(r"^! +(?P<message>permission requested: (?P<name>\w+)\b.*auto-rejecting)$", re.MULTILINE)
# Only the log names some errors; the event has the same ref.
LOGGED = r'\bref={ref} error="(?P<name>\w+): (?P<message>(?:[^"\\]|\\.)*)"'
SECONDS = re.compile(r"\d{1,9}(?:\.\d{1,9})?")
HTTP_DATE = re.compile(r"[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT")


def claims(event: Event) -> bool:
    match event:
        case {"type": "step_start" | "step_finish" | "text" | "tool_use" | "reasoning", "sessionID": str(), "part": {}}:
            return True
        case {"type": "error", "sessionID": str(), "error": {}}:
            return True
    return False


class OpencodeReader:
    def __init__(self) -> None:
        self.doing = Doing()
        self._session_id: str | None = None
        self._text = TextTail()
        self._steps = 0
        self._compactions = 0
        self._usage: Usage | None = None
        self._cost: float | None = None
        self._reason: str | None = None
        self._denied: list[str] = []
        self._denial: str | None = None
        self._questions: list[str] = []
        self._error: Mapping[str, Any] | None = None
        self._failed_at: datetime | None = None

    def feed(self, event: Event) -> None:
        self._session_id = self._session_id or string(event.get("sessionID"))
        part = mapping(event.get("part"))
        match event.get("type"):
            case "text" if part.get("synthetic"):
                self._go_on_after_compaction()
            case "text":
                self._take_text(string(part.get("text")) or "")
            case "tool_use":
                self._take_tool(part.get("tool"), mapping(part.get("state")))
            case "step_start":
                self._open_step()
            case "step_finish":
                self._close_step(part)
            case "error":
                self._error = mapping(event.get("error"))
                self._failed_at = from_epoch((amount(event.get("timestamp")) or 0) / 1000)

    def finish(self, end: CallEnd) -> Answer:
        return Answer(
            text=self._text.text(),
            session_id=self._session_id,
            usage=self._usage,
            cost_usd=self._cost,
            turns=self._steps,
            stop_reason=self._reason,
            denied=tuple(self._denied),
            questions=tuple(self._questions),
            failure=self._failure(end),
        )

    def _go_on_after_compaction(self) -> None:
        """Compaction that leaves no room for work is repeated without end, and each time is paid for."""
        self._compactions += 1
        if self._compactions >= MOST_COMPACTIONS:
            self.doing.dead_end = Failure(kind=Trouble.CONTEXT_FULL, message=COMPACTS)

    def _open_step(self) -> None:
        self._text.clear()
        self._reason = self._denial = None

    def _take_text(self, text: str) -> None:
        if self._reason is not None:
            self._open_step()
        self._text.add_apart(text)

    def _take_tool(self, tool: object, state: Mapping[str, Any]) -> None:
        if self._reason is not None:
            self._open_step()
        self._compactions = 0
        self.doing.use(tool, state.get("input"))
        message = string(state.get("error")) or ""
        if state.get("status") == "error" and message.startswith(DENIALS):
            remember(self._denied, tool)
            self._denial = message
        if tool == QUESTION_TOOL:
            remember_questions(self._questions, mapping(state.get("input")).get("questions"))

    def _close_step(self, part: Mapping[str, Any]) -> None:
        self._steps += 1
        self._reason = string(part.get("reason"))
        cost = amount(part.get("cost"))
        if cost is not None:
            self._cost = (self._cost or 0.0) + cost
        if tokens := mapping(part.get("tokens")):
            self._usage = added(self._usage, _usage(tokens))
            self.doing.tokens = self._usage.input + self._usage.output if self._usage else 0

    def _failure(self, end: CallEnd) -> Failure | None:
        ended = self._reason is not None and self._reason not in GOING_ON
        # An error is past if a later step ended well.
        if self._error is not None and not (ended and end.exit_code == 0):
            return failure_of(named_in(end.stderr, self._error), self._failed_at or end.now)
        if ended:
            kind = TROUBLE_OF_REASON.get(self._reason or "")
            return Failure(kind=kind, message=f"the last step ended with '{self._reason}'") if kind else None
        if self._denial is not None:
            return Failure(kind=Trouble.DENIED, message=self._denial)
        return Failure(kind=Trouble.CUT_STREAM, message="the stream ends before its last step")


def _usage(tokens: Mapping[str, Any]) -> Usage | None:
    flat = {**tokens, **mapping(tokens.get("cache"))}
    return usage_in([flat], read=["input", "read", "write"], wrote=["output", "reasoning"], cached=["read"])


def named_in(log: str, error: Mapping[str, Any]) -> Mapping[str, Any]:
    """The error with its name and message from the log; unchanged if the log has none."""
    ref = string(mapping(error.get("data")).get("ref"))
    found = re.search(LOGGED.format(ref=re.escape(ref)), log) if ref else None
    return {"name": found["name"], "data": {"message": found["message"]}} if found else error


def failure_of(error: Mapping[str, Any], said_at: datetime) -> Failure:
    """The failure of an error event: it has a name and, for an APIError, the provider's answer."""
    data = mapping(error.get("data"))
    name, message = string(error.get("name")) or "", string(data.get("message")) or ""
    body = refusals.error_in(data.get("responseBody"))
    kind = next(_kinds(name, message, data.get("statusCode"), body))
    resets_at = None
    if kind in LIMITS:
        retry_at = _retry_after(data.get("responseHeaders"), said_at)
        in_sentence = refusals.reset_in_sentence(message, said_at, other_day=True)
        resets_at = refusals.reset_in_error(body, said_at) or retry_at or in_sentence
    if kind is Trouble.USAGE_LIMIT:
        kind = refusals.usage_limit(resets_at, said_at)
    return Failure(kind=kind, message=message or name, resets_at=resets_at)


def _kinds(name: str, message: str, status: object, body: Mapping[str, Any]) -> Iterator[Trouble]:
    """The possible kinds, the most certain first."""
    known = (refusals.trouble_of_error(body), refusals.trouble_of_status(status), refusals.trouble_of_sentence(message))
    yield from (kind for kind in (TROUBLE_OF_NAME.get(name), *known) if kind is not None)
    # Without a status, the provider was not reached.
    yield Trouble.SERVER_ERROR if name == "APIError" and status is None else Trouble.CRASH


def _retry_after(headers: object, said_at: datetime) -> datetime | None:
    milliseconds = mapping(headers).get("retry-after-ms")
    if isinstance(milliseconds, str) and SECONDS.fullmatch(milliseconds):
        return later(said_at, float(milliseconds) / 1000)
    value = mapping(headers).get("retry-after")
    if not isinstance(value, str):
        return None
    if SECONDS.fullmatch(value):
        return later(said_at, float(value))
    from email.utils import parsedate_to_datetime  # imported late: it loads sockets, and a date is rare

    try:
        return parsedate_to_datetime(value) if HTTP_DATE.fullmatch(value) else None
    except ValueError:
        return None


def read_text(text: str, end: CallEnd) -> Answer | None:
    if end.exit_code == 0:
        return _rejected(text, end)
    # After a signal (a negative code) the last line is not the reason.
    if end.exit_code is None or end.exit_code < 0:
        return None
    return _failed(end.stderr, text, end) or _failed(text, "", end)


def _rejected(text: str, end: CallEnd) -> Answer | None:
    """A denied tool ends the run with exit code 0 and no text."""
    found = None if text.strip() else REJECTED.search(COLOUR.sub("", end.stderr))
    if found is None:
        return None
    failure = Failure(kind=Trouble.DENIED, message=found["message"])
    return Answer(agent=NAME, text=text, denied=(found["name"],), failure=failure)


def _failed(output: str, text: str, end: CallEnd) -> Answer | None:
    plain = COLOUR.sub("", output).rstrip()
    header = HEADER.search(plain)
    found = LAST_ERROR.match(plain, plain.rfind("\nError: ") + 1)
    if found is None or not (header or ERROR_MARK in output):
        return None
    failure = failure_of({"data": {"message": found["message"]}}, end.now)
    return Answer(agent=NAME, text=text, model=header[1] if header else None, failure=failure)


FORMAT = OutputFormat(name=NAME, claims=claims, reader=OpencodeReader, read_text=read_text)


# The last rule that matches decides. git writes a file with --output, and a shell with a redirection.
LOOKING = (
    {"*": "deny"}
    | {f"git {word}*": "allow" for word in ("diff", "log", "show", "status")}
    | dict.fromkeys(("*--output*", "*--ext-diff*", "*>*", "*$(*", "*`*"), "deny")
)
# as opencode itself has it, if nothing is said
READABLE = {"*": "allow", "*.env": "deny", "*.env.*": "deny", "*.env.example": "allow"}
READING = {
    "*": "deny",
    "read": READABLE,
    **dict.fromkeys(("grep", "glob", "list", "todowrite", "todoread"), "allow"),
    "bash": LOOKING,
    **dict.fromkeys(("edit", "external_directory", "doom_loop"), "deny"),
}
DOCUMENTING = READING | {"edit": "allow", "bash": "deny"}
EDITING = {"edit": "allow", "bash": "allow", "external_directory": "deny", "doom_loop": "deny"}


# A small model makes titles; its errors are not those of the work.
ATTEMPT = re.compile(r'message="stream error".* small=false .*error\.error="(?P<error>(?:[^"\\]|\\.)*)"')


def attempts(log: str) -> Iterator[str]:
    return (found["error"] for found in ATTEMPT.finditer(log))


def command_words(errand: Errand) -> tuple[str, ...]:
    """Only the log reports an unknown model."""
    return (
        *("run", "--format", "json", "--print-logs"),
        *errand.unless_given("--log-level", "ERROR"),
        *errand.unless_given("--model", errand.model, "-m"),
        *(("--session", errand.session) if errand.session else ()),
        *errand.args,
    )


def variables_set(errand: Errand) -> Mapping[str, str]:
    """Permissions for every tool: nobody can answer a question, and a question ends the call."""
    allowed = READING if not errand.may_edit else EDITING if errand.may_run else DOCUMENTING
    return {"OPENCODE_PERMISSION": json.dumps(allowed), "OPENCODE_DISABLE_AUTOUPDATE": "1"}


def hampered(errand: Errand, environment: Mapping[str, str], is_root: bool) -> str:
    """The user's OPENCODE_PERMISSION replaces ours, and may be one word for all tools."""
    del is_root
    try:
        given = json.loads(environment.get("OPENCODE_PERMISSION") or "{}")
    except ValueError:
        return "OPENCODE_PERMISSION is not JSON"
    edit = given if isinstance(given, str) else mapping(given).get("edit", mapping(given).get("*"))
    refuses = errand.may_edit and edit in ("deny", "ask")
    return f"OPENCODE_PERMISSION says '{edit}' to its edits" if refuses else ""


CLIENT = Client(
    output=FORMAT,
    program="opencode",
    package="opencode-ai",
    words=command_words,
    variables=("OPENCODE_*",),
    # Each provider has a key of its own.
    keys=(
        *("OPENCODE_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"),
        *("OPENROUTER_API_KEY", "GROQ_API_KEY", "MISTRAL_API_KEY", "XAI_API_KEY", "DEEPSEEK_API_KEY"),
        "OPENCODE_CONFIG_CONTENT",  # settings that may hold the key of a provider
    ),
    logins=(LoginFile(variable="XDG_DATA_HOME", folder=".local/share", name="opencode/auth.json"),),
    at_home=(".config/opencode", ".cache/opencode", ".local/state/opencode"),
    hosts=("opencode.ai", "models.dev"),
    log_in="run 'opencode auth login', or set the key of your provider, such as ANTHROPIC_API_KEY",
    settings=(
        LoginFile(variable="XDG_CONFIG_HOME", folder=".config", name="opencode/opencode.json"),
        LoginFile(variable="XDG_CONFIG_HOME", folder=".config", name="opencode/opencode.jsonc"),
    ),
    has_free_models=True,
    sets=variables_set,
    attempts=attempts,
    hampered=hampered,
    hints={
        Trouble.MODEL_UNKNOWN: "name another with --model provider/model",
        Trouble.DENIED: "allow it in the variable OPENCODE_PERMISSION",
    },
    tells_cost=True,
    smallest_call=12_000,
)
