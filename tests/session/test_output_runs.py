"""Files that runs write into the project during the work: outputs, or a sign that nobody knows what was tested."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from dualgate.core.evidence.run_outputs import with_outputs
from dualgate.core.values.changes import is_output
from dualgate.core.values.control import Control
from dualgate.core.values.events import Event, SuiteEnded
from dualgate.core.values.state import LoopState, Proof
from dualgate.core.values.suite import SuiteReport, TrialEnded, TrialStarted
from dualgate.core.values.vocabulary import Phase
from dualgate.errors import Interrupted
from dualgate.session.record import Recording
from dualgate.session.suite_runs import SuiteRuns
from dualgate.testing import NOW, a_control, a_report, a_state, failed, passed
from dualgate.workspace.phase_rules import Freeze
from dualgate.workspace.saved import SavedSnapshots
from dualgate.workspace.worktree import WITH_OUTPUTS, WorkTree


@dataclass
class Tests:
    """A project and a runner whose tests do what they are told to."""

    __test__ = False
    root: Path
    saved: SavedSnapshots
    does: Callable[["Tests"], bool | None] = lambda _: None
    """Runs the tests; False if one fails."""
    command: tuple[str, ...] = ("pytest",)
    times: int = 0
    events: list[Event] = field(default_factory=list)
    guarded: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        frozen = Freeze(outputs=self.guarded)
        self.worktree = WorkTree(self.saved, self.saved.look_anew(), lambda: NOW, frozen=frozen)
        self.start = self.worktree.present
        to = Recording(record=self.events.append, now=lambda: NOW)
        self.suites = SuiteRuns(runner=self, worktree=self.worktree, to=to)

    def run(self, control: Control, only: Sequence[str] = ()) -> SuiteReport:
        del control
        self.times += 1
        is_fine = self.does(self)
        return a_report(failed("test_a") if is_fine is False else passed("test_a"), only=tuple(only))

    def write(self, path: str, text: str | None = None) -> None:
        """Write a file; each run writes another text."""
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(f"run {self.times}" if text is None else text)

    def edited_by_agent(self, path: str, text: str) -> None:
        self.write(path, text)
        self.worktree.settle(a_state(phase=Phase.GREEN))

    def state(self, *outputs: str) -> LoopState:
        return a_state(phase=Phase.GREEN, proof=with_outputs(Proof(start_tree=self.start), outputs))

    def clean(self, *outputs: str, again: bool = False) -> SuiteReport:
        return self.suites.clean(self.state(*outputs), a_control(), again=again)

    def text(self, path: str) -> str | None:
        return (self.root / path).read_text() if (self.root / path).exists() else None


@pytest.fixture
def tests(tmp_path: Path) -> Tests:
    root = tmp_path / "project"
    root.mkdir()
    (root / "code.py").write_text("x = 1")
    (root / "old.db").write_text("theirs")
    (root / "empty").mkdir()
    return Tests(root, SavedSnapshots(root, tmp_path / "snapshots.db", tmp_path / "session"))


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        ("app.db", "app.db"),
        ("app.db-journal", "app.db-journal"),
        ("logs/app.log", "logs/app.log"),
        ("out/report.html", "out/report.html"),
        ("tests/out/found.json", "tests/out/found.json"),
        (".cache/pages/index", ".cache/pages/index"),
        ("run-{n}.log", "run-<n>.log"),
        ("out/{name}.txt", "out/*.txt"),
        ("htmlcov/coverage_html_cb_6fb7b396.js", "htmlcov/coverage_html_cb_6fb7b396.js"),
        ("htmlcov/.gitignore", "htmlcov/.gitignore"),
        ("coverage/lcov-report/sorter.js", "coverage/lcov-report/sorter.js"),
        ("docs/_build/html/_static/doctools.js", "docs/_build/html/_static/doctools.js"),
        ("playwright-report/trace/sw.bundle.js", "playwright-report/trace/sw.bundle.js"),
        ("gen/models.py", "gen/models.py"),
    ],
)
def test_a_new_file_that_a_run_without_it_writes_again_is_an_output(tests: Tests, path: str, pattern: str) -> None:
    tests.does = lambda its: its.write(path.format(n=its.times, name="abcdefgh"[its.times] * 3))

    report = tests.clean()

    assert (report.trusted, report.outputs, report.written, tests.times) == (True, (pattern,), (), 2)
    assert tests.clean().trusted
    assert tests.times == 3  # known now


@pytest.mark.parametrize(
    "path",
    [
        "helper.py",
        "lib/fast.so",
        "extra.pth",
        "index.js",
        "dist/lib.node",
        "gen/conftest.py",
        "gen/test_new.py",
        "gen/.env",
        "conftest.py",
        "pytest.ini",
        "tests/test_new.py",
        "requirements.txt",
        ".gitignore",
        ".env",
        "run.sh",
        "package.json",
        "sub/sitecustomize.py",
    ],
)
def test_a_file_that_is_loaded_or_steers_is_no_output(tests: Tests, path: str) -> None:
    tests.does = lambda its: its.write(path)

    report = tests.clean()

    assert (report.outputs, report.written, report.trusted) == ((), (path,), False)
    assert "guard.outputs" in report.problems[0]


REPORT = {"report/index.html": None, "report/page.js": "page", "report/page.css": "page"}


def write_report(its: Tests) -> None:
    for path, text in REPORT.items():
        its.write(path, text)


def test_a_whole_report_is_an_output_if_the_agents_own_test_run_wrote_the_same_before(tests: Tests) -> None:
    for path, text in REPORT.items():
        tests.edited_by_agent(path, text or "run of the agent")
    tests.does = write_report

    report = tests.clean()

    assert (report.trusted, {*report.outputs}, tests.times) == (True, {*REPORT}, 2)


NAMING = [
    ("app.py", "from report import page\n"),
    ("app.js", "import './report/page.js'\n"),
    ("package.json", '{"main": "report/page.js"}'),
    ("Makefile", "run:\n\tnode report/page.js\n"),
    ("tests/test_a.py", "sys.path.insert(0, 'report')\n"),
    ("app.py", "OUT = 'report'\nsys.path.insert(0, OUT)\n"),
    ("app.py", "PLACE = 'report/page.js'\nsubprocess.run(['node', PLACE])\n"),
    ("app.py", "import importlib\nimportlib.import_module('report.page')\n"),
    ("app.js", "const place = 'report'\nrequire(`./${place}/page`)\n"),
]


@pytest.mark.parametrize(("path", "text"), NAMING)
def test_code_in_a_folder_that_something_of_the_agent_names_is_no_output(tests: Tests, path: str, text: str) -> None:
    tests.edited_by_agent(path, text)
    tests.does = write_report

    report = tests.clean()

    assert (report.trusted, report.outputs, report.written) == (False, (), ("report/index.html",))


@pytest.mark.parametrize(
    ("path", "text"), [(".gitignore", "report/"), ("README.md", "report/"), ("app.py", "Path('report').mkdir()")]
)
def test_a_report_may_be_ignored_described_and_written(tests: Tests, path: str, text: str) -> None:
    tests.edited_by_agent(path, text)
    tests.does = write_report

    assert tests.clean().trusted


def test_a_module_of_the_agent_among_the_files_of_a_report_stays_its_work(tests: Tests) -> None:
    tests.edited_by_agent("report/hidden.js", "x")
    tests.does = write_report

    report = tests.clean()

    assert (report.trusted, {*report.outputs}) == (True, {*REPORT})
    assert not is_output("report/hidden.js", report.outputs)
    assert tests.text("report/hidden.js") == "x"


def test_code_whose_name_differs_in_each_run_is_no_output(tests: Tests) -> None:
    tests.does = lambda its: its.write(f"gen/model{its.times}.py")

    report = tests.clean()

    assert (report.trusted, report.outputs) == (False, ())


def test_code_that_is_an_output_is_removed_before_a_run_even_if_a_source_loads_it_later(tests: Tests) -> None:
    tests.does = write_report
    (known,) = {tests.clean().outputs}
    tests.edited_by_agent("report/page.js", "hidden")
    tests.edited_by_agent("app.js", "import './report/page.js'\n")
    seen: list[str | None] = []
    tests.does = lambda its: seen.append(its.text("report/page.js"))

    tests.clean(*known)

    assert seen == [None]


def test_a_file_of_the_project_that_a_run_changes_is_put_back_and_named_with_the_way_out(tests: Tests) -> None:
    tests.does = lambda its: its.write("old.db")

    report = tests.clean()

    assert (report.written, report.outputs, tests.text("old.db")) == (("old.db",), (), "theirs")
    assert "name files that test runs may change in guard.outputs" in report.problems[0]


def test_what_a_person_names_in_guard_outputs_is_left_alone(tests: Tests) -> None:
    named = Tests(tests.root, tests.saved, does=lambda its: its.write("old.db"), guarded=("old.db",))

    assert (named.clean().trusted, named.times, named.text("old.db")) == (True, 1, "run 1")


def test_a_file_that_the_agents_own_test_run_left_is_an_output_too(tests: Tests) -> None:
    tests.edited_by_agent("app.db", "left by the agent")
    tests.does = lambda its: its.write("app.db")

    report = tests.clean()

    assert (report.trusted, report.outputs) == (True, ("app.db",))


def test_files_with_numbers_that_the_agents_own_test_run_left_do_not_hide_the_pattern(tests: Tests) -> None:
    tests.edited_by_agent("out/report-70.html", "left by the agent")
    tests.does = lambda its: its.write(f"out/report-{its.times}.html")

    report = tests.clean()

    assert (report.trusted, report.outputs) == (True, ("out/report-<n>.html",))


def test_data_that_tests_change_but_do_not_make_stays_as_the_agent_wrote_it(tests: Tests) -> None:
    tests.edited_by_agent("prices.json", "{}")
    tests.does = lambda its: its.write("prices.json") if its.text("prices.json") else False

    report = tests.clean()

    assert (report.written, report.outputs, tests.text("prices.json")) == (("prices.json",), (), "{}")
    assert not report.trusted


def test_tests_that_pass_only_with_what_an_earlier_run_left_are_not_trusted(tests: Tests) -> None:
    tests.edited_by_agent("answers.db", "4")

    def runs(its: Tests) -> bool:
        is_there = its.text("answers.db") is not None
        its.write("answers.db")
        return is_there

    tests.does = runs
    report = tests.clean()

    assert "test_a passed only while answers.db existed" in report.problems[0]


def test_a_known_output_is_absent_when_a_run_begins_and_there_when_it_is_repeated(tests: Tests) -> None:
    seen: list[str | None] = []

    def runs(its: Tests) -> None:
        seen.append(its.text("app.db"))
        its.write("app.db")

    tests.does = runs
    tests.clean("app.db")
    tests.clean("app.db", again=True)
    tests.clean("app.db")

    assert seen == [None, "run 1", None]
    assert tests.text("app.db") == "run 3"


def test_a_known_output_that_a_run_does_not_write_comes_back(tests: Tests) -> None:
    tests.edited_by_agent("app.db", "a person's data")

    assert tests.clean("app.db").trusted
    assert tests.text("app.db") == "a person's data"
    assert WITH_OUTPUTS in {kept.label for kept in tests.saved.catalog.all()}


def test_a_file_of_the_project_is_never_removed_as_an_output(tests: Tests) -> None:
    seen: list[str | None] = []
    tests.does = lambda its: seen.append(its.text("old.db"))

    tests.clean("*.db")

    assert seen == ["theirs"]


def test_what_a_person_writes_while_the_tests_run_stays_and_is_no_output(tests: Tests) -> None:
    tests.does = lambda its: its.write("notes.txt", "an idea") if its.times == 1 else None

    report = tests.clean()

    assert (report.trusted, report.outputs, tests.text("notes.txt")) == (True, (), "an idea")


def test_files_are_back_if_the_run_without_them_is_interrupted(tests: Tests) -> None:
    tests.edited_by_agent("prices.json", "{}")

    def runs(its: Tests) -> None:
        if its.times == 2:
            raise Interrupted("a person pressed Ctrl+C")
        its.write("prices.json")

    tests.does = runs
    with pytest.raises(Interrupted):
        tests.clean()

    assert tests.text("prices.json") == "{}"
    first, started, ended = tests.events
    assert (type(first), type(started), type(ended)) == (SuiteEnded, TrialStarted, TrialEnded)


def test_an_empty_folder_of_the_project_stays_when_its_output_is_removed(tests: Tests) -> None:
    tests.does = lambda its: (its.root / "empty" / "a.log").write_text("x") > 0

    assert [tests.clean().trusted, tests.clean().trusted, tests.times] == [True, True, 3]
