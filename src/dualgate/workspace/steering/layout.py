"""Tokens -> their texts without what formatters add, drop or move, by the rules of each language."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from dualgate.workspace.steering.lexer import Kind, Token

Layout = Callable[[list[Token]], Iterator[str]]
_CLOSING = frozenset(")]}")
_LINE_BREAK = "⏎"


def tokens_alone(tokens: Sequence[Token]) -> Iterator[str]:
    """For languages in which a line break is a blank."""
    return (token.text for token in tokens)


def lines(tokens: Sequence[Token]) -> Iterator[str]:
    """For languages in which a line break may end a statement."""
    for token in tokens:
        if token.is_first:
            yield _LINE_BREAK
        yield token.text


_RUST_KEYWORDS = frozenset(
    {
        "return",
        "in",
        "match",
        "if",
        "while",
        "else",
        "break",
        "move",
        "mut",
        "ref",
        "let",
        "as",
        "where",
        "for",
        "yield",
        "await",
        "unsafe",
    }
)


def rust(tokens: Sequence[Token]) -> Iterator[str]:
    """Without trailing commas; the one that makes a tuple of one stays."""
    commas: list[int] = []
    for before, token, after in _threes(tokens):
        if token.kind is Kind.MARK and token.text in "([{":
            commas.append(1 if token.text != "(" or _calls(before) else 0)
        elif token.text in _CLOSING and commas:
            commas.pop()
        elif token.text == ",":
            is_trailing = after is not None and after.text in _CLOSING
            if is_trailing and commas and commas[-1]:
                continue
            if commas:
                commas[-1] += 1
        yield token.text


def _calls(before: Token | None) -> bool:
    """Whether a bracket after this token holds arguments."""
    if before is None:
        return False
    return (before.kind is Kind.WORD and before.text not in _RUST_KEYWORDS) or before.text in (")", "!")


_GO_ENDS = frozenset({"return", "break", "continue", "fallthrough", "++", "--", ")", "]", "}"})
_GO_KEYWORDS = frozenset(
    {
        "case",
        "chan",
        "const",
        "default",
        "defer",
        "else",
        "for",
        "func",
        "go",
        "goto",
        "if",
        "import",
        "interface",
        "map",
        "package",
        "range",
        "select",
        "struct",
        "switch",
        "type",
        "var",
    }
)


def go_lines(tokens: Sequence[Token]) -> Iterator[str]:
    """With the semicolons that Go's own lexer puts at the ends of lines, without those and commas before a bracket."""
    for before, token, after in _threes(tokens):
        if (
            token.is_first
            and before is not None
            and before.text != ";"
            and _ends_in_go(before)
            and token.text not in _CLOSING
        ):
            yield ";"
        is_last = after is None or after.text in _CLOSING
        if not (token.text in (",", ";") and is_last):
            yield token.text


def _ends_in_go(token: Token) -> bool:
    is_name = token.kind is Kind.WORD and token.text not in _GO_KEYWORDS
    return token.kind is Kind.STRING or is_name or token.text in _GO_ENDS


# words after which a line break, or the lack of one, changes what follows
_RESTRICTED = frozenset(
    {
        "return",
        "throw",
        "break",
        "continue",
        "yield",
        "async",
        "get",
        "set",
        "static",
        "accessor",
        "let",
        "type",
        "declare",
        "abstract",
    }
)
_CONTINUES = frozenset("([`/+-*.,?") | {"++", "--", "?."}
_HEADERS = frozenset({"if", "while", "for", "with"})
_SIMPLE_NAME = re.compile(r"[A-Za-z_$][\w$]*")


def javascript(tokens: Sequence[Token]) -> Iterator[str]:
    """Without what prettier decides: quotes, trailing commas, semicolons at line ends, brackets of a lone parameter."""
    tokens = list(_with_brackets(tokens))
    headers = _header_ends(tokens)
    for place, (before, token, after) in enumerate(_threes(tokens)):
        if token.is_first and before is not None and (before.text in _RESTRICTED or token.text in ("++", "--")):
            yield _LINE_BREAK
        if token.text == "," and _is_trailing(before, after):
            continue
        if token.text == ";" and place - 1 not in headers and _is_optional(before, after):
            continue
        yield _unquoted(before, token, after) if token.kind is Kind.STRING else token.text


def _is_trailing(before: Token | None, after: Token | None) -> bool:
    """A comma after a comma, or the first in brackets, stands for an element of a list."""
    return after is not None and after.text in _CLOSING and before is not None and before.text not in (",", "[")


def _is_optional(before: Token | None, after: Token | None) -> bool:
    ends = after is None or after.text == "}" or (after.is_first and after.text[0] not in _CONTINUES)
    never = before is None or before.text in _RESTRICTED or before.text in ("else", "do", ";", "{", ":", "=>", "(")
    return ends and not never


def _header_ends(tokens: Sequence[Token]) -> set[int]:
    """Where the brackets after `if`, `while` and the like close: a semicolon there is an empty statement."""
    ends, opened = set(), list[bool]()
    for place, token in enumerate(tokens):
        if token.kind is Kind.MARK and token.text == "(":
            words = [other.text for other in tokens[max(place - 2, 0) : place]]
            opened.append(bool(words) and (words[-1] in _HEADERS or words == ["for", "await"]))
        elif token.kind is Kind.MARK and token.text == ")" and opened and opened.pop():
            ends.add(place)
    return ends


def _with_brackets(tokens: Sequence[Token]) -> Iterator[Token]:
    for token, after in pairwise([*tokens, None]):
        assert token is not None
        if token.kind is Kind.WORD and after is not None and after.text == "=>":
            yield Token(Kind.MARK, "(", token.start, token.is_first)
            yield token._replace(is_first=False)
            yield Token(Kind.MARK, ")", token.end, False)
        else:
            yield token


def _unquoted(before: Token | None, token: Token, after: Token | None) -> str:
    """A string in double quotes; the name of a property without any, where it needs none."""
    text = token.text
    if text[0] not in "\"'":
        return text
    inner = text[1:-1]
    is_name = before is not None and before.text in ("{", ",") and after is not None and after.text == ":"
    if is_name and _SIMPLE_NAME.fullmatch(inner) and inner != "__proto__":
        return inner
    if text[0] == "'":
        inner = inner.replace("\\'", "'").replace('\\"', '"').replace('"', '\\"')
    else:
        inner = inner.replace("\\'", "'")
    return f'"{inner}"' if "\\\\" not in inner else text


def _threes(tokens: Sequence[Token]) -> Iterator[tuple[Token | None, Token, Token | None]]:
    before: Token | None = None
    for place, token in enumerate(tokens):
        yield before, token, tokens[place + 1] if place + 1 < len(tokens) else None
        before = token
