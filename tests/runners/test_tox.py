"""tox passes on the variables of the reporter, whatever its settings name."""

from pathlib import Path

import pytest

from dualgate.runners.tox import NAME, NEEDED, with_tox

OWN = "[testenv:own]\npassenv = HOME\n[testenv:plain]\ndeps = pytest\n"
SETTINGS = {
    "tox.ini": ("[testenv]\ncommands = pytest\n" + OWN, ["testenv", "testenv:own"]),
    "tox.toml": ('[env.own]\npass_env = ["A"]\n[env.plain]\ndeps = ["b"]\n', ["env_run_base", "env.own"]),
    "pyproject.toml": ("[tool.tox]\nno_package = true\n[tool.tox.env.a]\n", ["tool.tox.env_run_base"]),
}


@pytest.mark.parametrize(("name", "text", "sections"), [(name, *each) for name, each in SETTINGS.items()])
def test_every_environment_with_a_list_of_its_own_is_named(
    name: str, text: str, sections: list[str], tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text)

    assert with_tox({}, tmp_path)[NAME] == ";".join(f"{each}.pass_env+={NEEDED}" for each in sections)


def test_settings_of_an_old_tox_in_a_project_file_are_read(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(f'[tool.tox]\nlegacy_tox_ini = """\n{OWN}"""\n')

    assert with_tox({}, tmp_path)[NAME].count("testenv") == 2


def test_overrides_of_the_user_stay(tmp_path: Path) -> None:
    (tmp_path / "tox.ini").write_text("[tox]\n")

    assert with_tox({NAME: "testenv.deps=b"}, tmp_path)[NAME].startswith("testenv.deps=b;testenv.")


@pytest.mark.parametrize("text", ["no settings", "[tool]\na = 1", "tool = 1", "[tool.tox", "\0"])
def test_a_project_without_tox_is_started_as_it_is(text: str, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(text)

    assert with_tox({"A": "b"}, tmp_path) == {"A": "b"}
