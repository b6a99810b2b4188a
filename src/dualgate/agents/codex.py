"""Codex, `codex exec`: JSON lines (--json), or the final text with everything else on standard error."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import msgspec

from dualgate.agents import refusals
from dualgate.agents.client import Client, Errand, LoginFile
from dualgate.agents.formats import Doing, Event, OutputFormat
from dualgate.agents.reset_times import from_epoch
from dualgate.agents.values import is_count, limit_use, mapping, remember, remember_questions, string, usage_in
from dualgate.core.values.answer import LIMITS, NAME_LENGTH, Answer, CallEnd, Failure, LimitUse, Trouble, Usage

__all__ = ["CLIENT", "FORMAT"]


NAME = "codex"
RECONNECTING = "Reconnecting..."
# Types of items, as they are shown.
TOOLS = {
    "command_execution": "shell",
    "file_change": "edit",
    "mcp_tool_call": "tool",
    "web_search": "search",
    "todo_list": "plan",
}
SHELL = re.compile(r"^\S*sh -l?c ")
# The types of items that run in codex's own sandbox, and the errors with which that fails before a command starts.
SANDBOXED = ("command_execution", "file_change")
NO_SANDBOX = re.compile(r"(?:thread '[^']{0,40}' [^\n]{0,300}\n)?(bwrap: [^\n]+|error running landlock: [^\n]+)")
NO_SANDBOX_HINT = (
    'switch its sandbox off with agents.default.args = ["--sandbox", "danger-full-access"], and run dualgate in a '
    "container or with --sandbox bwrap"
)
OWN_LIMIT = re.compile(r"You[’']ve hit your usage limit", re.IGNORECASE)
# Codex has no error codes, only these sentences in its error fields.
SENTENCES = tuple(
    (re.compile(words, re.IGNORECASE), kind)
    for words, kind in (
        (OWN_LIMIT.pattern, Trouble.USAGE_LIMIT),
        (r"Quota exceeded|To use Codex with your ChatGPT plan", Trouble.QUOTA),
        (r"Selected model is at capacity", Trouble.OVERLOADED),
        (r"We[’']re currently experiencing high demand", Trouble.SERVER_ERROR),
        (r"Connection failed", Trouble.SERVER_ERROR),
        (r"Codex ran out of room", Trouble.CONTEXT_FULL),
        (r"stream disconnected before completion: idle timeout", Trouble.TIMED_OUT),
        (r"request timed out", Trouble.TIMED_OUT),
        (r"turn aborted|interrupted", Trouble.INTERRUPTED),
    )
)
BROKEN = re.compile(r"stream disconnected before completion|Error while reading the server response", re.IGNORECASE)
STATUS = re.compile(r"(?:unexpected status|last status:|\(status) (\d{3})\b")

BANNER = re.compile(r"^OpenAI Codex v\d", re.MULTILINE)
SESSION = re.compile(r"^session id: (\S+)$", re.MULTILINE)
MODEL = re.compile(r"^model: (\S+)$", re.MULTILINE)
RETRY = re.compile(r"^ERROR: Reconnecting\.\.\. \d+/\d+", re.MULTILINE)
LAST_ERROR = re.compile(r"ERROR: (?P<message>.+)", re.DOTALL)
TOKENS_USED = re.compile(r"\ntokens used\n[\d,]+\Z")
LONGEST_ERROR = 4096
LIMIT_ALONE = re.compile(r"(?:ERROR: )?(?P<message>You[’']ve hit your usage limit\b[^\n]*)")


def claims(event: Event) -> bool:
    match event:
        case (
            {"type": "thread.started", "thread_id": str()}
            | {"type": "turn.started"}
            | {"type": "turn.completed", "usage": {}}
            | {"type": "turn.failed", "error": {}}
            | {"type": "item.started" | "item.updated" | "item.completed", "item": {"type": str()}}
        ):
            return True
    return False


class CodexReader:
    def __init__(self) -> None:
        self.doing = Doing()
        self._session_id: str | None = None
        self._text = ""
        self._usage: Usage | None = None
        self._items = 0
        self._denied: list[str] = []
        self._questions: list[str] = []
        self._retries = 0
        self._completed = False
        self._error: str | None = None
        self._has_sandbox = False
        self._no_sandbox = ""

    def feed(self, event: Event) -> None:
        match event.get("type"):
            case "item.started":
                self._begin_item(mapping(event.get("item")))
            case "item.completed":
                self._take_item(mapping(event.get("item")))
            case "thread.started":
                self._session_id = string(event.get("thread_id"))
            case "turn.started":
                self._completed, self._error = False, None
            case "error":
                self._take_error(string(event.get("message")))
            case "turn.completed":
                self._completed, self._error = True, None
                self._usage = _usage(mapping(event.get("usage"))) or self._usage
                self.doing.tokens = self._usage.input + self._usage.output if self._usage else 0
            case "turn.failed":
                reason = string(mapping(event.get("error")).get("message"))
                self._completed, self._error = False, reason or self._error or "the turn failed"
            case "request_user_input":
                remember_questions(self._questions, event.get("questions"))

    def finish(self, end: CallEnd) -> Answer:
        return Answer(
            text=self._text,
            session_id=self._session_id,
            usage=self._usage,
            turns=self._items,
            denied=tuple(self._denied),
            questions=tuple(self._questions),
            retries=self._retries,
            failure=self._failure(end),
        )

    def _begin_item(self, item: Event) -> None:
        type_ = string(item.get("type")) or ""
        changes = item.get("changes")
        changed = mapping(changes[0]) if isinstance(changes, list) and changes else {}
        command = SHELL.sub("", string(item.get("command")) or "")
        about = changed.get("path") or command or item.get("tool") or item.get("query")
        self.doing.use(TOOLS.get(type_, type_), about)

    def _take_item(self, item: Event) -> None:
        type_ = string(item.get("type"))
        # Codex reports a warning, such as one about an unknown model, as an item of type error.
        if type_ is None or type_ == "error":
            return
        self._items += 1
        if type_ == "agent_message":
            self._text = string(item.get("text")) or ""
        if item.get("status") == "declined":
            remember(self._denied, type_)
        if type_ in SANDBOXED:
            self._look_at_sandbox(item)

    def _look_at_sandbox(self, item: Event) -> None:
        """Note whether codex's own sandbox runs commands. One that talks of bubblewrap may fail for another reason."""
        found = (
            NO_SANDBOX.match(string(item.get("aggregated_output")) or "") if item.get("status") == "failed" else None
        )
        if found and "bwrap" not in (string(item.get("command")) or ""):
            self._no_sandbox = self._no_sandbox or found[1]
        elif item.get("status") == "completed" or item.get("exit_code") is not None:
            self._has_sandbox = True

    def _take_error(self, message: str | None) -> None:
        if message is not None and message.startswith(RECONNECTING):
            self._retries += 1
        else:
            self._error = message or self._error

    def _failure(self, end: CallEnd) -> Failure | None:
        if self._completed:
            return None if self._has_sandbox or not self._no_sandbox else _without_sandbox(self._no_sandbox)
        if self._error is None:
            return Failure(kind=Trouble.CUT_STREAM, message="the stream ends before its turn")
        return failure_in(self._error, end.now)


def _without_sandbox(error: str) -> Failure:
    message = f"codex cannot start its own sandbox here, and none of its tools works: {error}"
    return Failure(kind=Trouble.DENIED, message=message, hint=NO_SANDBOX_HINT)


def _usage(tokens: Event) -> Usage | None:
    return usage_in([tokens], read=["input_tokens"], wrote=["output_tokens"], cached=["cached_input_tokens"])


def failure_in(message: str, now: datetime) -> Failure:
    """The failure that a message of codex, or of the provider behind it, reports."""
    error = refusals.error_in(message)
    kind = next(_kinds(message, error))
    resets_at = None
    if kind in LIMITS:
        # codex itself names the day unless it is today; a provider behind it may not
        is_other_day = not OWN_LIMIT.match(message)
        in_sentence = refusals.reset_in_sentence(message, now, other_day=is_other_day)
        resets_at = refusals.reset_in_error(error, now) or in_sentence
    if kind is Trouble.USAGE_LIMIT:
        kind = refusals.usage_limit(resets_at, now)
    return Failure(kind=kind, message=message, resets_at=resets_at)


def _kinds(message: str, error: Event) -> Iterator[Trouble]:
    """The possible kinds, the most certain first."""
    yield from (kind for words, kind in SENTENCES if words.match(message))
    status = STATUS.search(message)
    known = (
        refusals.trouble_of_error(error),
        refusals.trouble_of_status(int(status[1])) if status else None,
        refusals.trouble_of_sentence(message),
    )
    yield from (kind for kind in known if kind is not None)
    yield Trouble.CUT_STREAM if BROKEN.match(message) else Trouble.CRASH


def read_text(text: str, end: CallEnd) -> Answer | None:
    # After a signal (a negative code) the last line is not the reason.
    if end.exit_code is None or end.exit_code <= 0:
        return None
    return _failed(end.stderr, text, end) or _failed(text, "", end)


def _failed(output: str, text: str, end: CallEnd) -> Answer | None:
    found = LIMIT_ALONE.fullmatch(output.strip()) or _last_error(output)
    if found is None:
        return None
    session, model = SESSION.search(output), MODEL.search(output)
    return Answer(
        agent=NAME,
        text=text,
        session_id=session[1] if session else None,
        model=model[1] if model else None,
        retries=len(RETRY.findall(output)),
        failure=failure_in(found["message"], end.now),
    )


def _last_error(output: str) -> re.Match[str] | None:
    """The error at the end, if the banner shows that it is codex's own, or if it is there twice, as in a cut output."""
    shown = TOKENS_USED.sub("", output[-2 * LONGEST_ERROR :].rstrip()).rstrip()
    output = output[: -2 * LONGEST_ERROR] + shown
    found = LAST_ERROR.match(output, output.rfind("\nERROR: ") + 1)
    if found is None or len(found["message"]) > LONGEST_ERROR:
        return None
    twice = output.endswith(f"ERROR: {found['message']}\n", 0, found.start())
    return found if twice or BANNER.search(output) else None


FORMAT = OutputFormat(name=NAME, claims=claims, reader=CodexReader, read_text=read_text)


THREAD = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
# Older records are not searched, nor more than the end of one.
DAYS = 30
KEPT_THREAD_BYTES = 8 << 20
OPENING = 200
NOTED = (b'"turn_context"', b'"token_count"', b'"function_call_output"', b'"custom_tool_call_output"')
# What the model is given back of a command or a patch.
RAN = re.compile(
    r"(?:[^\n]+\n){0,4}?(?:Process exited with code|Exit code:) (?P<code>\d+)\n"
    r"(?:[^\n]+\n){0,4}?Output:\n(?P<output>.*)",
    re.DOTALL,
)
NOT_WRITTEN = "Failed to write file"
MINUTE = timedelta(minutes=1)


def completed(answer: Answer, folder: Path) -> Answer:
    """Add the model, the second at which a limit ends, and a sandbox that does not start.

    Only codex's own record of the session has them: of commands that end at once, there may be no event.
    """
    noted = list(_noted(answer.session_id or "", folder))
    models = [model for each in noted if (model := string(each.get("model"))) and len(model) <= NAME_LENGTH]
    limits = [mapping(each["rate_limits"]) for each in noted if "rate_limits" in each]
    answer = replace(answer, model=models[-1] if models else answer.model, limit_use=_limit_use(limits))
    if answer.failure is None and (error := _sandbox_error(noted)):
        return replace(answer, failure=_without_sandbox(error))
    failure = answer.failure
    if failure is None or failure.resets_at is None or not limits:
        return answer
    windows = (mapping(limits[-1].get(name)) for name in ("primary", "secondary"))
    ends = (end for window in windows if (end := from_epoch(window.get("resets_at"))))
    # The sentence has only the minute, which identifies the window.
    exact = next((end for end in ends if timedelta() <= end - failure.resets_at < MINUTE), failure.resets_at)
    return replace(answer, failure=replace(failure, resets_at=exact))


def _limit_use(limits: Sequence[Event]) -> tuple[LimitUse, ...]:
    """The used shares as codex noted them last; it also notes null."""
    latest = next((each for each in reversed(limits) if each), {})
    windows = [mapping(latest.get(name)) for name in ("primary", "secondary")]
    found = (
        limit_use(_window_name(each), each.get("used_percent"), from_epoch(each.get("resets_at")), 100.0)
        for each in windows
    )
    return tuple(each for each in found if each)


def _window_name(window: Event) -> str:
    minutes = window.get("window_minutes")
    return f"{minutes // 60} hours" if is_count(minutes) and minutes >= 60 else "limit"


def _sandbox_error(noted: Iterable[Event]) -> str:
    """The error of codex's sandbox, if no tool of the session worked in it; otherwise empty."""
    texts = (text for each in noted if "call_id" in each and (text := string(each.get("output"))))
    ran = [found for text in texts if (found := RAN.match(text)) and not found["output"].startswith(NOT_WRITTEN)]
    errors = [NO_SANDBOX.match(each["output"]) for each in ran if each["code"] != "0"]
    return errors[0][1] if errors and errors[0] and len(errors) == len(ran) and all(errors) else ""


def _noted(thread: str, folder: Path) -> Iterator[Event]:
    """The notes in codex's record of a session; none if the record is missing or cannot be read."""
    if not THREAD.fullmatch(thread):
        return
    try:
        days = sorted(folder.glob("sessions/*/*/*"), reverse=True)[:DAYS]
        # Reading a pipe of that name would block.
        files = (file for day in days for file in day.glob(f"rollout-*-{thread}.jsonl") if file.is_file())
        for line in _last_lines(next(files, None)):
            if any(kind in line[:OPENING] for kind in NOTED):
                yield mapping(mapping(msgspec.json.decode(line)).get("payload"))
    except (OSError, ValueError, RecursionError):
        return


def _last_lines(file: Path | None) -> Iterator[bytes]:
    if file is not None:
        with file.open("rb") as opened:
            opened.seek(max(0, file.stat().st_size - KEPT_THREAD_BYTES))
            yield from opened


UNASKED = ("-s", "--dangerously-bypass-approvals-and-sandbox", "--approve-for-me")


def command_words(errand: Errand) -> tuple[str, ...]:
    """All flags come before `resume`, which accepts fewer of them."""
    return (
        *("exec", "--json", "--skip-git-repo-check"),
        *errand.unless_given("--sandbox", "workspace-write" if errand.may_edit else "read-only", *UNASKED),
        *("-c", "check_for_update_on_startup=false"),
        *errand.unless_given("--model", errand.model, "-m"),
        *errand.args,
        *(("resume", errand.session) if errand.session else ()),
        "-",
    )


def hampered(errand: Errand, environment: Mapping[str, str], is_root: bool) -> str:
    del environment, is_root
    reads_only = errand.may_edit and errand.given("--sandbox", "-s") == "read-only"
    return "--sandbox read-only lets it change nothing" if reads_only else ""


CLIENT = Client(
    output=FORMAT,
    program="codex",
    package="@openai/codex",
    words=command_words,
    variables=("OPENAI_*", "CODEX_*"),
    keys=("CODEX_API_KEY", "OPENAI_API_KEY", "AZURE_OPENAI_API_KEY"),
    logins=(LoginFile(variable="CODEX_HOME", folder=".codex", name="auth.json"),),
    hosts=("api.openai.com", "chatgpt.com", "auth.openai.com"),
    addresses=("OPENAI_BASE_URL",),
    log_in="run 'codex login', or set CODEX_API_KEY",
    settings=(LoginFile(variable="CODEX_HOME", folder=".codex", name="config.toml"),),
    # Set by a codex in whose sandbox dualgate runs.
    withheld=frozenset({"CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED"}),
    hampered=hampered,
    completed=completed,
    hints={Trouble.DENIED: 'allow more with agents.default.args = ["--sandbox", "danger-full-access"]'},
    usage_adds_up=True,
    tells_limit_use=True,
    smallest_call=15_000,
)
