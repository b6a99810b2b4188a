"""Whole runs in which documents are hollow at first."""

from tests.loop.scripts import DOCUMENT, GREEN, RED, REFACTOR, REVIEW
from tests.support import Dualgate

HOLLOW = """
[[turn]]
phase = "DOCUMENT"
[[turn.write]]
path = "README.md"
text = "# Doubling"
[[turn.write]]
path = "docs/conf.py"
text = "project = 'doubling'"
[[turn.write]]
path = "docs/adr/0001-plus.md"
text = "# Plus\\n\\n## Context\\n\\nTBD"
"""


def test_hollow_documents_keep_the_gate_shut_until_they_say_something(rehearse: Dualgate, dualgate: Dualgate) -> None:
    ended = rehearse(RED + GREEN + REFACTOR + HOLLOW + DOCUMENT + REVIEW)

    first, second = [turn for turn in ended.lines[:-1] if turn["phase"] == "DOCUMENT"]
    assert first["reasons"] == [
        "documents: 0 of 3; a decision record (context, decision, consequences) is missing",
        "README.md does not count: its new text is only headings or placeholders",
        "docs/adr/0001-plus.md does not count: its new text is only headings or placeholders",
        "docs/conf.py does not count: it is code, not a document",
    ]
    assert (first["gate_1"], first["violations"], second["gate_1"], ended.code) == (False, [], True, 0)
    assert ended.lines[-1]["self_reviewed"] is True
    assert "completed and proven, SELF-REVIEWED" in dualgate("status").out
    assert "Docs     3 of 3: README.md, docs/adr/0001-plus.md, docs/use.md" in dualgate("status").out
