"""`dualgate` and `python -m dualgate`: the version is told before anything else is imported."""

import sys

from dualgate import __version__


def main() -> int:
    if sys.argv[1:] == ["--version"]:
        print(f"dualgate {__version__}")
        return 0
    from dualgate.cli.main import main as run

    return run()


if __name__ == "__main__":
    sys.exit(main())
