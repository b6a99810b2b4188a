"""The modules that run in the test process -> the files of them in the folder of a run, compiled ones included."""

import importlib.util
import marshal
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from importlib.abc import InspectLoader
from pathlib import PurePath

PACKAGE = "dualgate.runners.reporters"
# of a compiled file that is accepted without a look at its source: it is written with it
_UNCHECKED = (1).to_bytes(4, "little") + bytes(8)


@cache
def reporter_files(package: str = PACKAGE) -> Mapping[str, bytes]:
    """Path -> content of the modules in a package. Cached before any other program runs, since they do not change.

    The code is our interpreter's. One of another version does not look for it, and compiles the source.
    """
    folder = resources.files(package)
    sources = {each.name: each.read_bytes() for each in folder.iterdir() if each.name.endswith(".py")}
    return sources | dict(_compiled(package, sources))


def _compiled(package: str, names: Mapping[str, bytes]) -> Iterator[tuple[str, bytes]]:
    for name in names:
        stem = PurePath(name).stem
        module = package if stem == "__init__" else f"{package}.{stem}"
        found = importlib.util.find_spec(module)
        loader = found.loader if found else None
        code = loader.get_code(module) if isinstance(loader, InspectLoader) else None
        if code is not None:
            path = f"__pycache__/{stem}.{sys.implementation.cache_tag}.pyc"
            yield path, importlib.util.MAGIC_NUMBER + _UNCHECKED + marshal.dumps(code)
