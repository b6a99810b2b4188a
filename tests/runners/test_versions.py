"""Versions of programs, read from the files that their installers leave."""

import json
from pathlib import Path

import pytest

from dualgate.runners.versions import tools_of

JEST = json.dumps({"name": "jest", "version": "29.7.0"})
PLACES = [
    (
        {
            ".venv/bin/ruff": "",
            ".venv/pyvenv.cfg": "home = /x\nversion = 3.11.7\n",
            ".venv/lib/python3.11/site-packages/ruff-0.4.4.dist-info/METADATA": "",
        },
        ".venv/bin/ruff",
        ("python 3.11.7", "ruff 0.4.4"),
    ),
    (
        {".venv/bin/python": "", ".venv/pyvenv.cfg": "version_info = 3.12.1.final.0\n"},
        ".venv/bin/python",
        ("python 3.12.1.final.0",),
    ),
    (
        {
            "node_modules/jest/bin/jest.js": "",
            "node_modules/jest/package.json": JEST,
        },
        "node_modules/jest/bin/jest.js",
        ("jest 29.7.0",),
    ),
    ({"go/bin/go": "", "go/VERSION": "go1.22.1\ntime x\n"}, "go/bin/go", ("go 1.22.1",)),
    ({"versions/node/v20.11.0/bin/node": ""}, "versions/node/v20.11.0/bin/node", ("node 20.11.0",)),
    ({"bin/make": "", "package.json": json.dumps({"name": "mine", "version": "1.0"})}, "bin/make", ("make",)),
    ({}, "bin/missing", ("missing",)),
]


@pytest.mark.parametrize(("files", "program", "tools"), PLACES)
def test_the_version_of_a_program_is_known_without_running_it(
    tmp_path: Path, files: dict[str, str], program: str, tools: tuple[str, ...]
) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)

    assert tools_of([str(tmp_path / program)]) == tools
