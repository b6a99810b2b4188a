"""How to read the sources of a language: with a grammar, or as a C-like language with given differences."""

from dataclasses import dataclass

COMMENT = r"//[^\n]*|/\*(?s:.*?)\*/"
_RAW_STRING = r'(?:u8|[uUL])?R"(?P<fence>[^()\\\s]{0,16})\((?s:.*?)\)(?P=fence)"|@"(?:[^"]|"")*"'
_STRING = (
    r'"""(?s:(?:\\.|[^\\])*?)"""|' + r"'''(?s:.*?)'''|"
    rf'{_RAW_STRING}|"(?:\\(?s:.)|[^"\\\n])*"|' + r"'(?:\\(?s:.)|[^'\\\n])*'|`[^`\n]*`"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Grammar:
    """A tree-sitter grammar, and the nodes that formatters add, drop or sort in its trees."""

    package: str
    function: str = "language"
    ends: frozenset[str] = frozenset()
    """Tokens that end a statement; they are redundant, since the tree shows where it ends."""
    unwrapped: frozenset[tuple[str, str]] = frozenset()
    """(parent, child) pairs for which brackets around a single node mean nothing; `*` is any parent."""
    imports: frozenset[str] = frozenset()
    """Nodes that formatters sort, and lists of names whose order means nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CLike:
    """How a language differs from other C-like languages."""

    comments: str = COMMENT
    strings: str = _STRING
    has_directives: bool = False
    ends_lines: bool = False
    """Whether a line break may end a statement."""
    unsure: str | None = None
    """Pattern of texts that cannot be read reliably; a text that contains it is not read at all."""


Source = Grammar | CLike
