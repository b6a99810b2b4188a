"""The verdicts of probes beside those of a new pytest on a changed copy, for each probe of a small project."""

import shutil
import subprocess
from pathlib import Path

from dualgate.core.values.probes import Probe, ProbeState
from tests.runners.probing import PYTEST, a_plan, a_project, plain, probe_pytest
from tests.spawner import Spawner

SOURCE = '''"""A cart."""

LIMIT = 3


def total(prices, discount=0):
    amount = sum(prices)
    if len(prices) > LIMIT:
        amount = amount - discount
    return max(amount, 0)


def label(name, count):
    if not name:
        return "nothing"
    return f"{name} x{count}" if count > 1 else name.strip()


def evens(values):
    for value in values:
        if value % 2 == 0:
            yield value
'''
TESTS = """
from cart import evens, label, total


def test_total():
    assert total([1, 2]) == 3
    assert total([1, 2, 3, 4], 4) == 6


def test_label():
    assert label("", 1) == "nothing"
    assert label("tea", 2) == "tea x2"
    assert label("tea", 1)


def test_evens():
    assert list(evens([1, 2, 3, 4])) == [2, 4]
"""
# text of a probe -> the line of the source, and what a person would write instead
CHANGED = {
    "`3` → `4`": ("LIMIT = 3", "LIMIT = 4"),
    "`0` → `1` default": ("discount=0", "discount=1"),
    "`amount` becomes 1": ("amount = sum(prices)", "amount = 1"),
    "`>` → `>=` LIMIT": ("> LIMIT", ">= LIMIT"),
    "`>` → `<=` LIMIT": ("> LIMIT", "<= LIMIT"),
    "`len(prices) > LIMIT` is never true": ("if len(prices) > LIMIT", "if False"),
    "`len(prices) > LIMIT` is always true": ("if len(prices) > LIMIT", "if True"),
    "`-` → `+`": ("amount - discount", "amount + discount"),
    "`max` → `min`": ("max(amount, 0)", "min(amount, 0)"),
    "`0` → `1` max": ("max(amount, 0)", "max(amount, 1)"),
    "`not name` is never true": ("if not name", "if False"),
    "`not name` is always true": ("if not name", "if True"),
    "`not name` without its `not`": ("if not name", "if name"),
    "`'nothing'` → `''`": ('return "nothing"', 'return ""'),
    "`1` → `2` count": ("count > 1", "count > 2"),
    "`>` → `>=` count": ("count > 1", "count >= 1"),
    "`>` → `<=` count": ("count > 1", "count <= 1"),
    "`name.strip()` without `strip`": ("name.strip()", "name"),
    "`2` → `3`": ("% 2", "% 3"),
    "`0` → `1` evens": ("== 0", "== 1"),
    "`==` → `!=`": ("== 0", "!= 0"),
    "`%` → `*`": ("% 2", "* 2"),
    "`value % 2 == 0` is never true": ("if value % 2 == 0", "if False"),
    "`value % 2 == 0` is always true": ("if value % 2 == 0", "if True"),
}


def test_probes_are_killed_where_a_new_pytest_on_a_changed_copy_fails(spawner: Spawner, tmp_path: Path) -> None:
    project = a_project(tmp_path / "project", {"cart.py": SOURCE, "test_cart.py": TESTS})
    names = [f"test_cart.py::test_{name}" for name in ("total", "label", "evens")]
    report = probe_pytest(spawner, project, a_plan({"cart.py": ""}, names, seconds=300))

    verdicts = {}
    for key, (old, new) in CHANGED.items():
        probe = _probe_of(report.probes, key, old)
        copy = tmp_path / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(project, copy)
        (copy / "cart.py").write_text(SOURCE.replace(old, new, 1))
        fresh = subprocess.run(PYTEST, cwd=copy, env=plain(), capture_output=True, timeout=120)
        verdicts[key] = probe.state is ProbeState.KILLED, fresh.returncode != 0

    assert {key: both for key, both in verdicts.items() if both[0] is not both[1]} == {}
    assert len(verdicts) >= 20
    assert {both[0] for both in verdicts.values()} == {True, False}


def _probe_of(probes: tuple[Probe, ...], key: str, old: str) -> Probe:
    """The probe of this text on the line of the old text; what follows the text tells probes of one line apart."""
    line = SOURCE[: SOURCE.index(old)].count("\n") + 1
    text = "`".join(key.split("`")[:4]) + "`" if " → " in key else key
    return next(probe for probe in probes if probe.line == line and probe.text == text)
