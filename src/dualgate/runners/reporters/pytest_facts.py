"""pytest 4.6 to 9 -> facts about a test and about the configuration."""

from __future__ import annotations

import fnmatch
import os
import sys
from typing import TYPE_CHECKING, Any

import _pytest
import pytest

from . import examples, unmet, witness

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

PLACE = ("file", "code", "at", "digest", "doc")
# the digest of a test that only checks a source file, whatever is in it
CHECKS_FILE = "checks a file"
IDS_KEPT = 200
NO_CONFTEST = "ConftestImportFailure"
OURS = __name__.partition(".")[0]
PYTEST_HOME = os.path.dirname(_pytest.__file__) + os.sep
# function or file of pytest that deselects, the option for it, and the attribute with its value
SELECTORS = (
    ("deselect_by_keyword", "-k", "keyword"),
    ("deselect_by_mark", "-m", "markexpr"),
    ("main.py", "--deselect", "deselect"),
    ("cacheprovider.py", "--last-failed", "lf"),
    ("stepwise.py", "--stepwise", "stepwise"),
)
# options that change the output, not which tests run
DISPLAY = frozenset(
    (
        *("verbose", "color", "code_highlight", "tbstyle", "showlocals", "show_capture", "reportchars", "no_header"),
        *("no_summary", "durations", "durations_min", "cacheshow", "version", "help", "showfixtures", "markers"),
        *("show_fixtures_per_test", "file_or_dir", "basetemp", "continue_on_collection_errors", "maxfail", "plugins"),
        *("numprocesses", "tx", "dist", "inifilename", "rootdir"),
        *("randomly_seed", "random_order_seed"),  # drawn for each run, unless a setting, which is compared, gives it
    )
)


def bare_function_of(item: Any) -> Any:
    """The unbound function: a method is bound again each time. pytest calls `obj` and derives `function` from it.

    An item of another kind may have an `obj` that it never calls, only for the marks of pytest: it is no function.
    """
    function = getattr(item, "obj", None) or getattr(item, "function", None)
    if not isinstance(item, pytest.Function):
        code = witness.code_of(function)
        if code is not None and os.path.realpath(code.co_filename) != os.path.realpath(path_of(item)):
            return None
    return getattr(function, "__func__", function)


def path_of(item: Any) -> str:
    return str(getattr(item, "path", None) or item.fspath)


def place(item: Any) -> dict[str, Any]:
    # a doctest is in a source file, which does not count as a test file
    if hasattr(item, "dtest"):
        doc = getattr(item.dtest, "docstring", None) or ""
        return {"file": "", "digest": examples.digest_of(item.dtest.examples), "doc": doc[: witness.DOC_LENGTH]}
    example: Any = getattr(item, "example", None)
    if hasattr(example, "document"):  # of Sybil: in a source file or a document, as a doctest is
        text = example.document.text[example.start : example.end]
        return {"file": "", "digest": witness.short(text)}
    path, function = path_of(item), bare_function_of(item)
    code = witness.code_of(function)
    if code is None and os.path.isfile(path):
        if path.endswith((".py", ".pyi")) and not is_test_module(item.config, path):
            return {"file": "", "digest": CHECKS_FILE}  # a linter checks the code, which must be free to change
        with open(path, "rb") as file:
            return {"file": path, "digest": witness.short(repr(file.read()))}
    return {"file": path, **witness.place_of(code, function)}


def is_test_module(config: Any, path: str) -> bool:
    """Whether pytest looks for tests in a Python file of this name."""
    name, patterns = os.path.basename(path), config.getini("python_files")
    return any(fnmatch.fnmatch(path if "/" in each else name, each) for each in patterns)


def uncollected(config: Any, error: BaseException | None, path: str, project: str) -> dict[str, Any]:
    """Why a file could not be collected, and the patterns by which its tests would be found."""
    conftest = str(getattr(error, "path", "")) if type(error).__name__ == NO_CONFTEST else ""
    notes = {"unmet": unmet.unmet(error, conftest or path, project), "conftest": conftest}
    if not conftest:
        notes["patterns"] = {name: list(config.getini("python_" + name)) for name in ("functions", "classes")}
    return notes


def packages(config: Any, names: Iterable[str]) -> set[str]:
    """The packages whose code decides what is reported: pytest's own and those of its plug-ins."""
    found = set(names)
    for _, plugin in config.pluginmanager.list_name_plugin():
        name = getattr(plugin, "__name__", None) or type(plugin).__module__
        if isinstance(name, str):
            found.add(name.partition(".")[0])
    return {name for name in found if name and name not in (OURS, "builtins", "conftest")}


def configuration(config: Any, project: str, deselected: dict[str, str]) -> list[tuple[str, str]]:
    """The effective configuration, from files, variables and flags."""
    root = str(getattr(config, "rootpath", None) or config.rootdir)
    inifile = getattr(config, "inipath", None) or getattr(config, "inifile", None)
    settings = [*_ini(config)]
    if str(inifile).endswith("pyproject.toml") and not settings:
        inifile = None  # pytest names it without any setting in it, and only where no other file has some
    facts = [
        ("rootdir", witness.named(root, project)),
        ("inifile", witness.named(str(inifile), project) if inifile else ""),
        ("confcutdir", witness.named(str(getattr(config.option, "confcutdir", None) or root), project)),
        *(("argument", witness.named(each, project) if os.path.isabs(each) else each) for each in config.args),
        *settings,
        *_options(config, project),
        *_plugins(config, project),
        *witness.surroundings(project),
    ]
    ids = sorted(deselected)
    if ids:
        facts.append(("deselected", f"{len(ids)} {witness.short(repr(ids))}"))
        facts.extend(("deselected test", each) for each in ids[:IDS_KEPT])
    facts.extend(("deselected by", each) for each in sorted({*deselected.values(), *_ignored(config, project)}))
    return facts


def _ignored(config: Any, project: str) -> Iterator[str]:
    """Test files ignored by name. Ignored folders are normal layout, unless PYTEST_ADDOPTS ignores them."""
    mark = given_in_environment("--ignore")
    for path in map(str, getattr(config.option, "ignore", None) or ()):
        name = os.path.basename(path)
        if mark or (name.startswith("test_") and name.endswith(".py")) or name.endswith("_test.py"):
            yield f"--ignore {witness.named(path, project)}{mark}"
    if mark and not config.option.ignore:
        yield f"--ignore-glob{mark}"


def selector(config: Any, project: str) -> str:
    """The cause of the current deselection: an option of pytest with its value, else the file of a plug-in."""
    frame: Any = sys._getframe(1)
    # skip the frames of the hook machinery
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in (OURS, "pluggy"):
        frame = frame.f_back
    file = frame.f_code.co_filename
    if not file.startswith(PYTEST_HOME):
        return f"plug-in {witness.named(file, project)}"
    for place, option, name in SELECTORS:
        if place in (frame.f_code.co_name, os.path.basename(file)):
            value = getattr(config.option, name, None)
            told = " ".join(value) if isinstance(value, (list, tuple)) else str(value)
            return f"{option} {told}{given_in_environment(option)}"
    return f"pytest's own {os.path.basename(file)}"


def given_in_environment(option: str) -> str:
    """A mark for an option from PYTEST_ADDOPTS, which is not in a file of the project."""
    words = os.environ.get("PYTEST_ADDOPTS", "").split()
    return " (PYTEST_ADDOPTS)" if any(word.startswith(option) for word in words) else ""


def too_little_covered(config: Any, project: str) -> str:
    """The coverage, if it is below the threshold of pytest-cov, which then fails the run whatever its tests did."""
    plugin = config.pluginmanager.getplugin("_cov")
    module = type(plugin).__module__
    if module != "pytest_cov.plugin" or witness.within(getattr(sys.modules.get(module), "__file__", ""), project):
        return ""
    least, total = getattr(plugin.options, "cov_fail_under", None), plugin.cov_total
    return f"{total:.2f} % of {least:g} %" if least and total is not None and total < least else ""


def _ini(config: Any) -> Iterator[tuple[str, str]]:
    # reading `inicfg` warns in pytest 9, which ends the run if warnings are errors
    known = config._inicfg if hasattr(config, "_inicfg") else getattr(config, "inicfg", None)
    for name, value in dict(known or {}).items():
        value = getattr(value, "value", value)
        yield f"ini {name}", value if isinstance(value, str) else repr(value)


def _options(config: Any, project: str) -> Iterator[tuple[str, str]]:
    """Options that differ from their defaults."""
    parser = getattr(config, "_parser", None)
    groups = [*getattr(parser, "_groups", ()), getattr(parser, "_anonymous", None)]
    for option in (option for group in groups if group is not None for option in group.options):
        name = getattr(option, "dest", None)
        if not isinstance(name, str) or name in DISPLAY:
            continue
        value, usual = getattr(config.option, name, None), getattr(option, "default", None)
        if value != usual and not (not value and not usual):
            yield f"option {name}", _plain(value, project)


def _plain(value: Any, project: str) -> str:
    if isinstance(value, (str, int, float, bool, list, tuple)):
        text = value if isinstance(value, str) else repr(value)
        return text.replace(project + os.sep, "") if project else text
    return type(value).__name__


def _plugins(config: Any, project: str) -> Iterator[tuple[str, str]]:
    for name, plugin in config.pluginmanager.list_name_plugin():
        module = getattr(plugin, "__name__", None) or type(plugin).__module__
        if plugin is None:
            yield "plug-in blocked", str(name)
        elif isinstance(module, str) and module.partition(".")[0] not in ("_pytest", OURS, "builtins"):
            file = getattr(plugin, "__file__", None)
            kind = "conftest" if str(file).endswith("conftest.py") else "plug-in"
            place = witness.named(file, project) if isinstance(file, str) else ""
            yield kind, place if kind == "conftest" else f"{module} {place}".strip()
