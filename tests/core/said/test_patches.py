"""Unified diffs: read strictly, applied exactly."""

from difflib import unified_diff

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dualgate.core.said.patches import Patch, Unfit, apply_patch, read_patch

HEAD = "--- a/t.py\n+++ b/t.py\n"


def patched(diff: str, text: str) -> str | Unfit:
    patch = read_patch(HEAD + diff)
    assert isinstance(patch, Patch), patch
    return apply_patch(patch, text)


APPLIED = [
    pytest.param("@@ -2 +2 @@\n-b\n+B\n", "a\nb\nc\n", "a\nB\nc\n", id="counts left out"),
    pytest.param("@@ -2,2 +2,2 @@\n a\n-b\n+B\n", "a\nb\n", "a\nB\n", id="another line than said, and only one fits"),
    pytest.param("@@ -3,1 +3,1 @@\n-x\n+y\n", "x\nx\nx\n", "x\nx\ny\n", id="several fit, and the said one counts"),
    pytest.param("@@ -1,2 +1,1 @@\n-a\n b\n@@ -4 +3 @@\n-d\n+D\n", "a\nb\nc\nd\n", "b\nc\nD\n", id="two hunks"),
    pytest.param("@@ -1,0 +2,1 @@\n+b\n", "a\nc\n", "a\nb\nc\n", id="added without context"),
    pytest.param("@@ -0,0 +1,1 @@\n+a\n", "", "a\n", id="added to an empty file"),
    pytest.param("@@ -1 +0,0 @@\n-a\n", "a\n", "", id="all removed"),
    pytest.param("@@ -1 +1 @@\n-a\n+b\n", "a\r\nc\r\n", "b\r\nc\r\n", id="line ends of the file are kept"),
    pytest.param("@@ -1,3 +1,3 @@\n-a\n+b\n \n", "a\n\n\n", "b\n\n\n", id="empty context at the end was dropped"),
    pytest.param("@@ -1 +1 @@\n-a\n+b\n\n@@ -3 +3 @@\n-c\n+d\n", "a\n\nc\n", "b\n\nd\n", id="empty line between hunks"),
    pytest.param(
        "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n", "a", "b\n", id="a line end comes to the last line"
    ),
    pytest.param("@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n", "a\n", "b", id="a line end goes"),
]


@pytest.mark.parametrize(("diff", "before", "after"), APPLIED)
def test_a_patch_is_applied(diff: str, before: str, after: str) -> None:
    assert patched(diff, before) == after


UNFITTING = [
    ("@@ -1 +1 @@\n-x\n+y\n", "a\n", "hunk 1 of the patch does not apply: its context and removed lines"),
    ("@@ -9 +9 @@\n-x\n+y\n", "x\nx\n", "hunk 1 of the patch applies at 2 places in t.py"),
    ("@@ -9,0 +9,1 @@\n+y\n", "x\n", "hunk 1 of the patch begins at a line that does not exist in t.py"),
]


@pytest.mark.parametrize(("diff", "text", "why"), UNFITTING)
def test_what_does_not_fit_exactly_is_not_applied(diff: str, text: str, why: str) -> None:
    found = patched(diff, text)

    assert isinstance(found, Unfit)
    assert found.reason.startswith(why)


UNREADABLE = [
    ("", "must begin with"),
    ("+++ b/t.py\n--- a/t.py\n@@ -1 +1 @@\n-a\n+b", "must begin with"),
    ("--- a/t.py\n+++ b/u.py\n@@ -1 +1 @@\n-a\n+b", "'t.py' and 'u.py' differ"),
    ("--- /dev/null\n+++ b/u.py\n@@ -0,0 +1 @@\n+b", "'/dev/null' and 'u.py' differ"),
    (f"{HEAD}-a\n+b", "hunk 1 of the patch has no header"),
    (f"{HEAD}@@ -1 +1 @@\n-a\n*b", "a line of hunk 1 begins with none of"),
    (f"{HEAD}@@ -1,2 +1,2 @@\n-a\n-c\n+b", "hunk 1 says 2 lines before and 2 after, and has 2 and 1"),
]


@pytest.mark.parametrize(("text", "why"), UNREADABLE)
def test_what_is_no_patch_of_one_file_is_not_read(text: str, why: str) -> None:
    found = read_patch(text)

    assert isinstance(found, Unfit)
    assert why in found.reason


def test_what_git_writes_before_the_names_is_passed_over() -> None:
    found = read_patch("diff --git a/t.py b/t.py\nindex 1..2 100644\n--- a/t.py\t2026\n+++ b/t.py\n@@ -1 +1 @@\n-a\n+b")

    assert isinstance(found, Patch)
    assert found.path == "t.py"


LINES = st.lists(st.sampled_from(["a", "b", "", "  c", "-d"]), max_size=12)


@given(LINES, LINES)
def test_what_difflib_writes_leads_from_one_text_to_the_other(before: list[str], after: list[str]) -> None:
    diff = "\n".join(unified_diff(before, after, "a/t.py", "b/t.py", lineterm=""))
    old, new = ("".join(f"{line}\n" for line in lines) for lines in (before, after))

    assert before == after or apply_patch(read_patch(diff), old) == new  # type: ignore[arg-type]


@given(st.text(alphabet="@-+ ,1\\ab\n", max_size=60), st.text(alphabet="ab\n", max_size=20))
def test_any_text_gives_an_answer(diff: str, text: str) -> None:
    patch = read_patch(HEAD + diff)

    assert isinstance(patch, Unfit) or isinstance(apply_patch(patch, text), str | Unfit)
