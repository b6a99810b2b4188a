"""What `gemini` puts out: JSON lines (stream-json), one document (json) whose errors go to standard error, or text."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from dualgate.agents.approval import approval_words, without_approval
from dualgate.agents.client import Client, Errand, LoginFile
from dualgate.agents.doing import Doing
from dualgate.agents.formats import Event, OutputFormat
from dualgate.agents.refusals import from_iso, reset_in_sentence, trouble_of_sentence, trouble_of_status
from dualgate.agents.values import NAMES_KEPT, TextTail, count, mapping, remember, remember_questions, string, usage_in
from dualgate.core.values.answer import LIMITS, Answer, AnswerFormat, CallEnd, Failure, Trouble, Usage

__all__ = ["CLIENT", "FORMAT"]


NAME = "gemini"
# what a program may exit with is one byte, so an HTTP status comes out modulo 256
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
# a status 400 or 429 alone would say less than these, and an error event has no status
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
UNTOLD = "gemini says that it failed, and not why"
TURN_LIMIT = re.compile(r"^(?:\[ERROR\] )?(Reached max session turns for this session\b.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """An error as gemini tells it, in whatever place."""

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
        self._error: Told | None = None
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
                self._error = _told(event)
            case "error":
                remember(self._warnings, event.get("message"))
            case "result":
                self._take_result(event)
            case None:
                self._take_document(event)

    def finish(self, end: CallEnd) -> Answer:
        return Answer(
            text=self._text.text(),
            # of a call in which the model said nothing, Gemini CLI keeps no session that could go on
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
        self._error = _told(event.get("error")) or self._error or (_told({}) if self._ended == "error" else None)
        if stats := mapping(event.get("stats")):
            self._usage = usage_in([stats], read=["input_tokens"], wrote=["output_tokens"], cached=["cached"])
            self.doing.tokens = self._usage.input + self._usage.output if self._usage else 0

    def _take_document(self, event: Event) -> None:
        if not ("response" in event or "error" in event):
            return
        self._session_id = string(event.get("session_id"))
        self._error = _told(event.get("error"))
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


def failure_of(told: Told, end: CallEnd, said_at: datetime | None = None) -> Failure:
    kind = next(_kinds(told, end))
    resets_at = reset_in_sentence(told.message, said_at or end.now) if kind in LIMITS else None
    return Failure(kind=kind, message=told.message, resets_at=resets_at)


def _kinds(told: Told, end: CallEnd) -> Iterator[Trouble]:
    """What it may be, the surest first. The type and the status may stand in the report on standard error only."""
    reported = reported_in(end.stderr) or told
    yield from (TROUBLE_OF_TYPE[type_] for type_ in (told.type, reported.type) if type_ in TROUBLE_OF_TYPE)
    yield from (kind for words, kind in SENTENCES if words.search(told.message))
    code = CODE.search(told.message)
    statuses = (told.status, int(code[1]) if code else None, reported.status, STATUS_OF_EXIT.get(end.exit_code or 0))
    status = next((status for status in statuses if status is not None), None)
    known = (trouble_of_status(status), trouble_of_sentence(told.message), TROUBLE_OF_EXIT.get(end.exit_code or 0))
    yield from (kind for kind in known if kind is not None)
    # an error of the API that has no status is one of transport
    yield Trouble.CUT_STREAM if status is None and told.message.startswith("[API Error") else Trouble.CRASH


def _told(error: object) -> Told | None:
    if error is None:
        return None
    told, status = mapping(error), count(mapping(error).get("code"))
    return Told(
        type=string(told.get("type")) or "",
        message=string(told.get("message")) or UNTOLD,
        status=status if 400 <= status < 600 else None,
    )


def reported_in(told: str) -> Told | None:
    """The last error that was reported with its stack."""
    found = REPORT.match(told, told.rfind("\n" + REPORT_OPENING) + 1)
    if found is None:
        return None
    statuses = REPORTED_STATUS.findall(told, found.end())
    return Told(type=found["type"], message=found["message"].strip(), status=int(statuses[-1]) if statuses else None)


def document_in(told: str) -> Event | None:
    """The error as a document, which the json mode puts on standard error."""
    try:
        document, _ = json.JSONDecoder().raw_decode(told, told.rfind("\n{\n") + 1)
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) and claims(document) else None


def read_text(text: str, end: CallEnd) -> Answer | None:
    # a signal gives a negative code, and what stands at the end then is anything
    if end.exit_code is None or end.exit_code <= 0:
        return None
    return _read(end.stderr, text, end) or (_read(text, "", end) if END_OF_FAILURE.search(text) else None)


def _read(told: str, text: str, end: CallEnd) -> Answer | None:
    end = replace(end, stderr=told)
    if document := document_in(told):
        reader = GeminiReader()
        reader.feed(document)
        return replace(reader.finish(end), agent=NAME, format=AnswerFormat.JSON)
    if error := reported_in(told):
        return Answer(agent=NAME, text=text, retries=len(RETRY.findall(told)), failure=failure_of(error, end))
    limited = TURN_LIMIT.search(told) if end.exit_code == TURN_LIMIT_EXIT else None
    # qwen, which was made from gemini, says the same, so the agent stays unnamed
    return Answer(text=text, failure=failure_of(Told(message=limited[1]), end)) if limited else None


FORMAT = OutputFormat(name=NAME, claims=claims, reader=GeminiReader, read_text=read_text)


def command_words(errand: Errand) -> tuple[str, ...]:
    return ("--output-format", "stream-json", "--skip-trust", *approval_words(errand))


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
    log_in="run 'gemini' once and log in, or set GEMINI_API_KEY",
    hampered=without_approval,
    hints={
        Trouble.DENIED: 'allow it with agents.default.args = ["--approval-mode", "yolo"]',
        Trouble.TURN_LIMIT: "model.maxSessionTurns in ~/.gemini/settings.json is too low",
    },
    smallest_call=12_000,
)
