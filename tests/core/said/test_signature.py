import pytest

from dualgate.core.said.signature import signature, signature_hash

SAME = [
    ("at tests/test_a.py:10: boom", "at tests/test_a.py:99: boom"),
    ("<Thing object at 0x7f12ab>", "<Thing object at 0x55dead>"),
    ("took 1.25s", "took 3 s"),
    ("failed at 2026-01-16T10:00:00Z", "failed at 2025-12-01 09:30:11.5+02:00"),
    ("no file /tmp/pytest-1/x", "no file /tmp/pytest-22/y"),
    ("line 3 is wrong", "line 4 is wrong"),
    ("a   b\nc", "a b c"),
    ("x.ts(3,5): bad", "x.ts(14,2): bad"),
    ("Column 5 of lines 3-4", "column 7 of Lines 8-9"),
    ("after 1 hour", "after 12 hours"),
    ("at 10:03:22 it broke", "at 9:41 it broke"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_what_differs_from_run_to_run_does_not_count(one: str, other: str) -> None:
    assert signature(one) == signature(other)
    assert signature_hash(one) == signature_hash(other)


def test_another_error_has_another_signature() -> None:
    assert signature_hash("assert 1 == 2") != signature_hash("assert 1 == 3")
