"""The JSON of a report, its schema, and the same values through the codec of the store."""

import json
from dataclasses import replace

import jsonschema
import msgspec

from dualgate.core.report.document import report_document, schema_of_type
from dualgate.core.report.schemas import schema
from dualgate.core.report.values import PhaseDiff, Report, RunPoint
from dualgate.core.values.amendments import Amendment, AmendmentOutcome
from dualgate.core.values.changes import FileChange, FileDiff
from dualgate.core.values.checks import CheckResult, CheckState
from dualgate.core.values.specification import Plan
from dualgate.core.values.state import Warned
from dualgate.core.values.vocabulary import Decision, Phase
from tests.core.report.session import in_green, proven


def a_full_report() -> Report:
    session = in_green().turn(gates=(False, True), reasons=("1 failing",)).turn(Decision.NEXT_PHASE, Phase.REFACTOR)
    diff = PhaseDiff(phase=Phase.RED, number=1, files=(FileDiff(path="a.py", change=FileChange.NEW, diff="+x\n"),))
    return replace(
        session.report(diffs=(diff,)),
        amendments=(Amendment(outcome=AmendmentOutcome.WAITING),),
        checks=(CheckResult(name="lint", command="ruff", state=CheckState.PASSES),),
        tasks=Plan(open=("a",)),
        warnings=(Warned(phase=Phase.RED, iteration=0, text="\udce9"),),
    )


def test_the_document_of_a_report_is_valid_by_its_schema() -> None:
    for report in (a_full_report(), proven().report()):
        document = json.loads(json.dumps(report_document(report)))

        jsonschema.validate(document, schema("report"))


def test_the_schema_refuses_a_report_without_its_verdict() -> None:
    document = report_document(a_full_report())
    del document["conclusion"]

    wrong = list(jsonschema.Draft202012Validator(schema("report")).iter_errors(document))

    assert [error.message for error in wrong] == ["'conclusion' is a required property"]


def test_a_report_can_be_stored_and_read_again() -> None:
    report = replace(a_full_report(), warnings=())

    assert msgspec.json.decode(msgspec.json.encode(report), type=Report) == report


def test_a_part_of_a_report_has_the_schema_that_the_whole_has_for_it() -> None:
    point = schema_of_type(RunPoint)

    assert sorted(point["properties"]) == ["at", "iteration", "phase"]
    assert point in schema("report")["properties"]["criteria"]["items"]["properties"]["red"]["anyOf"]
