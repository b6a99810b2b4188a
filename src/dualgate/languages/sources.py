"""How the sources of a language are read: with a grammar, or by how it differs from others that look like C."""

from dataclasses import dataclass

COMMENT = r"//[^\n]*|/\*(?s:.*?)\*/"
_RAW_STRING = r'(?:u8|[uUL])?R"(?P<fence>[^()\\\s]{0,16})\((?s:.*?)\)(?P=fence)"|@"(?:[^"]|"")*"'
_STRING = (
    r'"""(?s:(?:\\.|[^\\])*?)"""|' + r"'''(?s:.*?)'''|"
    rf'{_RAW_STRING}|"(?:\\(?s:.)|[^"\\\n])*"|' + r"'(?:\\(?s:.)|[^'\\\n])*'|`[^`\n]*`"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Grammar:
    """A grammar, and what formatters add and drop in its trees."""

    package: str
    function: str = "language"
    ends: frozenset[str] = frozenset()
    """Tokens that end a statement: the tree shows where it ends."""
    unwrapped: frozenset[tuple[str, str]] = frozenset()
    """Parent and child, where brackets around a single node mean nothing; `*` is any parent."""
    imports: frozenset[str] = frozenset()
    """Nodes that formatters sort, and lists of names whose order means nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CLike:
    """How a language differs from the others."""

    comments: str = COMMENT
    strings: str = _STRING
    has_directives: bool = False
    ends_lines: bool = False
    """Whether a line break may end a statement."""
    unsure: str | None = None
    """Makes a whole text one that is not read."""


Source = Grammar | CLike
