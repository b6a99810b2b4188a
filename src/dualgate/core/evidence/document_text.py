"""Text of a document -> its lines: headings, text and code, each with whether it is new and whether it says anything.

Markdown, reStructuredText, AsciiDoc and plain text are read alike; what is unsure counts as text.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from dualgate.core.evidence.filler import TEMPLATE_SENTENCES, is_filler


@dataclass(frozen=True, slots=True, kw_only=True)
class TextLine:
    """One line that is not blank; `level` is that of a heading, 0 for other lines."""

    text: str
    level: int = 0
    is_new: bool = True
    is_code: bool = False

    @property
    def says_something(self) -> bool:
        return not self.level and (self.is_code or not is_boilerplate(self.text))


_HEADING = re.compile(
    r"(#{1,6})\s+(?P<markdown>.*?)\s*#*$|(={1,6})\s+(?P<asciidoc>\S.*)$|<h([1-6])\b[^>]*>(?P<html>.*)"
)
_BOLD_HEADING = re.compile(r"(?:[-*+] )?(\*\*|__)(?P<text>[^*_]{2,60})\1:?$")
_UNDERLINE = re.compile(r"([=\-~^\"'#*+.:`_])\1{2,}$")
_FENCE = re.compile(r"\s*(`{3,}|~{3,}|-{4}$|\.{4}$)")
_LEVEL_OF_BOLD = 8
_LEVEL_OF_TABLE = 10
_BORDER = re.compile(r"\|[\s|:-]*-[\s|:-]*")
_UNDERLINES = "=-~^\"'#*+.:`_"
# comments and attributes, which no reader sees: HTML, front matter, AsciiDoc, reStructuredText
_UNSEEN = re.compile(
    r"<!--(?s:.*?)(?:-->|\Z)|\A---\n(?s:.*?)\n---$|^//(?!/).*$|^:[\w-]+:\s*$|^\.\. (?![\w:-]+::|_|\[|\|).*$",
    re.MULTILINE,
)


def lines_of(text: str, known: Collection[str] = ()) -> tuple[TextLine, ...]:
    """The lines of a document that a reader sees; those in `known` are not new."""
    seen = _UNSEEN.sub(lambda found: "\n" * found[0].count("\n"), text.replace("\r\n", "\n"))
    return tuple(_lines(seen.split("\n"), known))


def _lines(rows: list[str], known: Collection[str]) -> Iterator[TextLine]:
    fence = ""
    for place, row in enumerate(rows):
        bare, is_new = row.strip(), row.strip() not in known
        opening = _FENCE.match(row)
        if opening and (not fence or bare.startswith(fence)):
            fence = "" if fence else opening[1]
        elif bare and fence:
            yield TextLine(text=bare, is_new=is_new, is_code=True)
        elif bare and not _is_rule(bare):
            after = rows[place + 1].strip() if place + 1 < len(rows) else ""
            yield TextLine(text=bare, level=_level(bare, after), is_new=is_new)


def _is_rule(bare: str) -> bool:
    """Whether a line is an underline, a rule or the border of a table."""
    return re.fullmatch(r"[\s=\-~^\"'#*+.:`_|]+", bare) is not None


def _level(bare: str, after: str) -> int:
    if found := _HEADING.match(bare):
        return len(found[1] or found[3] or "") or int(found[5])
    if _BOLD_HEADING.match(bare):
        return _LEVEL_OF_BOLD
    if bare.startswith("|") and _BORDER.fullmatch(after):
        return _LEVEL_OF_TABLE
    is_underlined = _UNDERLINE.match(after) and len(after) + 2 >= len(bare) and not bare.startswith(("|", "- ", "* "))
    return _UNDERLINES.index(after[0]) + 1 if is_underlined else 0


def heading_of(text: str) -> str:
    """The words of a heading, without its signs and its number."""
    found = _HEADING.match(text)
    words = next(filter(None, found.group("markdown", "asciidoc", "html")), "") if found else text
    return re.sub(r"<[^>]*>|[*_`:]+", "", re.sub(r"^[\d.)\s]+", "", words)).strip()


_MARKS = re.compile(r"^(?:[-*+•>|\s]|\d+[.)]\s|\[[ xX]\]\s)+|[*_~`|]+")
_LABEL = r"(?:[^\W\d_][\w ’'/&()-]{0,40}:\s*)?"
_EMPTY = re.compile(
    rf"{_LABEL}(?:tbd|tba|tbc|to-?do|fixme|wip|xxx+|n\.?/?a\.?|none(?: (?:yet|so far|known|at (?:this|the) moment))?"
    r"|nothing(?: (?:yet|else|to (?:add|see|report)(?: here)?))?|not applicable|not yet(?: \w+)?|unknown|empty|pending"
    r"|no (?:\w+ )?(?:notes|changes|entries|consequences|context|text|content|description)(?: yet| provided)?"
    r"|(?:coming|more) soon|more to come|to (?:come|follow)|to be \w+(?: (?:later|soon))?|work in progress|draft"
    r"|placeholder(?: text)?|under construction|see (?:above|below)|\W*)[\s.!…]*",
    re.IGNORECASE,
)
_PROMISE = re.compile(rf"{_LABEL}(?:TODO|TBD|FIXME|TBA|WIP)\b(?! (?:items?|lists?|apps?|entr(?:y|ies))\b)")
_INSTRUCTION = re.compile(
    r"(?:describe|insert|add|write|put|enter|fill|replace|list|explain|your|some|content|text|documentation)\b.*"
    r"\b(?:here|goes here|this text|this section)[\s.!:]*",
    re.IGNORECASE,
)
_LOREM_IPSUM = (
    "lorem ipsum dolor amet consectetur adipiscing elit eiusmod tempor incididunt labore dolore magna aliqua veniam "
    "nostrud ullamco laboris aliquip commodo consequat voluptate cillum fugiat pariatur excepteur occaecat cupidatat "
    "proident culpa officia deserunt mollit laborum"
)
_LATIN = frozenset(_LOREM_IPSUM.split())
_LATIN_WORDS = 3
_PLACEHOLDER = re.compile(
    r"(?P<code>`[^`\n]*`)|\{\{.*?\}\}|\{[^{}\n]*\s[^{}\n]*\}|<(?![a-z/!][\w-]*(?:\s+[\w-]+=|\s*/?>))[^<>\n=]*[^\W\d_][^<>\n=]*>"
    r"|\[(?:describe|insert|add|your|explain|list|write|name|title|short|replace|fill|project|date|option|e\.g)[^\]\n]*\]"
    r"(?![(\[])",
    re.IGNORECASE,
)
_WORDS_BESIDE_PLACEHOLDER = 3
_WORD = re.compile(r"[^\W\d_]{2,}")


def is_boilerplate(line: str) -> bool:
    """Whether a line says nothing: `TBD`, "none", lorem ipsum, a placeholder or a question of a template."""
    bare = _MARKS.sub("", line).strip()
    if _EMPTY.fullmatch(bare) or _PROMISE.match(bare) or _INSTRUCTION.fullmatch(bare):
        return True
    words = [word.casefold() for word in _WORD.findall(bare)]
    if len(_LATIN.intersection(words)) >= _LATIN_WORDS or any(each in bare.casefold() for each in TEMPLATE_SENTENCES):
        return True
    left = _PLACEHOLDER.sub(lambda found: found["code"] or "", line)
    return left != line and sum(not is_filler(word) for word in _WORD.findall(left)) < _WORDS_BESIDE_PLACEHOLDER


def has_words(texts: Iterable[str], least: int = 2) -> bool:
    """Whether texts hold so many words, or a few letters of a script that has no blanks between words."""
    text = " ".join(texts)
    return len(_WORD.findall(text)) >= least or sum(sign.isalpha() and ord(sign) > _LAST_LATIN for sign in text) > 3


_LAST_LATIN = 0x24F
