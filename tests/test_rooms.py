"""The house: imports go left only, and what is exported is meant."""

import subprocess
import sys
from pathlib import Path

import dualgate
from tools.style_metrics import forbidden_imports, import_graph, read_tree

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "dualgate"
ORDER = (
    "errors,core,settings,scratch,survivors,process,leftovers|confinement,languages,agents|runners|workspace|store|display,"
    "recording|analyzer|amending,loop|web,fleet,cli"
)


def test_imports_go_left_only() -> None:
    assert forbidden_imports(import_graph(read_tree(PACKAGE)), ORDER) == []


def test_the_check_would_see_an_import_that_goes_right() -> None:
    graph = {"dualgate.core.gates": {"dualgate.store.journal"}, "dualgate.agents.base": {"dualgate.runners.base"}}

    assert forbidden_imports(graph, ORDER) == [
        "dualgate.agents.base must not import dualgate.runners.base",
        "dualgate.core.gates must not import dualgate.store.journal",
    ]


def test_core_reads_no_file_clock_or_environment() -> None:
    banned = {"os", "io", "pathlib", "time", "socket", "subprocess", "logging", "random", "threading", "sys"}
    imports = {module.name: module.imports for module in read_tree(PACKAGE) if ".core." in module.name}

    assert {
        name: roots for name, found in imports.items() if (roots := {i.split(".")[0] for i in found} & banned)
    } == {}


def test_every_room_says_what_it_is() -> None:
    assert [module.name for module in read_tree(PACKAGE) if not module.has_docstring] == []


def test_the_house_limits_hold() -> None:
    words = [sys.executable, "tools/style_metrics.py", "src/dualgate", "--check", "--order", ORDER]

    checked = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)

    assert checked.stdout.splitlines()[-1] == "nothing to report"


def test_the_package_exports_what_it_says() -> None:
    assert all(hasattr(dualgate, name) for name in getattr(dualgate, "__all__", ["__version__"]))
