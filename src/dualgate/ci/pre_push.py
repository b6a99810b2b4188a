"""The hook of pre-commit: verify the commits that are pushed, or the work tree where a person runs it by hand."""

import os
import sys
from collections.abc import Mapping, Sequence
from typing import NoReturn

PUSHED = "PRE_COMMIT_TO_REF"
OF_PRE_COMMIT = "PRE_COMMIT"


def main() -> NoReturn:
    """Become `dualgate verify`, with the words of the configuration."""
    words = verify_words(sys.argv[1:], os.environ)
    # isolated: no module of the project is imported in place of ours
    argv = [sys.executable, "-I", "-m", "dualgate", *words]
    os.execve(sys.executable, argv, surroundings(os.environ, sys.prefix))


def verify_words(given: Sequence[str], environment: Mapping[str, str]) -> list[str]:
    """`--head` is the pushed commit, which need not be checked out; a `--head` that is given stays."""
    pushed = environment.get(PUSHED, "")
    is_given = any(word.partition("=")[0] == "--head" for word in given)
    return ["verify", *([f"--head={pushed}"] if pushed and not is_given else []), *given]


def surroundings(environment: Mapping[str, str], ours: str) -> dict[str, str]:
    """The environment without that of the hook, which pre-commit activates: the tests have the project's own."""
    kept = {name: value for name, value in environment.items() if not name.startswith(OF_PRE_COMMIT)}
    if os.path.realpath(kept.get("VIRTUAL_ENV", "")) == os.path.realpath(ours):
        del kept["VIRTUAL_ENV"]
    path = kept.get("PATH", os.defpath).split(os.pathsep)
    theirs = (each for each in path if os.path.realpath(each) != os.path.realpath(f"{ours}/bin"))
    return {**kept, "PATH": os.pathsep.join(theirs)}


if __name__ == "__main__":
    main()
