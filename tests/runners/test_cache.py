import os
from pathlib import Path
from typing import Any

import pytest

from dualgate.core.values.suite import SuiteReport
from dualgate.runners.cache import ResultCache
from dualgate.testing import a_report, failed, passed


def a_run(**values: Any) -> SuiteReport:
    defaults = {"tree": "t", "environment": "python 3.12", "only": ("b", "a")}
    return a_report(passed("x"), failed("y"), **{**defaults, **values})


def test_a_run_is_found_again_by_what_it_is_the_result_of(tmp_path: Path) -> None:
    cache = ResultCache(tmp_path / "cache")

    assert cache.keep(a_run())
    assert cache.find("t", ("pytest",), "python 3.12", ("a", "b")) == a_run()


OTHERS: list[tuple[str, tuple[str, ...], str, tuple[str, ...]]] = [
    ("u", ("pytest",), "python 3.12", ("a", "b")),
    ("t", ("pytest", "-x"), "python 3.12", ("a", "b")),
    ("t", ("pytest",), "python 3.13", ("a", "b")),
    ("t", ("pytest",), "python 3.12", ()),
]


@pytest.mark.parametrize("other", OTHERS)
def test_another_tree_command_environment_or_choice_is_another_run(
    tmp_path: Path, other: tuple[str, tuple[str, ...], str, tuple[str, ...]]
) -> None:
    cache = ResultCache(tmp_path)
    cache.keep(a_run())

    assert cache.find(*other) is None


@pytest.mark.parametrize("values", [{"problems": ("odd",)}, {"complete": False}, {"tree": ""}, {"environment": ""}])
def test_what_is_no_evidence_now_is_none_later(tmp_path: Path, values: dict[str, Any]) -> None:
    assert not ResultCache(tmp_path / "cache").keep(a_run(**values))
    assert not (tmp_path / "cache").exists()


def test_a_damaged_or_forged_entry_was_not_kept(tmp_path: Path) -> None:
    cache = ResultCache(tmp_path)
    cache.keep(a_run())
    (entry,) = tmp_path.iterdir()
    whole = entry.read_bytes()

    deep = b'{"x":' + b"[" * 10_000 + b"]" * 10_000 + b"}"
    for text in (whole[:40], whole.replace(b'"tree":"t"', b'"tree":"u"'), b"[]", b'{"command":["\xff"]}', deep):
        entry.write_bytes(text)
        assert cache.find("t", ("pytest",), "python 3.12", ("a", "b")) is None


def test_the_longest_unused_give_way(tmp_path: Path) -> None:
    cache = ResultCache(tmp_path, limit=2)
    for tree in ("old", "older"):
        cache.keep(a_run(tree=tree))
    for path in tmp_path.iterdir():
        os.utime(path, (0, 0))
    cache.find("older", ("pytest",), "python 3.12", ("a", "b"))

    cache.keep(a_run(tree="new"))

    kept = [tree for tree in ("old", "older", "new") if cache.find(tree, ("pytest",), "python 3.12", ("a", "b"))]
    assert kept == ["older", "new"]


def test_a_folder_that_cannot_be_written_keeps_nothing_and_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    assert not ResultCache(tmp_path / "file").keep(a_run())
