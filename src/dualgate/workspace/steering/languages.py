"""How strings and comments are written in each language, and where literals end that no pattern can find."""

import re

from dualgate.workspace.steering.lexer import Kind, Language, Token, Unreadable

_LINE_COMMENT = r"//[^\n]*"
_BLOCK_COMMENT = r"/\*(?s:.*?)\*/"
_DOUBLE = r'"(?:\\(?s:.)|[^"\\\n])*"'
_SINGLE = r"'(?:\\(?s:.)|[^'\\\n])*'"
_TRIPLE = r'"""(?s:(?:\\.|[^\\])*?)"""'
_RUST_STRING = r'b?r(?P<fence>#*)"(?s:.*?)"(?P=fence)|[bc]?"(?:\\(?s:.)|[^"\\])*"'
_RUST_CHAR = r"b?'(?:\\(?:x[0-9a-fA-F]{2}|u\{[0-9a-fA-F_]*\}|.)|[^'\\])'|'[^\W\d]\w*"
_RAW_C = r'(?:u8|[uUL])?R"(?P<fence>[^()\\\s]{0,16})\((?s:.*?)\)(?P=fence)"'
_DIRECTIVE = r"(?m:^)\#(?:\\\r?\n|[^\n])*"
# blanks are read before a directive would be, so that its line would not end it
_INDENTED_DIRECTIVE = r"(?m:^)[ \t]+\#"
_COMMENT = f"{_LINE_COMMENT}|{_BLOCK_COMMENT}"

_REGEX = re.compile(r"/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\[\n])+/[A-Za-z]*")
_BEFORE_REGEX = frozenset(
    {
        "return",
        "typeof",
        "instanceof",
        "in",
        "of",
        "new",
        "delete",
        "void",
        "throw",
        "case",
        "do",
        "else",
        "yield",
        "await",
    }
)  # after any other word a slash divides


def _of_javascript(text: str, place: int, last: Token | None) -> int:
    """The end of a template or of a regular expression that begins here."""
    if text[place] == "`":
        return _template_end(text, place)
    if text[place] != "/" or text.startswith(("//", "/*"), place):
        return -1
    is_operand = last is not None and (
        last.kind is Kind.STRING
        or (last.kind is Kind.WORD and last.text not in _BEFORE_REGEX)
        or last.text in (")", "]", "}", "++", "--")
    )
    found = None if is_operand else _REGEX.match(text, place)
    return found.end() if found else -1


def _template_end(text: str, place: int) -> int:
    """Code within a template may hold strings and templates again."""
    place += 1
    while place < len(text):
        if text[place] == "\\":
            place += 2
        elif text[place] == "`":
            return place + 1
        elif text.startswith("${", place):
            place = _code_end(text, place + 2)
        else:
            place += 1
    raise Unreadable("a template that does not end")


_SKIPPED_IN_TEMPLATES = re.compile(f"{_SINGLE}|{_DOUBLE}|{_LINE_COMMENT}|{_BLOCK_COMMENT}")


def _code_end(text: str, place: int) -> int:
    depth = 1
    while place < len(text):
        if text[place] == "`":
            place = _template_end(text, place)
            continue
        if found := _SKIPPED_IN_TEMPLATES.match(text, place):
            place = found.end()
            continue
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        place += 1
        if depth == 0:
            return place
    raise Unreadable("code in a template that does not end")


_NESTED = re.compile(r"/\*|\*/")


def _nested_comment(text: str, place: int, _: Token | None) -> int:
    """The end of a block comment where such comments nest."""
    if not text.startswith("/*", place):
        return -1
    depth = 0
    for found in _NESTED.finditer(text, place):
        depth += 1 if found[0] == "/*" else -1
        if depth == 0:
            return found.end()
    raise Unreadable("a comment that does not end")


JAVASCRIPT = Language(strings=f"{_DOUBLE}|{_SINGLE}", comments=_COMMENT, special=_of_javascript)
RUST = Language(strings=f"{_RUST_STRING}|{_RUST_CHAR}", comments=_LINE_COMMENT, special=_nested_comment)
GO = Language(strings=f"{_DOUBLE}|{_SINGLE}|`[^`]*`", comments=_COMMENT)
JAVA = Language(strings=f"{_TRIPLE}|{_DOUBLE}|{_SINGLE}", comments=_COMMENT)
C = Language(
    strings=f"{_RAW_C}|{_DOUBLE}|{_SINGLE}", comments=_COMMENT, directives=_DIRECTIVE, unsure=_INDENTED_DIRECTIVE
)
CSHARP = Language(
    strings=f'@"(?:[^"]|"")*"|{_DOUBLE}|{_SINGLE}',
    comments=_COMMENT,
    directives=_DIRECTIVE,
    unsure=rf'"{{3}}|[$]@?"|@[$]"|{_INDENTED_DIRECTIVE}',
)
PHP = Language(
    strings=r"'(?:\\(?s:.)|[^'\\])*'|" + r'"(?:\\(?s:.)|[^"\\])*"',
    comments=rf"{_LINE_COMMENT}|{_BLOCK_COMMENT}|\#(?!\[)[^\n]*",
    unsure=r"<<<|\?>",
)
KOTLIN = Language(
    strings=f"{_TRIPLE}|{_DOUBLE}|{_SINGLE}",
    comments=_LINE_COMMENT,
    special=_nested_comment,
    refused=r"[$][{]|\\\(|#[{]",
)
GROOVY = Language(
    strings=f"'''(?s:.*?)'''|{_TRIPLE}|{_DOUBLE}|{_SINGLE}", comments=_COMMENT, refused=r"[$][{][^}]*[\"']"
)
