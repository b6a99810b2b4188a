"""Test runs that load no plugin of the environment of these tests, which would take longer than the runs themselves."""

import pytest


@pytest.fixture(autouse=True)
def no_plugins_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
