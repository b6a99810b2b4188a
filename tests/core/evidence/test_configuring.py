"""Changed configuration: what its settings may do, and whether tests can still fail with it."""

from dataclasses import replace

import pytest

from dualgate.core.evidence.configuring import (
    accepted_note,
    has_red,
    missing_tests,
    no_longer_red,
    other_results,
    turned_by_rewriting,
    weigh_settings,
    with_configuration,
    with_decision,
)
from dualgate.core.values.changes import Changes, Violation
from dualgate.core.values.configuring import ConfigurationDecided, Reach, Reconfiguration
from dualgate.core.values.state import Proof
from dualgate.core.values.suite import FailureKind, SuiteReport
from dualgate.testing import NOW, a_report, failed, passed, skipped

Facts = tuple[tuple[str, str], ...]
FILE = "tests/test_x.py::"
FIRST: Facts = (("rootdir", "."), ("inifile", ""), ("conftest", "conftest.py"))
STRICT: Facts = (
    ("inifile", "pytest.ini"),
    ("ini xfail_strict", "true"),
    ("ini strict_markers", "true"),
    ("ini filterwarnings", "error"),
    ("ini pythonpath", "src"),
    ("conftest", "conftest.py"),
)


def having(facts: Facts, *changed: tuple[str, str], without: str = "") -> Facts:
    """The facts with other values of some keys, and without one."""
    keys = {key for key, _ in changed} - {"plug-in", "conftest"}
    return (*(fact for fact in facts if fact[0] not in {*keys, without}), *changed)


HARMLESS = [
    (FIRST, having(FIRST, ("inifile", "pyproject.toml"), ("ini pythonpath", "['src']"), ("path", "src"))),
    (FIRST, having(FIRST, ("inifile", "pytest.ini"), ("ini markers", "slow: takes long"))),
    (FIRST, having(FIRST, ("ini testpaths", "tests"), ("argument", "tests"))),
    (FIRST, having(FIRST, ("ini addopts", "-ra --strict-markers"), ("option strict_markers", "True"))),
    (FIRST, having(FIRST, ("option override_ini", "['strict_markers=true']"), ("ini strict_markers", "true"))),
    (FIRST, having(FIRST, ("option importmode", "importlib"))),
    (FIRST, having(FIRST, ("ini minversion", "8.0"))),
    (FIRST, having(FIRST, ("ini asyncio_mode", "auto"), ("ini asyncio_default_fixture_loop_scope", "function"))),
    (FIRST, having(FIRST, ("option cov_source", "['src']"), ("plug-in", "pytest_cov.plugin"))),
    (FIRST, having(FIRST, ("plug-in", "xdist.dsession"))),
    (FIRST, having(FIRST, ("ini log_cli", "true"), ("ini log_level", "INFO"))),
    (FIRST, having(FIRST, ("option doctestmodules", "True"))),
    (FIRST, having(FIRST, ("ini python_files", "test_*.py check_*.py"))),
    (FIRST, having(FIRST, ("ini xfail_strict", "true"))),
    (FIRST, having(FIRST, ("ini filterwarnings", "['error']"))),
    (STRICT, having(STRICT, ("ini filterwarnings", "error\nerror::UserWarning:shop"))),
    (STRICT, having(STRICT, ("ini pythonpath", "src lib"))),
    (STRICT, having(STRICT, ("ini markers", "slow"))),
]


@pytest.mark.parametrize(("before", "now"), HARMLESS)
def test_settings_that_turn_no_outcome_need_no_comparison(before: Facts, now: Facts) -> None:
    found = weigh_settings(Proof(configuration=before), a_report(configuration=now), Reach.REPORTED)

    assert (found.refused, found.compared) == ((), ())


COMPARED = [
    (FIRST, having(FIRST, ("ini timeout", "30"))),
    (FIRST, having(FIRST, ("ini env", "A=1"))),
    (FIRST, having(FIRST, ("option assertmode", "plain"))),
    (FIRST, having(FIRST, ("ini doctest_optionflags", "ELLIPSIS"))),
    (FIRST, having(FIRST, ("ini filterwarnings", "ignore::DeprecationWarning:foo"))),
    (FIRST, having(FIRST, ("plug-in", "other.plugin /usr/lib/python3/site-packages/other/plugin.py"))),
    (FIRST, having(FIRST, ("plug-in", "other.plugin .venv/lib/site-packages/other/plugin.py"))),
    (FIRST, having(FIRST, ("plug-in blocked", "cacheprovider"))),
    (FIRST, having(FIRST, ("conftest", "tests/conftest.py"))),
    (FIRST, having(FIRST, ("rootdir", "tests"))),
    (STRICT, having(STRICT, ("ini pythonpath", "lib src"))),
    (STRICT, having(STRICT, ("ini filterwarnings", "error\nignore::UserWarning"))),
    (STRICT, having(STRICT, ("inifile", "pyproject.toml"))),
    (FIRST, having(FIRST, ("ini filterwarnings", "error::lax.Lax"))),
    (
        having(FIRST, ("ini filterwarnings", "ignore::UserWarning\nerror")),
        having(FIRST, ("ini filterwarnings", "error\nignore::UserWarning\nerror::FutureWarning")),
    ),
]


@pytest.mark.parametrize(("before", "now"), COMPARED)
def test_a_setting_of_unknown_effect_is_compared(before: Facts, now: Facts) -> None:
    found = weigh_settings(Proof(configuration=before), a_report(configuration=now), Reach.REPORTED)

    assert (found.refused, len(found.compared)) == ((), 1)


REFUSED = [
    (FIRST, having(FIRST, ("option keyword", "not new"))),
    (FIRST, having(FIRST, ("option markexpr", "not slow"))),
    (FIRST, having(FIRST, ("option deselect", "['tests/test_a.py::test_a']"))),
    (FIRST, having(FIRST, ("option ignore", "['tests']"))),
    (FIRST, having(FIRST, ("option ignore_glob", "['*a.py']"))),
    (FIRST, having(FIRST, ("option lf", "True"))),
    (FIRST, having(FIRST, ("option stepwise", "True"))),
    (FIRST, having(FIRST, ("option collectonly", "True"))),
    (FIRST, having(FIRST, ("option setupplan", "True"))),
    (FIRST, having(FIRST, ("option runxfail", "True"))),
    (FIRST, having(FIRST, ("option pythonwarnings", "['ignore']"))),
    (FIRST, having(FIRST, ("option reruns", "3"))),
    (FIRST, having(FIRST, ("option snapshot_update", "True"))),
    (FIRST, having(FIRST, ("option benchmark_skip", "True"))),
    (FIRST, having(FIRST, ("option record_mode", "rewrite"))),
    (FIRST, having(FIRST, ("option confcutdir", "tests"), without="conftest")),
    (FIRST, having(FIRST, ("plug-in", "flip src/flip.py"))),
    (FIRST, having(FIRST, ("ini usefixtures", "rigged"))),
    (FIRST, having(FIRST, ("ini doctest_optionflags", "SKIP"))),
    (FIRST, having(FIRST, ("ini pythonpath", "../evil"))),
    (FIRST, having(FIRST, ("ini pythonpath", "['/tmp/evil']"))),
    (FIRST, having(FIRST, ("ini filterwarnings", "ignore"))),
    (FIRST, having(FIRST, ("sitecustomize", "sitecustomize.py"))),
    (FIRST, having(FIRST, ("deselected", "3 abc"))),
    (STRICT, having(STRICT, ("inifile", "pyproject.toml"), without="ini xfail_strict")),
    (STRICT, having(STRICT, ("inifile", ""), without="ini filterwarnings")),
    (STRICT, having(STRICT, without="ini xfail_strict")),
    (STRICT, having(STRICT, ("ini xfail_strict", "false"))),
    (STRICT, having(STRICT, without="ini strict_markers")),
    (STRICT, having(STRICT, without="ini filterwarnings")),
    (STRICT, having(STRICT, ("ini filterwarnings", "['default', 'error']"))),
    (STRICT, having(STRICT, without="conftest")),
]


@pytest.mark.parametrize(("before", "now"), REFUSED)
def test_a_setting_that_can_hide_a_failure_later_is_a_persons(before: Facts, now: Facts) -> None:
    found = weigh_settings(Proof(configuration=before), a_report(configuration=now), Reach.REPORTED)

    assert any(text.endswith("a person can allow it with guard.allowed") for text in found.refused)


def test_settings_of_one_suite_among_several_are_weighed_like_those_of_one() -> None:
    proof = Proof(configuration=(("api: ini markers", "a"),), unstable_keys=("api: path",))
    now = (("api: ini markers", "b"), ("api: path", "x"), ("web: option keyword", "a" * 99))

    found = weigh_settings(proof, a_report(configuration=now), Reach.REPORTED)

    assert found.refused == (f"option keyword is now {'a' * 80!r}…: a person can allow it with guard.allowed",)


@pytest.mark.parametrize(("proof", "reach"), [(Proof(), Reach.REPORTED), (Proof(configuration=FIRST), Reach.COMPARED)])
def test_what_no_runner_reports_is_compared(proof: Proof, reach: Reach) -> None:
    found = weigh_settings(proof, a_report(configuration=proof.configuration), reach)

    assert found.compared


def test_a_new_file_of_fixtures_that_only_adds_import_paths_needs_no_comparison() -> None:
    proposed = Reconfiguration(tree="t", paths=("conftest.py", "a/conftest.py"), settings=("conftest.py: sys.path",))
    one, two = (
        having(FIRST[:2], *(("conftest", path) for path in paths)) for paths in (proposed.paths[:1], proposed.paths)
    )
    weighed = [
        weigh_settings(
            Proof(configuration=FIRST[:2]), a_report(configuration=now), Reach.REPORTED, proposed.importing
        ).compared
        for now in (one, two)
    ]

    assert weighed == [(), ("conftest",)]


def test_a_test_that_is_not_proven_may_need_the_changed_configuration() -> None:
    proof = Proof(proven=(passed("a"),))
    without = a_report(passed("a"), failed("b"))

    assert other_results(proof, without, a_report(passed("a"), passed("b"))) == ()
    assert other_results(proof, without, a_report(failed("a"), passed("b")))


def test_tests_that_the_configuration_leaves_out_or_skips_are_missed() -> None:
    proof = Proof(proven=(passed("a"), failed("b"), passed("c")))

    assert missing_tests(proof, a_report(passed("a"), skipped("b"), passed("d"))) == (f"{FILE}c", f"{FILE}b")
    assert missing_tests(Proof(), a_report()) == ()


def test_two_runs_with_the_same_results_and_more_tests_are_the_same() -> None:
    proof = Proof(unstable=(f"{FILE}c",))
    without = a_report(passed("a"), failed("b"), passed("c"))

    assert other_results(proof, without, a_report(passed("a"), failed("b"), failed("c"), passed("d"))) == ()


def test_another_result_with_the_changed_configuration_is_named() -> None:
    without = a_report(passed("a"), failed("b"), passed("c"), passed("d", digest="1"))

    found = other_results(Proof(), without, a_report(passed("b"), skipped("c"), passed("d", digest="2")))

    assert found == (
        f"with the changed configuration these tests have a different result: {FILE}b, {FILE}c",
        f"with the changed configuration these tests are not run: {FILE}a",
        f"with the changed configuration these tests have different code: {FILE}d",
    )


BROKEN = failed("t.py", file="t.py", kind=FailureKind.BROKEN_FILE)
STILL_RED = [
    (a_report(failed("a"), passed("b")), a_report(failed("a"), failed("b")), []),
    (a_report(failed("a")), a_report(passed("a")), ["a"]),
    (a_report(failed("a")), a_report(skipped("a")), ["a"]),
    (a_report(failed("a")), a_report(), ["a"]),
    # the file cannot be collected, with or without it: its tests are known by name
    (a_report(BROKEN), a_report(BROKEN), []),
    # it can be collected with it, and its tests fail one by one
    (a_report(BROKEN), a_report(failed("a", file="t.py"), passed("b", file="t.py")), []),
    (a_report(BROKEN), a_report(passed("a", file="t.py")), ["a"]),
    (a_report(failed("a", file="t.py")), a_report(BROKEN), ["a"]),
    (a_report(BROKEN), a_report(), ["a", "t.py"]),
    (a_report(failed("a"), failed("u")), a_report(failed("a"), passed("u")), []),
]


@pytest.mark.parametrize(("without", "run", "passing"), STILL_RED)
def test_tests_of_red_must_still_fail_without_the_work(
    without: SuiteReport, run: SuiteReport, passing: list[str]
) -> None:
    proof = Proof(red=(failed("a", file="t.py"), passed("b")), unstable=(f"{FILE}u",))

    assert [name.removeprefix(FILE) for name in no_longer_red(proof, without, run)] == passing


def test_without_a_red_test_nothing_can_be_seen_to_fail() -> None:
    assert has_red(Proof(red_tree="r", red=(failed("a"),)))
    assert not has_red(Proof(red_tree="r", red=(passed("a"),)))
    assert not has_red(Proof(red=(failed("a"),)))


def a_proposal(reach: Reach = Reach.REPORTED) -> Reconfiguration:
    paths, settings = ("pyproject.toml", "pytest.ini"), ("pyproject.toml: tool.coverage.report.fail_under",)
    return Reconfiguration(tree="new", paths=paths, created=("pytest.ini",), settings=settings, reach=reach)


def test_the_note_says_what_was_accepted_and_by_what_it_was_shown() -> None:
    named = "changed configuration is accepted: pyproject.toml, pytest.ini"
    settings = " (pyproject.toml: tool.coverage.report.fail_under)"
    unread = Reconfiguration(tree="new", paths=(".gitlab-ci.yml",), reach=Reach.UNREAD)

    assert accepted_note(a_proposal(), (), 1) == (
        f"{named}{settings}; its settings change no result; 1 failing test of RED still fails with it"
    )
    assert accepted_note(a_proposal(), ("x",), 2).endswith("2 failing tests of RED still fail with it")
    assert accepted_note(a_proposal(), (), 0) == f"{named}{settings}; its settings change no result"
    one = replace(a_proposal(), paths=("pyproject.toml",))
    assert "accepted: pyproject.toml (tool.coverage.report.fail_under); its" in accepted_note(one, (), 0)
    assert accepted_note(unread, (), 2) == "changed configuration is accepted: .gitlab-ci.yml; no test run reads it"


def decided(**values: object) -> ConfigurationDecided:
    return ConfigurationDecided(at=NOW, proposed=a_proposal(), **values)  # type: ignore[arg-type]


CHANGES = Changes(
    tree="old",
    modified=("pyproject.toml",),
    violations=tuple(Violation(path=path, rule="frozen") for path in ("pyproject.toml", "pytest.ini", "tests/a.py")),
)


def test_accepted_configuration_is_no_violation_and_is_noted() -> None:
    after = with_decision(CHANGES, decided(tree="new", note="accepted"))

    assert [each.path for each in after.violations] == ["tests/a.py"]
    assert (after.tree, after.modified, after.created) == ("new", ("pyproject.toml",), ("pytest.ini",))
    assert (after.added, after.rewritten, after.notes) == (("pytest.ini",), ("pyproject.toml",), ("accepted",))


def test_configuration_that_is_deleted_is_no_modified_file() -> None:
    proposed = Reconfiguration(tree="new", paths=("tox.ini",), deleted=("tox.ini",))

    after = with_decision(Changes(tree="old"), ConfigurationDecided(at=NOW, proposed=proposed, tree="new"))

    assert (after.deleted, after.removed, after.rewritten) == 3 * (("tox.ini",),)
    assert after.modified == ()


def test_refused_configuration_stays_a_violation_that_says_why() -> None:
    after = with_decision(CHANGES, decided(tree="old", reasons=("a has another result",)))

    assert [each.rule for each in after.violations] == [*2 * ["frozen; a has another result"], "frozen"]
    assert after.tree == "old"


def test_accepted_configuration_is_frozen_with_the_trees_of_the_proof() -> None:
    proof = Proof(red_tree="r", proven_tree="p", green_tree="g", kept_tree="k", configuration=FIRST)
    trees = {"red_tree": "r2", "proven_tree": "p2", "green_tree": "g2", "kept_tree": "k2"}

    after = with_configuration(proof, decided(configuration=STRICT, **trees))

    assert (after.red_tree, after.proven_tree, after.green_tree, after.kept_tree) == tuple(trees.values())
    assert after.configuration == STRICT
    assert with_configuration(proof, decided(**trees)).configuration == FIRST
    assert with_configuration(proof, decided(reasons=("no",))) == proof


def test_configuration_that_gave_the_same_results_is_remembered_as_it_was_at_first() -> None:
    first = with_configuration(Proof(), decided(without="t1"))

    assert {tree for _, tree in first.reconfigured} == {"t1"}
    assert with_configuration(first, decided(without="t2")).reconfigured == first.reconfigured
    assert with_configuration(Proof(), decided()).reconfigured == ()


def test_rewritten_files_may_change_the_code_of_tests_but_no_result() -> None:
    without = a_report(passed("a", digest="1"), failed("b"), passed("c"))

    assert turned_by_rewriting(Proof(), without, a_report(passed("a", digest="2"), failed("b"), passed("c"))) == ()
    assert turned_by_rewriting(Proof(), without, a_report(failed("a"), failed("b"))) == (
        "these tests have a different result: tests/test_x.py::a",
        "these tests are not run: tests/test_x.py::c",
    )
