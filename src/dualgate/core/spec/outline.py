"""Sections -> the title, the goal, and which specifications stand before and after this one."""

import re
from collections.abc import Iterator, Sequence

from dualgate.core.spec.markdown import Form, Node, front_matter
from dualgate.core.spec.roles import GOAL, bare
from dualgate.core.spec.sections import METADATA, Section
from dualgate.core.spec.wording import plain

_TITLE_KEY = re.compile(r"^(?:title|name)\s*:\s*[\"']?(?P<title>[^\"'\n]+?)[\"']?\s*$", re.IGNORECASE | re.MULTILINE)
_KEY_LINE = re.compile(
    r"[>\s*-]*\**(?P<key>spec id|depend(?:encies|s on)|blocks)\**\s*:\s*\**\s*(?P<value>.+?)\s*$", re.IGNORECASE
)
_KEY = re.compile(r"[\w ]{2,30}:{1,2}\s+\S{1,40}|(?:TODO|TBD)", re.IGNORECASE)
_NONE = re.compile(r"(?:none|-|–|—|n/?a)\.?", re.IGNORECASE)
_ID = re.compile(r"[\w.-]+")
_REMARK = re.compile(r"\([^()]*\)")


def read_title(text: str, sections: Sequence[Section], name: str) -> str:
    """The first heading of level 1, else the title that the front matter gives, else the name."""
    headings = (section.heading for section in sections if section.level == 1 and section.heading)
    first = next((line for line in text.splitlines() if line.strip()), "")
    given = _TITLE_KEY.search(front_matter(text)) or _TITLE_KEY.match(first)
    return next(headings, "") or (given["title"] if given else name)


def read_goal(sections: Sequence[Section]) -> str:
    """The text under a heading 'Goal' or the like, else the first text that is neither metadata nor a list."""
    for pattern in GOAL:
        for section in sections:
            if pattern.search(bare(section.heading)) and (text := _prose(section.nodes)):
                return text
    texts = (_prose(section.nodes) for section in sections)
    return next(filter(None, texts), "")


def _prose(nodes: Sequence[Node]) -> str:
    texts = [plain(node.text) for node in nodes if node.form is Form.PARAGRAPH and not _is_metadata(node.text)]
    return "\n".join(texts)


def _is_metadata(text: str) -> bool:
    lines = text.splitlines()
    is_keys = all(METADATA.match(line.strip()) for line in lines) and len(lines) > 1
    return is_keys or all(_KEY.fullmatch(line.strip()) for line in lines)


def read_metadata(lines: Sequence[str], sections: Sequence[Section]) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """The id of a sub-specification, those it depends on and those it blocks, from the lines below its title."""
    end = next((section.line for section in sections if section.line and section.level > 1), len(lines))
    found = dict(_keys(lines[:end]))
    before = found.get("dependencies") or found.get("depends on") or ""
    return found.get("spec id", ""), _ids(before), _ids(found.get("blocks", ""))


def _keys(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        if found := _KEY_LINE.fullmatch(line):
            yield found["key"].lower(), found["value"].strip("*` ")


def _ids(value: str) -> tuple[str, ...]:
    """The ids in a value; a remark in parentheses has no ids."""
    return () if _NONE.fullmatch(value) else tuple(_ID.findall(_REMARK.sub("", value)))
