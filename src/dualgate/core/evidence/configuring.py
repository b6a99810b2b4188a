"""Proof, test runs with changed configuration -> whether it may stay: it turns no result, and tests can still fail.

Equal results on right code do not show that a test can fail. So settings that leave tests out or load code of the
project are refused by name, and the tests that were red must still fail on the tree of RED.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from dualgate.core.evidence.circumstances import PLUGIN
from dualgate.core.evidence.comparison import FlakyTests, compare
from dualgate.core.values.case_names import stable
from dualgate.core.values.changes import Changes
from dualgate.core.values.configuring import ConfigurationDecided, Reach, Reconfiguration
from dualgate.core.values.notation import listed
from dualgate.core.values.replacing import replace
from dualgate.core.values.state import Proof
from dualgate.core.values.suite import SuiteReport, own_key

VALUE_LENGTH = 80
BY_PERSON = "a person can allow it with guard.allowed"
_HARMLESS = re.compile(
    r"argument|path|ini (?:markers|minversion|testpaths|addopts|cache_dir|console_output_style|required_plugins"
    r"|python_files|python_classes|python_functions|norecursedirs|junit_.*|log_.*|verbosity.*|tmp_path_retention_.*"
    r"|faulthandler_.*|truncation_.*|asyncio_.*|anyio_mode)"
    r"|option (?:importmode|override_ini|cov_.*|no_cov|capture|log_.*|xmlpath|junit.*|doctestmodules|doctestglob"
    r"|asyncio_.*)"
)
"""Facts that cannot let a failing test pass; tests that they leave out are missed in the run.

What `override_ini` and `addopts` set is reported under its own name too.
"""
_KNOWN_PLUGINS = re.compile(
    r"(?:pytest_(?:cov|asyncio|mock|timeout|django|randomly|sugar|benchmark|env|xdist)|xdist|anyio|hypothesis"
    r"|_hypothesis_pytestplugin)(?:\..*)?"
)
"""Installed plug-ins that turn no failing test into a passing one by themselves."""
_REFUSED = re.compile(
    r"deselected.*|sitecustomize|usercustomize|ini usefixtures"
    r"|option (?:keyword|markexpr|lf|failedfirst|stepwise.*|collectonly|setup_?only|setup_?plan|noconftest|confcutdir"
    r"|pyargs|usepdb|trace|runxfail|pythonwarnings)"
    r"|(?:ini|option) .*(?:update|regen|record|rewrite|overwrite|accept|skip|ignore|deselect|rerun|retr(?:y|ies)"
    r"|flaky)\w*"
)
"""Facts that leave tests out, replace what tests ask for, or let a failing test pass."""
_STRICT = re.compile(r"ini (?:xfail_)?strict.*|option strict.*")
_TRUE = re.compile(r"(?i)true|1|yes|on")
_STRICTER = re.compile(r"error(?::[^:]*(?::\w*(?::.*)?)?)?")
"""A filter that names no class of a module: pytest would import the module."""
_OUTSIDE = re.compile(r"""(?:^|[\s'",])(?:/|\.\.|~|\w:)""")
_WORDS = re.compile(r"[^\s'\",\[\]]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Changed settings that are refused by name, as sentences, and those whose results must be compared."""

    refused: tuple[str, ...] = ()
    compared: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fact:
    """One changed key of the effective configuration."""

    key: str
    gone: tuple[str, ...]
    new: tuple[str, ...]


def weigh_settings(proof: Proof, run: SuiteReport, reach: Reach, importing: Collection[str] = frozenset()) -> Settings:
    """Weigh the configuration that a run reports against the proven one; what no runner reports is compared.

    `importing` are new files of fixtures that only add folders to the import path, and hide no module.
    """
    changed = _facts(proof.configuration, run.configuration, proof.unstable_keys)
    facts = [fact for fact in changed if not _is_importing(fact, importing)]
    has_settings = any(own_key(key).startswith("ini ") for key, _ in proof.configuration)
    weighed = [(fact, _weight(fact, has_settings)) for fact in facts]
    unreported = ("settings that no runner reports",) if reach is Reach.COMPARED or not proof.configuration else ()
    return Settings(
        refused=tuple(f"{_sentence(fact)}: {BY_PERSON}" for fact, is_fine in weighed if is_fine is False),
        compared=(*unreported, *(fact.key for fact, is_fine in weighed if is_fine is None)),
    )


def _facts(
    before: Sequence[tuple[str, str]], now: Sequence[tuple[str, str]], unstable_keys: Sequence[str]
) -> Iterator[_Fact]:
    was, became = ({(key, stable(value)): value for key, value in each} for each in (before, now))
    for changed in sorted({key for key, _ in was.keys() ^ became.keys()} - {*unstable_keys}):
        gone, new = (
            tuple(value for each, value in ours.items() if each[0] == changed and each not in theirs)
            for ours, theirs in ((was, became), (became, was))
        )
        yield _Fact(key=own_key(changed), gone=gone, new=new)


def _is_importing(fact: _Fact, importing: Collection[str]) -> bool:
    return fact.key == "conftest" and not fact.gone and all(place in importing for place in fact.new)


def _weight(fact: _Fact, has_settings: bool) -> bool | None:
    """Whether a fact is harmless (True), refused (False), or decided by comparing results (None)."""
    if fact.key in _BY_VALUE:
        return _BY_VALUE[fact.key](fact)
    if fact.key == "inifile":
        return None if has_settings and fact.gone else True  # each lost setting is a fact of its own
    if _STRICT.fullmatch(fact.key):
        return bool(fact.new) and all(map(_TRUE.fullmatch, fact.new))
    if _REFUSED.fullmatch(fact.key):
        return False
    return True if _HARMLESS.fullmatch(fact.key) else None


def _of_plugins(fact: _Fact) -> bool | None:
    """A plug-in that is code of the project can turn every result; an installed one is compared."""
    named = [value.partition(" ") for value in fact.new]
    if any(place and not place.startswith("/") and "site-packages" not in place for _, _, place in named):
        return False
    return True if not fact.gone and all(_KNOWN_PLUGINS.fullmatch(module) for module, _, _ in named) else None


def _of_fixtures(fact: _Fact) -> bool | None:
    return False if fact.gone else None


def _of_import_paths(fact: _Fact) -> bool | None:
    if any(map(_OUTSIDE.search, fact.new)):
        return False
    was, now = ([word for value in each for word in _WORDS.findall(value)] for each in (fact.gone, fact.new))
    return True if now[: len(was)] == was else None  # one that comes first may hide a module


def _of_warnings(fact: _Fact) -> bool | None:
    was, now = (_entries(each) for each in (fact.gone, fact.new))
    is_loosened = any(line.startswith("error") and line not in now for line in was) or {*now} & {"ignore", "default"}
    if is_loosened:
        return False
    kept, added = now[: len(was)], now[len(was) :]  # the last one that fits a warning wins
    return True if kept == was and all(map(_STRICTER.fullmatch, added)) else None


def _entries(values: Iterable[str]) -> list[str]:
    lines = (entry for value in values for entry in re.split(r"[\n,]|\\n", value.strip("[]")))
    return [line for each in lines if (line := each.strip(" '\""))]


def _of_doctests(fact: _Fact) -> bool | None:
    return False if any("SKIP" in value for value in fact.new) else None


_BY_VALUE = {
    PLUGIN: _of_plugins,
    "conftest": _of_fixtures,
    "ini pythonpath": _of_import_paths,
    "ini filterwarnings": _of_warnings,
    "ini doctest_optionflags": _of_doctests,
}


def _sentence(fact: _Fact) -> str:
    if not fact.new:
        return f"{fact.key} was removed; it was {_short(fact.gone)}"
    return f"{fact.key} is now {_short(fact.new)}"


def _short(values: Sequence[str]) -> str:
    text = "; ".join(values)
    return f"{text[:VALUE_LENGTH]!r}{'…' if len(text) > VALUE_LENGTH else ''}"


def missing_tests(proof: Proof, run: SuiteReport) -> tuple[str, ...]:
    """Proven tests that a run leaves out, skips or expects to fail."""
    seen = compare(proof.proven or (), run.results, _known(proof))
    return (*seen.vanished, *seen.newly_skipped, *seen.newly_xfailed)


def other_results(proof: Proof, without: SuiteReport, run: SuiteReport) -> tuple[str, ...]:
    """Why two runs of one tree, without and with the changed configuration, are not the same; empty if they are."""
    proven = {result.id for result in proof.proven or without.results}  # a test of this call may need its own fixtures
    seen = compare([result for result in without.results if result.id in proven], run.results, _known(proof))
    turned = (*seen.fixed, *seen.regressed, *seen.newly_skipped, *seen.newly_xfailed, *seen.newly_xpassed)
    pairs = (
        ("these tests have a different result", turned),
        ("these tests are not run", seen.vanished),
        ("these tests have different code", seen.changed),
    )
    return tuple(f"with the changed configuration {what}: {listed(which)}" for what, which in pairs if which)


def turned_by_rewriting(proof: Proof, without: SuiteReport, run: SuiteReport) -> tuple[str, ...]:
    """Why runs of a tree and of the same with rewritten files are not the same; the code of tests may differ."""
    seen = compare(without.results, run.results, _known(proof))
    turned = (*seen.fixed, *seen.regressed, *seen.newly_skipped, *seen.newly_xfailed, *seen.newly_xpassed)
    pairs = (("these tests have a different result", turned), ("these tests are not run", seen.vanished))
    return tuple(f"{what}: {listed(which)}" for what, which in pairs if which)


def no_longer_red(proof: Proof, without: SuiteReport, run: SuiteReport) -> tuple[str, ...]:
    """Tests that failed on the tree of RED, and do not fail there with the changed configuration."""
    failing = {stable(result.id) for result in run.results if result.failed}
    present = {stable(result.id) for result in run.results}
    files = {result.file for result in run.results}
    red = {stable(result.id): result for result in (*proof.red, *without.results) if result.failed}
    unstable = _known(proof)
    return tuple(
        result.id
        for name, result in red.items()
        if name not in failing
        and not unstable.is_unstable(result)
        # a file that could not be collected, and can be now: its tests are there by name
        and not (name not in present and result.is_broken_file and result.file in files)
        # a test of a file that cannot be collected still: it was read from the file
        and not (name not in present and _is_broken(result.file, without) and _is_broken(result.file, run))
    )


def why_not_red(proof: Proof, runs: Sequence[SuiteReport], what: str) -> tuple[str, ...]:
    """Why nothing shows that tests can fail with `what`: the last run is on the tree of RED with it, the first may be
    without it."""
    if problems := tuple(problem for run in runs for problem in run.problems):
        return (f"the tests cannot be run on the tree of RED: {'; '.join(problems)}",)
    passing = no_longer_red(proof, runs[0], runs[-1])
    return (f"with {what} these tests do not fail on the tree of RED: {listed(passing)}",) if passing else ()


def _is_broken(file: str, run: SuiteReport) -> bool:
    return any(result.is_broken_file and result.file == file for result in run.results)


def has_red(proof: Proof) -> bool:
    """Whether there is a tree on which tests can be seen to fail."""
    return bool(proof.red_tree) and any(result.failed for result in proof.red)


def accepted_note(proposed: Reconfiguration, compared: Sequence[str], red: int) -> str:
    """The note on accepted configuration, for the person and the reviewer."""
    only = f"{proposed.paths[0]}: " if len(proposed.paths) == 1 else ""  # one file need not be named twice
    settings = f" ({listed(each.removeprefix(only) for each in proposed.settings)})" if any(proposed.settings) else ""
    what = f"changed configuration is accepted: {listed(proposed.paths)}{settings}"
    if proposed.reach is Reach.UNREAD:
        return f"{what}; no test run reads it"
    shown = "every test has the same result with and without it" if compared else "its settings change no result"
    tests = "failing test of RED still fails" if red == 1 else "failing tests of RED still fail"
    seen = f"; {red} {tests} with it" if red else ""
    return f"{what}; {shown}{seen}"


def with_decision(changes: Changes, decided: ConfigurationDecided) -> Changes:
    """The changes of a call after the decision on its configuration."""
    proposed = decided.proposed
    if not decided.is_accepted:
        why = "; ".join(decided.reasons)
        told = tuple(
            replace(each, rule=f"{each.rule}; {why}") if each.path in proposed.paths else each
            for each in changes.violations
        )
        return replace(changes, violations=told)
    known = tuple(path for path in proposed.paths if path not in proposed.created)
    return replace(
        changes,
        tree=decided.tree,
        violations=tuple(each for each in changes.violations if each.path not in proposed.paths),
        created=_joined(changes.created, proposed.created),
        modified=_joined(changes.modified, (path for path in known if path not in proposed.deleted)),
        deleted=_joined(changes.deleted, proposed.deleted),
        added=_joined(changes.added, proposed.created),
        rewritten=_joined(changes.rewritten, known),
        removed=_joined(changes.removed, proposed.deleted),
        notes=(*changes.notes, decided.note),
    )


def _joined(before: Iterable[str], more: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*before, *more)))


def with_configuration(proof: Proof, decided: ConfigurationDecided) -> Proof:
    """The proof after accepted configuration: it is frozen from now on."""
    if not decided.is_accepted:
        return proof
    known = {path for path, _ in proof.reconfigured}
    more = ((path, decided.without) for path in decided.proposed.paths if decided.without and path not in known)
    return replace(
        proof,
        reconfigured=(*proof.reconfigured, *more),
        red_tree=decided.red_tree,
        proven_tree=decided.proven_tree,
        green_tree=decided.green_tree,
        kept_tree=decided.kept_tree,
        configuration=proof.configuration and (decided.configuration or proof.configuration),
    )


def _known(proof: Proof) -> FlakyTests:
    return FlakyTests(unstable={*proof.unstable, *proof.flaky}, unstable_ids=proof.unstable_ids)
