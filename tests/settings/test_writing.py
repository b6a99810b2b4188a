"""The text of a new dualgate.toml."""

import tomllib

from dualgate.settings.resolving import SettingsFile, Source, resolve
from dualgate.settings.writing import Proposed, Setup, settings_text

SETUP = Setup(
    agent=Proposed(value="claude", reason="claude is installed."),
    reviewer=Proposed(value="codex", reason="Another agent reviews."),
    test_command=Proposed(value='make "té\x7fst" \\ x', reason="a long reason " * 10),
    checks={"lint": "make lint", "types": 'mypy "src"'},
    documents=Proposed(value=1),
    adr_required=Proposed(value=False),
    max_duration=14400.0,
    max_cost=Proposed(value=10),
)
NOTHING = Setup(
    agent=Proposed(reason="No agent is installed."),
    reviewer=Proposed(reason="No second agent."),
    test_command=Proposed(reason="No tests."),
    checks={},
    documents=Proposed(value=3),
    adr_required=Proposed(value=True),
    max_duration=90.0,
    max_cost=Proposed(reason="It needs prices."),
)


def test_the_text_can_be_read_as_settings() -> None:
    text = settings_text(SETUP)
    settings = resolve({}, {}, [SettingsFile(path="dualgate.toml", source=Source.PROJECT_FILE, text=text)]).settings

    assert (settings.agent, settings.agents["qa"].agent) == ("claude", "codex")
    assert (settings.test_command, settings.checks) == (
        'make "té\x7fst" \\ x',
        {"lint": "make lint", "types": 'mypy "src"'},
    )
    assert (settings.documents, settings.adr_required) == (1, False)
    assert (settings.max_duration, settings.max_cost) == (14400.0, 10.0)
    assert all(len(line) <= 80 for line in text.splitlines() if line.startswith("#"))


def test_what_was_not_found_is_a_comment() -> None:
    text = settings_text(NOTHING)

    assert tomllib.loads(text) == {"documents": 3, "adr_required": True, "max_duration": "1m30s"}
    assert "# No agent is installed.\n" in text
