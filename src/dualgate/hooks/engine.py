"""Project, base commit, seconds -> Verification, by the same engine as `dualgate verify`."""

from importlib import import_module
from pathlib import Path

from dualgate.core.values.verification import Verification
from dualgate.verify.request import Request


def verify_tree(project: Path, base: str, budget: float) -> Verification:
    """Verify the work tree against the commit at which the session began, or against the main branch."""
    verify = import_module("dualgate.verify.verifying").verify
    found = verify(Request(project=project, base=base, budget=budget))
    assert isinstance(found, Verification)
    return found
