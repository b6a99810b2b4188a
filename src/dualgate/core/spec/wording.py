"""Text of one item -> its parts: tick box, id, written kind, and the words without decoration."""

import re
from dataclasses import dataclass

from dualgate.core.values.specification import Kind

# Kiro marks optional tasks by a star after the box
_BOX = re.compile(r"\[(?P<mark> ?[ xXvV✓✔/~-]? ?)\]\*?(?:[ \t]+|\n|$)")
# AC-1, AC1, S03-AC1, US-001.2: a letter first, a digit last, optionally decorated or followed by a mark
_LEADING_ID = re.compile(
    r"(?P<open>[*_`\[(]*)(?P<id>[A-Za-z][A-Za-z0-9]*(?:[-_.][A-Za-z0-9]+)*(?<=\d))(?P<remark>\s?\([^()\n]{1,40}\))?"
    r"(?P<close>[*_`\])]*)(?P<mark>\s?[:.)]|\s[-–—])?[*_]*\s+(?P<text>\S.*)",
    re.DOTALL,
)
_SPACED_ID = re.compile(
    r"^(?P<open>[*_`\[(]*)(?P<word>AC|FR|NFR|REQ|SC|BR|TC|US) (?P<number>\d+)(?=[*_`\])]*\s?[:.)–—-])", re.IGNORECASE
)
# names and priorities that look like ids
_NO_ID = re.compile(
    r"P\d|H\d|UTF-?\d+|ISO-?[\d-]+|SHA-?\d+|MD5|GPT-?[\d.]+|HTTPS?-?[\d.]+|IPv\d|ES\d+|Python-?[\d.]+|RFC-?\d+|PEP-?\d+|WCAG.*"
    r"|CVE-.*|Q[1-4]|v\d.*|x\d+|Base64|Win\d+",
    re.IGNORECASE,
)
# without decoration or mark, only these are ids: "Python3 is supported" has no id
_KNOWN_ID = re.compile(r"(?:[A-Z]+-?\d+-)?(?:AC|FR|NFR|REQ|SC|US|R|UC|BR|TC)[-_.]?\d", re.IGNORECASE)
# the ids that only criteria have: US-1 is a story, T001 a task
CRITERION_ID = re.compile(r"(?:[A-Z]+-?\d+-)?(?:AC|FR|NFR|REQ|SC|BR|TC)[-_.]?\d[\w.-]*", re.IGNORECASE)
_ONLY_ID = re.compile(r"[*_`\[(]*(?P<id>[A-Za-z][\w.-]*\d)[*_`\])]*[:.]?")
_EXIT = re.compile(r",?\s*(?:exits?|exit code|status)\s*(?:with |code |=|:)*\s*(?P<code>\d{1,3})\s*$", re.IGNORECASE)
_KIND_MARK = r"\[\s*(?P<kind>new|keep|check|review)\s*(?::\s*(?P<command>[^\]\n]+?)\s*)?\]"
_KIND_AT_START = re.compile(rf"[*_`]*{_KIND_MARK}[*_`]*\s*[:–—-]?\s*", re.IGNORECASE)
_KIND_AT_END = re.compile(rf"[ \t\n]?[*_`]*{_KIND_MARK}[*_`]*(?P<stop>[.;]?)$", re.IGNORECASE)
# bounded, so that no text takes more than linear time
CODE = re.compile(r"(?<!`)(`{1,3})(?!`)(.{0,400}?[^`])\1(?!`)", re.DOTALL)
_BOLD = re.compile(r"(\*\*|__)(?=\S)(.{1,400}?)(?<=\S)\1", re.DOTALL)
_STEP = re.compile(r"[*_]*(?P<word>Given|When|Then|And|But)\b[*_]*[:,]?\s+\S", re.IGNORECASE)
_WRAPPED = re.compile(r"[ \t]*\n[ \t]*(?![*_]*(?:Given|When|Then|And|But|Scenario)\b)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """One item as written, taken apart."""

    text: str
    id: str = ""
    kind: Kind | None = None
    """The written kind; None if none is written."""
    command: str = ""
    """The command of a written check."""


def read_wording(text: str) -> Wording:
    """Take a criterion apart; a tick box before it is left out."""
    words, kind, told = _split_kind(without_box(text))
    only_id = _ONLY_ID.fullmatch(words) if kind else None
    own_id, words = (only_id["id"], "") if only_id else split_id(words)
    if kind is None:
        words, kind, told = _split_kind(words)
    if kind is not Kind.CHECK:
        return Wording(text=plain(f"{told} {words}" if told else words), id=own_id, kind=kind)
    command = _EXIT.sub("", told)
    code = _EXIT.search(told)
    shown = f"`{command}` exits with {code['code']}" if code else f"`{command}`"
    return Wording(text=plain(words) or (shown if command else ""), id=own_id, kind=kind, command=command)


def without_box(text: str) -> str:
    found = _BOX.match(text)
    return text[found.end() :] if found else text


def is_ticked(text: str) -> bool | None:
    """Whether the box before a text is ticked; None if there is no box."""
    found = _BOX.match(text)
    return found["mark"].strip() in tuple("xXvV✓✔") if found else None


def split_id(text: str) -> tuple[str, str]:
    """The leading id, empty if there is none, and the text after it."""
    match = _LEADING_ID.match(_SPACED_ID.sub(r"\g<open>\g<word>-\g<number>", text))
    if match is None or _NO_ID.fullmatch(match["id"]):
        return "", text
    if match["mark"] or (match["open"] and match["close"]) or _KNOWN_ID.match(match["id"]):
        words = match["text"]
        return match["id"], words.replace("**", "", 1) if words.count("**") % 2 else words
    return "", text


def criterion_id(text: str) -> str:
    """The leading id, if it is one that only criteria have."""
    own_id, _ = split_id(_split_kind(without_box(text))[0])
    return own_id if CRITERION_ID.fullmatch(own_id) else ""


def _split_kind(text: str) -> tuple[str, Kind | None, str]:
    found = _KIND_AT_START.match(text) or _KIND_AT_END.search(text)
    if found is None:
        return text, None, ""
    left = f"{text[: found.start()]}{found.groupdict().get('stop') or ''}{text[found.end() :]}"
    return left.strip(), Kind(found["kind"].lower()), (found["command"] or "").strip("` ")


def plain(text: str) -> str:
    """The words without bold marks, wrapped lines joined; code spans stay as they are."""
    joined = _WRAPPED.sub(" ", text.strip())
    spans = [found[0] for found in CODE.finditer(joined)]
    masked = _BOLD.sub(r"\2", CODE.sub("\0", joined.replace("\0", "")))
    first, *others = masked.split("\0")
    return "".join((first, *(f"{span}{part}" for span, part in zip(spans, others, strict=True)))).strip()


def without_code(text: str) -> str:
    """The text with every code span blanked, line breaks kept."""
    return CODE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def codes(text: str) -> list[str]:
    """The contents of the code spans."""
    return [found[2].strip() for found in CODE.finditer(text)]


def step_word(text: str) -> str:
    """The keyword of a Given/When/Then step in lower case; empty if the text is no step."""
    found = _STEP.match(without_box(text))
    return found["word"].lower() if found else ""
