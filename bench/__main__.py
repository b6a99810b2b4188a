"""`make bench`: every benchmark in turn, or those named."""

import sys

from bench import analyzer, blocks, iteration, startup

BENCHMARKS = {"startup": startup.main, "iteration": iteration.main, "blocks": blocks.main, "analyzer": analyzer.main}


def main() -> None:
    for name in sys.argv[1:] or BENCHMARKS:
        print(f"\n## {name}")
        BENCHMARKS[name]()


if __name__ == "__main__":
    main()
