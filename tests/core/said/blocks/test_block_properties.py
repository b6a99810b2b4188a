from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from dualgate.core.said.blocks import (
    Found,
    contradictions,
    emit_ralph_status,
    not_honoured,
    one_line,
    read_ralph_status,
)
from dualgate.core.said.blocks.last_block import read_block
from dualgate.core.said.blocks.phase_text import emit_phase_status, log_addition, read_log, read_phase_status
from dualgate.core.values.phase_status import CaseCounts, FileCounts, PhaseStatus
from dualgate.core.values.ralph_status import RalphStatus
from dualgate.core.values.vocabulary import BreakerState, Phase, SuiteStatus, WorkStatus, WorkType
from tests.core.said.blocks.block_samples import ralph_block

unhurried = settings(deadline=None)

PIECES = st.sampled_from(
    [
        *ralph_block().split("\n"),
        "EXIT_SIGNAL: false",
        "EXIT_SIGNAL: TRUE (yes)",
        "**EXIT_SIGNAL:** true",
        "exit_signal: true",
        "STATUS: IN_PROGRESS",
        "UNKNOWN:",
        "  - item",
        "TESTS:",
        "  TOTAL: 1",
        "---PRP_PHASE_STATUS---",
        "---END_PRP_PHASE_STATUS---",
        "```",
        "",
        "{",
        '{"status": "COMPLETE", "exit_signal": true}',
        '"exit_signal": true,',
        "}",
        "\r",
        "\x00",
    ]
)
LINES = PIECES | st.text(max_size=40)
DELIMITERS = ("---RALPH_STATUS---", "---END_RALPH_STATUS---")
PROSE = LINES.filter(lambda line: not any(delimiter in line for delimiter in DELIMITERS) and "\n" not in line)
TEXTS = st.lists(LINES, max_size=30).map("\n".join)
COUNTS = st.integers(min_value=0, max_value=10**18 - 1)
SMALL = st.integers(min_value=0, max_value=10**6)
WORDS = st.text().map(one_line)
CLAIMS = st.builds(
    RalphStatus,
    status=st.sampled_from(WorkStatus),
    tasks_completed=COUNTS,
    files_modified=COUNTS,
    tests_status=st.sampled_from(SuiteStatus),
    work_type=st.sampled_from(WorkType),
    exit_signal=st.booleans(),
    recommendation=WORDS,
).filter(lambda fields: not not_honoured(fields) and not contradictions(fields))
ZONES = st.integers(min_value=-14 * 60, max_value=14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
RECORDS = st.builds(
    PhaseStatus,
    timestamp=st.datetimes(min_value=datetime(1970, 1, 2), timezones=ZONES | st.just(UTC)),
    phase=st.sampled_from(Phase),
    status=st.sampled_from(WorkStatus),
    iteration=st.integers(min_value=1, max_value=10**6),
    progress_percent=st.integers(min_value=0, max_value=100),
    tests=st.builds(CaseCounts, passing=SMALL, failing=SMALL, skipped=SMALL),
    files=st.builds(FileCounts, created=COUNTS, modified=COUNTS, deleted=COUNTS),
    breaker=st.sampled_from(BreakerState),
    no_progress_count=COUNTS,
    gate_1=st.booleans(),
    gate_2=st.booleans(),
    blockers=st.lists(WORDS, max_size=4).map(tuple),
    exit_signal=st.booleans(),
    recommendation=WORDS,
)


@unhurried
@given(TEXTS | st.text() | st.binary())
def test_any_text_gets_an_answer(text: str | bytes) -> None:
    reading = read_block(text)

    assert reading.valid <= (reading.kind is not None)
    assert reading.honoured <= reading.valid
    assert len(read_log(text)) <= reading.blocks_found


@unhurried
@given(TEXTS)
def test_any_text_is_read_alike_as_text_and_as_bytes(text: str) -> None:
    assert read_block(text.encode("utf-8", errors="replace")) == read_block(text.encode("utf-8", "replace").decode())


@unhurried
@given(TEXTS)
def test_strict_mode_only_ever_refuses_more(text: str) -> None:
    assert read_block(text, strict=True).valid <= read_block(text).valid


@unhurried
@given(CLAIMS, TEXTS.filter(lambda text: "---" not in text))
def test_emit_then_parse_is_identity_for_a_claim(fields: RalphStatus, prose: str) -> None:
    assert read_ralph_status(f"{prose}\n\n{emit_ralph_status(fields)}\n\n{prose}") == Found(fields=fields)


@unhurried
@given(RECORDS)
def test_emit_then_parse_is_identity_for_a_record(record: PhaseStatus) -> None:
    text = emit_phase_status(record)
    read = read_phase_status(text)

    assert isinstance(read, Found)
    assert (read.fields, emit_phase_status(read.fields)) == (record, text)
    assert read_block(text, strict=True).valid


@unhurried
@given(st.lists(RECORDS, max_size=4), st.data())
def test_a_log_torn_anywhere_gives_back_the_records_before(records: list[PhaseStatus], data: st.DataObject) -> None:
    log, ends = "", []
    for record in records:
        log += log_addition(log, record)
        ends.append(len(log) - 1)
    cut = data.draw(st.integers(min_value=0, max_value=len(log)))

    whole = sum(end <= cut for end in ends)
    assert read_log(log[:cut]) == read_log(log)[:whole]


@unhurried
@given(TEXTS.filter(lambda text: DELIMITERS[1] not in text and "exit_signal" not in text), st.data())
def test_a_prefix_without_the_whole_end_delimiter_is_never_honoured(prose: str, data: st.DataObject) -> None:
    text = f"{prose}\n{ralph_block()}"
    cut = data.draw(st.integers(min_value=0, max_value=len(text) - 1))

    assert not read_block(text[:cut]).honoured


@unhurried
@given(TEXTS, st.lists(PROSE, max_size=10), st.data())
def test_inserting_any_line_anywhere_never_turns_a_false_signal_true(
    before: str, after: list[str], data: st.DataObject
) -> None:
    changed: dict[str, Any] = data.draw(st.fixed_dictionaries({}, optional={"STATUS": st.sampled_from(WorkStatus)}))
    lines = [*before.split("\n"), *ralph_block(**changed, EXIT_SIGNAL="false").split("\n"), *after]
    at = data.draw(st.integers(min_value=0, max_value=len(lines)))
    inserted = data.draw(LINES)

    assert not read_block("\n".join(lines)).honoured
    assert not read_block("\n".join((*lines[:at], inserted, *lines[at:]))).honoured


@unhurried
@given(st.data())
def test_inserting_any_line_anywhere_never_turns_a_false_signal_of_json_true(data: st.DataObject) -> None:
    lines = ["{", '"status": "COMPLETE",', '"exit_signal": false,', '"files_modified": 1', "}"]
    at = data.draw(st.integers(min_value=0, max_value=len(lines)))

    text = "\n".join((*lines[:at], data.draw(LINES.filter(lambda line: "\n" not in line)), *lines[at:]))

    assert not read_block(text).honoured
