"""Sections, lists and lines -> how much they look like criteria."""

import re
from collections.abc import Sequence

from dualgate.core.spec.drafts import Source, item_wording
from dualgate.core.spec.markdown import Form, Node
from dualgate.core.spec.roles import BESIDE_CRITERIA, PERHAPS_CRITERIA, Certainty, Role, bare, role_of
from dualgate.core.spec.scenarios import EARS, is_complete
from dualgate.core.spec.sections import Section, own_text
from dualgate.core.spec.statements import are_statements
from dualgate.core.spec.tables import has_text_column
from dualgate.core.spec.walking import NUMBERED, flat, items_in
from dualgate.core.spec.wording import criterion_id, is_ticked, split_id

_INTRODUCES = re.compile(r":\s*$|^[*_]*as an? |^\W*(?:for )?example", re.IGNORECASE)
_LED = re.compile(r"^[*_]{1,2}(?P<label>[^*_\n]{1,60}?)\s*:?[*_]{1,2}\s*:?\s")
MODAL = re.compile(r"\b(?:must|shall)\b", re.IGNORECASE)


def is_criterion_line(section: Section, text: str, source: Source) -> bool:
    """Whether a line of a paragraph is a criterion: by an id, by 'shall', or by a number below such a heading."""
    if criterion_id(text):
        return True
    if section.is_parent:
        return False
    is_listed = source is not Source.LOOSE and (NUMBERED.match(text) or split_id(text)[0])
    return bool(EARS.match(NUMBERED.sub("", text)) or is_listed)


def is_aside(text: str) -> bool:
    """Whether a paragraph introduces a list, tells a story, or has a label such as 'Rationale'."""
    led = _LED.match(text)
    is_labelled = led is not None and (role_of(led["label"]) is not Role.PLAIN or "story" in led["label"].lower())
    return is_labelled or _INTRODUCES.search(text) is not None


def is_loose(text: str) -> bool:
    """Whether an item is a criterion by its form, wherever it stands."""
    return bool(criterion_id(text)) or is_complete(text) or EARS.search(text) is not None


def perhaps_criteria(section: Section, texts: Sequence[str]) -> Source:
    """Why a list below a heading that says nothing may be meant as criteria."""
    is_modal = sum(MODAL.search(text) is not None for text in texts) * 2 > len(texts)
    words = bare(section.heading)
    asks = any(text.rstrip().endswith("?") for text in texts)
    if is_modal or (BESIDE_CRITERIA.search(words) and are_statements(texts) and not asks):
        return Source.UNSURE
    return Source.PERHAPS if PERHAPS_CRITERIA.search(words) else Source.LAST


def weighed(section: Section, node: Node, source: Source) -> Source:
    """The source, or a doubtful one below a heading that may mean something else, if the items state no behaviour."""
    if section.certainty is Certainty.CERTAIN:
        return source
    if node.form is Form.TABLE:
        return source if has_text_column(node) else Source.PERHAPS
    texts = [item_wording(item).text for item in node.children]
    is_long = section.certainty is Certainty.LIKELY and sum(len(text.split()) for text in texts) >= 4 * len(texts)
    return (
        source
        if is_long or any(criterion_id(own_text(item)) for item in node.children) or are_statements(texts)
        else Source.UNSURE
    )


def has_ids(section: Section) -> bool:
    """Whether items below a heading with an id have ids of their own."""
    return any(criterion_id(own_text(item)) for node in flat(section.nodes) for item in items_in(node))


def is_among_boxes(node: Node) -> bool:
    """Whether an outermost list has tick boxes, so that an item without one is an open task."""
    return node.is_outermost and any(
        is_ticked(item.children[0].text) is not None for item in node.children if item.children
    )
