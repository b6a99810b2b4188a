"""Stretch -> Handover: the fields of a packet for later phases and people, read from its full and its short form.

They are read apart from the other fields: a missing or illegal field takes nothing from them, and nothing is reported.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from dualgate.core.said.packets import phrases
from dualgate.core.said.packets.decoration import block_of, is_placeholder, split_items, text_of, undecorated
from dualgate.core.said.packets.fields import PacketField, Subfields, gathered
from dualgate.core.said.packets.forms import Prose
from dualgate.core.said.packets.grammar import ANY_KEYS, DECISION, KEYS, REFACTORINGS
from dualgate.core.said.packets.packet import PacketPhase
from dualgate.core.said.packets.report import Report
from dualgate.core.said.packets.sections import NOTES, Keys, Section, cut
from dualgate.core.said.packets.stretches import Stretch

_DECISIONS, _INTENT, _MINOR = "Decisions", "TestIntent", "Minor Issues"
HANDED_OVER = (NOTES, DECISION, _DECISIONS, _MINOR)
"""Fields that any packet may have, in any form."""
_INTENT_NAMES = ("Summary", "Given", "When", "Then", "Contract surface", "Non-goals", "Edge cases covered")
_INTENT_FORM = Subfields(fields=tuple(PacketField(name, Prose(lines=True), required=False) for name in _INTENT_NAMES))
_NOT_NEEDED = re.compile(r"no refactoring (?:is )?needed\b", re.IGNORECASE)
# words that say that there is nothing to say; the last is a form that was not filled in
_NOTHING = re.compile(r"(?:none|n/a|nothing|no notes|-)?\.?|none *\|.*", re.IGNORECASE | re.DOTALL)
_NOTES_LENGTH = 4000
_TEXT_LENGTH = 500
_ITEMS_KEPT = 20

Sections = Mapping[str, Sequence[Section]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Handover:
    notes: str = ""
    intent: tuple[tuple[str, str], ...] = ()
    """The fields of TestIntent that are given, with their texts."""
    decisions: tuple[str, ...] = ()
    """Each decision with its reasons."""
    minor: tuple[str, ...] = ()
    """Minor issues, each with its place."""
    no_refactoring: bool = False
    """Whether the packet says that no refactoring is needed, and lists none."""


def read_handover(stretch: Stretch) -> Handover:
    found = gathered(cut(stretch, _KEYS[stretch.phase], Report()))
    decisions = _kept((*_decisions(found), *_items(found, _DECISIONS)))
    is_needless = any(_NOT_NEEDED.match(each.inline) for each in found.get(DECISION, ()))
    return Handover(
        notes="".join(_kept((block_of(each.inline, each.rest) for each in found.get(NOTES, ())), _NOTES_LENGTH)),
        intent=tuple(_intent(found)),
        decisions=decisions,
        minor=_kept(map(_issue, _items(found, _MINOR))),
        no_refactoring=is_needless and REFACTORINGS not in found,
    )


def _decisions(found: Sections) -> Iterator[str]:
    for section in found.get(DECISION, ()):
        reasons = "; ".join(_kept(_bullets(section)))
        words = _text(section) if not reasons else undecorated(section.inline).rstrip(".")
        yield f"{words}: {reasons}" if words and reasons else words or reasons


def _items(found: Sections, name: str) -> Iterator[str]:
    for section in found.get(name, ()):
        yield from (*_bullets(section),) or (_text(section),)


def _bullets(section: Section) -> Iterator[str]:
    return (_text(item) for item in split_items(section))


def _issue(text: str) -> str:
    issue = phrases.MINOR_ISSUE.parse(text)
    return f"{issue['location']} {issue['description']}" if issue else text


def _intent(found: Sections) -> Iterator[tuple[str, str]]:
    """The fields below TestIntent, or beside it if they are not indented; a text after the key is the summary."""
    values: dict[str, str] = {}
    for section in found.get(_INTENT, ()):
        values |= {"Summary": section.inline} if section.inline else {}
        values |= _INTENT_FORM.read(replace(section, inline="")) or {}
    values |= {name: text_of(found[name][0], several=True) for name in _INTENT_NAMES if name in found}
    for name in _INTENT_NAMES:
        yield from ((name, text) for text in _kept((values.get(name, ""),)))


def _text(section: Section) -> str:
    return " ".join(text_of(section, several=True).split())


def _kept(texts: Iterable[str], length: int = _TEXT_LENGTH) -> tuple[str, ...]:
    """The texts that say something, each once, cut to size."""
    said = (text for text in texts if not _NOTHING.fullmatch(text) and not is_placeholder(text))
    cut_to_size = (text if len(text) <= length else f"{text[:length]} […]" for text in said)
    return tuple(dict.fromkeys(cut_to_size))[:_ITEMS_KEPT]


def _keys(keys: Keys, phase: PacketPhase | None) -> Keys:
    more = (*HANDED_OVER, *(_INTENT_NAMES if phase is PacketPhase.RED else ()))
    return replace(keys, known={**keys.known, **{name.casefold(): name for name in more}})


_KEYS: Mapping[PacketPhase | None, Keys] = {
    **{phase: _keys(keys, phase) for phase, keys in KEYS.items()},
    None: _keys(ANY_KEYS, None),
}
