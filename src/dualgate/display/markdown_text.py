"""Texts that others wrote -> Markdown in which they stay texts: no markup, no links, no mentions, no HTML."""

import re

from dualgate.core.values.notation import in_line

# an underline inside a word, a colon at its end, a full stop and a dash are only text, except in an address without a
# scheme and in the name of an issue
_SPECIAL = re.compile(
    r"[#$&*<>@\[\\\]^`{|}~]|:(?!\s|$)|(?<![^\W_])_|_(?![^\W_])|(?<=www)\.|(?<=\bGH)-(?=\d)", re.IGNORECASE
)
_PLAIN_CODE = re.compile(r"[^`|\\]+")
_IN_BACKTICKS = re.compile(r"`([^`]*[^`\s][^`]*)`")
_LONGEST = 400


def prose(text: str, most: int = _LONGEST) -> str:
    """A sentence on one line, for a paragraph, a list or a cell of a table. Words in backticks stay code."""
    parts = _IN_BACKTICKS.split(_cut(text, most))
    return "".join(code(part) if number % 2 else _escaped(part) for number, part in enumerate(parts))


def code(text: str, most: int = _LONGEST) -> str:
    """A name on one line, as code. Signs that end code or a cell of a table are written as numbers."""
    text = _cut(text, most).strip()
    if not text:
        return ""
    return f"`{text}`" if _PLAIN_CODE.fullmatch(text) else f"<code>{_SPECIAL.sub(_as_number, text)}</code>"


def _escaped(text: str) -> str:
    # a name behind @ notifies people, a number behind # links to an issue: even where the sign is written as a number
    numbered = _SPECIAL.sub(_as_number, text)
    return numbered.replace("&#64;", "&#64;\u200b").replace("&#35;", "&#35;\u200b").replace("&#45;", "&#45;\u200b")


def _cut(text: str, most: int) -> str:
    text = " ".join(in_line(text.replace("\n", " ")).split())
    return text if len(text) <= most else f"{text[:most]}…"


def _as_number(found: re.Match[str]) -> str:
    return "".join(f"&#{ord(sign)};" for sign in found[0])
