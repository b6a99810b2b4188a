"""Sections -> the title and the goal."""

import re
from collections.abc import Sequence

from dualgate.core.spec.markdown import Form, Node, front_matter
from dualgate.core.spec.roles import GOAL, bare
from dualgate.core.spec.sections import METADATA, Section
from dualgate.core.spec.wording import plain

_TITLE_KEY = re.compile(r"^(?:title|name)\s*:\s*[\"']?(?P<title>[^\"'\n]+?)[\"']?\s*$", re.IGNORECASE | re.MULTILINE)
_KEY = re.compile(r"[\w ]{2,30}:{1,2}\s+\S{1,40}|(?:TODO|TBD)", re.IGNORECASE)


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
