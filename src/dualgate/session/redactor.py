"""The environment -> what must not be printed or kept."""

import os
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dualgate.core.secrets.redaction import Redactor


@cache
def our_redactor() -> "Redactor":
    """Of the environment that we were started in; whatever we print goes through it."""
    from dualgate.core.secrets.redaction import redactor_of

    return redactor_of(os.environ)
