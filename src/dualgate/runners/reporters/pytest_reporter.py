"""A pytest plug-in, for pytest 4.6 to 9, that reports each test as it ends, with evidence of what really happened.

Facts that only a worker of pytest-xdist knows are attached to each of its reports.
The plug-in has no assertions, so it skips the slow assertion rewriting: PYTEST_DONT_REWRITE.
"""

from __future__ import annotations

import os
import pathlib
from typing import TYPE_CHECKING, Any

import pytest

from . import pytest_compiled, pytest_facts, witness
from .channel import Channel, claim
from .compiled import EXPECTED
from .pytest_notes import NOTES, PROJECT, Annotator, Innermost, of

if TYPE_CHECKING:
    from collections.abc import Iterator

FORMAT = 2
HOME = pathlib.Path(__file__).parent
REMOTE = "dualgate"
STAGES = ["setup", "call", "teardown"]
TOLD = ("kind", "message", "line", "module")
CLAIMED = claim()
CODE = pytest_compiled.serve(PROJECT, str(HOME)) if PROJECT else None


@pytest.hookimpl(hookwrapper=True)
def pytest_load_initial_conftests(early_config: Any) -> Iterator[None]:
    """Report a conftest that cannot be imported: pytest ends before it begins a session."""
    made: Any = yield
    error = made.excinfo[1] if made.excinfo else None
    if CLAIMED is not None and type(error).__name__ == pytest_facts.NO_CONFTEST:
        channel = CLAIMED[0]
        channel.put("started", **started(early_config, []))
        notes = pytest_facts.uncollected(early_config, error, "", PROJECT)
        name = witness.named(notes["conftest"], PROJECT)
        channel.put("broken", id=name, file=notes["conftest"], message=str(error), **notes)
        channel.put("finished", exit=4, dropped=[])
        channel.flush()


def pytest_configure(config: Any) -> None:
    is_worker = hasattr(config, "workerinput")
    if is_worker or not getattr(config.option, "numprocesses", None):
        # only xdist workers must load us
        witness.leave_environment(__name__, str(HOME.parent), EXPECTED)
    if not is_worker and CLAIMED is None:
        return
    only = config.workerinput.get(REMOTE, []) if is_worker else CLAIMED[1] if CLAIMED else []
    collection = Collection(config, only)
    config.pluginmanager.register(collection, NOTES + "-collection")
    if not is_worker and CLAIMED is not None:
        config.pluginmanager.register(Reporter(CLAIMED[0], config, collection), NOTES + "-reporter")
        # only a complete run is evidence
        config.option.maxfail = 0
        config.option.continue_on_collection_errors = True


class Collection:
    """Compares found and remaining tests, to detect tests that plug-ins drop silently."""

    def __init__(self, config: Any, only: list[str]) -> None:
        self.config = config
        self.only = frozenset(only)
        root = str(getattr(config, "rootpath", None) or config.rootdir)
        self.files = {os.path.realpath(os.path.join(root, name.partition("::")[0])) for name in only}
        self.found: set[str] = set()
        self.functions: dict[Any, Any] = {}
        self.deselected: dict[str, str] = {}
        self.dropped: list[str] = []
        self.facts: list[tuple[str, str]] = []
        self.missed: dict[str, int] = CODE.missed if CODE else {}
        self.elsewhere: set[str] = set()

    def leaves_out(self, path: str) -> bool | None:
        """True for a file without selected tests, if all selected tests are in files; else None."""
        if not self.only or os.path.isdir(path) or not all(map(os.path.isfile, self.files)):
            return None
        return os.path.realpath(path) not in self.files or None

    if int(pytest.__version__.partition(".")[0]) >= 7:

        def pytest_ignore_collect(self, collection_path: Any) -> bool | None:
            return self.leaves_out(str(collection_path))
    else:

        def pytest_ignore_collect(self, path: Any) -> bool | None:  # type: ignore[misc]
            return self.leaves_out(str(path))

    @pytest.hookimpl(hookwrapper=True)
    def pytest_make_collect_report(self, collector: Any) -> Iterator[None]:
        made: Any = yield
        report = made.get_result()
        if report is not None and report.failed:
            call = getattr(report, "call", None)
            error = call.excinfo.value if call is not None and call.excinfo is not None else None
            path = pytest_facts.path_of(collector)
            setattr(report, NOTES, pytest_facts.uncollected(collector.config, error, path, PROJECT))

    @pytest.hookimpl(tryfirst=True)
    def pytest_itemcollected(self, item: Any) -> None:
        self.found.add(item.nodeid)
        self.functions[item] = pytest_facts.bare_function_of(item)

    def pytest_deselected(self, items: Any) -> None:
        self.deselected.update(
            dict.fromkeys((item.nodeid for item in items), pytest_facts.selector(self.config, PROJECT))
        )

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        if self.only:
            items[:] = [item for item in items if item.nodeid in self.only]
            self.found &= self.only

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: Any) -> None:
        left = {item.nodeid.rpartition("@")[0] or item.nodeid for item in session.items}
        left.update(item.nodeid for item in session.items)
        self.dropped = sorted(self.found - left - self.deselected.keys())
        if session.items:
            deselected = {name: by for name, by in self.deselected.items() if name in self.found}
            self.facts = pytest_facts.configuration(self.config, PROJECT, deselected)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: Any) -> None:
        # registered last, so that it runs closest to the test, inside the wrappers of any conftest
        annotator = Annotator(self.functions)
        session.config.pluginmanager.register(annotator, NOTES + "-annotator")
        session.config.pluginmanager.register(Innermost(annotator), NOTES + "-innermost")

    def pytest_sessionfinish(self, session: Any) -> None:
        if hasattr(session.config, "workeroutput"):
            told = {"dropped": self.dropped, "facts": self.facts, "missed": self.missed}
            told["elsewhere"] = witness.elsewhere()
            session.config.workeroutput[REMOTE] = told


class Reporter:
    def __init__(self, channel: Channel, config: Any, collection: Collection) -> None:
        self.channel = channel
        self.collection = collection
        self.root = str(getattr(config, "rootpath", None) or config.rootdir)
        self.config = config
        self.stages: dict[str, list[Any]] = {}
        self.told = False

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self) -> None:
        doubts, notes = [], []
        if not __debug__ and self.config.option.assertmode == "plain":
            doubts.append(witness.NO_ASSERTIONS)
        elif not __debug__:  # assertions that pytest rewrites are checked even with -O
            notes.append(witness.FEWER_ASSERTIONS)
        self.channel.put("started", **started(self.config, doubts), notes=notes)
        self.channel.flush()

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            path = str(pathlib.Path(self.root, report.nodeid.partition("::")[0]))
            text = str(report.longreprtext)[-witness.MESSAGE_LENGTH :]
            self.channel.put("broken", id=report.nodeid, file=path, message=text, **notes_of(report))

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: Any) -> None:
        if session.items:
            self.tell_collected([item.nodeid for item in session.items])

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any, ids: Any) -> None:
        del node
        if not self.told:
            self.tell_collected(list(ids))

    def tell_collected(self, ids: list[str]) -> None:
        self.told = True
        self.channel.put("collected", ids=ids)
        self.channel.flush()

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        node.workerinput[REMOTE] = sorted(self.collection.only)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: Any) -> None:
        del error
        told = (getattr(node, "workeroutput", None) or {}).get(REMOTE)
        if told:
            self.collection.dropped = sorted({*self.collection.dropped, *told["dropped"]})
            self.collection.facts.extend(tuple(fact) for fact in told["facts"])
            self.collection.missed.update(told["missed"])
            self.collection.elsewhere.update(told["elsewhere"])

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.channel.put("start", id=nodeid)
        self.channel.flush()

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.when == "setup":
            # an earlier attempt is over, with or without its tear-down
            self.stages[report.nodeid] = []
        self.stages.setdefault(report.nodeid, []).append(report)
        # a dead worker leaves one report without a stage
        if report.when not in ("setup", "call"):
            self.channel.put("result", **result(self.stages.pop(report.nodeid)))

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: Any) -> Iterator[None]:
        self.channel.flush()
        yield
        for stages in self.stages.values():
            self.channel.put("unfinished", id=stages[0].nodeid)
        facts = self.collection.facts or pytest_facts.configuration(session.config, PROJECT, {})
        self.channel.put("configuration", facts=sorted({tuple(fact) for fact in facts}))
        if CODE:
            self.channel.put("compiled", identity=CODE.identity, missed=self.collection.missed)
        told = {
            "dropped": self.collection.dropped,
            "elsewhere": sorted(self.collection.elsewhere.union(witness.elsewhere())),
            "too_little": pytest_facts.too_little_covered(session.config, PROJECT),
        }
        self.channel.put("finished", exit=int(session.exitstatus), **told)
        self.channel.flush()


def started(config: Any, doubts: list[str]) -> dict[str, Any]:
    names = ("pytest", "_pytest", "pluggy")
    return {
        "format": FORMAT,
        "runner": "pytest",
        "version": pytest.__version__,
        "shadowed": witness.shadowed(names, PROJECT),
        "doubts": doubts,
        "environment": witness.environment(pytest_facts.packages(config, names), PROJECT),
    }


def result(stages: list[Any]) -> dict[str, Any]:
    """One result from the reports of set-up, call and tear-down; the worst decides."""
    told = {"id": stages[0].nodeid, "file": "", "seconds": round(sum([report.duration for report in stages]), 6)}
    first = notes_of(stages[0])
    for name in pytest_facts.PLACE:
        if name in first:
            told[name] = first[name]
    if [report.when for report in stages] == STAGES and all(map(passed_as_reported, stages)):
        told["outcome"] = "passed"
        return told
    outcomes = [report.outcome for report in stages]
    decisive = worst(stages, outcomes)
    told["outcome"] = outcome(decisive, outcomes)
    if decisive.outcome != "passed":
        notes = notes_of(decisive)
        told.update({name: notes[name] for name in TOLD if notes.get(name) is not None})
        told["message"] = said(decisive) + told.get("message", str(getattr(decisive, "longreprtext", ""))[:500])
    doubts = [doubt for doubt in map(doubt_about, stages) if doubt]
    if told["outcome"] == "passed" and "call" not in [report.when for report in stages]:
        doubts.append("was reported as passed, but was only set up")
    if doubts:
        told["doubt"] = doubts[0]
    return told


def passed_as_reported(report: Any) -> bool:
    """Whether a stage passed without any doubt: the usual case, asked first since it is asked for every test."""
    notes = getattr(report, NOTES, None)
    return (
        report.outcome == "passed"
        and notes is not None
        and "raised" not in notes
        and notes.get("entered") is not False
        and not notes.get("replaced")
        and notes.get("of") == of(report.nodeid, report.when)
        and not hasattr(report, "wasxfail")
    )


def worst(stages: list[Any], outcomes: list[str]) -> Any:
    for outcome in ("failed", "skipped"):
        if outcome in outcomes:
            return stages[outcomes.index(outcome)]
    return next((report for report in stages if report.when == "call"), stages[0])


def notes_of(report: Any) -> dict[str, Any]:
    return getattr(report, NOTES, None) or {}


def said(report: Any) -> str:
    """The subtest of a report as a message prefix; empty for a plain test."""
    context = getattr(report, "context", None)
    if context is None:
        return ""
    values = ", ".join(f"{name}={value}" for name, value in dict(getattr(context, "kwargs", {})).items())
    return f"[{getattr(context, 'msg', None) or values}] "


def outcome(report: Any, outcomes: list[str]) -> str:
    if not {"passed", "failed", "skipped"}.issuperset(outcomes):
        return "rerun"
    if hasattr(report, "wasxfail"):
        return "xfailed" if report.outcome == "skipped" else "xpassed"
    if report.outcome == "failed" and report.when in ("setup", "teardown"):
        return "error"
    return str(report.outcome)


def doubt_about(report: Any) -> str:
    """Why a reported outcome is better than what happened; empty if it is not."""
    notes, claimed = getattr(report, NOTES, None), report.outcome
    if claimed not in ("passed", "skipped"):
        return ""
    if notes is None:
        return f"was reported as {claimed}, but pytest did not run it"
    if notes.get("of") != of(report.nodeid, report.when):
        return f"was reported as {claimed} by the report of another test"
    raised = notes.get("raised")
    if claimed == "passed" and raised:
        return f"was reported as passed, but raised {notes['type']}"
    if claimed == "skipped" and raised == "error" and not (hasattr(report, "wasxfail") and notes["marked"]):
        return f"was reported as skipped, but raised {notes['type']}"
    if claimed == "passed" and report.when == "call" and notes.get("entered") is False:
        return "was reported as passed, but its code was never entered"
    if claimed == "passed" and notes.get("replaced"):
        return "was reported as passed, but another function of the project took its place"
    return ""
