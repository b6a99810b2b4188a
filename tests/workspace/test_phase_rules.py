from collections.abc import Mapping

import pytest

from dualgate.workspace.phase_rules import (
    ADD_ELSEWHERE,
    FROZEN,
    Edit,
    Freeze,
    broken_freeze,
    disturbs,
    with_frozen_part,
)
from dualgate.workspace.steering.commands import Called
from dualgate.workspace.steering.paths import read_patterns
from dualgate.workspace.trees import Entry

CALLED = Called(files=frozenset({"Makefile", "GNUmakefile", "tools/rt.py"}), words=frozenset({"make", "test"}))
MAKEFILE = "test:\n\tpytest\n\nbuild:\n\ttrue\n"
RUST = "fn a() -> i32 { 1 }\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn t() { assert!(super::a() == 2); }\n}\n"
DOCTEST = 'def f():\n    """\n    >>> f()\n    2\n    """\n    return 1\n'


def an_edit(path: str, before: str | None, after: str | None) -> Edit:
    contents: Mapping[str, bytes] = {"b": (before or "").encode(), "a": (after or "").encode()}
    entries = [Entry(0o100644, name) if text is not None else None for name, text in (("b", before), ("a", after))]
    return Edit(path=path, before=entries[0], after=entries[1], content=lambda entry: contents[entry.digest])


def rule(edit: Edit, *frozen: str) -> str | None:
    return broken_freeze(edit, Freeze(files=frozen, called=CALLED))


REFUSED = [
    ("Makefile", MAKEFILE, MAKEFILE.replace("pytest", "true")),
    ("GNUmakefile", None, "test:\n\ttrue\n"),
    ("src/lib.rs", RUST, RUST.replace("== 2", "== 1")),
    ("src/lib.rs", RUST, None),
    ("src/a.py", DOCTEST, DOCTEST.replace("    2\n", "    1\n")),
    ("pkg/a_test.go", "package a\n", "package b\n"),
    ("pkg/a_test.go", "package a\n", None),
    ("tools/rt.py", DOCTEST, DOCTEST.replace("return 1", "return 2")),
    ("pytest.py", None, "x = 1\n"),
]
ALLOWED = [
    ("Makefile", MAKEFILE, MAKEFILE + "\ndeploy:\n\ttrue\n"),
    ("src/lib.rs", RUST, RUST.replace("{ 1 }", "{ 2 }")),
    ("src/a.py", DOCTEST, DOCTEST.replace("return 1", "return 2")),
    ("pkg/b_test.go", None, "package a\n"),
    ("src/new.rs", None, RUST),
    ("justfile", "test:\n    true\n", "test:\n    false\n"),
]


@pytest.mark.parametrize(("path", "before", "after"), REFUSED)
def test_what_is_frozen_may_not_change(path: str, before: str | None, after: str | None) -> None:
    assert rule(an_edit(path, before, after), "src/a.py") == FROZEN


@pytest.mark.parametrize(("path", "before", "after"), ALLOWED)
def test_what_is_beside_it_may(path: str, before: str | None, after: str | None) -> None:
    assert rule(an_edit(path, before, after), "src/a.py") is None


TEST = "import pytest\n\ndef test_a():\n    assert f() == 2\n"
MORE = "\ndef test_b():\n    assert f() == 3\n"


@pytest.mark.parametrize("path", ["tests/test_a.py", "test_a.py", "conftest.py", "tests/helper.py", "src/a.py"])
def test_a_frozen_file_of_tests_may_get_new_tests(path: str) -> None:
    assert rule(an_edit(path, TEST, TEST + MORE), "src/a.py") is None


def test_a_refused_addition_is_reported_with_its_reason_and_the_way_on() -> None:
    said = rule(an_edit("tests/test_a.py", TEST, TEST.replace("2", "1") + MORE))

    assert said == f"{FROZEN}: `test_a` is changed or moved; {ADD_ELSEWHERE}"


UNEXTENDED = [
    ("tools/rt.py", Freeze(called=CALLED)),
    ("tests/data/test_a.py", Freeze()),
    ("tests/noxfile.py", Freeze()),
    ("tests/test_a.py", Freeze(patterns=read_patterns(frozen=["tests/"]))),
]


@pytest.mark.parametrize(("path", "freeze"), UNEXTENDED)
def test_nothing_is_added_to_scripts_data_steering_files_and_what_the_settings_freeze(
    path: str, freeze: Freeze
) -> None:
    assert broken_freeze(an_edit(path, TEST, TEST + MORE), freeze) == FROZEN


HELPER = "def check(a, b):\n    assert a == b\n"
LAX = "def check(a, b):\n    pass\n"
DISTURBING = [
    ("tests/helper.py", HELPER, LAX),
    ("tests/helper.py", HELPER, None),
    ("tests/data/rates.json", "[2]", "[0]"),
    ("tests/test_kept.py", HELPER, LAX),
    ("conftest.py", None, "def pytest_runtest_call(item): pass\n"),
    ("tests/helper/__init__.py", None, LAX),
    ("pytest.ini", "[pytest]\n", "[pytest]\naddopts = -p lax\n"),
    ("Makefile", MAKEFILE, MAKEFILE.replace("pytest", "true")),
]
UNDISTURBING = [
    ("tests/helper.py", HELPER, HELPER + "def near(a, b): pass\n"),
    ("conftest.py", None, "import pytest\n@pytest.fixture\ndef basket(): return []\n"),
    ("tests/data/names.json", None, "[]"),
    ("tests/test_other.py", HELPER, LAX),
    ("tests/other.t", "true\n", "false\n"),
    ("tests/kept.t", "true\n", "false\n"),
    ("src/shop.py", HELPER, LAX),
]


@pytest.mark.parametrize(("path", "before", "after"), DISTURBING)
def test_what_kept_tests_stand_on_is_disturbed(path: str, before: str | None, after: str | None) -> None:
    freeze = Freeze(files=("tests/test_kept.py",), called=CALLED, modules=frozenset({"helper"}))

    assert disturbs(an_edit(path, before, after), freeze, ())


@pytest.mark.parametrize(("path", "before", "after"), UNDISTURBING)
def test_other_tests_sources_and_what_is_put_beside_disturb_nothing(
    path: str, before: str | None, after: str | None
) -> None:
    freeze = Freeze(files=("tests/test_kept.py", "tests/kept.t"), called=CALLED)

    assert not disturbs(an_edit(path, before, after), freeze, ("tests/other.t", "tests/kept.t"))


PROVEN = Freeze(modules=frozenset({"helper", "__init__"}), folders=frozenset({"tests", "tests/unit", "shop"}))
NEW_PACKAGES = [
    ("tests/__init__.py", FROZEN),
    ("tests/unit/__init__.py", FROZEN),
    ("tests/helper/__init__.py", FROZEN),
    ("tests/shop/__init__.py", FROZEN),
    ("tests/json/__init__.py", FROZEN),
    ("tests/api/__init__.py", None),
    ("tests/unit/api/__init__.py", None),
    ("tests/shop/test_api.py", None),
]


@pytest.mark.parametrize(("path", "expected"), NEW_PACKAGES)
def test_a_new_package_of_tests_is_free_where_it_changes_no_import(path: str, expected: str | None) -> None:
    assert broken_freeze(an_edit(path, None, ""), PROVEN) == expected


BESIDE = Freeze(modules=frozenset({"helper", "rates.v2"}), searched=frozenset({"", "api/tests", "app"}))
NEW_MODULES = [
    ("tests/helper.cpython-311-x86_64-linux-gnu.so", FROZEN),
    ("tests/helper/__init__.abi3.so", FROZEN),
    ("tests/rates.abi3.so", None),
    ("tests/rates.v2.txt", None),
    ("tests/libfast.so", None),
    ("api/tests/random.py", FROZEN),
    ("api/tests/random/__init__.py", FROZEN),
    ("app/random.abi3.so", FROZEN),
    ("app/core/random.py", None),
    ("api/tests/fees.py", None),
    ("web/tests/random.py", None),
    ("src/random.py", None),
]


@pytest.mark.parametrize(("path", "expected"), NEW_MODULES)
def test_a_new_module_beside_tests_is_free_where_nothing_else_has_its_name(path: str, expected: str | None) -> None:
    assert broken_freeze(an_edit(path, None, ""), BESIDE) == expected


def test_patterns_of_the_project_go_first() -> None:
    patterns = read_patterns(frozen=["*.golden"], allowed=["tests/scratch/"])

    assert broken_freeze(an_edit("a.golden", None, "x"), Freeze(patterns=patterns)) == FROZEN
    assert broken_freeze(an_edit("tests/scratch/conftest.py", None, "x"), Freeze(patterns=patterns)) is None


FREED = "[guard]\nallowed = ['*']\n"


@pytest.mark.parametrize(
    ("path", "text"), [("dualgate.toml", FREED), ("pyproject.toml", FREED.replace("[guard", "[tool.dualgate.guard"))]
)
def test_what_says_what_is_free_does_not_free_itself(path: str, text: str) -> None:
    freeze = Freeze(patterns=read_patterns(allowed=["*"]))

    assert broken_freeze(an_edit(path, None, text), freeze) == FROZEN
    assert broken_freeze(an_edit(path, text, f"# why\n{text}"), freeze) is None


MENDED = [
    ("Makefile", MAKEFILE, MAKEFILE + "\ndeploy:\n\ttrue\n", "\tpytest", "\ttrue"),
    ("src/lib.rs", RUST, RUST.replace("{ 1 }", "{ 2 }"), "== 2", "== 1"),
]


@pytest.mark.parametrize(("path", "before", "wanted", "right", "wrong"), MENDED)
def test_other_edits_of_a_refused_file_are_kept(path: str, before: str, wanted: str, right: str, wrong: str) -> None:
    edit = an_edit(path, before, wanted.replace(right, wrong, 1))

    assert rule(edit) == FROZEN
    assert with_frozen_part(edit, CALLED) == wanted.encode()


def test_what_is_new_gone_or_whole_is_put_back_as_it_was() -> None:
    assert with_frozen_part(an_edit("GNUmakefile", None, "x"), CALLED) is None
    assert with_frozen_part(an_edit("src/lib.rs", RUST, None), CALLED) is None
    assert with_frozen_part(an_edit("conftest.py", "a = 1", "a = 2"), CALLED) is None
