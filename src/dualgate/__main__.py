"""`dualgate` and `python -m dualgate`: the version and hooks are answered before the command line is imported."""

import sys

from dualgate import __version__


def main() -> int:
    if sys.argv[1:] == ["--version"]:
        print(f"dualgate {__version__}")
        return 0
    if sys.argv[1:2] == ["hook"]:
        from dualgate.hooks.entry import answer_call, is_hook_call

        if is_hook_call(sys.argv[1:]):
            return answer_call(sys.argv[2], sys.argv[4])
    from dualgate.cli.main import main as run

    return run()


if __name__ == "__main__":
    if not sys.flags.safe_path:
        # the present folder: modules of the project must not be imported in place of ours
        del sys.path[0]
    sys.exit(main())
