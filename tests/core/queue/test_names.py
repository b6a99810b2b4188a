"""The many forms in which people write what a specification depends on."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dualgate.core.queue.needs import Needs, find_job, needs_of
from dualgate.core.queue.reading import Reading, read_relations
from dualgate.core.values.queue import Job

CRITERIA = "\n\n## Acceptance Criteria\n\n- AC-1: it works\n"
OTHERS = {
    "parser": ("specs/parser.md", "# S-1: Parser\n\nSpec ID: S-1" + CRITERIA),
    "export": ("specs/export.md", "# Export to CSV\n\nSpec ID: S-2" + CRITERIA),
    "user-auth": ("specs/user-auth.md", "# User authentication" + CRITERIA),
    "überblick": ("specs/überblick.md", "# Überblick" + CRITERIA),
}
BOTH = ("parser", "export")


def needed(text: str, spec: str = "specs/report.md") -> Needs:
    jobs = [Job(id=name, spec=path, number=1) for name, (path, _) in OTHERS.items()]
    readings = {name: read_relations(text) for name, (_, text) in OTHERS.items()}
    return needs_of([*jobs, Job(id="report", spec=spec, number=9)], readings | {"report": read_relations(text)})


# below the title
LINES = [
    ("Depends on: parser, export", BOTH),
    ("Dependencies: S-1 and S-2", BOTH),
    ("Dependencies: S-1 S-2", BOTH),
    ("Dependencies: S-1 & S-2.", BOTH),
    ("Dependencies: S-1; S-2 (not the user-auth)", BOTH),
    ("Dependencies: S-1: Parser, S-2: Export to CSV", BOTH),
    ("Dependencies: S-1 Parser and tokens, S-2 – Export to CSV", BOTH),
    ("Dependencies: Parser - the tokens, export", BOTH),
    ("**Dependencies**: `S-1`, `S-2`", BOTH),
    ("**Depends on:** [the parser](parser.md#goal), [CSV](../specs/export.md)", BOTH),
    ("Depends on: specs/parser.md, ./export.md", BOTH),
    ("Depends on: [[parser]] and [[export]]", BOTH),
    ("Depends on: [parser, export]", BOTH),
    ("Depends on: user auth", ("user-auth",)),
    ("Depends on: User authentication", ("user-auth",)),
    ("Depends on: U\u0308berblick", ("überblick",)),
    ("Depends-on: parser\ndependsOn: export", BOTH),
    ("🔗 Dependency: parser", ("parser",)),
    ("- **Blocked by**: parser\n- **Blocks**: none", ("parser",)),
    ("> Depends on: parser", ("parser",)),
    ("Depends on parser and export.", BOTH),
    ("**Depends on:**\n\n- [ ] parser\n- export: for the rows", BOTH),
    ("Requires: Python 3.12, parser", ("parser",)),
    ("| Field | Value |\n| --- | --- |\n| **Depends on** | parser, export |", BOTH),
    ("| Id | Dependencies | Blocks |\n| --- | --- | --- |\n| S-3 | S-1, S-2 | none |", BOTH),
    ("| Id | Owner | State |\n| --- | --- | --- |\n| S-3 | parser | new |", ()),
    ("## Metadata\n\n- Dependencies: parser", ("parser",)),
    *((f"Dependencies: {nothing}", ()) for nothing in ("none", "None.", "n/a", "-", "nothing", "[]", "_None_", "")),
    *((f"Dependencies: {nothing}", ()) for nothing in ("None (the first one)", "none - it is the first", "no")),
    ("Depends on: no other dependencies", ()),
    ("Dependencies: none beyond the standard library", ()),
    ("Depends on: report", ()),
]
SECTIONS = [
    ("## Dependencies\n\n- S-1: Parser\n- [Export](export.md)", BOTH),
    ("## Dependencies\n\nparser, export", BOTH),
    ("## 3. **Dependencies**\n\n1. parser\n2. export", BOTH),
    ("Depends on\n----------\n\n- the tokens of S-1", ("parser",)),
    ("## Dependencies\n\n### Specifications\n\n- parser\n\n### Packages\n\n- requests >= 2", ("parser",)),
    ("## Dependencies\n\n- Depends on: parser\n- Blocks: nothing", ("parser",)),
    ("## Dependencies\n\n| Spec | Reason |\n| --- | --- |\n| S-1 | tokens |\n| export.md | rows |", BOTH),
    ("## Dependencies\n\n- None\n- pandas for the export of data", ()),
    ("## Dependencies\n\n```\nparser\n```\n\n## Goal\n\n- parser", ()),
    ("## Prerequisites\n\n- S-1", ("parser",)),
    ("## Goal\n\n**Dependencies**: parser, requests", ("parser",)),
    ("## Plan\n\n| Task | Depends on |\n| --- | --- |\n| rows | parser |\n| table | export |", ()),
]
FRONT_MATTER = [
    ("depends_on: [parser, 'export']", BOTH),
    ('depends_on:\n  - parser  # the tokens\n  - "specs/export.md"', BOTH),
    ("dependsOn: parser, export", BOTH),
    ("dependencies:\n- id: S-1\n  title: Parser\n- id: S-2", BOTH),
    ("blocked_by:\n- parser", ("parser",)),
    ("dependencies: []\ndepends_on: null\nblocks: ~", ()),
    ("dependencies:\n  requests: ^2\nowner: parser", ()),
    ("depends_on: [\n  parser,  # the tokens\n  'export',\n]\nowner: me", BOTH),
    ("depends_on:\n  [parser,\n   export]", BOTH),
    ("depends_on: [parser", ("parser",)),
    ("depends_on:\n  - path: specs/parser.md\n  - spec: export\n  - version: 3", BOTH),
]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        *((f"# Report\n\n{text}", names) for text, names in (*LINES, *SECTIONS)),
        *((f"---\n{text}\n---\n# Report", names) for text, names in FRONT_MATTER),
    ],
)
def test_a_dependency_is_read_in_the_form_that_people_write_it(text: str, names: tuple[str, ...]) -> None:
    found = needed(text + CRITERIA)

    assert (found.by_job["report"], found.problems) == (names, {})


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("Depends on: parser and lexer", "lexer"),
        ("Depends on: S-1, S-7 Lexer", "S-7 Lexer"),
        ("Depends on: [the lexer](other/parser.md)", "other/parser.md"),
        ("Dependencies: TBD", "TBD"),
        ("Depends on: No. 4, parser", "No. 4"),
        ("Depends on: no.4", "no.4"),
        ("Depends on:\n- parser\n- lexer", "lexer"),
    ],
)
def test_what_a_line_names_and_the_queue_does_not_have_is_named_once(line: str, name: str) -> None:
    problem = needed(f"# Report\n\n{line}{CRITERIA}").problems["report"]

    assert problem.startswith(f"it needs '{name}', which is not in the queue.")
    assert problem.count("it needs") == 1


@pytest.mark.parametrize(
    "line", ["Blocks: report", "**Blocks**: [it](report.md)", "| Blocks | report |\n| --- | --- |"]
)
def test_a_specification_names_what_it_blocks_in_the_same_forms(line: str) -> None:
    jobs = [Job(id=name, spec=f"specs/{name}.md", number=1) for name in ("lexer", "report")]

    found = needs_of(jobs, {"lexer": read_relations(f"# Lexer\n\n{line}{CRITERIA}")})

    assert found.by_job == {"lexer": (), "report": ("lexer",)}


@pytest.mark.parametrize(
    "text",
    [
        "---\nid: S-3\n---\n# R",
        "# R\n\n**Spec ID**: `S-3`",
        "# R\n\n- Spec-ID: S-3\n- ID: S-4",
        "# R\n\n| Spec ID | S-3 |\n| --- | --- |",
    ],
)
def test_the_id_of_a_specification_is_read_in_several_forms(text: str) -> None:
    assert read_relations(text + CRITERIA).spec_id == "S-3"


IN_FOLDERS = (
    Job(id="parser", spec="a/parser.md", number=1),
    Job(id="parser-2", spec="b/parser.md", number=2),
    Job(id="taskify", spec="specs/004-taskify/spec.md", number=3),
)


@pytest.mark.parametrize(
    ("spec", "name", "job"),
    [
        ("b/report.md", "parser", "parser-2"),
        ("b/report.md", "./parser.md", "parser-2"),
        ("b/report.md", "../a/parser.md", "parser"),
        ("report.md", "b/parser.md", "parser-2"),
        ("c/report.md", "004-taskify", "taskify"),
        ("c/report.md", "004", "taskify"),
        ("c/report.md", "004-taskify/spec.md", "taskify"),
    ],
)
def test_files_of_one_name_are_told_apart_by_their_folders(spec: str, name: str, job: str) -> None:
    jobs = (*IN_FOLDERS, Job(id="report", spec=spec, number=9))

    found = needs_of(jobs, {"report": Reading(needs=(name,))})

    assert (found.by_job["report"], found.problems) == ((job,), {})


def test_a_name_of_two_jobs_is_refused_and_not_guessed() -> None:
    by = Job(id="report", spec="report.md", number=9)

    found = needs_of([*IN_FOLDERS, by], {"report": Reading(needs=("parser",), mentioned=("parser.md",))})

    assert found.by_job["report"] == ()
    assert found.problems == {"report": "'parser' is a name of parser and parser-2: give the path or the id of one"}
    assert find_job(IN_FOLDERS, {}, "parser").jobs == ("parser",)  # a person sees the ids
    assert find_job(IN_FOLDERS, {}, "parser.md").shared


@pytest.mark.parametrize("name", ["", " ", "./"])
def test_an_empty_name_that_a_person_gives_is_one_that_the_queue_does_not_have(name: str) -> None:
    found = needs_of([Job(id="report", spec="report.md", number=1, after=(name,))], {})

    assert found.problems == {"report": f"it needs '{name}', which is not in the queue."}


@pytest.mark.parametrize(
    "text", [f"# {'a' * 30_000}\n\nDepends on: S-1", f"# R\n\n## Dependencies\n\n- S-1 {'.' * 30_000}!"]
)
def test_a_very_long_word_is_read_at_once(text: str) -> None:
    assert needed(text + CRITERIA).by_job["report"] == ("parser",)


def test_a_prd_may_name_what_it_needs_by_objects() -> None:
    found = read_relations('{"title": "T", "blockedBy": [{"id": "P-1"}, {"path": "a.md"}, {}], "userStories": []}')

    assert (found.title, found.needs) == ("T", ("P-1", "a.md"))


PIECES = st.sampled_from(
    ["Depends on: ", "## Dependencies\n", "---\n", "- ", "| ", "`", "[a](", ")", "S-1", " and ", ",", "\n", "\x1f"]
)


@given(st.lists(PIECES | st.text(max_size=4)).map("".join))
def test_any_text_has_needs(text: str) -> None:
    assert needed(text).by_job.keys() == {*OTHERS, "report"}
