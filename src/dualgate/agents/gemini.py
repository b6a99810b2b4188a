"""Gemini CLI: JSON lines (stream-json), one document (json) whose errors go to standard error, or plain text."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from dualgate.agents.client import Client, DefaultSettings, Errand, LoginFile
from dualgate.agents.formats import Doing, Event, OutputFormat
from dualgate.agents.refusals import from_iso, reset_in_sentence, trouble_of_sentence, trouble_of_status
from dualgate.agents.values import NAMES_KEPT, TextTail, count, mapping, remember, remember_questions, string, usage_in
from dualgate.core.values.answer import LIMITS, Answer, AnswerFormat, CallEnd, Failure, Trouble, Usage

__all__ = ["CLIENT", "FORMAT", "approval_words", "without_approval"]

NAME = "gemini"
# An exit code is one byte, so gemini exits with an HTTP status modulo 256.
STATUS_OF_EXIT = {status % 256: status for status in (400, 401, 402, 403, 404, 413, 429, 500, 502, 503, 504, 529)}
TURN_LIMIT_EXIT = 53
TROUBLE_OF_EXIT = {41: Trouble.AUTHENTICATION, TURN_LIMIT_EXIT: Trouble.TURN_LIMIT, 130: Trouble.INTERRUPTED}
TROUBLE_OF_TYPE = {
    "FatalAuthenticationError": Trouble.AUTHENTICATION,
    "FatalTurnLimitedError": Trouble.TURN_LIMIT,
    "FatalCancellationError": Trouble.INTERRUPTED,
    "ModelNotFoundError": Trouble.MODEL_UNKNOWN,
    "TerminalQuotaError": Trouble.USAGE_LIMIT,
}
# These say more than a status 400 or 429, and an error event has no status.
SENTENCES = tuple(
    (re.compile(words), kind)
    for words, kind in (
        (r"exhausted your (?:daily quota|capacity)", Trouble.USAGE_LIMIT),
        (r"input token count .* exceeds", Trouble.CONTEXT_FULL),
        (r"API key (?:not valid|expired)", Trouble.AUTHENTICATION),
        (r"Maximum session turns exceeded|Reached max session turns", Trouble.TURN_LIMIT),
        (r"Model stream ended", Trouble.CUT_STREAM),
    )
)
NOT_OFFERED = frozenset({"tool_not_registered", "policy_violation"})
QUESTION_TOOL = "ask_user"

CODE = re.compile(r'"code\\*":\s*(\d{3})\b')
RETRY = re.compile(r"\. Retrying (?:with backoff|after \d+ms)\.\.\.")
REPORT_OPENING = "Error when talking to Gemini API"
REPORT = re.compile(
    re.escape(REPORT_OPENING)
    + r"(?: Full report available at: [^\n]*?\.json)? (?P<type>\w+): (?P<message>.*?)(?=\n +at |\n\}|\Z)",
    re.DOTALL,
)
REPORTED_STATUS = re.compile(r"^  (?:status|code): (\d{3})\b", re.MULTILINE)
END_OF_FAILURE = re.compile(r"^(?:An unexpected critical error occurred:[^\n]*|\})\s*\Z", re.MULTILINE)
NO_REASON = "gemini reports a failure without a reason"
TURN_LIMIT = re.compile(r"^(?:\[ERROR\] )?(Reached max session turns for this session\b.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorReport:
    """An error as gemini reports it: in an event, a document or a stack trace."""

    type: str = ""
    message: str
    status: int | None = None


def claims(event: Event) -> bool:
    match event:
        case (
            {"type": "init", "session_id": str(), "model": str(), "timestamp": str()}
            | {"type": "message", "role": str(), "content": str(), "timestamp": str()}
            | {"type": "tool_use", "tool_name": str(), "tool_id": str()}
            | {"type": "tool_result", "tool_id": str(), "status": str()}
            | {"type": "error", "severity": str(), "message": str()}
            | {"type": "result", "status": str(), "timestamp": str()}
        ):
            return True
        case {"response": str(), "stats": {"models": {}}} | {"session_id": str(), "error": {"message": str()}}:
            return "type" not in event
    return False


class GeminiReader:
    def __init__(self) -> None:
        self.doing = Doing()
        self._session_id: str | None = None
        self._model: str | None = None
        self._text = TextTail()
        self._usage: Usage | None = None
        self._turns: int | None = None
        self._tools: dict[str, str] = {}
        self._denied: list[str] = []
        self._questions: list[str] = []
        self._warnings: list[str] = []
        self._ended: str | None = None
        self._error: ErrorReport | None = None
        self._said_at: datetime | None = None

    def feed(self, event: Event) -> None:
        match event.get("type"):
            case "message" if event.get("role") == "assistant":
                self._text.add(string(event.get("content")) or "")
                self._error = None
            case "tool_use":
                self._take_tool(event.get("tool_name"), event.get("tool_id"), event.get("parameters"))
            case "tool_result":
                self._take_tool_result(event.get("tool_id"), event.get("error"))
            case "init":
                self._session_id, self._model = string(event.get("session_id")), string(event.get("model"))
            case "error" if event.get("severity") == "error":
                self._error = _report_of(event)
            case "error":
                remember(self._warnings, event.get("message"))
            case "result":
                self._take_result(event)
            case None:
                self._take_document(event)

    def finish(self, end: CallEnd) -> Answer:
        return Answer(
            text=self._text.text(),
            # Gemini CLI keeps no session if the model wrote nothing.
            session_id=None if self._usage and not self._usage.output else self._session_id,
            model=self._model,
            usage=self._usage,
            turns=self._turns,
            denied=tuple(self._denied),
            questions=tuple(self._questions),
            retries=len(RETRY.findall(end.stderr)),
            failure=self._failure(end),
            problems=tuple(self._warnings),
        )

    def _take_tool(self, name: object, tool_id: object, parameters: object) -> None:
        if isinstance(name, str) and isinstance(tool_id, str) and len(self._tools) < NAMES_KEPT:
            self._tools[tool_id] = name
        self.doing.use(name, parameters)
        if name == QUESTION_TOOL:
            remember_questions(self._questions, mapping(parameters).get("questions"))

    def _take_tool_result(self, tool_id: object, error: object) -> None:
        self._text.clear()
        name = self._tools.pop(tool_id, None) if isinstance(tool_id, str) else None
        if string(mapping(error).get("type")) in NOT_OFFERED:
            remember(self._denied, name or tool_id)

    def _take_result(self, event: Event) -> None:
        self._ended = string(event.get("status"))
        self._said_at = from_iso(event.get("timestamp"))
        unexplained = _report_of({}) if self._ended == "error" else None
        self._error = _report_of(event.get("error")) or self._error or unexplained
        if stats := mapping(event.get("stats")):
            self._usage = usage_in([stats], read=["input_tokens"], wrote=["output_tokens"], cached=["cached"])
            self.doing.tokens = self._usage.input + self._usage.output if self._usage else 0

    def _take_document(self, event: Event) -> None:
        if not ("response" in event or "error" in event):
            return
        self._session_id = string(event.get("session_id"))
        self._error = _report_of(event.get("error"))
        self._ended = "success" if isinstance(event.get("response"), str) else None
        self._text.add(string(event.get("response")) or "")
        if models := mapping(mapping(event.get("stats")).get("models")):
            self._take_models({name: mapping(each) for name, each in models.items()})

    def _take_models(self, models: Mapping[str, Event]) -> None:
        tokens = {name: mapping(each.get("tokens")) for name, each in models.items()}
        self._model = max(tokens, key=lambda name: count(tokens[name].get("total")))
        self._turns = sum(count(mapping(each.get("api")).get("totalRequests")) for each in models.values())
        listed = list(tokens.values())
        self._usage = usage_in(listed, read=["prompt"], wrote=["candidates", "thoughts"], cached=["cached"])

    def _failure(self, end: CallEnd) -> Failure | None:
        if self._error is not None:
            return failure_of(self._error, end, self._said_at)
        if self._ended == "success":
            return None
        reported = reported_in(end.stderr)
        return failure_of(reported, end) if reported else Failure(kind=Trouble.CUT_STREAM, message="there is no result")


def failure_of(error: ErrorReport, end: CallEnd, said_at: datetime | None = None) -> Failure:
    kind = next(_kinds(error, end))
    limited_at = said_at or end.now
    resets_at = reset_in_sentence(error.message, limited_at, other_day=True) if kind in LIMITS else None
    return Failure(kind=kind, message=error.message, resets_at=resets_at)


def _kinds(error: ErrorReport, end: CallEnd) -> Iterator[Trouble]:
    """The possible kinds, the most certain first. Sometimes only standard error has the type and the status."""
    reported = reported_in(end.stderr) or error
    yield from (TROUBLE_OF_TYPE[type_] for type_ in (error.type, reported.type) if type_ in TROUBLE_OF_TYPE)
    yield from (kind for words, kind in SENTENCES if words.search(error.message))
    code = CODE.search(error.message)
    statuses = (error.status, int(code[1]) if code else None, reported.status, STATUS_OF_EXIT.get(end.exit_code or 0))
    status = next((status for status in statuses if status is not None), None)
    known = (trouble_of_status(status), trouble_of_sentence(error.message), TROUBLE_OF_EXIT.get(end.exit_code or 0))
    yield from (kind for kind in known if kind is not None)
    # An API error without a status is an error of the connection.
    yield Trouble.CUT_STREAM if status is None and error.message.startswith("[API Error") else Trouble.CRASH


def _report_of(error: object) -> ErrorReport | None:
    if error is None:
        return None
    fields, status = mapping(error), count(mapping(error).get("code"))
    return ErrorReport(
        type=string(fields.get("type")) or "",
        message=string(fields.get("message")) or NO_REASON,
        status=status if 400 <= status < 600 else None,
    )


def reported_in(output: str) -> ErrorReport | None:
    """The last error with a stack trace."""
    found = REPORT.match(output, output.rfind("\n" + REPORT_OPENING) + 1)
    if found is None:
        return None
    statuses = REPORTED_STATUS.findall(output, found.end())
    status = int(statuses[-1]) if statuses else None
    return ErrorReport(type=found["type"], message=found["message"].strip(), status=status)


def document_in(output: str) -> Event | None:
    """The JSON document of an error, which the json mode writes to standard error."""
    try:
        document, _ = json.JSONDecoder().raw_decode(output, output.rfind("\n{\n") + 1)
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) and claims(document) else None


def read_text(text: str, end: CallEnd) -> Answer | None:
    # After a signal (a negative code) the last line is not the reason.
    if end.exit_code is None or end.exit_code <= 0:
        return None
    return _failed(end.stderr, text, end) or (_failed(text, "", end) if END_OF_FAILURE.search(text) else None)


def _failed(output: str, text: str, end: CallEnd) -> Answer | None:
    end = replace(end, stderr=output)
    if document := document_in(output):
        reader = GeminiReader()
        reader.feed(document)
        return replace(reader.finish(end), agent=NAME, format=AnswerFormat.JSON)
    if error := reported_in(output):
        return Answer(agent=NAME, text=text, retries=len(RETRY.findall(output)), failure=failure_of(error, end))
    limited = TURN_LIMIT.search(output) if end.exit_code == TURN_LIMIT_EXIT else None
    # Qwen, a fork of gemini, writes the same sentence, so the agent stays unnamed.
    return Answer(text=text, failure=failure_of(ErrorReport(message=limited[1]), end)) if limited else None


FORMAT = OutputFormat(name=NAME, claims=claims, reader=GeminiReader, read_text=read_text)


ATTEMPT = re.compile(r"^Attempt \d+ failed(?P<error>.*?)\.? ?Retrying (?:with backoff|after \d+ms)", re.MULTILINE)


def attempts(log: str) -> Iterator[str]:
    return (found["error"] for found in ATTEMPT.finditer(log))


def command_words(errand: Errand) -> tuple[str, ...]:
    return ("--output-format", "stream-json", "--skip-trust", *approval_words(errand, "auto_edit"))


def approval_words(errand: Errand, edits: str) -> tuple[str, ...]:
    """The flags that gemini shares with its fork qwen, but for the name of the mode that edits and has no shell.

    In the default mode and without a terminal it can only read.
    """
    mode = "default" if not errand.may_edit else "yolo" if errand.may_run else edits
    return (
        *errand.unless_given("--approval-mode", mode, "-y", "--yolo"),
        *errand.unless_given("--model", errand.model, "-m"),
        *(("--resume", errand.session) if errand.session else ()),
        *errand.args,
    )


def without_approval(errand: Errand, environment: Mapping[str, str], is_root: bool) -> str:
    """Why the user's --approval-mode prevents an edit; empty if it does not."""
    del environment, is_root
    mode = errand.given("--approval-mode")
    reads_only = errand.may_edit and mode in ("default", "plan")
    return f"--approval-mode {mode} lets it change nothing without a terminal" if reads_only else ""


CLIENT = Client(
    output=FORMAT,
    program="gemini",
    package="@google/gemini-cli",
    words=command_words,
    variables=("GEMINI_*", "GOOGLE_*"),
    keys=("GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_GENAI_USE_GCA"),
    logins=(
        LoginFile(variable="GEMINI_CLI_HOME", folder="", name=".gemini/oauth_creds.json"),
        LoginFile(variable="GEMINI_CLI_HOME", folder="", name=".gemini/.env"),
    ),
    hosts=("generativelanguage.googleapis.com", "cloudcode-pa.googleapis.com", "oauth2.googleapis.com"),
    addresses=("GOOGLE_GEMINI_BASE_URL",),
    log_in="run 'gemini' once and log in, or set GEMINI_API_KEY",
    settings=(LoginFile(variable="GEMINI_CLI_HOME", folder="", name=".gemini/settings.json"),),
    defaults=DefaultSettings(
        variable="GEMINI_CLI_SYSTEM_DEFAULTS_PATH",
        installed=(
            "/etc/gemini-cli/system-defaults.json",
            "/Library/Application Support/GeminiCli/system-defaults.json",
        ),
    ),
    attempts=attempts,
    hampered=without_approval,
    hints={
        Trouble.DENIED: 'allow it with agents.default.args = ["--approval-mode", "yolo"]',
        Trouble.TURN_LIMIT: "model.maxSessionTurns in ~/.gemini/settings.json is too low",
    },
    smallest_call=12_000,
)
