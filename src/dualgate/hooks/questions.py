"""The last message of an agent -> whether it asks the person something that the work waits for."""

import re

_MARKS = "?？؟"
_FENCE = re.compile(r"^\s*(```|~~~)")
_IN_LIST = re.compile(r"^\s*([-*+•]|\(?\w{1,2}[.)])\s+")
_QUOTED = re.compile(r"^\s*>")
_SENTENCE = re.compile(rf"[^.!{_MARKS}\n]*[.!{_MARKS}]+[)\"'”’*_`]*|[^.!{_MARKS}\n]+$", re.MULTILINE)
_DECORATION = " \t*_`)\"'”’"
# polite words at the end of finished work; nothing waits for an answer
_OFFER = re.compile(
    r"""\b(anything|something)\s+else\b
    | \b(would\s+you\s+like|do\s+you\s+want|want|shall\s+i|should\s+i|can\s+i|may\s+i)\s+(me\s+to\s+|to\s+)?
      (also\b|commit\b|push\b|open\s+a\b|create\s+a\s+(pr|pull|commit)|see\b|review\b|continue\s+with\s+the\s+next)
    | \bhow\s+(can|may|else)\b.*\bhelp\b
    | \bwhat('s|\s+is|\s+would\s+you\s+like|\s+should\s+i)\b.*\bnext\b
    | \b(does|do|did)\s+(that|this|it)\s+(help|look|make|work|sound)\b
    | \b(look|sound)s?\s+(good|ok|okay|right)\b
    | ,\s*(right|ok|okay|isn't\s+it)\W*$ | \bready\s+to\s+(ship|merge|go)\W*$""",
    re.IGNORECASE | re.VERBOSE,
)
# a sentence that may follow a question and does not answer it
_AFTERWARDS = re.compile(
    r"^\W*(let me know|please|tell me|reply|i('ll| will| can|'d)|until|otherwise|if|once|then|thanks|your)\b",
    re.IGNORECASE,
)


def asks_person(message: str) -> bool:
    """Whether the message ends with a question; an offer of more work does not count, a list of choices may follow."""
    sentences = [found[0].strip() for found in _SENTENCE.finditer(_last_words(message)) if found[0].strip()]
    while sentences and not _is_question(sentences[-1]) and _AFTERWARDS.match(sentences[-1]):
        sentences.pop()
    return bool(sentences) and _is_question(sentences[-1]) and not _OFFER.search(sentences[-1])


def _is_question(sentence: str) -> bool:
    return sentence.rstrip(_DECORATION).endswith(tuple(_MARKS))


def _last_words(message: str) -> str:
    """The last paragraph of prose: without code, without quotes, and without the list that may follow it."""
    lines = _prose(message)
    while lines and (not lines[-1].strip() or (_IN_LIST.match(lines[-1]) and not _is_question(lines[-1]))):
        lines.pop()
    start = next((number for number in range(len(lines) - 1, -1, -1) if not lines[number].strip()), -1)
    return "\n".join(lines[start + 1 :])


def _prose(message: str) -> list[str]:
    lines, in_code = [], False
    for line in message.splitlines():
        if _FENCE.match(line):
            in_code = not in_code
        elif not in_code and not _QUOTED.match(line):
            lines.append(line)
    return lines
