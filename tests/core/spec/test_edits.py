"""What counts as a change of a specification, and how it is said."""

from dataclasses import replace

import pytest

from dualgate.core.spec.edits import changes_between, is_same_text, text_digest
from dualgate.core.spec.identity import keep_ids
from dualgate.core.spec.reading import read_prompt, read_specification
from dualgate.core.values.specification import Kind, Task, ValidationCommand

TEXT = """\
# Doubling

It doubles.

## Acceptance Criteria

- [ ] it doubles numbers
- [ ] it doubles texts
- [ ] it has a name
"""
SAME = [
    TEXT.replace("[ ] it doubles numbers", "[x] it doubles numbers").replace("[ ] it has", "[X] it has"),
    TEXT.replace("\n", "  \n") + "\n\n",
    TEXT.replace("\n", "\r\n"),
]
CHANGES = [
    (TEXT + "- [ ] it prints\n", ("added: AC-4 (line 10)",)),
    (TEXT.replace("- [ ] it doubles texts\n", ""), ("removed: AC-2 (was line 8)",)),
    (TEXT.replace("a name", "a name too"), ("changed: AC-3 (line 9)",)),
    (
        TEXT.replace("it doubles texts", "an empty text is refused"),
        ("added: AC-4 (line 8)", "removed: AC-2 (was line 8)"),
    ),
    (TEXT.replace("It doubles.", "It doubles.\n\nIt is old."), ("only context: lines 5-6",)),
    (TEXT.replace("It doubles.", "It doubles twice."), ("only context: line 3",)),
    (TEXT.replace("It doubles.\n\n", ""), ("only context: lines removed after line 2",)),
    (TEXT.replace("it has", "It has") + "\n", ("only context: line 9",)),
]


@pytest.mark.parametrize("now", SAME, ids=["ticks", "line ends", "crlf"])
def test_ticks_and_line_ends_are_no_change(now: str) -> None:
    assert is_same_text(TEXT, now)
    assert text_digest(TEXT) == text_digest(now)


@pytest.mark.parametrize(("now", "told"), CHANGES)
def test_a_change_is_said_by_id_and_line(now: str, told: tuple[str, ...]) -> None:
    before = read_specification(TEXT)

    assert not is_same_text(TEXT, now)
    assert text_digest(TEXT) != text_digest(now)
    assert changes_between(before, keep_ids(before.criteria, read_specification(now))) == told


def test_a_story_that_passes_is_ticked() -> None:
    story = '{"userStories": [{"id": "US-1", "passes": false}]}'

    assert is_same_text(story, story.replace("false", "true"))
    assert not is_same_text('say "passes": false', 'say "passes": true')


def test_kinds_tasks_and_commands_are_told_too() -> None:
    before = read_specification(TEXT)
    first, *rest = before.criteria
    now = replace(
        before,
        criteria=(replace(first, kind=Kind.KEEP), *rest),
        tasks=(Task(text="write it", line=3),),
        validation=(ValidationCommand(command="make lint", line=4),),
    )

    told = ("kind: AC-1 is now keep (line 7)", "tasks changed", "validation commands changed")
    assert changes_between(before, now) == told


def test_a_prompt_has_lines_only_and_long_lists_are_cut() -> None:
    prompt, many = read_prompt("do it\n"), read_specification(TEXT + "- [ ] more of it\n" * 20)

    assert changes_between(prompt, replace(prompt, text="do it\nwell\n")) == ("line 2",)
    (told,) = changes_between(read_specification(TEXT), many)
    assert told.endswith("AC-13 (line 19) and 10 more")
