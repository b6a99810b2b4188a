"""Value, changed fields -> new value: `dataclasses.replace`, at a fraction of its cost.

A session replays thousands of events, and each creates a new state of sixty fields. The type checker sees the function
of the standard library, which knows the fields of every class.
"""

from collections.abc import Callable
from dataclasses import fields
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import replace as replace
else:

    def replace(value, /, **changes):
        """Return a copy with changed fields. The class must have slots, and no initialization code of its own."""
        kind = type(value)
        made = _copier(kind)(value)
        for name, content in changes.items():
            setattr(made, name, content)
        made.__class__ = kind
        return made


@cache
def _copier(kind: type[Any]) -> Callable[[Any], Any]:
    """Return a function that copies a frozen value into a mutable object with the same fields.

    Its code is generated field by field, as `dataclasses` generates `__init__`: a loop takes ten times as long.
    """
    names = tuple(field.name for field in fields(kind))
    twin = type(kind.__name__, (), {"__slots__": names})
    copies = (f" made.{name} = value.{name}" for name in names)
    written: dict[str, Any] = {"twin": twin}
    exec("\n".join(("def copied(value):", " made = twin()", *copies, " return made")), written)
    copied: Callable[[Any], Any] = written["copied"]
    return copied
