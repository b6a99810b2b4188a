from dataclasses import replace

from dualgate.core.evidence.comparison import Comparison, FlakyTests, compare, differing_functions, flaky, learn
from dualgate.core.values.suite import CHECKS_FILE, CaseOutcome, CaseResult, FailureKind
from dualgate.testing import a_report, failed, passed, skipped


def here(name: str) -> str:
    return f"tests/test_x.py::{name}"


def xfailed(name: str) -> CaseResult:
    return replace(passed(name), outcome=CaseOutcome.XFAILED)


def xpassed(name: str) -> CaseResult:
    return replace(passed(name), outcome=CaseOutcome.XPASSED)


def test_two_runs_that_agree_differ_in_nothing() -> None:
    results = (passed("a"), skipped("b"), xfailed("c"), xpassed("d"))

    assert compare(results, results) == Comparison()


def test_each_way_in_which_a_test_can_go_has_its_name() -> None:
    before = [passed("same"), passed("other"), failed("mended"), passed("spoilt"), failed("own"), passed("gone")]
    after = [passed("same"), passed("other", digest="d2"), passed("mended"), failed("spoilt"), failed("own")]

    assert compare(before, [*after, passed("added", digest="d9")]) == Comparison(
        new=(here("added"),),
        changed=(here("other"),),
        fixed=(here("mended"),),
        regressed=(here("spoilt"),),
        still_failing=(here("own"),),
        vanished=(here("gone"),),
    )


def test_tests_that_stop_running_are_told_apart() -> None:
    before = [passed("a"), passed("b"), passed("c"), skipped("d"), xpassed("e"), failed("f")]
    after = [skipped("a"), xfailed("b"), xpassed("c"), skipped("d"), xpassed("e"), skipped("f")]

    found = compare(before, after)

    assert (found.newly_skipped, found.newly_xfailed) == ((here("a"), here("f")), (here("b"),))
    assert (found.newly_xpassed, found.fixed) == ((here("c"),), ())


def test_a_failing_test_with_other_code_is_not_the_old_failure() -> None:
    found = compare([failed("a")], [failed("a", digest="d2")])

    assert (found.still_failing, found.regressed, found.changed) == ((), (), (here("a"),))


def test_a_runner_without_digests_leaves_open_whether_a_test_changed() -> None:
    assert compare([failed("a", digest="")], [failed("a")]).still_failing == (here("a"),)
    assert compare([passed("a")], [passed("a", digest="")]).changed == (here("a"),)


def test_what_is_unstable_is_neither_regressed_nor_skipped_nor_gone_while_its_code_is_the_same() -> None:
    known = FlakyTests(unstable=[here("a"), here("b"), here("c"), here("d"), here("e")])
    before = [passed("a"), passed("b"), passed("c"), passed("d"), passed("e[7]")]
    after = [failed("a"), skipped("b"), failed("d", digest="d2")]

    found = compare(before, after, known)

    assert (found.still_failing, found.newly_skipped, found.vanished) == ((here("a"),), (), ())
    assert found.regressed == (here("d"),)


def test_a_file_that_could_not_be_collected_before_is_not_missed() -> None:
    broken = failed("", id="tests/test_y.py", kind=FailureKind.BROKEN_FILE, digest="")

    assert compare([broken], [passed("a")]).vanished == ()


def test_a_test_that_is_gone_and_a_new_one_with_its_code_are_probably_one() -> None:
    before = [passed("a", digest="x"), passed("b", digest="x"), passed("c", digest=""), passed("d", digest="y")]
    after = [passed("k", digest="x"), passed("l", digest=""), passed("m", digest="z")]

    found = compare(before, after)

    assert found.renamed == ((here("a"), here("k")),)
    assert found.vanished == (here("a"), here("b"), here("c"), here("d"))


def test_ids_with_a_time_in_them_are_paired_after_those_that_are_the_same() -> None:
    before = [failed("a[10:00]"), passed("a[11:00]")]

    assert compare(before, [passed("a[10:00]"), failed("a[11:00]")]).regressed == (here("a[11:00]"),)
    assert compare(before, [passed("a[12:00]"), failed("a[13:00]")]).still_failing == (here("a[13:00]"),)
    assert compare(before, [failed("a[12:00]"), failed("a[13:00]")]).regressed == (here("a[13:00]"),)


def test_examples_that_are_named_by_their_place_are_paired_by_their_content_first() -> None:
    before = [passed("line:2,column:1", digest="a"), passed("line:5,column:1", digest="b"), failed("line:9,column:1")]
    moved = [passed("line:5,column:1", digest="a"), passed("line:8,column:1", digest="b"), failed("line:12,column:1")]
    added = failed("line:2,column:1", digest="new")

    assert compare(before, [added, *moved]) == Comparison(new=(added.id,), still_failing=(moved[2].id,))
    assert compare(before, moved[1:]).vanished == (before[0].id,)
    assert compare(before, [replace(moved[0], digest="other"), *moved[1:]]).changed == (moved[0].id,)


def test_the_check_of_a_source_file_goes_with_the_file() -> None:
    before = [passed("lint", digest=CHECKS_FILE), passed("gone")]

    assert compare(before, []).vanished == (here("gone"),)


def test_cases_of_a_volatile_function_are_compared_by_their_number() -> None:
    before = [passed("a[red]"), failed("a[blue]"), skipped("a[green]")]
    known = FlakyTests(unstable_ids=[here("a")])

    same = compare(before, [failed("a[x]"), skipped("a[y]"), passed("a[z]")], known)
    fewer = compare(before, [failed("a[x]"), passed("a[z]")], known)
    more = compare(before, [failed("a[w]"), failed("a[x]"), skipped("a[y]"), passed("a[z]")], known)

    assert same == Comparison(still_failing=(here("a[x]"),))
    assert fewer.vanished == (here("a[green]"),)
    assert (len(more.new), len(more.regressed)) == (1, 1)


def test_cases_of_a_function_that_is_not_volatile_are_not_exchanged_unseen() -> None:
    found = compare([passed("a[hard]")], [passed("a[easy]")])

    assert (found.vanished, found.new) == ((here("a[hard]"),), (here("a[easy]"),))


def test_two_runs_of_one_tree_show_what_wavers() -> None:
    first = a_report(passed("a"), passed("b"), passed("lone"), skipped("c"))
    second = a_report(passed("a"), failed("b"), passed("c"), passed("late"), seconds=7.0)

    learned = learn(first, second)

    assert learned.unstable == (here("b"), here("c"), here("late"), here("lone"))
    assert learned.unstable_ids == ()
    assert {result.id for result in learned.results} == {here(n) for n in ("a", "b", "c", "late", "lone")}
    assert learned.seconds == 7.0


def test_two_runs_of_one_tree_show_which_ids_are_volatile() -> None:
    learned = learn(a_report(passed("a[k]"), passed("b[1]")), a_report(passed("a[l]"), passed("b[1]")))

    assert (learned.unstable_ids, learned.unstable) == ((here("a"),), ())


def test_where_even_the_number_of_cases_differs_the_function_is_unstable() -> None:
    learned = learn(a_report(passed("a[k]"), passed("a[m]")), a_report(passed("a[l]")))

    assert here("a") in learned.unstable
    known = FlakyTests(unstable=learned.unstable, unstable_ids=learned.unstable_ids)
    assert compare(learned.results, [passed("b")], known).vanished == ()


def test_a_digest_that_differs_without_a_change_says_nothing() -> None:
    learned = learn(a_report(passed("a", digest="1"), passed("b")), a_report(passed("a", digest="2"), passed("b")))

    assert [result.digest for result in learned.results] == ["", "d1"]


def test_what_differs_in_the_configuration_by_itself_is_learned() -> None:
    first = a_report(configuration=(("rootdir", "/r"), ("basetemp", "1"), ("gone", "")), environment="e")
    second = a_report(configuration=(("rootdir", "/r"), ("basetemp", "2")), environment="e")

    learned = learn(first, second)

    assert (learned.unstable_keys, learned.environment) == (("basetemp", "gone"), "e")
    assert learned.configuration == second.configuration
    assert learn(first, a_report(environment="f")).environment == ""


def test_functions_differ_where_ids_of_either_run_are_alone() -> None:
    runs = [a_report(passed("a[1]"), passed("b[1]")), a_report(passed("a[2]")), a_report(passed("a[2]"))]

    assert differing_functions(runs) == {here("a")}


def test_flaky_is_what_goes_two_ways_on_one_tree() -> None:
    runs = [a_report(passed("a"), passed("b")), a_report(failed("a"), passed("b")), a_report(passed("a"))]

    assert flaky(runs) == (here("a"),)
