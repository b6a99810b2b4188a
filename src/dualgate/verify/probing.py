"""Break changed code of the head while its tests run: do they notice?"""

from collections.abc import Sequence

from dualgate.core.evidence.sensitivity import LEAST_SECONDS, MOST_IN_BUILD, SUITE_RUNS
from dualgate.core.values.probes import ProbeGroup, ProbePlan, ProbeReport
from dualgate.core.verification.measured import Measured
from dualgate.runners.probes.prober import SuitesProber
from dualgate.session.probe_runs import is_data
from dualgate.settings import Settings
from dualgate.verify.runs import TreeRuns
from dualgate.verify.sides import Sides


def probe(seen: Measured, sides: Sides, runs: TreeRuns, settings: Settings) -> ProbeReport:
    """Break changed code of the head while its tests run."""
    revisions = sides.revisions
    present = revisions.entries(sides.head.tree)
    there = [path for path in seen.paths.code if sides.seen_from_root(path) in present]
    before = {path: revisions.text(sides.base.tree, sides.seen_from_root(path)) for path in there if _is_python(path)}
    left = runs.control.remaining()
    wanted = settings.sensitivity_time or max(LEAST_SECONDS, SUITE_RUNS * seen.head.seconds)
    plan = ProbePlan(
        before=before,
        groups=tuple(ProbeGroup(id=name, tests=(name,)) for name in _asked(seen)),
        data=tuple(filter(is_data, there)),
        seconds=wanted if left is None else min(wanted, left),
    )
    with runs.trees.written(sides.head.tree, sides.head_commit) as written:
        prober = SuitesProber(runs.suites_in(written), written.project, runs.supervisor_in(written))
        return prober.probe(plan, runs.control)


def _asked(seen: Measured) -> Sequence[str]:
    """New, changed and fixed tests: what each of them notices is known best."""
    names = (*(result.id for result in seen.fresh if not result.failed), *seen.since.fixed)
    return list(dict.fromkeys(names))[:MOST_IN_BUILD]


def _is_python(path: str) -> bool:
    return path.endswith(".py")
