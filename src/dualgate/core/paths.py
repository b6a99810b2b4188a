"""Paths as text: a name that is no text can still be written down."""


def shown(path: str) -> str:
    """A path as text that any file of ours can hold, even where its bytes are no text."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def in_line(path: str) -> str:
    """A path for people: on one line and without a word to the terminal, whatever it is called."""
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in shown(path))
