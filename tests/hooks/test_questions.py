"""Which last messages wait for an answer of the person."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dualgate.hooks.questions import asks_person

QUESTIONS = [
    "Should I delete the old table?",
    "I found two ways.\n\nWhich one do you prefer?",
    "Which one should I use?\n\n1. sqlite\n2. postgres\n",
    "Which one should I use?\n- sqlite\n- postgres",
    "**Do you want the old behaviour kept?**",
    "Shall I use A or B? Let me know.",
    "Is the limit 10 or 100? I'll wait for your answer before I change the code.",
    "The test contradicts the README. Which of them is right?",
    "どちらにしますか？",
    "Would you like me to use tabs or spaces?",
    "I cannot go on without the key. Where is it? Please tell me.",
    "What should `limit=0` mean?",
    "Choose:\n- Do you want A?\n- Do you want B?",
]
NO_QUESTIONS = [
    "",
    "   \n",
    "Done. All tests pass.",
    "Why did it fail? Because the key was missing. I fixed it and all tests pass.",
    "Done. Is there anything else I can help with?",
    "All done! Would you like me to commit this?",
    "Everything passes. Shall I also update the docs?",
    "I finished the work. Does that look good?",
    "Implemented. What would you like to do next?",
    "Fixed.\n\n```python\nx = ask('really?')\n```",
    "Fixed.\n\n> Should I?\n",
    "All good, right?",
    "I renamed `is_ok?` to `ok`.",
    "Should I use A or B?\n\nI used A. Done.",
]


@pytest.mark.parametrize("message", QUESTIONS)
def test_a_question_is_seen(message: str) -> None:
    assert asks_person(message)


@pytest.mark.parametrize("message", NO_QUESTIONS)
def test_a_report_or_an_offer_is_no_question(message: str) -> None:
    assert not asks_person(message)


@given(st.text())
def test_any_text_is_read(message: str) -> None:
    assert asks_person(message) in (True, False)


def test_a_long_message_is_read_in_one_go() -> None:
    assert not asks_person("word " * 400_000 + "\n" + "a.b" * 300_000)
