"""Source text -> tokens, for C-like languages without a tree-sitter grammar. Doubtful text is refused."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import NamedTuple

from dualgate.languages.sources import CLike
from dualgate.workspace.steering.formats import Unreadable, or_plain, text_of

_DIRECTIVE = r"(?m:^)[ \t]*\#(?:\\\n|[^\n])*"
_WORD = r"\d\w*(?:\.\d\w*)?(?:(?<=[eE])[+-]\d+)?|[@$]?[^\W\d][\w$]*|[$]+|\w+"
_OPERATOR = (
    r">>>=|<<=|>>=|>>>|\*\*=|\?\?=|\.\.\.|\.\.<|===|!==|=>|->|::|\+\+|--|&&|\|\||\?\?|\?\.|\?:|==|!=|<=|>="
    r"|\+=|-=|\*=|/=|%=|&=|\|=|\^=|<<|>>|\*\*|\.\.|/\*|[^\w\s]"
)
# code inside a string that continues after what looks like the end of the string
_OPEN_CODE = re.compile(r"[$#]\{[^}]*$|(?<!\\)\\\([^)]*$")


class Token(NamedTuple):
    text: str
    start: int
    is_first: bool
    """Whether it is the first token of its line."""


def lexed_form(language: CLike) -> Callable[[bytes], str]:
    """The tokens, and the line breaks that count."""
    return or_plain(lambda content: form_of_tokens(tokens_of(text_of(content), language), language))


def form_of_tokens(tokens: Iterable[Token], language: CLike) -> str:
    return "\0".join("\n" * (token.is_first and language.ends_lines) + token.text for token in tokens)


def tokens_of(text: str, language: CLike) -> Iterator[Token]:
    """All tokens except comments. Raises Unreadable if a literal does not end or may contain code."""
    if language.unsure and re.search(language.unsure, text):
        raise Unreadable("a form of string that is not known")
    is_first = True
    for found in _pattern(language).finditer(text):
        kind, token = found.lastgroup, found[0]
        if kind in ("blank", "comment"):
            is_first = is_first or "\n" in token
            if token.startswith("/*") and "/*" in token[2:]:
                raise Unreadable("a comment in a comment")
            continue
        if token in ('"', "'", "`", "/*") or (kind == "string" and _OPEN_CODE.search(token[:-1])):
            raise Unreadable(f"a literal that does not end, at {found.start()}")
        yield Token(token, found.start(), is_first)
        is_first = False


@cache
def _pattern(language: CLike) -> re.Pattern[str]:
    strings = f"{_DIRECTIVE}|{language.strings}" if language.has_directives else language.strings
    return re.compile(
        rf"(?P<comment>{language.comments})|(?P<string>{strings})|(?P<blank>\n|[^\S\n]+)"
        rf"|(?P<other>{_WORD}|{_OPERATOR})"
    )
