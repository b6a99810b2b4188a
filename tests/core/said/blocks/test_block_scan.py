import pytest

from dualgate.core.said.blocks.scan import Block, BlockKind, all_blocks, decode, scan

OPENING, CLOSING = "---RALPH_STATUS---", "---END_RALPH_STATUS---"
RALPH = BlockKind.RALPH_STATUS

NO_DELIMITERS = [
    pytest.param(f" {OPENING}\nx\n{CLOSING}", id="indented opening"),
    pytest.param(f"{OPENING}\nx\n {CLOSING}", id="indented closing"),
    pytest.param(f"> {OPENING}\n> x\n> {CLOSING}", id="quoted"),
    pytest.param(f"{OPENING} STATUS: x\n{CLOSING}", id="words after the opening"),
    pytest.param(f"{OPENING}\nx\n{CLOSING}.", id="words after the closing"),
    pytest.param(f"{OPENING}-\nx\n{CLOSING}", id="one dash more"),
    pytest.param("--RALPH_STATUS--\nx\n--END_RALPH_STATUS--", id="one dash less"),
    pytest.param("---ralph_status---\nx\n---end_ralph_status---", id="small letters"),
    pytest.param("---ＲＡＬＰＨ_ＳＴＡＴＵＳ---\nx\n---END_RALPH_STATUS---", id="full-width letters"),
    pytest.param(f"{OPENING}\nx\n{CLOSING[:-1]}", id="half a closing"),
    pytest.param(f"{OPENING}\rx\r{CLOSING}", id="bare carriage returns"),
    pytest.param(f"{CLOSING}\nx\n{OPENING}", id="the wrong way round"),
    pytest.param("", id="nothing"),
]


def last(text: str) -> Block:
    block = scan(text, RALPH).last
    assert block is not None
    return block


@pytest.mark.parametrize("text", NO_DELIMITERS)
def test_only_whole_lines_are_delimiters(text: str) -> None:
    assert scan(text, RALPH).last is None


def test_the_last_complete_block_counts() -> None:
    text = f"{OPENING}\nfirst\n{CLOSING}\nprose\n{OPENING}\nsecond\n{CLOSING}\n"

    assert last(text).raw == f"{OPENING}\nsecond\n{CLOSING}"
    assert scan(text, RALPH).count == 2


def test_an_unterminated_block_never_counts_and_its_line_is_named() -> None:
    found = scan(f"{OPENING}\nfirst\n{CLOSING}\n{OPENING}\nsecond\n", RALPH)

    assert found.last is not None
    assert found.last.raw == f"{OPENING}\nfirst\n{CLOSING}"
    assert found.torn_line == 4


def test_of_several_openings_the_nearest_to_the_closing_counts() -> None:
    text = f"{OPENING}\nabandoned\n{OPENING}x\n{OPENING}\nwritten\n{OPENING}no\n{CLOSING}"

    assert last(text).raw == f"{OPENING}\nwritten\n{OPENING}no\n{CLOSING}"


def test_a_closing_without_an_opening_changes_nothing() -> None:
    text = f"{CLOSING}\n{OPENING}\nwritten\n{CLOSING}\nprose\n{CLOSING}\n"

    assert last(text).raw == f"{OPENING}\nwritten\n{CLOSING}"
    assert scan(text, RALPH).count == 1


def test_blanks_and_carriage_returns_after_a_delimiter_are_passed_over() -> None:
    assert last(f"{OPENING} \t\r\nx\r\n{CLOSING} \r\nprose").raw == f"{OPENING} \t\r\nx\r\n{CLOSING} \r"


def test_a_block_knows_the_lines_it_stands_on() -> None:
    block = last(f"one\ntwo\n{OPENING}\nfour\nfive\n{CLOSING}")

    assert block.line == 3
    assert list(block.body) == [(4, "four"), (5, "five")]


@pytest.mark.parametrize("fence", ["```", "~~~", "````text", "  ```"])
def test_a_fence_around_a_block_is_seen(fence: str) -> None:
    assert last(f"prose\n{fence}\n{OPENING}\n{CLOSING}\n{fence}\n").fenced
    assert not last(f"{fence}\n\n{OPENING}\n{CLOSING}\nprose\n").fenced


def test_blocks_of_another_kind_are_not_found() -> None:
    text = f"{OPENING}\n{CLOSING}\n---PRP_PHASE_STATUS---\nx\n---END_PRP_PHASE_STATUS---"

    assert [block.line for block in all_blocks(text, BlockKind.PRP_PHASE_STATUS)] == [3]


def test_bytes_that_are_no_text_are_decoded_all_the_same() -> None:
    assert decode(b"\xef\xbb\xbfa\xff\x00b") == "a\ufffd\x00b"
    assert decode("\ufeffa") == "a"
