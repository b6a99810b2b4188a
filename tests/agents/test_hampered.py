"""What the user's own words and variables keep an agent from."""

from collections.abc import Mapping

import pytest

from dualgate.agents.client import Errand
from dualgate.agents.registry import CLIENTS

SKIP = "--dangerously-skip-permissions"
CASES: list[tuple[str, tuple[str, ...], Mapping[str, str], bool, str]] = [
    ("claude", ("--permission-mode", "plan"), {}, False, "--permission-mode plan"),
    ("claude", ("--permission-mode=plan",), {}, False, "--permission-mode plan"),
    ("claude", ("--permission-mode", "acceptEdits"), {}, False, ""),
    ("claude", (SKIP,), {}, False, ""),
    ("claude", (SKIP,), {}, True, "as root"),
    ("claude", (SKIP, "--verbose"), {"IS_SANDBOX": "1"}, True, ""),
    ("codex", ("-s", "read-only"), {}, False, "--sandbox read-only"),
    ("codex", ("--sandbox", "danger-full-access"), {}, False, ""),
    ("gemini", ("--approval-mode", "default"), {}, False, "--approval-mode default"),
    ("gemini", ("--approval-mode", "auto_edit"), {}, False, ""),
    ("qwen", ("--approval-mode", "plan"), {}, False, "--approval-mode plan"),
    ("opencode", (), {"OPENCODE_PERMISSION": '{"edit": "deny"}'}, False, "says 'deny'"),
    ("opencode", (), {"OPENCODE_PERMISSION": '"ask"'}, False, "says 'ask'"),
    ("opencode", (), {"OPENCODE_PERMISSION": "{edit"}, False, "is not JSON"),
    ("opencode", (), {"OPENCODE_PERMISSION": '{"edit": "allow", "*": "deny"}'}, False, ""),
]


@pytest.mark.parametrize(("name", "args", "environment", "is_root", "reason"), CASES)
def test_permissions_that_keep_it_from_its_work_are_named(
    name: str, args: tuple[str, ...], environment: Mapping[str, str], is_root: bool, reason: str
) -> None:
    told = CLIENTS[name].hampered(Errand(may_edit=True, args=args), environment, is_root)

    assert reason in told
    assert bool(told) == bool(reason)


@pytest.mark.parametrize("name", CLIENTS)
def test_without_words_of_the_user_nothing_is_in_the_way(name: str) -> None:
    assert CLIENTS[name].hampered(Errand(may_edit=True), {}, True) == ""


READING = [
    ("claude", ("--permission-mode", "plan")),
    ("codex", ("-s", "read-only")),
    ("qwen", ("--approval-mode", "plan")),
]


@pytest.mark.parametrize(("name", "args"), READING)
def test_a_reviewer_may_be_kept_to_reading(name: str, args: tuple[str, ...]) -> None:
    assert CLIENTS[name].hampered(Errand(may_edit=False, args=args), {}, False) == ""
