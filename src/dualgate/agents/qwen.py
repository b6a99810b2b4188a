"""Qwen Code: `-o json` (a list), `-o stream-json` and plain text.

After most API errors it reports "success" and exits with 0. Such a result ends with an error sentence, and its last
message used no tokens: a model that wrote the same words would have used some.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from dualgate.agents.client import Client, DefaultSettings, Errand, LoginFile
from dualgate.agents.formats import Doing, Event, OutputFormat
from dualgate.agents.gemini import approval_words, without_approval
from dualgate.agents.messages import MESSAGE_KEPT, Conversation, as_count, as_text, by_status
from dualgate.agents.values import mapping, usage_in
from dualgate.core.values.answer import Answer, AnswerFormat, CallEnd, Failure, Trouble, Usage

__all__ = ["CLIENT", "FORMAT", "TORN", "claims"]

_ERROR_OPENS = "[API Error: "
# It adds advice behind the error of a limit, and leaves out the brackets if a quota is used up.
_ERROR = re.compile(r"\[API Error: (?P<sentence>.*)\](?:\s+Possible quota limitations [^\[\]]*)?\s*\Z", re.DOTALL)
_QUOTA_USED_UP = re.compile(r"^(?P<sentence>Quota exhausted: .*)\Z", re.DOTALL | re.MULTILINE)
_TURN_LIMIT_CODE = 53
_TURN_LIMIT_SENTENCE = "Reached max session turns"
_STATUS = re.compile(r"(\d{3})\b", re.ASCII)
# The provider's own words in an error whose status says too little.
_REASONS = {
    (400, "maximum context length"): Trouble.CONTEXT_FULL,
    (400, "context_length_exceeded"): Trouble.CONTEXT_FULL,
    (429, "insufficient_quota"): Trouble.QUOTA,
    (429, "exceeded your current quota"): Trouble.QUOTA,
}
_SUBTYPES = {"error_max_turns": Trouble.TURN_LIMIT}
TORN = re.compile(r'\s*\[?\{"type":"\w+",(?:"subtype":"\w+",)?"uuid":')


def claims(event: Event) -> bool:
    match event.get("type"):
        case "system":
            return "qwen_code_version" in event
        case "assistant":
            return bool(as_text(event.get("uuid"))) and mapping(event.get("message")).get("id") == event.get("uuid")
        case "result":
            # Claude Code names the cost in every result, and gemini a status.
            return all(key in event for key in ("uuid", "usage")) and not event.keys() & {"total_cost_usd", "status"}
    return False


@dataclass(slots=True)
class QwenReader:
    # `input_tokens` includes the cached ones.
    talk: Conversation = field(default_factory=lambda: Conversation(paid=("input_tokens", "output_tokens")))

    @property
    def doing(self) -> Doing:
        return self.talk.doing

    def feed(self, event: Event) -> None:
        self.talk.feed(event)

    def finish(self, end: CallEnd) -> Answer:
        result = self.talk.result
        if result is None:
            return self.talk.answer(text=self.talk.text, usage=None, failure=_unfinished(end))
        text, failure = self._judge(result)
        return self.talk.answer(text=text, usage=_usage(result.get("usage")), failure=failure)

    def _judge(self, result: Event) -> tuple[str, Failure | None]:
        text = as_text(result.get("result"))
        said, sentence = _split_error(text)
        if result.get("is_error") or as_text(result.get("subtype")).startswith("error"):
            message = as_text(mapping(result.get("error")).get("message")) or text
            kind = _SUBTYPES.get(as_text(result.get("subtype"))) or _kind(_split_error(message)[1], Trouble.CRASH)
            return said if sentence else self.talk.text, Failure(kind=kind, message=message[:MESSAGE_KEPT])
        if sentence and self._cost_nothing(result):
            return said, Failure(kind=_kind(sentence, Trouble.CUT_STREAM), message=sentence[:MESSAGE_KEPT])
        return text, None

    def _cost_nothing(self, result: Event) -> bool:
        """Whether the last message used no tokens and, if calls are counted, one of them failed."""
        usage = self.talk.usage or mapping(result.get("usage"))
        models = [mapping(model) for model in mapping(mapping(result.get("stats")).get("models")).values()]
        errors = [as_count(mapping(model.get("api")).get("totalErrors")) for model in models]
        paid = any(as_count(usage.get(key)) for key in ("input_tokens", "output_tokens"))
        return not paid and (not errors or any(errors))


def _split_error(text: str) -> tuple[str, str]:
    """The model's text, and the error sentence that the CLI appends if the call failed."""
    opens = text.rfind(_ERROR_OPENS)
    found = _ERROR.match(text, opens) if opens >= 0 else _QUOTA_USED_UP.search(text)
    return (text[: found.start()], found["sentence"]) if found else (text, "")


def _kind(sentence: str, otherwise: Trouble) -> Trouble:
    status = _STATUS.match(sentence)
    if status is None:
        return otherwise
    number = int(status[1])
    reasons = (kind for (code, words), kind in _REASONS.items() if code == number and words in sentence)
    return next(reasons, by_status(number))


def _unfinished(end: CallEnd) -> Failure:
    if end.exit_code == _TURN_LIMIT_CODE:
        return Failure(kind=Trouble.TURN_LIMIT, message=end.stderr.strip()[-MESSAGE_KEPT:])
    return Failure(kind=Trouble.CUT_STREAM, message="the output ends without a result")


def _usage(value: object) -> Usage | None:
    cached = ["cache_read_input_tokens"]
    return usage_in([mapping(value)], read=["input_tokens"], wrote=["output_tokens"], cached=cached)


def read_text(text: str, end: CallEnd) -> Answer | None:
    if TORN.match(text):
        return Answer(agent="qwen", format=AnswerFormat.JSON, failure=_unfinished(end))
    if not end.exit_code:
        return None
    last_line = end.stderr.strip().rpartition("\n")[2]
    _, sentence = _split_error(last_line) if last_line.startswith(_ERROR_OPENS) else ("", "")
    if sentence:
        failure = Failure(kind=_kind(sentence, Trouble.CUT_STREAM), message=sentence[:MESSAGE_KEPT])
        return Answer(agent="qwen", text=text, failure=failure)
    if end.exit_code == _TURN_LIMIT_CODE and end.stderr.startswith(_TURN_LIMIT_SENTENCE):
        return Answer(agent="qwen", text=text, failure=_unfinished(end))
    return None


FORMAT = OutputFormat(name="qwen", claims=claims, reader=QwenReader, read_text=read_text)


_ATTEMPT = re.compile(r"\[RETRY\] Attempt \d+ failed with status \d{3}\. .*?Error: (?P<error>.+)")


def attempts(log: str) -> Iterator[str]:
    """Only the log of a session shows that it tries again: standard output is silent for minutes."""
    return (found["error"] for found in _ATTEMPT.finditer(log))


def command_words(errand: Errand) -> tuple[str, ...]:
    return ("--output-format", "stream-json", *approval_words(errand, "auto-edit"))


CLIENT = Client(
    output=FORMAT,
    program="qwen",
    package="@qwen-code/qwen-code",
    words=command_words,
    variables=("QWEN_*", "OPENAI_*", "DASHSCOPE_*"),
    keys=("OPENAI_API_KEY", "DASHSCOPE_API_KEY", "BAILIAN_CODING_PLAN_API_KEY"),
    logins=(
        LoginFile(variable="QWEN_HOME", folder=".qwen", name="oauth_creds.json"),
        LoginFile(variable="QWEN_HOME", folder=".qwen", name=".env"),
    ),
    log_in="run 'qwen' once and log in, or set OPENAI_API_KEY, OPENAI_BASE_URL and OPENAI_MODEL",
    settings=(LoginFile(variable="QWEN_HOME", folder=".qwen", name="settings.json"),),
    defaults=DefaultSettings(
        variable="QWEN_CODE_SYSTEM_DEFAULTS_PATH",
        installed=(
            "/etc/qwen-code/system-defaults.json",
            "/Library/Application Support/QwenCode/system-defaults.json",
        ),
    ),
    attempts=attempts,
    logs="debug",
    hampered=without_approval,
    hints={
        Trouble.DENIED: 'allow it with agents.default.args = ["--approval-mode", "yolo"]',
        Trouble.TURN_LIMIT: "--max-session-turns is too low",
    },
    usage_adds_up=True,
    smallest_call=35_000,
)
