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
_PATH = re.compile(r"`([\w./-]+\.\w{1,5}(?::\d+)?)`")
_LEAD = r"^[^\w\n]*(?:\d+[.)][ \t]*)?(?:\[[ xX]?\][ \t]*)?[*_\[(]*"
_SEVERE = r"(?:critical|major|blockers?|blocking|kritisch(?:e[nrs]?)?)"
_NOUN = (
    r"(?:issues?|findings?|problems?|bugs?|concerns?|defects?|blockers?|regressions?|violations?|vulnerabilit(?:y|ies)"
    r"|objections?|remarks?|flaws?|gaps?|points?|risks?|severity|fehler|probleme?)"
)
_NAME = rf"{_SEVERE}(?:[ \t]+{_NOUN})?(?:[ \t]+found)?"
_LABEL = re.compile(
    rf"{_LEAD}(?P<name>{_NAME})[*_]*(?P<beside>[ \t]*\([^)\n]*\))?[*_\])]*"
    r"(?:[ \t]*[:=|][*_]*|[ \t]+[–—-][ \t]|(?<=\]|\*)[ \t]+|(?<=\])|[*_]*$)[ \t]*(?P<said>.*)$",
    re.IGNORECASE,
)
# a line may hold several labels; a label begins the line or follows a separator
_PARTS = re.compile(
    rf"(?:(?<=[:|;,.(])|(?<=[:|;,.(][ \t])|(?<=[ \t])(?=\*\*))"
    rf"(?=[*_]*(?:{_NAME}|(?:minor|info)(?:[ \t]+{_NOUN})?)[*_]*[ \t]*[:=])",
    re.IGNORECASE,
)
_HEADING = re.compile(r"^[ \t]*(?:#{1,6}[ \t]|\*\*[^*\n]+\*\*[ \t]*:?[ \t]*$)")
_BULLET = re.compile(r"^[ \t]*(?:[-*+•]|#{1,6}|\d+[.)])[ \t]+")
_FIELD = re.compile(
    r"^[ \t*_]*(?:file|path|lines?|location|where|description|what|problem|issue|finding|id|category)[*_]*:[*_]*[ \t]*",
    re.IGNORECASE,
)
_COUNT = re.compile(
    r"\W*(?P<count>\d+|one|two|three|four|five)(?:[ \t]+(?:found|open|left|remaining|in total|issues?|findings?))?\W*$",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    rf"\b(?:[1-9]\d*|one|two|three|four|five|several|some)[ \t]+(?:open[ \t]+)?(?:critical|major|blocking)"
    rf"(?:[ \t]+(?:\w+[ \t]+)?{_NOUN}\b|[ \t]*(?:[,;.|)]|$))"
    r"|\b(?:there(?:'s|[ \t]+(?:is|are|remains?))|(?:I|we)[ \t]+(?:found|see|have|noticed)|has|have"
    r"|contains?|introduces?|(?:this|that|it|which)[ \t]+is)[ \t]+(?:still[ \t]+)?(?:an?(?:other)?[ \t]+)?"
    rf"(?:(?:critical|major|blocking)[ \t]+(?:\w+[ \t]+)?(?:{_NOUN}|errors?|mistakes?)\b|blockers?\b)"
    r"|\b(?:[1-9]\d*|one|two|three|four|several)[ \t]+blockers?\b|\bwhich is (?:critical|blocking)\W*$"
    rf"|^\W*(?:critical|major|blocking)[ \t]+{_NOUN}[ \t]+(?:remain|persist|exist)\b"
    rf"|\b(?:an?|another|the)[ \t]+(?:critical|major|blocking)[ \t]+(?:\w+[ \t]+)?{_NOUN}[ \t]+"
    r"(?:remains?|persists?|exists?|is[ \t]+(?:open|left|there))\b",
    re.IGNORECASE,
)
_LEFT = r"(?:found|open|left|remain(?:s|ing)?|known|identified|seen|here|to report|that I|at)"
_NONE = rf"none\b(?![ \t]+(?:of|is|are|was|were|gets?|can|may|will|has)\b(?![ \t]+{_LEFT}\b))"
_NOTHING = re.compile(
    r"(?:(?:I|we)[ \t]+(?:found|see|saw|have)[ \t]+|there[ \t]+(?:is|are|were)[ \t]+|\()?"
    rf"(?:{_NONE}|(?:0|zero|nil|no|null|keine?|aucune?|nichts)(?:[ \t]+{_LEFT})?[ \t]*(?:$|[.,;!()|–—-])"
    r"|n[./]?a\b|nope\b|not (?:applicable|found|any)[.!]?$|none of (?:note|concern|them)[.!]?$"
    r"|(?:keine?|aucune?)[ \t]+\w+\W*$|not that I\b|(?:only|just)[ \t]+minor\b"
    rf"|(?:0|zero|no|without|keine?|free of)[ \t]+(?:\w+(?:[ \t]+|,[ \t]*)){{0,3}}?{_NOUN}\b"
    r"|(?:no|without|0)[ \t]+(?:errors?|items?|ones)(?:[ \t]+(?:found|seen|left|open))?[.!]?$"
    r"|nothing(?:[ \t]+(?:\w+[ \t]+)?(?:found|new|to \w+|here|else|critical|major|blocking|left|open|wrong|outstanding"
    r"|serious|stands? out|of note|comes? up|came up"
    r"|that(?: \w+)* blocks?|blocks?(?: \w+)*|that I(?: \w+)+))?[.!,;]?(?:$|[ \t]+(?:in|to|was)\b)|[-–—✓✔✅]+$)"
    rf"|(?:I|we|there)\b[^.;:]{{0,30}}(?:\bnot\b|n't\b|\bnever\b)[^.;:]{{0,20}}\bany(?:thing)?"
    rf"(?:[ \t]+(?:{_SEVERE}|wrong|serious|else))?(?:[ \t]+{_NOUN}(?:[ \t]+\w+){{0,3}})?\W*$"
    rf"|.*(?:,|\b(?:found|saw|see|have))[ \t]+(?:none|nothing|no[ \t]+{_NOUN})\W*$",
    re.IGNORECASE,
)
_WELL = r"(?:ok|okay|fine|passed|passes|good|clean|holds?|met|lgtm|correct|covered|looks good to me)"
_FINE = re.compile(rf"(?:\b{_WELL}|[✓✔✅])[.!)]*$", re.IGNORECASE)
_NOT_FINE = re.compile(rf"(?:\bnot|n't|\bnever|\bbarely)[ \t]+(?:\w+[ \t]+)?{_WELL}[.!)]*$", re.IGNORECASE)
_PRAISE = re.compile(
    r"\b(?:works?|well|correctly|properly|safely|as (?:specified|expected|asked|required|intended|it should))\b"
    r"|\b(?:is|are|looks?|seems?|reads?)[ \t]+(?:\w+[ \t]+){0,2}(?:simple|clear|readable|solid|sound|safe|complete"
    r"|sufficient|consistent|correct|good|fine|clean|tested|covered|verified|satisfied|validated|handled)\b",
    re.IGNORECASE,
)
_LOOKED = re.compile(
    r"(?:(?:I|we)[ \t]+(?:have[ \t]+)?)?(?:checked|reviewed|verified|inspected|looked|confirmed)\b"
    r"|(?:all|every|each|both)[ \t]+(?:of[ \t]+)?(?:the[ \t]+)?(?:acceptance[ \t]+)?"
    r"(?:criteria|criterion|tests?|checks?|requirements?|cases|points|paths)\b",
    re.IGNORECASE,
)
_DEFECT = re.compile(
    r"\b(?:yes|ja|oui|not|no|never|nothing|none|without|nicht|keine?|fehlt|missing|miss(?:es|ed)|lacks?|lost|loss|loses?|wrong"
    r"|fail\w*|incorrect\w*|invalid|broken|breaks?|bugs?|crash\w*|leak\w*|unsafe|insecure|injection|race|deadlock"
    r"|overflow|hard[ -]?cod\w*|swallow\w*|ignor\w*|un\w+(?:ed|led)|contradict\w*|tautolog\w*|duplicat\w*|incomplete"
    r"|partial\w*|stale|only|twice|double|instead|vulnerab\w*|weak\w*|exposed|plain ?text|errors?|exceptions?|must"
    r"|should|needs?|regress\w*|danger\w*|rounds|rounding|infinite|open)\b|n't\b",
    re.IGNORECASE,
)
_ID = r"\b(?!(?:UTF|ISO|SHA|RFC|PEP|CVE|HTTP|GPT|MD|IEEE)-)[A-Z][A-Za-z]{0,9}-\d+(?:\.\d+)*"
_PLACE = re.compile(rf"{_ID}\b|[\w/-]\.[a-z]{{1,5}}\b|\w\(")
_SHORT = 3
_SHORT_LENGTH = 40
_MENDED = r"(?:fixed|resolved|addressed|mended|corrected|repaired|closed|gone)"
_STILL = re.compile(
    rf"(?:\bnot|n't|\bnever|\bstill)[ \t]+(?:\w+[ \t]+){{0,2}}{_MENDED}\b|\bunresolved\b|\bstill\b(?!.*{_MENDED})"
    rf"|\bbe[ \t]+{_MENDED}\b|\b(?:remains|persists|is back|came back)\b|(?:\b(?:is|are|was|were) not|n't)[.!]?$",
    re.IGNORECASE,
)
_THEN = r"(?:$|[ \t]*[.,;:!()\]–—|]|[ \t]+(?:-|in|by|with|since|now|and|from|as|after|there)\b)"
_PAST = re.compile(
    rf"\b(?:is|are|was|were|been|now|already|since|got|both|all|verified)[ \t]+"
    rf"(?:(?:now|already|all|both|since|fully)[ \t]+)?{_MENDED}\b(?={_THEN})"
    rf"|^\W*{_MENDED}(?=$|[ \t]*[.,;:!()|]|[ \t]+(?:[–—-]|in|by|since|now|with)[ \t])"
    rf"|{_ID}:?[ \t]+(?:{_MENDED}|done)\b(?={_THEN})|\b{_MENDED}[\s.!)*_]*$|[,;:(–—][ \t]*{_MENDED}\b(?={_THEN})"
    r"|\bno longer[ \t]+(?:an?[ \t]+|the[ \t]+)?"
    r"(?:issue|problem|finding|concern|case|present|there|open|applies|occurs)"
    rf"|\b(?:previous(?:ly)?|earlier|former)[ \t]+(?:\w+[ \t]+)?(?:{_NOUN}|reviews?|reported|found|raised|ones?)\b"
    r"|\bin the (?:first|last) review\b|\bat first\b|\bfirst thought\b|\bwas that\b"
    r"|\bnow (?:it|they|that) (?:is|are|does|do)\b"
    r"|\b(?:first|last|previous|earlier) (?:version|attempt|round)\b|\b(?:is|are) (?:there|met|implemented|done) now\b"
    rf"|\bthere (?:was|were)[ \t]+(?!no)(?:\w+[ \t]+){{1,3}}{_NOUN}\b",
    re.IGNORECASE,
)
_HYPOTHETICAL = re.compile(r"\bwould\b|\bif\b|\bcould\b|\bunless\b", re.IGNORECASE)
_REFUSAL = re.compile(
    r"\b(?:I|we)(?:[ \t]+(?:must|have to|will|need to)|'ll)?[ \t]+reject\b(?![ \t]+the[ \t]+(?:idea|view|claim)\b)"
    r"|\b(?:I|we)(?:[ \t]+am|'m)[ \t]+rejecting\b"
    r"|\b(?:can(?:not|'t)|can not|do not|don't|will not|won't|(?:un|not )able to)[ \t]+approve\b(?![ \t]+\w+ly\b)"
    r"|\b(?:can(?:not|'t)|do not|don't)[ \t]+recommend[ \t]+(?:merging|approv|to[ \t]+(?:merge|approve)|this|it)"
    r"|\bbefore (?:it|this) can be (?:merged|approved)\b|\b(?:fix|must|needs?)\b.*\bbefore merging\b"
    r"|^\W*not approved\b|\b(?:I|we) request changes\b|\bapproval is (?:denied|refused|withheld)\b"
    r"|\bmust be rejected\b|\bhas to be rejected\b|\b(?:change|work|code|this)[ \t]+is[ \t]+not[ \t]+acceptable\b"
    r"|\b(?:should|must|can)(?:[ \t]*not|n't)[ \t]+be[ \t]+(?:merged|approved)\b"
    r"|(?:^\W*|\bplease[ \t]+)(?:do[ \t]+not|don't)[ \t]+merge(?:\W*$|[ \t]+(?:this|it|yet|until|before|as)\b)"
    r"|\bnot[ \t]+(?:yet[ \t]+)?ready[ \t]+(?:to[ \t]+be[ \t]+merged|to[ \t]+merge|for[ \t]+(?:merge|release|approval))"
    r"|^[ \t*_#>-]*(?:recommendation|decision|conclusion|overall)[*_ \t]*:[*_ \t]*reject\b",
    re.IGNORECASE,
)
_DONE = (
    r"(?:implemented|met|done|satisfied|fulfilled|working|handled|covered|tested|proven|supported|complete|correct"
    r"|fixed|addressed|resolved)"
    r"\b(?![ \t]+(?:twice|again|more)\b)"
)
_BROKEN = r"(?:unimplemented|unmet|broken|wrong|incomplete|untested|violated|open|missing[ \t]*(?:[.,;!]|$))"
_UNMET = re.compile(
    rf"(?<!\bif )(?<!\bIf )(?<!when )(?<!When )(?<!unless )(?<!whether ){_ID}(?:"
    r"(?:[ \t]+(?:is|are|was|were|remains?|has|have)(?:[ \t]+still)?)?"
    r"(?:[ \t]+not|[ \t]+never|[ \t]+(?:is|are|was|has)n't|[ \t]+only[ \t]+(?:part(?:ial)?ly|half))"
    rf"[ \t]+(?:yet[ \t]+|fully[ \t]+|been[ \t]+)*{_DONE}"
    rf"|[ \t]*[:–—-][ \t]+(?:not[ \t]+implemented\b|{_BROKEN})|[ \t]+(?:is|are|remains?)[ \t]+(?:still[ \t]+)?{_BROKEN}"
    r"|[ \t]+(?:has|have)[ \t]+no[ \t]+(?:implementation|test)\b|[ \t]+cannot be (?:verified|proven|tested)\b"
    r"|[ \t]+(?:does[ \t]+not|doesn't)[ \t]+(?:work|hold)\b|[ \t]+fails[ \t]*(?:[.,;!]|$))"
    r"(?![ \t]+(?:in|by|as|with|via|through)\b.*\bbut\b)"
    rf"|\btests?[ \t]+(?:for|of)[ \t]+{_ID}[ \t]+fails?\b|{_ID}[ \t]+is[ \t]+(?:met|implemented)[ \t]+only\b"
    rf"|\b(?:(?:does[ \t]+not|doesn't)[ \t]+(?:yet[ \t]+|fully[ \t]+)?(?:meet|satisfy|implement|fulfill?)"
    rf"|breaks|violates)[ \t]+{_ID}\b"
)
_EXCUSED = re.compile(
    r"\bout of scope\b|\bnon-goals?\b|\bnot (?:asked|required|part of|in scope)\b"
    r"|\bno(?:body| one| criterion)[ \t]+(?:\w+[ \t]+)?asks?\b|\bminor\b",
    re.IGNORECASE,
)
_OTHER_VERDICT = re.compile(r"^[*_#]*Verdict[*_]*[ \t]*:[ \t*_]*REJECT[*_ \t.]*$")
_SENTENCES = re.compile(r"(?<=[.!?])[ \t]+(?=[A-Z*_])")


def contradictions(text: str, verdict: Review | None, has_packets: bool) -> tuple[str, ...]:
    """Sentences of a review that approves, by which it should not. The counts of packets are read elsewhere."""
    if verdict is not Review.APPROVE:
        return ()
    prose = (line[:_LINE_READ] for line in _unfenced(text.splitlines()) if not line.lstrip().startswith(">"))
    found = dict.fromkeys(
        " ".join(q.split())[:LONGEST]
        for q in _found([_QUOTED.sub("…", _PATH.sub(r"\1", p)) for p in prose], has_packets)
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
        below = lines[place + 1 : place + _LIST_READ]
        if line.lstrip().startswith("|"):
            yield from _row(line, below, has_packets)
            continue
        parts = _PARTS.split(line)
        for number, part in enumerate(parts):
            label = _LABEL.match(part)
            if label:
                items = below if number == len(parts) - 1 else []
                yield from _labelled(line if number else part, label, items, has_packets)
            else:
                yield from _prose(part)


def _row(line: str, below: list[str], has_packets: bool) -> Iterator[str]:
    """A row of a table with one cell that is a severity; the row above the rule is its head."""
    if below and re.fullmatch(r"[\s|:-]+", below[0]):
        return
    cells = [cell.strip(" \t*_") for cell in line.strip().strip("|").split("|")]
    others = [cell for cell in cells if not re.fullmatch(_NAME, cell, re.IGNORECASE)]
    if len(others) != len(cells) - 1:
        yield from _prose(line)
    elif _is_wrong_row([cell for cell in others if cell and not re.fullmatch(_ID, cell)], has_packets):
        yield line


def _is_wrong_row(said: list[str], has_packets: bool) -> bool:
    counts = [found for found in map(_COUNT.match, said) if found]
    if counts and len(counts) == len(said):
        return bool(_number(counts[0])) and not has_packets
    return any(map(_is_wrong, said)) and not any(_is_past(cell) or _is_fine(cell) for cell in said)


def _labelled(line: str, label: re.Match[str], below: list[str], has_packets: bool) -> Iterator[str]:
    """The findings after a label such as `Critical:`, on its line or in the list below it."""
    said = label["said"].strip(" \t*_|:[]()")
    count = _COUNT.match(said or label["beside"] or "")
    if count:
        # the counts of packets have a bare label, and are read elsewhere
        is_bare = re.fullmatch(r"\d+\W*", said) and label["name"].lower() in ("critical", "major")
        if _number(count) and not (has_packets and is_bare):
            yield line
        return
    if _is_wrong(said, label["beside"] or ""):
        yield line
    else:
        yield from _prose(said)
    if label["said"].strip(" \t*_|:"):
        return
    for item in _items(below, _level(line)):
        words = _FIELD.sub("", _BULLET.sub("", item)).strip(" \t*_|")
        if _NOTHING.match(words):
            return
        if _is_wrong(words):
            yield f"{line.strip()} {words}"


def _level(line: str) -> int:
    """How deep a heading is; 0 for another line."""
    return len(line.lstrip()) - len(line.lstrip().lstrip("#"))


def _items(below: list[str], level: int) -> Iterator[str]:
    """The items up to the next heading, label, or blank line after the first of them, each with its further lines.

    A heading below the label's own is an item.
    """
    item = ""
    for line in below:
        if _ends_list(line, level) or (item and not line.strip()):
            break
        if item and line[:1] in " \t" and not _BULLET.match(line):
            item = f"{item} {line.strip()}"
            continue
        if item:
            yield item
        item = line.rstrip()
    if item:
        yield item


def _ends_list(line: str, level: int) -> bool:
    is_label = re.match(r"[\w ]{1,40}:", line) and not _FIELD.match(line)
    is_heading = _HEADING.match(line) and not 0 < level < _level(line)
    return bool(is_label or is_heading)


def _number(count: re.Match[str]) -> int:
    return int(count["count"]) if count["count"].isdecimal() else 1


def _is_wrong(said: str, beside: str = "") -> bool:
    """Whether the words after a label tell of something that is wrong now.

    Few words without a place or a word for a defect are taken for "none", in any language.
    """
    if not said or _NOTHING.match(said) or _is_fine(said) or _is_past(said):
        return False
    is_defect = bool(_DEFECT.search(said))
    is_short = len(said.split()) <= _SHORT and len(said) <= _SHORT_LENGTH and not _PLACE.search(f"{beside} {said}")
    return is_defect or not (is_short or _LOOKED.match(said) or _PRAISE.search(said))


def _is_fine(sentence: str) -> bool:
    return bool(_FINE.search(sentence)) and not _NOT_FINE.search(sentence)


def _is_past(sentence: str) -> bool:
    return bool(_PAST.search(sentence)) and not _STILL.search(sentence)


def _prose(line: str) -> Iterator[str]:
    if _OTHER_VERDICT.match(line.strip()):
        yield line
        return
    for sentence in _SENTENCES.split(line):
        wrong = (_UNMET.search(sentence) and not _EXCUSED.search(sentence)) or (
            not _HYPOTHETICAL.search(sentence) and (_REFUSAL.search(sentence) or _NUMBERED.search(sentence))
        )
        if wrong and not _is_past(sentence) and not _is_fine(sentence):
            yield sentence
