import pytest

from dualgate.core.said.blocks import Found, Malformed
from dualgate.core.said.blocks.phase_text import emit_phase_status, log_addition, read_log
from tests.core.said.blocks.block_samples import A_PHASE_STATUS, a_phase_status

FIRST, SECOND = a_phase_status(iteration=1), a_phase_status(iteration=2)
BLOCK = emit_phase_status(FIRST)


def iterations(log: str | bytes) -> list[int]:
    return [record.fields.iteration for record in read_log(log) if isinstance(record, Found)]


def test_one_blank_line_stands_between_blocks() -> None:
    log = log_addition("", FIRST)
    log += log_addition(log, SECOND)

    assert log == f"{BLOCK}\n\n{emit_phase_status(SECOND)}\n"


def test_a_log_is_read_back_as_it_was_written() -> None:
    log = ""
    for number in range(1, 6):
        log += log_addition(log[-2:], a_phase_status(iteration=number))

    assert iterations(log) == [1, 2, 3, 4, 5]


def test_a_torn_last_block_is_ignored_and_the_next_one_is_not() -> None:
    for cut in range(1, len(BLOCK)):
        torn = f"{BLOCK}\n\n{BLOCK[:cut]}"

        assert (cut, iterations(torn)) == (cut, [1])
        assert (cut, iterations(torn + log_addition(torn, SECOND))) == (cut, [1, 2])


@pytest.mark.parametrize("end", ["", "\n", "\n\n"])
def test_an_addition_begins_after_one_blank_line_however_the_log_ends(end: str) -> None:
    assert f"{BLOCK}{end}{log_addition(end or BLOCK, SECOND)}" == f"{BLOCK}\n\n{emit_phase_status(SECOND)}\n"


def test_a_broken_record_is_read_as_such_and_hides_no_other() -> None:
    broken = BLOCK.replace("PHASE: GREEN", "PHASE: BLUE")

    kinds = [type(record) for record in read_log(f"{BLOCK}\n\n{broken}\n\n{BLOCK}\n".encode())]

    assert kinds == [Found, Malformed, Found]


def test_an_empty_log_has_no_records() -> None:
    assert read_log(b"") == ()
    assert read_log(log_addition("", A_PHASE_STATUS)[:-3]) == ()
