"""The effect of a change on a frozen file of tests."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Extension:
    """The effect of a change on a frozen file: `reason` is empty if it only adds."""

    reason: str = ""
    adds: bool = False
