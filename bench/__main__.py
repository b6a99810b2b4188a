"""`make bench`: every benchmark in turn, or those named."""

import sys

from bench import (
    adapter,
    analyzer,
    blocks,
    dashboard,
    flat,
    hooks,
    iteration,
    journal,
    probes,
    prompts,
    races,
    reading,
    reports,
    snapshots,
    startup,
    suites,
    verifying,
    view,
    worktrees,
)

BENCHMARKS = {
    "startup": startup.main,
    "iteration": iteration.main,
    "flat": flat.main,
    "hooks": hooks.main,
    "suites": suites.main,
    "verify": verifying.main,
    "probes": probes.main,
    "blocks": blocks.main,
    "reading": reading.main,
    "prompts": prompts.main,
    "adapter": adapter.main,
    "analyzer": analyzer.main,
    "snapshots": snapshots.main,
    "journal": journal.main,
    "report": reports.main,
    "dashboard": dashboard.main,
    "view": view.main,
    "races": races.main,
    "worktrees": worktrees.main,
}


def main() -> None:
    for name in sys.argv[1:] or BENCHMARKS:
        print(f"\n## {name}")
        BENCHMARKS[name]()


if __name__ == "__main__":
    main()
