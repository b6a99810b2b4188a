"""The tools: what each takes, does and answers. Nothing here knows how a client is spoken to."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dualgate.core.evidence.lone_run import with_deselection
from dualgate.core.record.verification.document import verification_document
from dualgate.core.values.control import Control
from dualgate.core.values.notation import read_duration
from dualgate.core.values.shapes import Schema
from dualgate.core.values.suite import FAILURES
from dualgate.display.specification import specification_lines
from dualgate.display.suites import suites_record
from dualgate.display.summary import status_line
from dualgate.display.verification.summary import count_texts, verdict_text, worst_first
from dualgate.errors import SessionMissing, SettingError
from dualgate.mcp import schemas
from dualgate.mcp.desk import Desk
from dualgate.mcp.untrusted import first, marked, quoted
from dualgate.processes.supervisor import Supervisor
from dualgate.runners.detect import detect, require_suites
from dualgate.session.checked import checked_record
from dualgate.session.document import COMMAND_LINE, Document, read_document
from dualgate.session.single_runs import Alone, run_once, verdict
from dualgate.session.spec_file import spec_of
from dualgate.session.status import status_record
from dualgate.session.suites import plan_of
from dualgate.store.account import read_account
from dualgate.store.home import verify_store
from dualgate.store.sessions import session_folder
from dualgate.verify.request import Request
from dualgate.verify.verifying import Host, verify

MOST = {"findings": 50, "notes": 20, "tests": 100, "changed": 200, "criteria": 100, "failing": 50}
"""The number of each that a model gets; the command line has all of them."""
ROW = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    text: str
    structured: Mapping[str, Any]


Act = Callable[[Mapping[str, Any], Desk, Control], Answer]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    title: str
    description: str
    takes: Schema
    answers: Schema
    act: Act
    runs_code: bool
    """Whether code of the project is run, which may do anything."""


def verify_change(given: Mapping[str, Any], desk: Desk, control: Control) -> Answer:
    project = desk.folder(given.get("folder", ""))
    request = Request(
        project=project,
        base=given.get("base", ""),
        head=given.get("head", ""),
        budget=_budget(given.get("budget", "")),
        spec=desk.inside(given["spec"]) if given.get("spec") else None,
    )
    supervisor = Supervisor(desk.environment)
    host = Host(supervisor=supervisor, store=verify_store(project, desk.environment))
    seen = verify(request, host, control)
    document = verification_document(seen)
    shown = {**document, "tests": [test for test in document["tests"] if test["states"]]}
    names = ("findings", "notes", "tests", "changed", "criteria")
    structured = {
        "verdict": document["verdict"],
        "exit_code": document["exit_code"],
        "findings": len(seen.deciding),
        "tests": document["head"]["counts"],
        "seconds": document["seconds"],
        **marked({name: document[name] for name in ("base", "head", "probes")} | _cut(shown, names)),
    }
    told = [f"{each.weight}: {each.test or each.file}: {each.text} [{each.id}]" for each in worst_first(seen.deciding)]
    head, _, rest = verdict_text(seen).partition(": ")
    text = _paragraphs(f"dualgate verify: {head}, exit code {document['exit_code']}.", quoted([rest, *told]))
    return _answer(_paragraphs(text, "\n".join(count_texts(seen))), structured, desk)


def run_tests(given: Mapping[str, Any], desk: Desk, control: Control) -> Answer:
    project = desk.folder(given.get("folder", ""))
    settings = desk.settings(project)
    plan = require_suites(plan_of(settings, project, desk.environment, None, detect))
    alone = Alone(weigh=lambda _, run: with_deselection(run, ()), outputs=settings.guard.outputs)
    supervisor = Supervisor(desk.environment)
    report, runs = run_once(plan, tuple(given.get("only", ())), project, supervisor, control, alone)
    record = suites_record(report, runs, None)
    failing = [test for test in record["tests"] if test["outcome"] in FAILURES]
    structured = {
        "trusted": report.trusted,
        "exit_code": int(verdict(report)),
        "counts": record["counts"],
        "seconds": report.seconds,
        **marked(
            {
                "command": " ".join(report.command),
                "problems": list(report.problems),
                "notes": [*plan.notes, *report.notes],
                **_cut({"failing": failing}, ("failing",)),
            }
        ),
    }
    counts = ", ".join(f"{count} {name}" for name, count in record["counts"].items() if count and name != "total")
    own = f"tests: {counts or 'none'}; the run is {'trusted' if report.trusted else 'not trusted'}."
    told = [*report.problems, *(f"{test['id']}: {test['outcome']}" for test in failing)]
    return _answer(_paragraphs(own, quoted(told)), structured, desk)


def check_specification(given: Mapping[str, Any], desk: Desk, control: Control) -> Answer:
    del control
    project = desk.folder(given.get("folder", ""))
    if bool(given.get("spec")) == bool(given.get("text")):
        raise SettingError("A specification is given by its path or by its text.", "Give one of 'spec' and 'text'.")
    settings = desk.settings(project)
    if given.get("spec"):
        document = read_document(project, desk.inside(given["spec"]))
    else:
        document = Document(name=COMMAND_LINE, text=given["text"])
    read = document.read(settings)
    record = checked_record(document, read, settings, project)
    structured = {
        "ready": read.is_ready,
        "criteria": len(read.criteria),
        "questions": len(read.questions),
        **marked({"specification": record}),
    }
    states = document.validation_states(read, settings)
    lines = specification_lines(read, document.name, record["workflow"], ROW, states)
    own = f"A run {'can' if read.is_ready else 'cannot'} start from this specification: {len(read.criteria)} criteria."
    return _answer(_paragraphs(own, quoted([line.text for line in lines if line.text], 60)), structured, desk)


def session_status(given: Mapping[str, Any], desk: Desk, control: Control) -> Answer:
    del control
    project = desk.folder(given.get("folder", ""))
    folder = session_folder(project, desk.environment)
    try:
        account = read_account(folder)
    except SessionMissing:
        nothing = {"is_there": False, "status": None, "phase": None, "proven": False, **marked({"session": None})}
        return _answer("There is no session of dualgate in this folder.", nothing, desk)
    changes = spec_of(account.cut_off, desk.redactor).changes()
    record = status_record(project, folder, account, changes, desk.environment)
    state = account.state
    structured = {
        "is_there": True,
        "status": state.status.value,
        "phase": state.phase.value,
        "proven": state.proven,
        **marked({"session": record}),
    }
    own = f"The session is {state.status.value}, in {state.phase.value}; it is {'' if state.proven else 'not '}proven."
    return _answer(_paragraphs(own, quoted([status_line(state, account.metrics.view.tests)])), structured, desk)


TOOLS: Mapping[str, Tool] = {
    "verify": Tool(
        title="Verify a change",
        description=(
            "Verify the change of this repository by its tests: they are run on the base and on the head, new tests on "
            "the base's code, old tests on the head's code, and changed code is broken to see whether a test notices. "
            "Verdicts: verified, refused (worse than the base, or tests were weakened), not proven (no test would "
            "notice), unusable (the tests cannot be run). It runs code of the project in copies; the work tree stays."
        ),
        takes=schemas.VERIFY_INPUT,
        answers=schemas.VERIFY_OUTPUT,
        act=verify_change,
        runs_code=True,
    ),
    "tests": Tool(
        title="Run the tests",
        description=(
            "Run the tests of the project in the work tree, and report each failing test by name and whether the run "
            "can be trusted. It runs code of the project."
        ),
        takes=schemas.TESTS_INPUT,
        answers=schemas.TESTS_OUTPUT,
        act=run_tests,
        runs_code=True,
    ),
    "check": Tool(
        title="Check a specification",
        description="Show how a specification is read: its criteria and their kinds, tasks, commands, and problems.",
        takes=schemas.CHECK_INPUT,
        answers=schemas.CHECK_OUTPUT,
        act=check_specification,
        runs_code=False,
    ),
    "status": Tool(
        title="Show the session",
        description="Show where the session of dualgate in this folder stands. Nothing is run.",
        takes=schemas.STATUS_INPUT,
        answers=schemas.STATUS_OUTPUT,
        act=session_status,
        runs_code=False,
    ),
}


def _budget(given: str) -> float | None:
    try:
        return read_duration(given) if given else None
    except ValueError as error:
        raise SettingError(f"'{given}' is no duration.", "Give one such as 60s or 10m.") from error


def _cut(document: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Lists of a document, cut, and how many of each are left out."""
    parts = {name: first(document[name], MOST[name]) for name in names}
    left = {name: more for name, (_, more) in parts.items() if more}
    return {name: kept for name, (kept, _) in parts.items()} | {"left_out": left}


def _paragraphs(*texts: str) -> str:
    return "\n\n".join(filter(None, texts))


def _answer(text: str, structured: Mapping[str, Any], desk: Desk) -> Answer:
    return Answer(text=desk.redactor.text(text), structured=desk.redactor.value(dict(structured)))
