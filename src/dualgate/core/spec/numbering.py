"""Drafts -> ids: those that are written, those that a story makes unique, and numbers for the others."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from dualgate.core.spec.drafts import Draft
from dualgate.core.values.case_names import id_parts
from dualgate.core.values.problems import Problem, error


def give_ids(drafts: Sequence[Draft]) -> tuple[list[str], list[Problem]]:
    """An id for each draft, and a problem for each written id that equals an earlier one."""
    start_again = _start_again(drafts)
    ids = [_written(draft) if start_again else draft.wording.id for draft in drafts]
    problems = list(_twice(drafts, ids))
    taken = {id_parts(own_id) for own_id in ids if own_id}
    last: dict[str, int] = defaultdict(int)
    for place, draft in enumerate(drafts):
        prefix = f"{draft.story}-AC" if draft.story else "AC-"
        while not ids[place]:
            last[prefix] += 1
            wanted = f"{prefix}{last[prefix]}"
            if id_parts(wanted) not in taken:
                ids[place] = wanted
    return ids, problems


def _start_again(drafts: Sequence[Draft]) -> bool:
    """Whether stories use the same ids, each from AC1 on."""
    stories = {(draft.wording.id.lower(), draft.story) for draft in drafts if draft.wording.id}
    return any(count > 1 for count in Counter(own_id for own_id, _ in stories).values())


def _written(draft: Draft) -> str:
    return f"{draft.story}-{draft.wording.id}" if draft.story and draft.wording.id else draft.wording.id


def _twice(drafts: Sequence[Draft], ids: Sequence[str]) -> Iterator[Problem]:
    first: dict[tuple[str, ...], int] = {}
    for draft, own_id in zip(drafts, ids, strict=True):
        if not own_id:
            continue
        if id_parts(own_id) in first:
            before = first[id_parts(own_id)]
            message = f"criterion id {own_id} was given on line {before} already; give each its own id, or none"
            yield error("duplicate_id", message, line=draft.line + 1)
        first.setdefault(id_parts(own_id), draft.line + 1)
