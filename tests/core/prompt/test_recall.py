"""What a phase asks its memory, and what of the answer fits the prompt."""

from dataclasses import replace
from typing import Any

import pytest

from dualgate.core.prompt.recall import choose, query_for, source_of
from dualgate.core.prompt.writing import plan_call, prepare
from dualgate.core.said.signature import error_signature
from dualgate.core.values.answer import Recalled
from dualgate.core.values.brief import Brief
from dualgate.core.values.memory import MemoryEntry, MemoryQuery, StoredEntry
from dualgate.core.values.state import Memory, ReviewContext
from dualgate.core.values.vocabulary import EntryKind, Phase
from dualgate.prompts import load_templates
from dualgate.testing import NOW, a_spec, a_state, failed

BARE = failed("test_ac1[1]", message="AssertionError")
TELLING = failed("test_b", message="KeyError: 'tariff' at line 7")


def an_entry(number: int = 1, **values: Any) -> StoredEntry:
    defaults: dict[str, Any] = {"key": str(number), "kind": EntryKind.ERROR, "project": "/srv/shop", "at": NOW}
    source = {"session": "1a2b3c4d-e5f6", "phase": Phase.GREEN, "iteration": 3}
    return StoredEntry(id=number, entry=MemoryEntry(**{**defaults, **source, "text": f"error {number}", **values}))


def ids(query: MemoryQuery, *found: StoredEntry, budget: int = 2000) -> list[int]:
    return [each.id for each in choose(query, found, budget, "/srv/shop")]


def test_green_asks_for_the_present_failures_once_there_are_some() -> None:
    after = a_state(phase=Phase.GREEN, iteration=1, memory=Memory(failing=(BARE, TELLING)))

    query = query_for(a_spec(), after)

    assert query is not None
    assert query.signatures == (error_signature(BARE), error_signature(TELLING))
    assert (query.words, query.session) == (("keyerror", "tariff"), after.session_id)
    assert query_for(a_spec(), replace(after, iteration=0)) is None
    assert query_for(a_spec(), replace(after, memory=Memory())) is None
    assert query_for(a_spec(), replace(after, phase=Phase.REFACTOR)) is None


def test_build_asks_for_its_failures_as_green_does() -> None:
    after = a_state(phase=Phase.BUILD, iteration=1, memory=Memory(failing=(TELLING,)))

    assert query_for(a_spec(), after) == query_for(a_spec(), replace(after, phase=Phase.GREEN)) is not None


def test_those_who_work_recall_what_agents_said_and_a_reviewer_does_not() -> None:
    green = query_for(a_spec(), a_state(phase=Phase.GREEN, iteration=1, memory=Memory(failing=(TELLING,))))
    review = query_for(a_spec(), a_state(phase=Phase.QA))

    assert green is not None
    assert EntryKind.CLAIM in green.kinds
    assert review is not None
    assert EntryKind.CLAIM not in review.kinds


def test_qa_asks_for_the_files_of_the_run_and_the_words_of_the_criteria() -> None:
    context = ReviewContext(added=("a.py",), rewritten=("b.py", "a.py"))

    query = query_for(a_spec(), a_state(phase=Phase.QA, review_context=context))

    assert query is not None
    assert (query.files, query.words, query.signatures) == (("a.py", "b.py"), ("thing",), ())
    assert EntryKind.FINDING in query.kinds


def test_the_same_error_at_another_line_has_the_same_signature_and_a_bare_one_belongs_to_its_test() -> None:
    moved = replace(TELLING, id="tests/test_z.py::test_z", message="KeyError: 'tariff' at line 99")
    other = replace(BARE, id="tests/test_x.py::test_ac2")
    again = replace(BARE, id="tests/test_x.py::test_ac1[2]")

    assert error_signature(moved) == error_signature(TELLING)
    assert error_signature(again) == error_signature(BARE) != error_signature(other)


def test_the_same_error_comes_first_then_files_then_words_then_the_newest() -> None:
    query = MemoryQuery(
        kinds=tuple(EntryKind), signatures=("s",), files=("a.py",), words=("tariff", "keyerror"), session="own"
    )
    found = [
        an_entry(1, text="tariff keyerror"),
        an_entry(2, files=("a.py",)),
        an_entry(3, signature="s"),
        an_entry(4, text="KeyError: tariff", at=NOW.replace(year=2027)),
        an_entry(5, text="only tariff"),
        an_entry(6, signature="s", session="own"),
        an_entry(7, text="something else", signature="t"),
    ]

    assert ids(query, *found) == [3, 2, 4, 1]
    assert ids(replace(query, kinds=(EntryKind.NOTE,)), *found) == []


def test_one_word_is_enough_where_only_one_is_asked_for_and_none_connects_nothing() -> None:
    query = MemoryQuery(kinds=(EntryKind.ERROR,), words=("tariff",))

    assert ids(query, an_entry(1, text="the tariff"), an_entry(2)) == [1]
    assert ids(replace(query, words=()), an_entry(1, text="the tariff")) == []


def test_one_word_is_enough_for_a_note_of_a_person() -> None:
    query = MemoryQuery(kinds=(EntryKind.ERROR, EntryKind.NOTE), words=("tariff", "cents"))
    note = an_entry(2, kind=EntryKind.NOTE, session="", text="a tariff is a table")

    assert ids(query, an_entry(1, text="a tariff is a table"), note) == [2]


def test_what_is_recalled_keeps_to_its_budget_and_says_nothing_twice() -> None:
    query = MemoryQuery(kinds=(EntryKind.ERROR,), signatures=("s",))
    found = [an_entry(n, signature="s", text="x" * 100, cure=f"cure {n // 2}", change="+y") for n in range(6)]

    assert [each.change for each in choose(query, found, 2000, "/srv/shop")] == ["+y", "", ""]
    assert ids(query, *found) == [5, 3, 1]
    assert ids(query, *found, budget=200) == [5]
    assert ids(query, *found, budget=0) == []


@pytest.mark.parametrize(
    ("values", "source"),
    [
        ({}, "session 1a2b3c4d, GREEN 3, 2026-01-16"),
        ({"project": "/srv/billing"}, "session 1a2b3c4d of billing, GREEN 3, 2026-01-16"),
        ({"session": ""}, "a person's note, 2026-01-16"),
    ],
)
def test_a_source_names_session_phase_and_day(values: dict[str, Any], source: str) -> None:
    assert source_of(an_entry(**values).entry, "/srv/shop") == source


def test_a_prompt_shows_what_was_recalled_with_its_source_and_the_call_keeps_it() -> None:
    recalled = Recalled(
        id=7, kind=EntryKind.ERROR, text="KeyError", cure="changed a.py", change="a.py\n+x = 1", source="s 1"
    )
    templates = prepare(load_templates())

    brief = Brief(recalled=(recalled, replace(recalled, cure="", change="")))
    call = plan_call(a_spec(), a_state(phase=Phase.GREEN), templates, brief)
    without = plan_call(a_spec(), a_state(phase=Phase.GREEN), templates)

    assert (
        "## What earlier runs of this project showed\n\n"
        "Use what helps, and check it first: the code may have changed since.\n\n"
        "- KeyError\n    Fixed by: changed a.py\n        a.py\n        +x = 1\n    Source: s 1\n"
        "- KeyError\n    Source: s 1\n\n## "
    ) in call.prompt
    assert len(call.recalled) == 2
    assert "earlier runs" not in without.prompt
