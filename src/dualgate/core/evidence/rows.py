"""Digests of a test before and after -> whether its lists of parameters only got more rows at their end."""

MARK = " rows "


def only_adds_rows(before: str, after: str) -> bool:
    """Whether the test itself and every row are as before, in the same order."""
    if MARK not in before or MARK not in after or before == after:
        return False
    (was, _, rows), (now, _, later) = before.partition(MARK), after.partition(MARK)
    old, new = _tables(rows), _tables(later)
    return was == now and len(old) == len(new) and all(b[: len(a)] == a for a, b in zip(old, new, strict=True))


def _tables(text: str) -> list[list[str]]:
    return [list(filter(None, table.split(","))) for table in text.split("|")]
