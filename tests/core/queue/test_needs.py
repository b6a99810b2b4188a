"""Which job needs which, from what people gave and from what the texts of specifications name."""

from dualgate.core.queue.needs import find_job, needs_of, new_id
from dualgate.core.queue.reading import Reading, read_relations
from dualgate.core.values.queue import Job


def a_job(name: str, number: int = 1, **values: object) -> Job:
    return Job(id=name, spec=f"specs/{name}.md", number=number, **values)  # type: ignore[arg-type]


def test_a_job_needs_what_a_person_named_in_any_of_its_ways() -> None:
    jobs = (a_job("one"), a_job("two", after=("one",)), a_job("three", after=("specs/one.md", "TWO.md")))

    found = needs_of(jobs, {})

    assert found.by_job == {"one": (), "two": ("one",), "three": ("one", "two")}
    assert found.problems == {}


def test_lines_and_sections_of_a_specification_name_what_it_needs() -> None:
    text = (
        "# Storage\n\n**Spec ID:** S-2\n**Depends on:** S-1 (the parser), S-0\n**Blocks:** S-9\n\n"
        "## Dependencies\n\n- [ ] [four](specs/four.md)\n- `requests`>=2\n\n## Blocks\n\n1. five\n\n"
        "## Acceptance Criteria\n\n- AC-1: it stores\n"
    )

    read = read_relations(text)

    assert (read.spec_id, read.needs, read.blocks) == ("S-2", ("S-1", "S-0"), ("S-9",))
    assert read.mentioned == ("`specs/four.md`", "`requests`>=2")
    assert read.blocks_mentioned == ("five",)


def test_a_section_may_list_packages_that_are_no_jobs() -> None:
    readings = {"two": Reading(mentioned=("requests", "one")), "one": Reading(blocks_mentioned=("three", "nobody"))}

    found = needs_of((a_job("one"), a_job("two"), a_job("three")), readings)

    assert found.by_job == {"one": (), "two": ("one",), "three": ("one",)}
    assert found.problems == {}


def test_a_prd_names_its_needs_with_its_keys() -> None:
    read = read_relations('{"id": "P-2", "dependsOn": ["P-1"], "blocks": "P-3", "userStories": []}')

    assert read == Reading(spec_id="P-2", needs=("P-1",), blocks=("P-3",))


def test_texts_that_only_begin_like_a_prd_are_read_as_markdown() -> None:
    assert read_relations("{broken") == Reading()
    assert read_relations("{" * 2 + "}" * 2) == Reading()
    assert read_relations('["a"]') == Reading()


def test_a_blocks_line_makes_the_other_one_wait() -> None:
    found = needs_of((a_job("one"), a_job("two")), {"one": Reading(spec_id="S-1", blocks=("two", "unknown"))})

    assert found.by_job["two"] == ("one",)
    assert found.problems == {}


def test_an_unknown_name_is_a_problem_of_the_job_that_gives_it() -> None:
    found = needs_of((a_job("parser"), a_job("two", after=("parsr",))), {"two": Reading(needs=("S-7",))})

    assert found.problems == {
        "two": "it needs 'parsr', which is not in the queue. Did you mean parser?; "
        "it needs 'S-7', which is not in the queue."
    }


def test_a_name_that_is_done_already_is_not_needed() -> None:
    found = needs_of((a_job("two", done=("s-7",)),), {"two": Reading(needs=("S-7",))})

    assert found.problems == {}


def test_a_job_of_the_queue_may_be_done_for_another_one_by_any_of_its_names() -> None:
    readings = {"one": Reading(spec_id="S-1"), "two": Reading(needs=("S-1",)), "three": Reading(needs=("S-1",))}

    found = needs_of((a_job("one"), a_job("two", done=("one",)), a_job("three")), readings)

    assert (found.by_job["two"], found.by_job["three"]) == ((), ("one",))


def test_every_circle_is_named_and_a_job_does_not_need_itself() -> None:
    jobs = tuple(
        a_job(name, after=after)
        for name, after in {"a": ("b",), "b": ("a",), "c": ("d",), "d": ("c",), "e": ("a", "e")}.items()
    )

    found = needs_of(jobs, {})

    assert found.problems.keys() == {"a", "b", "c", "d"}
    assert found.problems["a"] == found.problems["b"]
    assert "need each other: " in found.problems["c"]
    assert found.by_job["e"] == ("a",)


def test_a_problem_of_reading_is_a_problem_of_the_job() -> None:
    assert needs_of((a_job("a"),), {"a": Reading(problem="specs/a.md is missing")}).problems == {
        "a": "specs/a.md is missing"
    }


def test_ids_are_names_of_work_and_never_shared() -> None:
    assert new_id("specs/parser.md", "", ()) == "parser"
    assert new_id("other/Parser.md", "", ("Parser",)) == "parser-2"
    assert new_id("parser.md", "", ("parser", "parser-2")) == "parser-3"
    assert new_id("SPEC.md", "Read tables", ()) == "read-tables"


def test_a_job_is_found_by_each_of_its_names_the_id_first() -> None:
    jobs = (a_job("one"), a_job("two"))
    readings = {"two": Reading(spec_id="one")}

    assert find_job(jobs, readings, "one").jobs == ("one",)
    assert find_job(jobs, {"two": Reading(spec_id="S-2")}, "s-2").jobs == ("two",)
    assert find_job(jobs, readings, "./specs/two.md").jobs == ("two",)
    assert find_job(jobs, readings, "nobody").jobs == ()
