"""The house: imports go left only, and what is exported is meant."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import dualgate
from tools.style_metrics import components, forbidden_imports, graph_depth, import_graph, main, read_tree

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "dualgate"
BUILT = "dualgate._version"
"""The module that a build writes; git does not have it."""
ORDER = next(
    line.removeprefix("ORDER := ") for line in (ROOT / "Makefile").read_text().splitlines() if line.startswith("ORDER")
)
INSIDE_CORE = (
    "values,spec,said,evidence,verification,gates,team,money,machine,prompt,record,secrets|doctor|queue,report"
)
LAYERS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"][0]["layers"]


def test_imports_go_left_only() -> None:
    assert forbidden_imports(import_graph(read_tree(PACKAGE)), ORDER) == []


def test_imports_inside_core_go_left_only() -> None:
    graph = {
        module.removeprefix("dualgate."): {name.removeprefix("dualgate.") for name in found if ".core." in name}
        for module, found in import_graph(read_tree(PACKAGE)).items()
        if module.startswith("dualgate.core.")
    }

    assert forbidden_imports(graph, INSIDE_CORE) == []
    assert {module.split(".")[1] for module in graph} == set(INSIDE_CORE.replace("|", ",").split(","))


def test_both_checks_of_imports_have_one_order() -> None:
    floors = [re.sub(r"[ ()]", "", layer) for layer in reversed(LAYERS)]

    assert ",".join(floors) == ORDER


def test_the_check_would_see_an_import_that_goes_right() -> None:
    graph = {
        "dualgate.core.gates.judge": {"dualgate.store.journal"},
        "dualgate.agents.base": {"dualgate.runners.base"},
    }

    assert forbidden_imports(graph, ORDER) == [
        "dualgate.agents.base must not import dualgate.runners.base",
        "dualgate.core.gates.judge must not import dualgate.store.journal",
    ]


def test_core_reads_no_file_clock_or_environment() -> None:
    banned = {"os", "io", "pathlib", "time", "socket", "subprocess", "logging", "random", "threading", "sys"}
    imports = {module.name: module.imports for module in read_tree(PACKAGE) if ".core." in module.name}

    assert {
        name: roots for name, found in imports.items() if (roots := {i.split(".")[0] for i in found} & banned)
    } == {}


# what a session and its processes must be handed in, and would share with any other session if they had it themselves
OF_THE_PROCESS = {"os.environ", "os.getenv", "os.getcwd", "Path.cwd", "print", "input", "sys.stdout", "sys.stderr"}
KEPT = {"cache", "lru_cache", "functools.cache", "functools.lru_cache"}
CONSTANTS = ("(", "frozenset(", "re.compile(", "TypeVar(", "getattr(", "Path(")


def named_in(tree: ast.AST) -> set[str]:
    return {ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Name | ast.Attribute)}


def kept_in(tree: ast.Module) -> list[str]:
    """What a module keeps from one call to the next: an empty container, something made at import, a cache."""
    values = [
        ast.unparse(node.value) for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign) and node.value
    ]
    made = [each for each in values if each in ("{}", "[]") or (each.endswith(")") and not each.startswith(CONSTANTS))]
    inner = list(ast.walk(tree))
    changed = [f"global {name}" for node in inner if isinstance(node, ast.Global) for name in node.names]
    functions = [node for node in inner if isinstance(node, ast.FunctionDef)]
    return [*made, *changed, *({ast.unparse(each) for node in functions for each in node.decorator_list} & KEPT)]


def sources(room: str) -> dict[str, ast.Module]:
    return {path.name: ast.parse(path.read_text()) for path in sorted((PACKAGE / room).glob("*.py"))}


def test_a_session_takes_environment_folder_clock_and_output_from_whoever_runs_it() -> None:
    found = {name: named_in(tree) & OF_THE_PROCESS for name, tree in sources("session").items()}
    imports = {module.name: module.imports & {"click", "signal", "sys"} for module in read_tree(PACKAGE / "session")}

    assert {name: names for name, names in (found | imports).items() if names} == {}


def test_nothing_is_kept_between_sessions() -> None:
    kept = {name: kept_in(tree) for room in ("processes", "session") for name, tree in sources(room).items()}

    assert {name: values for name, values in kept.items() if values} == {}


def test_the_check_would_see_what_a_module_keeps() -> None:
    source = "JOBS = {}\nLOCK = threading.Lock()\nTABLE = {1: 2}\n@cache\ndef once():\n    global JOBS"

    assert sorted(kept_in(ast.parse(source))) == ["cache", "global JOBS", "threading.Lock()", "{}"]


def test_every_room_says_what_it_is() -> None:
    assert [module.name for module in read_tree(PACKAGE) if not module.has_docstring and module.name != BUILT] == []


def test_the_house_limits_hold(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(PACKAGE), "--check", "--order", ORDER]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "nothing to report"


def test_the_package_exports_what_it_says() -> None:
    assert all(hasattr(dualgate, name) for name in getattr(dualgate, "__all__", ["__version__"]))


def test_no_chain_of_imports_is_longer_than_twenty() -> None:
    graph = import_graph(read_tree(PACKAGE))

    assert 6 < graph_depth(graph, components(graph)) <= 20


def test_a_reader_of_the_journal_imports_few_modules() -> None:
    code = "import sys; from dualgate.store.reading import tail; print(*sys.modules)"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    own = {name for name in done.stdout.split() if name.split(".")[0] == "dualgate"} - {BUILT}
    assert {"dualgate.store.reading", "dualgate.core.values.events"} <= own
    assert len(own) <= 35, sorted(own)
