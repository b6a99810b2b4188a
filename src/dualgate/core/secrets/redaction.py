"""Texts and values -> the same without secrets: values of the environment, and secrets of well-known forms.

A mark names the secret: `[redacted:OPENAI_API_KEY]` for the value of a variable, `[redacted:github-token-1a2b3c]`
for a form. The last part comes from its digest, so that two tokens stay distinct: test names may contain them.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache
from hashlib import sha256
from itertools import islice
from typing import Any, TypeVar

from dualgate.core.secrets.forms import FORMS, IN_ADDRESS, Form

V = TypeVar("V")

_SHORTEST = 8
_BUNCH = 200
_SEVERAL = (tuple, list, set, frozenset)
_MARK = "[redacted:"
# parts of a variable's name that mark its value as secret
_TELLING = frozenset(
    {"KEY", "KEYS", "APIKEY", "TOKEN", "TOKENS", "SECRET", "SECRETS", "PASSWORD", "PASSWD", "PASSPHRASE", "PASS", "PWD"}
    | {"CREDENTIAL", "CREDENTIALS", "JWT", "COOKIE", "PAT"}
)
_TELLING_ENDS = ("TOKEN", "SECRET", "PASSWORD", "PASSWD", "APIKEY", "ACCESSKEY", "SECRETKEY")
# last parts of such a name that mark the value as a location or an id, not a secret
_PLACES = frozenset({"FILE", "PATH", "DIR", "SOCK", "HOME", "ID"})
_NOT_SECRET = frozenset({"PWD", "OLDPWD"})
# a value contained in these variables appears in every reported path, so it is not hidden
_OPEN = ("PWD", "HOME", "USER", "PATH")
_ORDINARY = re.compile(r"[A-Z]?[a-z]{1,19}|[A-Z]{1,20}|\d{1,15}|(.)\1*", re.DOTALL)
_PATH = re.compile(r"(?:~|\.\.?)/|/(?:home|root|Users|etc|var|usr|opt|tmp|run|mnt|srv|private|Volumes|proc|dev|nix)/")
_HEADER = re.compile(r"\s*[\w-]+\s*:")
# Words of the protocol: masking a "secret" that is one of them would change the agent's claim.
PROTOCOL = (
    *("---RALPH_STATUS---", "---END_RALPH_STATUS---", "---PRP_PHASE_STATUS---", "---END_PRP_PHASE_STATUS---"),
    *("IN_PROGRESS", "NOT_RUN", "EXIT_SIGNAL", "TASKS_COMPLETED_THIS_LOOP", "FILES_MODIFIED", "TESTS_STATUS"),
    *("WORK_TYPE", "RECOMMENDATION", "IMPLEMENTATION", "DOCUMENTATION", "CODE_REVIEW", "ARCHITECTURE"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Secret:
    """A value that must not be shown, and the name in its mark."""

    name: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Redactor:
    """`secrets` are known values, the longest first. Well-known forms are always masked too."""

    secrets: tuple[Secret, ...] = ()

    def text(self, text: str) -> str:
        """The text with a mark in place of each secret; unchanged if it holds no secret."""
        for secret in self.secrets:
            if secret.value in text:
                text = text.replace(secret.value, _mark(secret.name))
        for form in FORMS:
            if form.may_be_in(text):
                text = form.pattern.sub(lambda found, form=form: _masked(form, found), text)  # type: ignore[misc]
        return text

    def suspects(self, text: str) -> bool:
        """Whether a text may hold a secret; also finds known values with JSON escapes."""
        known = {form for secret in self.secrets for form in (secret.value, _escaped(secret.value))}
        if any(value in text for value in known):
            return True
        return any(form.may_be_in(text) and form.pattern.search(text) for form in FORMS)

    def value(self, value: V) -> V:
        """Redact every text in a value (dataclass, collection or str); parts without a secret stay the same objects."""
        masked = self._masked(dict.fromkeys(_texts(value)))
        if not masked:
            return value
        changed: V = mapped_texts(value, lambda text: masked.get(text, text))
        return changed

    def restored(self, value: V) -> V:
        """Replace marks of known secrets by their values, for anything that must run as it was given."""
        changed: V = mapped_texts(value, self._restored_text)
        return changed

    def _masked(self, texts: Iterable[str]) -> dict[str, str]:
        """Each text with a secret -> its redacted text. Texts are checked in batches: a report has thousands."""
        masked: dict[str, str] = {}
        rest = iter(texts)
        while bunch := tuple(islice(rest, _BUNCH)):
            if self._may_change("\n".join(bunch)):
                masked |= {text: now for text in bunch if (now := self.text(text)) != text}
        return masked

    def _may_change(self, text: str) -> bool:
        return any(secret.value in text for secret in self.secrets) or any(form.may_be_in(text) for form in FORMS)

    def _restored_text(self, text: str) -> str:
        if _MARK in text:
            for secret in self.secrets:
                text = text.replace(_mark(secret.name), secret.value)
        return text


def redactor_of(environment: Mapping[str, str]) -> Redactor:
    """A Redactor for the secrets of an environment, recognised by variable names, whatever program uses them."""
    in_the_open = "\n".join(environment.get(name, "") for name in _OPEN)
    by_value = {
        value: name
        for name, value in _telling_values(environment)
        if _is_worth_hiding(value) and value not in in_the_open
    }
    ordered = sorted(by_value, key=lambda value: (-len(value), value))
    return Redactor(secrets=tuple(Secret(name=by_value[value], value=value) for value in ordered))


def _telling_values(environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Values of telling variables, values under telling names in JSON variables, and passwords in URLs."""
    for name, value in sorted(environment.items(), reverse=True):
        if is_telling(name):
            yield name, value.strip()
        elif name.endswith("_HEADERS"):
            # a token also stands without the scheme before it, as in `Bearer …`
            yield from ((name, part) for each in _values_of_headers(value) for part in (each, each.rpartition(" ")[2]))
        elif value.startswith("{"):
            yield from ((name, each) for each in _named_in(value, is_telling))
        passwords = (found["secret"] for found in IN_ADDRESS.pattern.finditer(value))
        yield from ((name, each) for each in passwords if not IN_ADDRESS.harmless.fullmatch(each))


def _values_of_headers(text: str) -> Iterator[str]:
    """The values of headers: JSON, lines `Name: value`, or `name=value,name=value` as OpenTelemetry writes them."""
    if text.startswith("{"):
        yield from _named_in(text, bool)
        return
    for line in text.splitlines():
        is_line = _HEADER.match(line)
        pairs = (line.partition(":"),) if is_line else (pair.partition("=") for pair in line.split(","))
        yield from (value.strip() for _, _, value in pairs)


def _named_in(text: str, matters: Callable[[str], bool]) -> Iterator[str]:
    """The texts in JSON under the names that matter."""
    try:
        pending = [json.loads(text)]
    except (ValueError, RecursionError):
        return
    while pending:
        node = pending.pop()
        if isinstance(node, dict):
            yield from (each for key, each in node.items() if isinstance(each, str) and matters(key))
            pending += node.values()
        elif isinstance(node, list):
            pending += node


def is_telling(name: str) -> bool:
    """Whether a variable of this name is likely to hold a secret."""
    parts = name.upper().split("_")
    if name in _NOT_SECRET or parts[-1] in _PLACES:
        return False
    return any(part in _TELLING or part.endswith(_TELLING_ENDS) for part in parts)


def marks_in(value: Any) -> tuple[str, ...]:
    """The redaction marks in a value, each once."""
    found: dict[str, None] = {}
    for text in _texts(value):
        found.update(dict.fromkeys(re.findall(r"\[redacted:[\w-]+\]", text)))
    return tuple(found)


def _is_worth_hiding(value: str) -> bool:
    """False for short values, ordinary words, numbers, paths and protocol words: texts contain those by chance."""
    if len(value) < _SHORTEST or _ORDINARY.fullmatch(value) or _PATH.match(value):
        return False
    return not any(value in word for word in PROTOCOL)


def _masked(form: Form, found: re.Match[str]) -> str:
    """The match with its secret part masked; a harmless placeholder is kept."""
    whole, secret = found[0], found["secret"]
    if form.harmless.fullmatch(secret):
        return whole
    begin, end = (at - found.start() for at in found.span("secret"))
    name = f"{form.name}-{sha256(secret.encode('utf-8', 'replace')).hexdigest()[:6]}" if form.is_long else form.name
    return f"{whole[:begin]}{_mark(name)}{whole[end:]}"


def _mark(name: str) -> str:
    return f"{_MARK}{name}]"


def _escaped(value: str) -> str:
    """The value with JSON escapes."""
    return (
        value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
    )


def mapped_texts(value: Any, change: Callable[[str], str]) -> Any:
    """Apply `change` to every text in a value. Enum members are not texts."""
    if type(value) is str:
        return change(value)
    if isinstance(value, _SEVERAL):
        items = [mapped_texts(item, change) for item in value]
        return value if all(map(_is, items, value)) else type(value)(items)
    if isinstance(value, Mapping):
        pairs = {mapped_texts(key, change): mapped_texts(item, change) for key, item in value.items()}
        return value if all(map(_is, pairs.values(), value.values())) and pairs.keys() == value.keys() else pairs
    changed = {}
    for name in _names(value.__class__):
        before = getattr(value, name)
        after = mapped_texts(before, change)
        if after is not before:
            changed[name] = after
    return replace(value, **changed) if changed else value


@cache
def _names(kind: type[Any]) -> tuple[str, ...]:
    """The field names of a dataclass; empty for any other type."""
    return tuple(each.name for each in fields(kind)) if is_dataclass(kind) else ()


def _is(one: object, other: object) -> bool:
    return one is other


def _texts(value: Any) -> Iterator[str]:
    found: list[str] = []

    def take(text: str) -> str:
        found.append(text)
        return text

    mapped_texts(value, take)
    return iter(found)
