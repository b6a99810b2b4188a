"""The feed: numbered changes that are kept for a while."""

import asyncio

from dualgate.web.feed import Feed
from dualgate.web.register import Change, ChangeKind


def a_change(name: str, body: bytes = b"{}") -> Change:
    return Change(kind=ChangeKind.ROW, id=name, body=body)


def test_only_the_last_change_of_a_session_is_told() -> None:
    feed = Feed()
    feed.publish([a_change("a", b"1"), a_change("b"), a_change("a", b"2")])

    told = feed.after(0)

    assert told == [(2, a_change("b")), (3, a_change("a", b"2"))]


def test_a_reader_that_is_too_slow_is_told_so() -> None:
    feed = Feed(kept=2)
    start = feed.cursor
    feed.publish([a_change("a"), a_change("b"), a_change("c")])

    assert feed.number_of(start) is None
    assert feed.after(0) is None
    assert feed.after(1) == [(2, a_change("b")), (3, a_change("c"))]
    assert feed.after(4) is None


def test_a_cursor_is_that_of_its_server() -> None:
    feed, other = Feed(), Feed()

    assert feed.number_of(feed.cursor) == 0
    assert feed.number_of(other.cursor) is None
    assert feed.number_of(feed.cursor_at(1)) is None


def test_waiting_ends_with_a_change_and_with_the_feed() -> None:
    async def waited() -> None:
        feed = Feed()
        waiting = asyncio.create_task(feed.changed(0))
        await asyncio.sleep(0)
        feed.publish([a_change("a")])
        await waiting
        waiting = asyncio.create_task(feed.changed(1))
        await asyncio.sleep(0)
        feed.close()
        await waiting

    asyncio.run(waited())
