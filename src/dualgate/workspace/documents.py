"""Two trees -> which of the documents that changed between them count."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace

from dualgate.core.evidence.changed_names import ChangedNames, changed_names
from dualgate.core.evidence.documents import CODE, Draft, Topic, count_documents
from dualgate.core.values.changes import DocumentCount, Uncounted, is_output
from dualgate.core.values.notation import shown
from dualgate.core.values.state import LoopState
from dualgate.workspace.steering.paths import belongs_to_tests, is_code_of_documents, is_document
from dualgate.workspace.trees import Change, Entry

_LONGEST = 1 << 20
_FILES_READ = 500
"""So many changed files are read for their names; a change of more is named by its files."""


def documents_in(
    changed: Iterable[Change],
    content: Callable[[Entry], bytes],
    state: LoopState,
    title: str,
    left_out: Collection[str] = (),
) -> DocumentCount:
    """Judge the documents among the changes since the session began, without those `left_out`."""
    outputs = state.proof.outputs
    own = [each for each in changed if not is_output(shown(each[0]), outputs) and each[0] not in left_out]
    documents = [each for each in own if is_document(each[0]) and not _is_same_text(each)]
    code = [shown(path) for path, _, now in own if now is not None and is_code_of_documents(path)]
    if not documents and not code:
        return DocumentCount()

    def text(entry: Entry | None) -> str | None:
        return None if entry is None or entry.is_link or not entry.is_kept else _text(content(entry))

    drafts = [Draft(path=shown(path), before=text(was), after=text(now)) for path, was, now in documents if now]
    deleted = [text(was) or "" for _, was, now in documents if now is None]
    count = count_documents(drafts, deleted, _topic(own, text, state, title))
    unfit = tuple(Uncounted(path=path, reason=CODE, is_code=True) for path in code)
    return replace(count, others=(*count.others, *unfit))


def _is_same_text(change: Change) -> bool:
    """Whether only the mode of a file changed."""
    _, was, now = change
    return was is not None and now is not None and was.digest == now.digest


def _topic(changed: list[Change], text: Callable[[Entry | None], str | None], state: LoopState, title: str) -> Topic:
    others = [each for each in changed if not is_document(each[0])]
    names = ChangedNames()
    for path, was, now in others[:_FILES_READ]:
        if not belongs_to_tests(path):
            names |= changed_names(text(was) or "", text(now) or "")
    return Topic(
        paths=tuple(shown(path) for path, _, _ in others),
        names=names,
        criteria=tuple((criterion.id, criterion.text) for criterion in state.criteria_states),
        title=title,
    )


def _text(content: bytes) -> str | None:
    if b"\0" in content:
        return None
    return content[:_LONGEST].decode("utf-8-sig", "replace")
