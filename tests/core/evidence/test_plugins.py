"""Plug-ins of an environment outside the project, which the guard does not see."""

import pytest

from dualgate.core.evidence.plugins import InstalledPlugins, installed_since, note_on, why_refused
from dualgate.core.values.state import Proof
from dualgate.testing import a_report, failed, passed

Facts = tuple[tuple[str, str], ...]
SITE = "/env/lib/python3.12/site-packages"
BEFORE: Facts = (("rootdir", "."), ("plug-in", f"pytest_cov.plugin {SITE}/pytest_cov/plugin.py"))
TIMEOUT = ("plug-in", f"pytest_timeout {SITE}/pytest_timeout.py")
OTHER = ("plug-in", f"other.plugin {SITE}/other/plugin.py")
RED = Proof(configuration=BEFORE, red=(failed("test_a"),), red_tree="r")


def with_plugins(*facts: tuple[str, str]) -> InstalledPlugins | None:
    return installed_since(RED, a_report(configuration=(*BEFORE, *facts)))


def test_plug_ins_that_were_installed_since_are_named() -> None:
    found = with_plugins(TIMEOUT, OTHER, ("plug-in", "other.hooks"))

    assert found == InstalledPlugins(names=("other.hooks", "other.plugin", "pytest_timeout"))


@pytest.mark.parametrize(
    "facts",
    [
        (),
        (("ini addopts", "-q"),),
        (("plug-in", "rigged rigged.py"),),
        (TIMEOUT, ("plug-in", "rigged .venv/lib/site-packages/rigged.py")),
        (TIMEOUT, ("plug-in", "rigged /home/me/rigged.py")),
        (TIMEOUT, ("plug-in", "hooks")),
    ],
)
def test_without_a_new_one_or_with_code_of_the_project_nothing_is_weighed(facts: Facts) -> None:
    assert with_plugins(*facts) is None


def test_the_same_plug_ins_and_an_unknown_configuration_are_not_weighed() -> None:
    assert installed_since(RED, a_report(configuration=BEFORE)) is None
    assert installed_since(Proof(), a_report(configuration=(TIMEOUT,))) is None


def test_settings_that_leave_tests_out_are_refused_with_the_plug_in() -> None:
    found = with_plugins(TIMEOUT, ("option keyword", "easy"))

    assert found is not None
    assert found.refused == ("option keyword is now 'easy': a person can allow it with guard.allowed",)
    assert why_refused(found, RED, None) == found.refused


@pytest.mark.parametrize(("plugin", "reasons"), [(TIMEOUT, 0), (OTHER, 1)])
def test_an_unknown_plug_in_needs_a_red_test_and_a_known_one_does_not(plugin: tuple[str, str], reasons: int) -> None:
    never_red = Proof(configuration=BEFORE)

    found = installed_since(never_red, a_report(configuration=(*BEFORE, plugin)))

    assert found is not None
    assert len(why_refused(found, never_red, None)) == reasons


def test_the_red_tests_must_still_fail_with_the_plug_ins() -> None:
    found = InstalledPlugins(names=("other",))

    assert why_refused(found, RED, a_report(failed("test_a"))) == ()
    assert why_refused(found, RED, a_report(passed("test_a"))) == (
        "with them these tests do not fail on the tree of RED: tests/test_x.py::test_a",
    )
    assert why_refused(found, RED, a_report(problems=("broke off",))) == (
        "the tests cannot be run on the tree of RED: broke off",
    )


def test_the_note_says_what_was_shown_or_what_to_do() -> None:
    found = InstalledPlugins(names=("a", "b"))

    assert note_on(found, (), None) == "plug-ins that were newly installed outside the project (a, b) are accepted"
    assert note_on(found, (), a_report()).endswith("; the failing tests of RED still fail with them")
    assert note_on(found, ("so",), None).endswith(" are not accepted: so; uninstall them")
