from dualgate.core.gates.needs import gate_1
from dualgate.core.values.changes import DocumentCount, Uncounted
from dualgate.core.values.limits import Limits
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import Phase, Workflow
from dualgate.display.records import documents_record
from dualgate.display.specification import documents_line
from dualgate.display.summary import summary
from dualgate.testing import a_state

COUNT = DocumentCount(
    counting=("README.md", "docs/usage.md"), others=(Uncounted(path="docs/adr/1.md", reason="it is empty"),)
)


def docs_of(state: LoopState) -> list[str]:
    rows = summary(state).split("\n")
    return [row[9:] for row in rows if row.startswith("Docs ") or "does not count" in row]


def test_status_names_the_documents_that_count_and_why_others_do_not() -> None:
    assert docs_of(a_state(phase=Phase.DOCUMENT, documents=COUNT)) == [
        "2 of 3: README.md, docs/usage.md; a decision record (context, decision, consequences) is missing",
        "docs/adr/1.md does not count: it is empty",
    ]


def test_before_documents_are_due_they_are_not_counted_aloud() -> None:
    assert docs_of(a_state(phase=Phase.GREEN, documents=COUNT)) == []


def test_after_the_phase_only_those_that_count_are_named() -> None:
    passed = a_state(phase=Phase.QA, phases_completed=(Phase.DOCUMENT,), documents=COUNT, adr_required=False)

    assert docs_of(passed) == ["2 of 3: README.md, docs/usage.md"]


def test_programs_get_the_same() -> None:
    assert documents_record(a_state(documents=COUNT)) == {
        "counting": ("README.md", "docs/usage.md"),
        "records": (),
        "others": ({"path": "docs/adr/1.md", "reason": "it is empty", "is_code": False},),
        "needed": 3,
        "adr_required": True,
    }


def test_how_many_are_wanted_is_told_before_a_run() -> None:
    (line,) = documents_line(Workflow.TDD, Limits(documents=2, adr_required=False))

    assert line.text == "Docs        2 documents about the change (settings documents, adr_required)"
    assert documents_line(Workflow.RALPH, Limits()) == []
    assert "3 documents about the change, one of them a decision record" in gate_1(Phase.DOCUMENT, Limits())
