"""A value and some fields of it -> the value with these fields: `dataclasses.replace`, at a fraction of its cost.

A session is folded from thousands of events, and each makes a new state of sixty fields. To the type checker it is the
function of the standard library, which knows the fields of every class.
"""

from collections.abc import Callable
from dataclasses import fields
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import replace as replace
else:

    def replace(value, /, **changes):
        """The value with other fields. Its class must have slots and no code of its own for when it is made."""
        kind = type(value)
        made = _copier(kind)(value)
        for name, content in changes.items():
            setattr(made, name, content)
        made.__class__ = kind
        return made


@cache
def _copier(kind: type[Any]) -> Callable[[Any], Any]:
    """Makes of a value a twin that can still be changed: an object of the same fields whose class keeps no guard.

    It is written out field by field, as `dataclasses` writes what makes an object: a loop takes ten times as long.
    """
    names = tuple(field.name for field in fields(kind))
    twin = type(kind.__name__, (), {"__slots__": names})
    copies = (f" made.{name} = value.{name}" for name in names)
    written: dict[str, Any] = {"twin": twin}
    exec("\n".join(("def copied(value):", " made = twin()", *copies, " return made")), written)
    copied: Callable[[Any], Any] = written["copied"]
    return copied
