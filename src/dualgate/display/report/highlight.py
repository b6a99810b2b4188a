"""FileDiff -> lines of HTML with the colours of its language. Every character of the file is escaped."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

if TYPE_CHECKING:
    from pygments.lexer import Lexer  # type: ignore[import-untyped]

# a longer line is rarely code, and slow to colour
_LONGEST_LINE = 500
_SIDES = {"+": "add", "-": "del", " ": "same", "": "same"}
"""First characters of the lines that belong to a file; an empty line is one that lost its blank."""
# the tokens of Pygments, the more precise first -> our class
_CLASSES = (
    ("Token.Keyword", "k"),
    ("Token.Operator.Word", "k"),
    ("Token.Name.Function", "f"),
    ("Token.Name.Class", "f"),
    ("Token.Name.Decorator", "f"),
    ("Token.Name.Tag", "k"),
    ("Token.Name.Builtin", "b"),
    ("Token.Literal.String", "s"),
    ("Token.Literal.Number", "n"),
    ("Token.Comment", "c"),
    ("Token.Generic.Heading", "f"),
    ("Token.Generic.Subheading", "f"),
)


def diff_html(path: str, diff: str) -> Markup:
    """The lines of a unified diff, each in a block of its own, so that no line break stands between them."""
    return Markup("").join(_blocks(diff.splitlines(), _lexer_of(path)))


def _blocks(lines: list[str], lexer: "Lexer | None") -> Iterator[Markup]:
    for hunk in _hunks(lines):
        sides = [_SIDES.get(line[:1], "note") for line in hunk]
        new, old = (
            iter(_coloured([line[1:] for line, side in zip(hunk, sides, strict=True) if side in wanted], lexer))
            for wanted in (("add", "same"), ("del", "same"))
        )
        for line, side in zip(hunk, sides, strict=True):
            yield _block(line, side, new, old)


def _hunks(lines: Iterable[str]) -> Iterator[list[str]]:
    """The lines of each hunk with its header: lines of two hunks do not follow each other in the file.

    The names of the files above the first hunk are left out: the page shows the name.
    """
    hunk: list[str] = []
    for line in lines:
        if line.startswith("@@") or (not hunk and line.startswith(("--- ", "+++ "))):
            if hunk:
                yield hunk
            hunk = [line] if line.startswith("@@") else []
        else:
            hunk.append(line)
    if hunk:
        yield hunk


def _block(line: str, side: str, new: Iterator[Markup], old: Iterator[Markup]) -> Markup:
    if side == "note":
        return Markup('<span class="l note">{}</span>').format(line)
    text = next(old) if side == "del" else next(new)
    if side == "same":
        next(old)
    return Markup('<span class="l {}"><span class="m">{}</span>{}</span>').format(side, line[:1] or " ", text)


def _coloured(lines: list[str], lexer: "Lexer | None") -> list[Markup]:
    """Each line with its tokens marked; plain where there is no language, or a line is too long for it."""
    if lexer is None or not lines or max(map(len, lines)) > _LONGEST_LINE:
        return [escape(line) for line in lines]
    found: list[list[Markup]] = [[]]
    for token, text in lexer.get_tokens("\n".join(lines)):
        for number, part in enumerate(text.split("\n")):
            if number:
                found.append([])
            if part:
                found[-1].append(_token(str(token), part))
    done = [Markup("").join(parts) for parts in found][: len(lines)]
    return done if len(done) == len(lines) else [escape(line) for line in lines]


def _token(token: str, text: str) -> Markup:
    name = next((name for start, name in _CLASSES if token.startswith(start)), "")
    return Markup('<span class="{}">{}</span>').format(name, text) if name else escape(text)


def _lexer_of(path: str) -> "Lexer | None":
    """The language by the file's name alone: its content chooses nothing."""
    from pygments.lexers import get_lexer_for_filename  # type: ignore[import-untyped]
    from pygments.util import ClassNotFound  # type: ignore[import-untyped]

    try:
        found: Lexer = get_lexer_for_filename(path.rpartition("/")[2], stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None
    return found
