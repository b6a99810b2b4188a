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
    ("README and docs are updated", Kind.REVIEW),
    ("mypy passes", Kind.REVIEW),
    ("Do not change anything outside `src/`", Kind.REVIEW),
    ("Only src/a.py may be changed", Kind.REVIEW),
    ("The default width remains 79", Kind.KEEP),
    ("All tests pass: `pytest -q`", Kind.CHECK),
    ("`slugify --lower X` prints x", Kind.NEW),
    ("`python -m app init` succeeds", Kind.NEW),
    ("`make a` and `make b` pass", Kind.CHECK),
    ("The comments list shows who wrote it", Kind.NEW),
    ("The changelog page groups commits by type", Kind.NEW),
    ("The regex matches all patterns in the list", Kind.NEW),
    ("Do not change the public API in `api.py`", Kind.NEW),
    ("The user is shown a TODO list", Kind.NEW),
    # one clause that needs a test decides, whatever else is said
    ("`foo(1)` returns 2 and CHANGELOG has an entry", Kind.NEW),
    ("`foo(1)` returns 2; don't change `bar.py`", Kind.NEW),
    ("`foo(1)` returns 2, and `make lint` passes", Kind.NEW),
    ("All tests pass and foo(1) returns 2", Kind.NEW),
    ("Old calls keep working and foo(1) returns 2", Kind.NEW),
    ("Update README and make `add(1,2)` return 3.", Kind.NEW),
    ("Refactor the parser. All tests must still pass.", Kind.NEW),
    ("Remove `--old`. Everything else keeps working.", Kind.NEW),
    # what is to be repaired does not hold
    ("Fix the backwards compatibility of `choices`", Kind.NEW),
    ("Restore `load`, so that it still accepts a path", Kind.NEW),
    ("Old calls with a tuple are possible again, unchanged", Kind.NEW),
    # programs that write documents, and words that mean something else
    ("A changelog entry is written by `bump`", Kind.NEW),
    ("`bump 1.2` adds an entry to CHANGELOG.md", Kind.NEW),
    ("The function is documented in the `--help` output", Kind.NEW),
    ("Write a docstring checker that reports missing ones", Kind.NEW),
    ("All tests of the candidate pass the threshold", Kind.NEW),
    ("If the user is still logged in, the token is renewed", Kind.NEW),
    ("Entries still pending are retried", Kind.NEW),
    ("Unchanged rows are skipped", Kind.NEW),
    ("The cursor remains in the field", Kind.NEW),
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
    ("Tests in `tests/old` must not be changed", ("tests/old",)),
    ("No file under `vendor/` is changed", ("vendor/",)),
    ("pyproject.toml is not changed", ("pyproject.toml",)),
    ("[!IMPORTANT] Do not touch `a.py`", ("a.py",)),
    ("Never change `a.py` (generated)", ("a.py",)),
    ("Do not touch:\n`a.py`\n`b.py`", ("a.py", "b.py")),
    ("Must not change `config.toml` on a read", ()),
    ("Do not delete `a.txt` if it is open", ()),
    ("Never modify `out.json` without a backup", ()),
    ("Do not change `out.json` directly; write a temp file", ()),
    ("Don't change `settings.py` except for the new key", ()),
    ("Do not touch anything in `src/` but `a.py`", ()),
    ("Do not modify `README.md` headings", ()),
    ('Users see "Please do not modify data.json"', ()),
    ("The header comment says: do not edit config.ini", ()),
    ("In 2020 we said: do not change `app.py`.", ()),
]


@pytest.mark.parametrize(("text", "paths"), FORBIDDEN)
def test_a_constraint_forbids_a_path_only_where_the_path_itself_is_meant(text: str, paths: tuple[str, ...]) -> None:
    assert forbidden_paths(text) == paths
