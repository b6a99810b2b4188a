"""Proof, a test run -> plug-ins that were installed outside the project since, and whether they may stay.

The guard sees no file outside the project, so what the runner reports decides.
"""

from dataclasses import dataclass

from dualgate.core.evidence.circumstances import PLUGIN
from dualgate.core.evidence.configuring import has_red, weigh_settings, why_not_red
from dualgate.core.values.configuring import Reach
from dualgate.core.values.notation import listed
from dualgate.core.values.state import Proof
from dualgate.core.values.suite import SuiteReport, own_key

_INSTALLED = ("/site-packages/", "/dist-packages/")
_NEVER_RED = "no test was red, so nothing shows that tests can fail with them"


@dataclass(frozen=True, slots=True, kw_only=True)
class InstalledPlugins:
    names: tuple[str, ...]
    refused: tuple[str, ...] = ()
    """Why they may not stay, as far as that is known without a run on the tree of RED."""


def installed_since(proof: Proof, run: SuiteReport) -> InstalledPlugins | None:
    """The plug-ins that a run has beside those of the proof; None without any, and if one is a file of the project."""
    before = {value for key, value in proof.configuration if own_key(key) == PLUGIN}
    new = [value for key, value in run.configuration if own_key(key) == PLUGIN and value not in before]
    named = [value.partition(" ") for value in new]
    packages = {_package(module) for module, _, place in named if _is_installed(place)}
    if not proof.configuration or not packages or any(_package(module) not in packages for module, _, _ in named):
        return None
    settings = weigh_settings(proof, run, Reach.REPORTED)
    refused = settings.refused or ((_NEVER_RED,) if settings.compared and not has_red(proof) else ())
    return InstalledPlugins(names=tuple(sorted({module for module, _, _ in named})), refused=refused)


def why_refused(found: InstalledPlugins, proof: Proof, on_red: SuiteReport | None) -> tuple[str, ...]:
    """Why plug-ins may not stay, with a run on the tree of RED that has them; empty if they may."""
    if found.refused or on_red is None:
        return found.refused
    return why_not_red(proof, (on_red,), "them")


def note_on(found: InstalledPlugins, reasons: tuple[str, ...], on_red: SuiteReport | None) -> str:
    """The note for the person, the reviewer and the agent."""
    what = f"plug-ins that were newly installed outside the project ({listed(found.names)})"
    if reasons:
        return f"{what} are not accepted: {'; '.join(reasons)}; uninstall them"
    return f"{what} are accepted{'; the failing tests of RED still fail with them' if on_red else ''}"


def _package(module: str) -> str:
    return module.partition(".")[0]


def _is_installed(place: str) -> bool:
    return place.startswith("/") and any(folder in place for folder in _INSTALLED)
