"""Text of a review, its verdict -> the sentences that contradict the verdict. Nothing here decides what follows.

Quoted text, negated findings ("Critical: none") and findings that are said to be fixed contradict nothing.
"""

import re
from collections.abc import Iterator, Sequence

from dualgate.core.values.claim import Review

MOST = 5
LONGEST = 200
_LINE_READ = 1000
_LIST_READ = 50
_FENCE = re.compile(r"[ \t]*(```+|~~~+)")
_ANSWER = re.compile(r"[ \t]*(?:Verdict|Phase)[ \t]*:")
_QUOTED = re.compile(r"\"[^\"\n]{1,400}\"|“[^”\n]{1,400}”|`[^`\n]{1,400}`|~~[^~\n]{1,400}~~")
_LEAD = r"^[^\w\n]*(?:\d+[.)][ \t]*)?(?:\[[ xX]?\][ \t]*)?[*_\[(]*"
_NOUN = r"(?:issues?|findings?|problems?|bugs?|concerns?|defects?|severity)"
_LABEL = re.compile(
    rf"{_LEAD}(?:critical|major|blockers?|blocking)(?:[ \t]+{_NOUN})?[*_]*(?:[ \t]*\([^)\n]*\))?[*_\])]*"
    r"(?:[ \t]*[:|][*_]*|[ \t]+[–—-][ \t]|(?<=\])|[*_]*$)[ \t]*(?P<said>.*)$",
    re.IGNORECASE,
)
_HEADING = re.compile(r"^[ \t]*(?:#{1,6}[ \t]|\*\*[^*\n]+\*\*[ \t]*:?[ \t]*$)")
_COUNT = re.compile(
    rf"(?:critical|major|blockers?|blocking)(?:[ \t]+{_NOUN})?[*_]*[ \t]*(?:[:=|]|\()[ \t*_]*(?P<count>\d+)\b(?!\.)",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    rf"\b(?:[1-9]\d*|one|two|three|four|five|several|some)[ \t]+(?:open[ \t]+)?(?:critical|major|blocking)"
    rf"(?:[ \t]+(?:\w+[ \t]+)?{_NOUN}\b|[ \t]*(?:[,;.|)]|$))",
    re.IGNORECASE,
)
_NOTHING = re.compile(
    r"(?:(?:I|we)[ \t]+(?:found|see|saw)[ \t]+|there[ \t]+(?:is|are)[ \t]+|\()?"
    r"(?:none\b(?![ \t]+of\b)|0\b|zero\b|nil\b|n/?a\b|not (?:applicable|found)\b|without\b|no[.!]?$"
    rf"|no[ \t]+(?:\w+[ \t]+){{0,2}}(?:{_NOUN}|blockers?|errors?|items?|ones)\b"
    r"|nothing(?:[ \t]+(?:found|to report|here|else|critical|major|blocking|left|open|wrong|outstanding))?"
    r"[.!,;]?(?:$|[ \t]+(?:in|to|was)\b)|[-–—✓✔✅]+$)",
    re.IGNORECASE,
)
_FINE = re.compile(r"(?:\b(?:ok|okay|fine|passed|passes|good|clean)|[✓✔✅])[.!)]*$", re.IGNORECASE)
_MENDED = r"(?:fixed|resolved|addressed|mended|corrected|repaired|closed|gone)"
_STILL = re.compile(
    rf"(?:\bnot|n't|\bnever|\bstill)[ \t]+(?:\w+[ \t]+){{0,2}}{_MENDED}\b|\bunresolved\b|\bstill\b(?!.*{_MENDED})",
    re.IGNORECASE,
)
_PAST = re.compile(
    rf"\b{_MENDED}\b|\bno longer\b|\b(?:previous(?:ly)?|earlier|former)\b|\bin the (?:first|last) review\b"
    r"|\bat first\b|\bfirst thought\b|\bthere (?:was|were)\b|\b(?:has|have) (?:both |all )?been\b",
    re.IGNORECASE,
)
_HYPOTHETICAL = re.compile(r"\bwould\b|\bif\b|\bcould\b|\bunless\b", re.IGNORECASE)
_REFUSAL = re.compile(
    r"\b(?:I|we)(?:[ \t]+(?:must|have to|will|need to)|'ll)?[ \t]+reject\b|\b(?:I|we)(?:[ \t]+am|'m)[ \t]+rejecting\b"
    r"|\b(?:can(?:not|'t)|can not|do not|don't|unable to)[ \t]+approve\b|\bmust be rejected\b|\bhas to be rejected\b"
    r"|\b(?:should|must|can)(?:[ \t]*not|n't)[ \t]+be[ \t]+(?:merged|approved)\b"
    r"|\bnot[ \t]+(?:yet[ \t]+)?ready[ \t]+(?:to[ \t]+be[ \t]+merged|to[ \t]+merge|for[ \t]+(?:merge|release|approval))"
    r"|^[ \t*_#>-]*(?:recommendation|decision|conclusion|overall)[*_ \t]*:[*_ \t]*reject\b",
    re.IGNORECASE,
)
_ID = r"\b[A-Za-z]+[-_ ]?\d+(?:\.\d+)*"
_UNMET = re.compile(
    rf"{_ID}[ \t]+(?:is|are|remains?)[ \t]+(?:still[ \t]+)?(?:not|only[ \t]+part(?:ial)?ly)[ \t]+"
    r"(?:yet[ \t]+|fully[ \t]+)?(?:implemented|met|done|satisfied|fulfilled|working|handled)\b"
    rf"|{_ID}(?:[ \t]+(?:is|remains?)|[ \t]*[:–—-])[ \t]+"
    r"(?:not[ \t]+implemented\b|unimplemented\b|unmet\b|missing[ \t]*(?:[.,;!]|$))"
)
_OTHER_VERDICT = re.compile(r"^[*_#]*Verdict[*_]*[ \t]*:[ \t*_]*REJECT[*_ \t.]*$")
_SENTENCES = re.compile(r"(?<=[.!?])[ \t]+(?=[A-Z*_])")


def contradictions(text: str, verdict: Review | None, has_packets: bool) -> tuple[str, ...]:
    """Sentences of a review that approves, by which it should not. The counts of packets are read elsewhere."""
    if verdict is not Review.APPROVE:
        return ()
    prose = (line[:_LINE_READ] for line in _unfenced(text.splitlines()) if not line.lstrip().startswith(">"))
    found = dict.fromkeys(
        " ".join(q.split())[:LONGEST] for q in _found([_QUOTED.sub("…", p) for p in prose], has_packets)
    )
    return tuple(found)[:MOST]


def _unfenced(lines: Sequence[str]) -> Iterator[str]:
    """The lines outside of code; a fence around the answer itself, or one that never closes, is no code."""
    fenced: list[str] = []
    mark = ""
    for line in lines:
        fence = _FENCE.match(line)
        if not mark and not fence:
            yield line
            continue
        fenced.append(line)
        if not mark and fence:
            mark = fence[1]
        elif line.strip() == mark:
            yield from fenced if any(map(_ANSWER.match, fenced)) else ()
            fenced, mark = [], ""
    yield from fenced


def _found(lines: list[str], has_packets: bool) -> Iterator[str]:
    for place, line in enumerate(lines):
        counts = [int(found["count"]) for found in _COUNT.finditer(line)]
        if counts:
            if any(counts) and not has_packets:
                yield line
            continue
        label = _LABEL.match(line)
        if label:
            yield from _labelled(line, label["said"], lines[place + 1 : place + _LIST_READ])
            continue
        yield from _prose(line)


def _labelled(line: str, said: str, below: list[str]) -> Iterator[str]:
    """The findings after a label such as `Critical:`, on its line or in the list below it."""
    said = said.strip(" \t*_|:")
    if said:
        if _is_wrong(said):
            yield line
        return
    for item in _items(below):
        words = re.sub(r"^[ \t]*(?:[-*+•]|\d+[.)])[ \t]*", "", item).strip(" \t*_|")
        if not _is_wrong(words):
            return
        yield f"{line.strip()} {words}"


def _items(below: list[str]) -> Iterator[str]:
    """The lines up to the next heading, label, or blank line after the first of them."""
    begun = False
    for line in below:
        if _HEADING.match(line) or (begun and not line.strip()) or re.match(r"[\w ]{1,40}:", line):
            return
        if line.strip():
            begun = True
            yield line


def _is_wrong(said: str) -> bool:
    """Whether the words after a label tell of something that is wrong now."""
    if _NOTHING.match(said) or _FINE.search(said):
        return False
    return not _is_past(said)


def _is_past(sentence: str) -> bool:
    return bool(_PAST.search(sentence)) and not _STILL.search(sentence)


def _prose(line: str) -> Iterator[str]:
    if _OTHER_VERDICT.match(line.strip()):
        yield line
        return
    for sentence in _SENTENCES.split(line):
        wrong = _UNMET.search(sentence) or (
            not _HYPOTHETICAL.search(sentence) and (_REFUSAL.search(sentence) or _NUMBERED.search(sentence))
        )
        if wrong and not _is_past(sentence) and not _FINE.search(sentence):
            yield sentence
