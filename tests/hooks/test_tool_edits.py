"""The input of the edit tools of each host -> what a file would hold."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dualgate.hooks.tool_edits import proposed_edits

BEFORE = "def test_a():\n    assert one() == 1\n\n\ndef test_b():\n    assert two() == 2\n"
AFTER = BEFORE.replace("== 1", "> 0")
HUNK = "@@ def test_a():\n-    assert one() == 1\n+    assert one() > 0\n"
PATCH = f"*** Begin Patch\n*** Update File: t.py\n{HUNK}*** End Patch"
NEW = "*** Begin Patch\n*** Add File: n.py\n+one = 1\n+\n*** End Patch"
GONE = "*** Begin Patch\n*** Delete File: t.py\n*** End Patch"

EDITS: list[tuple[dict[str, Any], dict[str, str | None]]] = [
    ({"tool_input": {"file_path": "t.py", "content": AFTER}}, {"t.py": AFTER}),
    ({"tool_input": {"file_path": "n.py", "content": ""}}, {"n.py": ""}),
    ({"tool_input": {"file_path": "t.py", "old_string": "== 1", "new_string": "> 0"}}, {"t.py": AFTER}),
    (
        {"tool_input": {"file_path": "t.py", "old_string": "== 1\n", "new_string": ""}},
        {"t.py": BEFORE.replace("== 1\n", "")},
    ),
    ({"tool_input": {"file_path": "t.py", "old_string": "absent", "new_string": "x"}}, {}),
    ({"tool_input": {"file_path": "t.py", "edits": [{"old_string": "== 1", "new_string": "> 0"}]}}, {"t.py": AFTER}),
    (
        {"tool_input": {"file_path": "t.py", "old_string": "assert", "new_string": "#", "replace_all": True}},
        {"t.py": BEFORE.replace("assert", "#")},
    ),
    ({"tool_input": {"command": PATCH}}, {"t.py": AFTER}),
    ({"tool_input": {"command": ["apply_patch", PATCH]}}, {"t.py": AFTER}),
    ({"tool_input": {"command": PATCH.replace("one() == 1", "nine()")}}, {}),
    ({"tool_input": {"command": NEW}}, {"n.py": "one = 1\n\n"}),
    ({"tool_input": {"command": GONE}}, {"t.py": None}),
    ({"tool_input": {"command": "rm t.py"}}, {}),
    ({"toolName": "create", "toolArgs": json.dumps({"path": "n.py", "file_text": "x"})}, {"n.py": "x"}),
    (
        {"toolName": "edit", "toolArgs": json.dumps({"path": "t.py", "old_str": "== 1", "new_str": "> 0"})},
        {"t.py": AFTER},
    ),
    ({"toolArgs": "no json"}, {}),
    ({"tool_input": None}, {}),
    ({"tool_input": {"file_path": "t.py", "content": BEFORE}}, {}),
]


@pytest.mark.parametrize(("payload", "expected"), EDITS)
def test_an_edit_is_read(payload: dict[str, Any], expected: dict[str, str | None], tmp_path: Path) -> None:
    (tmp_path / "t.py").write_text(BEFORE)
    found = proposed_edits(payload, tmp_path)

    assert {each.path.name: each.after.decode() if each.after is not None else None for each in found} == expected


WORDS = st.sampled_from(["file_path", "content", "old_string", "edits", "command", "path", "input"])
VALUES = st.none() | st.text() | st.integers() | st.lists(st.text(), max_size=2) | st.just(PATCH + "\n*** ")


@given(st.dictionaries(WORDS, VALUES))
def test_any_input_is_read(given_input: dict[str, Any]) -> None:
    assert isinstance(proposed_edits({"tool_input": given_input}, Path("/nowhere")), tuple)
