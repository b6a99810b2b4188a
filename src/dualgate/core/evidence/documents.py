"""Changed documents, and what else changed -> which documents count, and why the others do not.

A decision record counts by its sections, another document if its new text names a changed path, name or criterion.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from dualgate.core.evidence.changed_names import ChangedNames
from dualgate.core.evidence.document_text import TextLine, has_words, lines_of
from dualgate.core.evidence.filler import is_filler
from dualgate.core.evidence.records import Part, filled_parts
from dualgate.core.values.changes import DocumentCount, Uncounted, is_record_path
from dualgate.core.values.notation import listed

EMPTY = "it is empty"
NO_TEXT = "its new text is only headings or placeholders"
NAMES_NOTHING = "its new text names no changed file, no changed name and no criterion"
NOT_TEXT = "it is not text"
CODE = "it is code, not a document"
_CONTEXT_LINES = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A document at the start of the session and now; None is a missing file, or one that is not text."""

    path: str
    before: str | None = None
    after: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """The names of a change that a document may mention."""

    paths: tuple[str, ...] = ()
    """Changed files that are not documents."""
    names: ChangedNames = field(default_factory=ChangedNames)
    criteria: tuple[tuple[str, str], ...] = ()
    """Ids and texts of the criteria."""
    title: str = ""


def count_documents(drafts: Iterable[Draft], deleted: Iterable[str], topic: Topic) -> DocumentCount:
    """Judge each draft. Lines that any document had before, as the `deleted` texts, are not new."""
    drafts = list(drafts)
    known = {row.strip() for text in (*deleted, *(each.before or "" for each in drafts)) for row in text.splitlines()}
    about = _mentions_of(topic)
    counting: dict[str, str] = {}
    records: list[str] = []
    others: list[Uncounted] = []
    for draft in drafts:
        lines = lines_of(draft.after or "", known)
        text = "\n".join(line.text for line in lines if line.is_new and line.says_something)
        is_record = filled_parts(lines) == frozenset(Part)
        reason = _why_not(draft, lines, is_record, about) or _repeats(text, counting)
        if reason:
            others.append(Uncounted(path=draft.path, reason=reason))
            continue
        counting[draft.path] = text
        records += [draft.path] if is_record else []
    return DocumentCount(counting=tuple(counting), records=tuple(records), others=tuple(others))


def _why_not(
    draft: Draft, lines: Sequence[TextLine], is_record: bool, about: Callable[[Sequence[TextLine]], bool]
) -> str:
    if draft.after is None:
        return NOT_TEXT
    if not draft.after.strip():
        return EMPTY
    new = [line for line in lines if line.is_new]
    said = [line.text for line in new if line.says_something]
    if not has_words(said, least=1) or not has_words(line.text for line in new):
        return NO_TEXT
    if is_record and draft.before is None:
        return ""
    if is_record_path(draft.path) and not is_record:
        missing = [part.value for part in Part if part not in filled_parts(lines)]
        return f"a decision record without text under {listed(missing)}"
    return "" if about([line for line in new if line.level or line.says_something]) else NAMES_NOTHING


def _repeats(text: str, counting: dict[str, str]) -> str:
    same = next((path for path, other in counting.items() if other == text), "")
    return f"it says the same as {same}" if same else ""


_TOKEN = re.compile(r"--?[A-Za-z][\w-]*|[A-Za-z_$][\w$]*|[^\W\d_]+")
_CODE_FORM = re.compile(r"`+([^`\n]+)`+|<code>(.*?)</code>|([\w$.:-]+)\(|(?<!\w)\+([^+\n]+)\+(?!\w)")
_PATH_SIGN = r"[\w./-]"


def _mentions_of(topic: Topic) -> Callable[[Sequence[TextLine]], bool]:
    """Make the test whether lines are about the topic."""
    literals = [name for name in topic.names.defined if not _TOKEN.fullmatch(name)]
    literals += [each for path in topic.paths for each in _spellings(path)]
    literals += [identity for identity, _ in topic.criteria]
    outright = _any_of(literals)
    defined = frozenset(name for name in topic.names.defined if not is_filler(name))
    in_code = topic.names.defined | frozenset(name for name in topic.names.used if not is_filler(name))
    in_code |= frozenset(path.rpartition("/")[2].partition(".")[0] for path in topic.paths)
    said = [_stems(text) for text in (*(text for _, text in topic.criteria), topic.title)]
    # where nothing has a name, one word of a criterion is all that a document can share with the change
    phrases = [(phrase, _SHARED if topic.names.defined else 1) for phrase in said]
    words = " ".join(_BETWEEN_WORDS.sub(" ", name) for name in topic.names.defined | topic.names.used)
    phrases.append((_stems(words), _SHARED_WITH_CODE))

    def is_about(lines: Sequence[TextLine]) -> bool:
        text = "\n".join(line.text for line in lines)
        if (outright and outright.search(text)) or not defined.isdisjoint(_TOKEN.findall(text)):
            return True
        return not in_code.isdisjoint(_code_tokens(lines)) or any(
            _shares(phrase, words, needed) for words in _windows(lines) for phrase, needed in phrases
        )

    return is_about


_BETWEEN_WORDS = re.compile(r"_|(?<=[a-z])(?=[A-Z])")
_SHARED = 2
_SHARED_WITH_CODE = 3
"""So many words of one sentence stand in the changed code: it is about that, though it gives no name."""


def _spellings(path: str) -> Iterator[str]:
    """A path, its name, and the module that it is."""
    yield path
    yield path.rpartition("/")[2]
    if path.endswith(".py") and "/" in path:
        yield path.removeprefix("src/").removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _any_of(literals: Collection[str]) -> re.Pattern[str] | None:
    words = sorted({word for word in literals if len(word) > _SHORTEST}, key=len, reverse=True)
    if not words:
        return None
    return re.compile(rf"(?<!{_PATH_SIGN})(?:\./)?(?:{'|'.join(map(re.escape, words))})(?![\w-]|/\w|\.\w)")


_SHORTEST = 2


def _code_tokens(lines: Iterable[TextLine]) -> Iterator[str]:
    for line in lines:
        parts = (
            [line.text] if line.is_code else ["".join(filter(None, found)) for found in _CODE_FORM.findall(line.text)]
        )
        for part in parts:
            yield from _TOKEN.findall(part)


def _windows(lines: Sequence[TextLine]) -> Iterator[frozenset[str]]:
    """The words of each line and the one after it, since a sentence may be wrapped."""
    for place in range(len(lines)):
        yield _stems(" ".join(line.text for line in lines[place : place + _CONTEXT_LINES]))


_ENDINGS = re.compile(r"(?:ations?|sions?|tions?|ings?|ments?|ers?|ies|ed|es|ly|al|s|e|y)$")
_SHORTEST_STEM = 4


def _stems(text: str) -> frozenset[str]:
    words = (word for word in _TOKEN.findall(text) if not is_filler(word))
    return frozenset(_stem(word.casefold()) for word in words)


def _stem(word: str) -> str:
    short = _ENDINGS.sub("", word)
    return short if len(short) >= _SHORTEST_STEM else word


def _shares(phrase: frozenset[str], words: frozenset[str], needed: int) -> bool:
    """Whether words share so many stems with a phrase; of a shorter phrase, all of them."""
    shared = sum(any(_is_same(stem, word) for word in words) for stem in phrase)
    return bool(phrase) and shared >= min(needed, len(phrase))


def _is_same(stem: str, other: str) -> bool:
    if min(len(stem), len(other)) < _SHORTEST_STEM:
        return stem == other
    return stem.startswith(other) or other.startswith(stem)
