"""Text -> tokens, by an estimate that is rather too high: models count differently, and none is asked."""

from math import ceil

CHARACTERS_PER_TOKEN = 3.6
"""Characters of English text and code in one token. A character beyond ASCII counts as a token of its own."""


def tokens_of(text: str) -> int:
    plain = len(text) if text.isascii() else sum(map(str.isascii, text))
    return ceil(plain / CHARACTERS_PER_TOKEN) + len(text) - plain


def within(text: str, tokens: int) -> str:
    """The beginning of a text that has at most so many tokens."""
    if tokens_of(text) <= tokens:
        return text
    low, high = 0, min(len(text), int(tokens * CHARACTERS_PER_TOKEN))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if tokens_of(text[:middle]) <= tokens else (low, middle - 1)
    return text[:low]
