"""A setting is one entry of the declaration; everything else is made from it."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import dualgate

ENTRY = '    shades: int = key(3, whole(1), "Shades of grey that are shown.", flag="--shades, --greys N")\n'
HEAD = "class Settings(Group):\n"


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package with one entry more."""
    folder = tmp_path_factory.mktemp("house")
    shutil.copytree(Path(dualgate.__file__).parent, folder / "dualgate", ignore=shutil.ignore_patterns("__pycache__"))
    declaration = folder / "dualgate" / "settings" / "declaration.py"
    declaration.write_text(declaration.read_text(encoding="utf-8").replace(HEAD, HEAD + ENTRY), encoding="utf-8")
    return folder


def told(house: Path, *words: str, **variables: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(house), "HOME": str(house), **variables}
    return subprocess.run(
        [sys.executable, *words], cwd=house, env=environment, capture_output=True, text=True, check=True
    ).stdout


def shown(house: Path, *flags: str, **variables: str) -> tuple[int, str]:
    words = ("-m", "dualgate", "config", "--json", *flags)
    entry = json.loads(told(house, *words, **variables))["shades"]
    return entry["value"], entry["source"]


def test_a_new_entry_is_a_name_in_files_a_variable_and_a_flag(house: Path) -> None:
    assert shown(house) == (3, "default")
    (house / "dualgate.toml").write_text("shades = 4\n")
    assert shown(house) == (4, "project file")
    assert shown(house, DUALGATE_SHADES="5") == (5, "environment")
    assert shown(house, "--greys", "6", DUALGATE_SHADES="5") == (6, "flag")


def test_a_new_entry_is_in_the_help_of_every_command_that_takes_settings(house: Path) -> None:
    for command in ("run", "resume", "doctor", "config"):
        page = " ".join(told(house, "-m", "dualgate", command, "--help").split())
        assert "--shades, --greys N Shades of grey that are shown. Default: 3." in page


def test_a_new_entry_is_kept_with_a_session_and_explained_in_the_documents(house: Path) -> None:
    code = "from dualgate.settings import *; from dualgate.settings.keeping import *; print(kept_settings(Settings()))"
    kept = told(house, "-c", code)
    root = Path(__file__).parents[2]
    draw = f"import sys; sys.path.append({str(root)!r}); from tools.draw_settings import page; print(page())"
    table = told(house, "-c", draw)

    assert "'shades': 3" in kept
    assert "| `shades` | `--shades` `--greys` | 3 | Shades of grey that are shown. |" in table
