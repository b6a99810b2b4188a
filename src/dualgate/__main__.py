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
    if not sys.flags.safe_path:
        # the present folder: modules of the project must not be imported in place of ours
        del sys.path[0]
    sys.exit(main())
