"""Source text -> tokens with their places, for languages that look like C. What it is not sure of, it refuses.

It knows no grammar: just enough to tell code from comments, strings and the literals in which both may seem to stand.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class Kind(StrEnum):
    WORD = "word"
    STRING = "string"
    MARK = "mark"
    COMMENT = "comment"


class Token(NamedTuple):
    kind: Kind
    text: str
    start: int
    is_first: bool
    """Whether a line break stands before it."""

    @property
    def end(self) -> int:
        return self.start + len(self.text)


class Unreadable(ValueError):
    """The text is not surely what the language says: whoever asked takes it byte for byte."""


_OPERATORS = (
    ">>>=|<<=|>>=|>>>|\\*\\*=|&&=|\\|\\|=|\\?\\?=|&\\^=|\\.\\.\\.|\\.\\.=|===|!==|=>|->|<-|::|\\+\\+|--|&&|\\|\\||\\?\\?"
    "|\\?\\.(?!\\d)|==|!=|<=|>=|\\+=|-=|\\*=|/=|%=|&=|\\|=|\\^=|<<|>>|\\*\\*|\\.\\.|:=|&\\^|[^\\w\\s]"
)
_WORD = r"\d\w*(?:\.\d\w*)?(?:(?<=[eE])[+-]\d+)?|[@$]?[^\W\d][\w$]*|[$]+|\w+"
_Special = Callable[[str, int, Token | None], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """Patterns of what is no plain code; `special` gives the end of a literal that no pattern can find, or -1."""

    strings: str
    comments: str
    directives: str | None = None
    special: _Special | None = None
    refused: str | None = None
    """A string in which code may stand, quotes and all."""
    unsure: str | None = None
    """What makes a whole text one that this lexer cannot read."""


def tokens_of(text: str, language: Language) -> list[Token]:
    """Every token in order, comments too. Raises Unreadable where a literal does not end."""
    if language.unsure and re.search(language.unsure, text):
        raise Unreadable("a form of string that is not known")
    return list(_tokens(text, language))


def _tokens(text: str, language: Language) -> Iterator[Token]:
    pattern = _pattern(language)
    place, last, is_first = 0, None, True
    while place < len(text):
        kind, end = _next(text, place, last, language, pattern)
        if kind is None:
            is_first = is_first or "\n" in text[place:end]
        else:
            token = Token(kind, text[place:end], place, is_first)
            _check(token, language)
            yield token
            is_first = kind is Kind.COMMENT and (is_first or "\n" in token.text)
            last = last if kind is Kind.COMMENT else token
        place = end


def _next(
    text: str, place: int, last: Token | None, language: Language, pattern: re.Pattern[str]
) -> tuple[Kind | None, int]:
    """What stands here and where it ends; blanks are of no kind."""
    if language.special and (end := language.special(text, place, last)) > 0:
        return Kind.COMMENT if text.startswith("/*", place) else Kind.STRING, end
    found = pattern.match(text, place)
    if found is None:
        raise Unreadable(f"no token at {place}")
    return _kind(found), found.end()


def _kind(found: re.Match[str]) -> Kind | None:
    group = next(name for name in ("space", "comment", "string", "word", "mark") if found[name] is not None)
    return None if group == "space" else Kind(group)


def _check(token: Token, language: Language) -> None:
    if token.kind is Kind.MARK and token.text in "\"'`":
        raise Unreadable(f"a string that does not end, at {token.start}")
    if token.kind is Kind.MARK and token.text == "/*":
        raise Unreadable(f"a comment that does not end, at {token.start}")
    if language.refused and token.kind is Kind.STRING and re.search(language.refused, token.text):
        raise Unreadable(f"a string with code in it, at {token.start}")


_patterns: dict[str, re.Pattern[str]] = {}


def _pattern(language: Language) -> re.Pattern[str]:
    strings = language.strings if language.directives is None else f"{language.directives}|{language.strings}"
    source = (
        rf"(?P<space>\s+)|(?P<comment>{language.comments})|(?P<string>{strings})|(?P<word>{_WORD})"
        rf"|(?P<mark>/\*|{_OPERATORS})"
    )
    if source not in _patterns:
        _patterns[source] = re.compile(source)
    return _patterns[source]
