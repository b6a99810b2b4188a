import pytest

from dualgate.core.spec.constraints import forbidden_paths
from dualgate.core.spec.kinds import read_kind
from dualgate.core.spec.wording import read_wording
from dualgate.core.values.specification import Kind

INFERRED = [
    ("`add` keeps working as before", Kind.KEEP),
    ("Users can still log in with the old password", Kind.KEEP),
    ("Old links are unchanged", Kind.KEEP),
    ("`make lint` passes", Kind.CHECK),
    ("`mypy --strict src` reports no errors", Kind.CHECK),
    ("Run `npm run build` with no errors", Kind.CHECK),
    ("`ruff check .`", Kind.CHECK),
    ("All existing tests pass", Kind.CHECK),
    ("There are no regressions", Kind.CHECK),
    ("CHANGELOG has an entry", Kind.REVIEW),
    ("`fee` is exported from `__init__`", Kind.REVIEW),
    ("No new dependencies", Kind.REVIEW),
    ("Typecheck passes", Kind.REVIEW),
    ("Do not touch `_legacy.py`", Kind.REVIEW),
    ("`slugify --lower X` prints x", Kind.NEW),
    ("`python -m app init` succeeds", Kind.NEW),
    ("`make a` and `make b` pass", Kind.NEW),
    ("The comments list shows who wrote it", Kind.NEW),
    ("The changelog page groups commits by type", Kind.NEW),
    ("The regex matches all patterns in the list", Kind.NEW),
    ("Do not change the public API in `api.py`", Kind.NEW),
    ("The user is shown a TODO list", Kind.NEW),
]


@pytest.mark.parametrize(("text", "kind"), INFERRED)
def test_a_kind_is_inferred_from_the_words_and_unsure_is_new(text: str, kind: Kind) -> None:
    found = read_kind(read_wording(text))

    assert (found.kind, found.inferred) == (kind, True)


WRITTEN = [
    ("[keep] AC-4: foo", "AC-4", "foo", Kind.KEEP),
    ("AC-4 [keep]: foo", "AC-4", "foo", Kind.KEEP),
    ("AC-4: foo [keep].", "AC-4", "foo.", Kind.KEEP),
    ("[ ] [new] still works", "", "still works", Kind.NEW),
    ("**AC-1** [review] foo", "AC-1", "foo", Kind.REVIEW),
]


@pytest.mark.parametrize(("text", "own_id", "words", "kind"), WRITTEN)
def test_a_written_kind_is_taken_out_of_the_text(text: str, own_id: str, words: str, kind: Kind) -> None:
    wording = read_wording(text)

    assert (wording.id, wording.text) == (own_id, words)
    assert (read_kind(wording).kind, read_kind(wording).inferred) == (kind, False)


CHECKS = [
    ("[check: make lint] lint is clean", "make lint", 0, ""),
    ("[check] `python -m app --version` prints `1.2.0`", "python -m app --version", 0, "1.2.0"),
    ("[check: `grep -c TODO src`] exits with 1", "grep -c TODO src", 1, ""),
    ("[check] the tests are green", "", 0, ""),
    ("`ruff check .` is clean", "ruff check .", 0, ""),
]


@pytest.mark.parametrize(("text", "command", "exit_code", "prints"), CHECKS)
def test_a_check_has_a_command_and_its_expected_result(text: str, command: str, exit_code: int, prints: str) -> None:
    found = read_kind(read_wording(text))

    assert (found.kind, found.command, found.exit_code, found.prints) == (Kind.CHECK, command, exit_code, prints)


FORBIDDEN = [
    ("Do not touch `_legacy.py`", ("_legacy.py",)),
    ("Do NOT touch _legacy.py; no new dependencies", ("_legacy.py",)),
    ("These must not be changed: `src/vendor/`", ("src/vendor/",)),
    ("The file `cache/_v1.py` must not be modified", ("cache/_v1.py",)),
    ("Leave `a.py` and `./b.py` alone", ("a.py", "b.py")),
    ("Add a flag without touching `core/api.py`.", ("core/api.py",)),
    ("never modify anything under src/generated/", ("src/generated/",)),
    ("No changes to `*.lock`", ("*.lock",)),
    ("Do not change the public API in `api.py`", ()),
    ("Do not touch `legacy`", ()),
    ("The tool must not modify `config.toml`", ()),
    ("`users.json` stays unchanged after a failed import", ()),
    ("Do not touch the database", ()),
]


@pytest.mark.parametrize(("text", "paths"), FORBIDDEN)
def test_a_constraint_forbids_a_path_only_where_the_path_itself_is_meant(text: str, paths: tuple[str, ...]) -> None:
    assert forbidden_paths(text) == paths
