"""Environment -> the command line by which a program that we start can call dualgate."""

import shlex
import shutil
import sys
from collections.abc import Mapping


def own_program(environment: Mapping[str, str]) -> str:
    """`dualgate` if it is on the path of the environment, else the interpreter that runs us with the module."""
    if shutil.which("dualgate", path=environment.get("PATH", "")):
        return "dualgate"
    return f"{shlex.quote(sys.executable)} -m dualgate"
