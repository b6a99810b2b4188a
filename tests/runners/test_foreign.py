from pathlib import Path

import pytest

from dualgate.runners.foreign import is_foreign

PYPROJECT = """
[project]
name = "shop"
dependencies = ["Some_Client>=2", "shop"]
optional-dependencies = {fast = ["speedups[all]; python_version > '3'"]}
[dependency-groups]
dev = ["tool-box", {include-group = "docs"}]
"""


@pytest.mark.parametrize("name", ["some_client", "speedups", "tool_box", "numpy", "listed"])
def test_a_dependency_belongs_to_somebody_else(tmp_path: Path, name: str) -> None:
    (tmp_path / "pyproject.toml").write_text(PYPROJECT)
    (tmp_path / "requirements-dev.txt").write_text("# tools\nlisted==1\n")

    assert is_foreign(tmp_path, name)


@pytest.mark.parametrize("name", ["", "tariff", "shop"])
def test_any_other_module_may_be_added_by_the_work(tmp_path: Path, name: str) -> None:
    (tmp_path / "pyproject.toml").write_text(PYPROJECT)
    (tmp_path / "src" / "shop").mkdir(parents=True)

    assert not is_foreign(tmp_path, name)


def test_a_project_file_that_cannot_be_read_names_nothing(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[project")

    assert not is_foreign(tmp_path, "some_client")
