from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dualgate.core.values.limits import Price, Thresholds
from dualgate.core.values.suite import Services, Suite
from dualgate.core.values.vocabulary import Phase, Workflow
from dualgate.errors import SettingError
from dualgate.settings import Settings
from dualgate.settings.resolving import Origin, SettingsFile, Source, Sourced, resolve

SHARED = ("tool", "dualgate")


def user(text: str) -> SettingsFile:
    return SettingsFile(path="~/config.toml", source=Source.USER_FILE, text=text)


def project(text: str) -> SettingsFile:
    return SettingsFile(path="dualgate.toml", source=Source.PROJECT_FILE, text=text)


def shared(text: str) -> SettingsFile:
    return SettingsFile(path="pyproject.toml", source=Source.PROJECT_FILE, text=text, table=SHARED)


def of_project(text: str) -> Sourced:
    return resolve({}, {}, [project(text)])


def refusal(text: str) -> str:
    with pytest.raises(SettingError) as caught:
        of_project(text)
    return str(caught.value)


def refused(flags: dict[str, Any], *files: SettingsFile) -> str:
    """Why, or nothing where all is well."""
    try:
        resolve({}, flags, files)
    except SettingError as error:
        return error.message
    return ""


def test_each_source_wins_over_those_before_it() -> None:
    names = ("max_iterations", "documents", "qa_returns", "amendments", "timeout")
    files = [
        project("max_iterations = 3\ndocuments = 3\nqa_returns = 13"),
        user("max_iterations = 2\ndocuments = 2\nqa_returns = 2\namendments = 12"),
    ]
    environment = {"DUALGATE_MAX_ITERATIONS": "4", "DUALGATE_DOCUMENTS": "14"}

    found = resolve(environment, {"max_iterations": 15, "documents": None, "spec": "x"}, files)

    assert [getattr(found.settings, name) for name in names] == [15, 14, 13, 12, 3600.0]
    assert [found.origin(name) for name in names] == [
        Origin(source=Source.FLAG, where="--max-iterations"),
        Origin(source=Source.ENVIRONMENT, where="DUALGATE_DOCUMENTS"),
        Origin(source=Source.PROJECT_FILE, where="dualgate.toml"),
        Origin(source=Source.USER_FILE, where="~/config.toml"),
        Origin(),
    ]


def test_without_anything_given_the_defaults_hold() -> None:
    assert resolve({"OTHER": "x", "DUALGATE_AGENT": ""}, {}).settings == Settings()


def test_tables_of_two_files_are_merged_key_by_key() -> None:
    found = resolve(
        {},
        {},
        [
            user('[breaker.GREEN]\nno_progress = 9\nsame_error = 9\n[suites.web]\ncommand = "a b"'),
            project('[breaker.GREEN]\nsame_error = 4\n[suites.web]\ntimeout = "1m"'),
        ],
    )

    assert found.settings.breaker.thresholds[Phase.GREEN] == Thresholds(no_progress=9, same_error=4)
    assert found.settings.breaker.thresholds[Phase.RED] == Thresholds(no_progress=3, same_error=5)
    assert found.settings.suites["web"] == Suite(
        name="web", runner="", command=("a", "b"), timeout=60.0, reason="given"
    )


WHOLE = """
workflow = "ralph"
setup = ["npm", "ci"]
idle_timeout = "off"
adr_required = false
max_cost = 5
[guard]
frozen = ["golden/**"]
[snapshots]
largest_kept = "1MB"
[env]
up = "docker compose up -d"
patience = 90
[suites.unit]
command = ["pytest", "-q"]
required = false
[suites.web]
command = "cd web && npm test"
[agents.qa]
agent = "codex"
args = ["--fast"]
"""


def test_a_file_with_everything_is_read() -> None:
    found = of_project(WHOLE)
    settings = found.settings

    assert (settings.workflow, settings.setup, settings.idle_timeout) == (Workflow.RALPH, ("npm", "ci"), None)
    assert (settings.adr_required, settings.max_cost, settings.guard.frozen) == (False, 5.0, ("golden/**",))
    assert settings.snapshots.largest_kept == 1_000_000
    assert settings.env == Services(up="docker compose up -d", patience=90.0)
    assert settings.suites["unit"].command == ("pytest", "-q")
    assert settings.suites["web"].command == ("/bin/sh", "-c", "cd web && npm test")
    assert (settings.agents["qa"].agent, settings.agents["qa"].args) == ("codex", ("--fast",))
    assert [entry.key.name for entry in found.entries()][-3:] == [
        "suites.unit.command",
        "suites.unit.required",
        "suites.web.command",
    ]


def test_the_variables_of_every_kind_are_read() -> None:
    environment = {
        "DUALGATE_WAIT": "No",
        "DUALGATE_MAX_DURATION": "1h30m",
        "DUALGATE_MAX_COST": "2.50",
        "DUALGATE_MAX_TOKENS": "off",
        "DUALGATE_GUARD_FROZEN": "a/**, b/*",
        "DUALGATE_BREAKER_QA_SAME_ERROR": "7",
        "DUALGATE_SNAPSHOTS_LARGEST_KEPT": "2GiB",
        "DUALGATE_SETUP": "make deps",
    }
    settings = resolve(environment, {}).settings

    assert (settings.wait, settings.max_duration, settings.max_cost, settings.max_tokens) == (False, 5400.0, 2.5, None)
    assert (settings.guard.frozen, settings.breaker.thresholds[Phase.QA].same_error) == (("a/**", "b/*"), 7)
    assert (settings.snapshots.largest_kept, settings.setup) == (2 << 30, ("make", "deps"))


def test_an_agent_named_by_a_later_source_beats_the_other_way_of_naming_one() -> None:
    by_flag = resolve({"DUALGATE_AGENT": "rehearsal"}, {"agent_command": "my-agent"}).settings
    by_file = resolve({"DUALGATE_AGENT": "rehearsal"}, {}, [project('agent_command = "my-agent"')]).settings
    in_one = of_project('agent = "rehearsal"\nagent_command = "my-agent"').settings

    assert (by_flag.agent, by_flag.agent_command) == (None, "my-agent")
    assert (by_file.agent, by_file.agent_command) == ("rehearsal", None)
    assert (in_one.agent, in_one.agent_command) == ("rehearsal", "my-agent")


def test_a_shared_file_holds_them_in_its_table_or_not_at_all() -> None:
    assert resolve({}, {}, [shared("[tool.dualgate]\ndocuments = 1")]).settings.documents == 1
    assert resolve({}, {}, [shared('[project]\ndependencies = ["dualgate"]')]).settings == Settings()
    assert resolve({}, {}, [shared("this is broken, and not ours")]).settings == Settings()


def test_settings_in_both_places_of_a_project_are_an_error_that_names_both() -> None:
    with pytest.raises(SettingError, match=r"Both dualgate\.toml and pyproject\.toml have settings"):
        resolve({}, {}, [project(""), shared("[tool.dualgate]")])


def test_a_table_of_ours_that_is_none_is_an_error() -> None:
    with pytest.raises(SettingError, match=r"pyproject\.toml: tool\.dualgate is not a table"):
        resolve({}, {}, [shared("[tool]\ndualgate = 3")])


UNKNOWN = [
    ("max_iteration = 3", "dualgate.toml: there is no setting max_iteration.\nDid you mean max_iterations?"),
    ("Timeout = 3", "there is no setting Timeout.\nDid you mean timeout?"),
    ("[breaker.green]\nno_progress = 3", "there is no setting breaker.green.\nDid you mean breaker.GREEN?"),
    ("[breaker.GREEN]\nprogress = 3", "breaker.GREEN.progress.\nDid you mean breaker.GREEN.no_progress?"),
    ("[suites.web]\ncomand = 'x'", "suites.web.comand.\nDid you mean suites.web.command?"),
    ("[agents.tester]\nagent = 'x'", "unknown name agents.tester; names are default, red, green"),
    ("[suites.'a b']\ncommand = 'x'", "unknown name suites.a b; names are made of letters"),
    ("xyzzy = 1", "there is no setting xyzzy.\nAll names: dualgate config --defaults"),
]


@pytest.mark.parametrize(("text", "message"), UNKNOWN)
def test_an_unknown_key_is_an_error_with_the_nearest_name(text: str, message: str) -> None:
    assert message in refusal(text)


WRONG = [
    ('max_iterations = "many"', "dualgate.toml: max_iterations is 'many'; legal is a whole number from 1 on."),
    ("max_iterations = 0", "max_iterations is 0; legal is"),
    ("max_iterations = true", "max_iterations is true; legal is"),
    ("max_iterations = 2.0", "max_iterations is 2.0; legal is"),
    (
        "timeout = 0.5",
        "timeout is 0.5; legal is a duration such as 90s, 30m or 1h30m (a number is seconds), from 1s on",
    ),
    ("timeout = 1979-05-27", "timeout is 1979-05-27; legal is"),
    ("retry_delay = inf", "retry_delay is inf; legal is"),
    ("timeout = 'off'", "timeout is 'off'; legal is"),
    ("workflow = 'waterfall'", "workflow is 'waterfall'; legal is one of tdd, ralph."),
    ("workflow = 3", "workflow is 3; legal is one of tdd, ralph."),
    ("workflow = []", "workflow is []; legal is one of tdd, ralph."),
    ("wait = 'yes'", "wait is 'yes'; legal is true or false."),
    ("agent = ' '", "agent is ' '; legal is a text that is not empty."),
    ("agent = {name = 'x'}", "agent is a table; legal is a text"),
    ("setup = []", "setup is []; legal is a command line, or a list of its words."),
    ("setup = ['a', 3]", 'setup is ["a", "3"]; legal is a command line'),
    ("max_cost = -1", "max_cost is -1; legal is a number above 0, or off."),
    ("max_cost = true", "max_cost is true; legal is"),
    ("[prices.m]\ninput = -1", "prices.m.input is -1; legal is dollars for a million tokens, from 0 on."),
    ("[prices.m]\noutput = false", "prices.m.output is false; legal is"),
    ("guard = ['x']", 'guard is ["x"]; legal is a table.\nWrite [guard] above its keys.'),
    ("suites = 3", "suites is 3; legal is a table."),
    ('checks = ["make lint"]', 'checks is ["make lint"]; legal is a table.\nWrite [checks] above its keys.'),
    ("[checks]\nlint = 3", "checks.lint is 3; legal is a text that is not empty."),
    ("[checks.lint]\ncommand = 'x'", "checks.lint is a table; legal is a text that is not empty."),
    ("[checks]\n'a b' = 'x'", "unknown name checks.a b; names are made of letters"),
    ("suites.web = 3", "suites.web is 3; legal is a table."),
    ("[guard]\nfrozen = 'x'", "guard.frozen is 'x'; legal is a list of texts"),
    ("[snapshots]\nlargest_kept = '3 apples'", "snapshots.largest_kept is '3 apples'; legal is bytes"),
    (f"agent = ['{'x' * 200}']", "xxx…; legal is"),
]


@pytest.mark.parametrize(("text", "message"), WRONG)
def test_a_wrong_value_is_named_with_its_file_key_and_what_is_legal(text: str, message: str) -> None:
    assert message in refusal(text)


BROKEN = [
    ("a = = 2", "dualgate.toml is not valid TOML: Invalid value (at line 1, column 5)."),
    ("documents = 1\ndocuments = 2\n", "dualgate.toml is not valid TOML: Cannot overwrite a value (at line 2,"),
    (f"documents = {'9' * 5000}", "dualgate.toml is not valid TOML: Exceeds the limit"),
    (f"documents = {'[' * 100_000}", "dualgate.toml is nested too deeply"),
]


@pytest.mark.parametrize(("text", "message"), BROKEN, ids=["value", "twice", "long", "deep"])
def test_a_broken_file_is_named_with_the_place(text: str, message: str) -> None:
    assert message in refusal(text)


WRONG_VARIABLES = [
    ("TEST_TIMEOUT", "soon"),
    ("TEST_TIMEOUT", "nan"),
    ("MAX_ITERATIONS", "-3"),
    ("MAX_ITERATIONS", "9" * 5000),
    ("RETRY_DELAY", "inf"),
    ("WAIT", "maybe"),
]


@pytest.mark.parametrize(("name", "text"), WRONG_VARIABLES)
def test_a_variable_that_is_not_legal_is_refused_by_its_name(name: str, text: str) -> None:
    with pytest.raises(SettingError, match=f"DUALGATE_{name} is '{text[:70]}"):
        resolve({f"DUALGATE_{name}": text}, {})


def test_a_slip_in_the_name_of_a_variable_is_refused_and_others_are_left_alone() -> None:
    with pytest.raises(
        SettingError, match=r"no variable DUALGATE_MAX_ITERATION\.\nDid you mean DUALGATE_MAX_ITERATIONS"
    ):
        resolve({"DUALGATE_MAX_ITERATION": "3"}, {})
    with pytest.raises(SettingError, match=r"DUALGATE_AGENT_TIMEOUT\.\nDid you mean DUALGATE_TIMEOUT\?"):
        resolve({"DUALGATE_AGENT_TIMEOUT": "3"}, {})
    own = ("PHASE", "ITERATION", "ROLE", "SESSION_ID", "ORIGIN", "PROJECT")
    assert resolve({f"DUALGATE_{name}": "x" for name in own}, {}).settings == Settings()


def test_a_flag_that_is_not_legal_is_refused_by_its_name() -> None:
    with pytest.raises(SettingError, match="--agent-command is ''; legal is"):
        resolve({}, {"agent_command": ""})


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(), lambda inner: st.lists(inner, max_size=3)
)


@given(st.sampled_from(["timeout", "documents", "agent", "setup", "wait", "max_cost", "workflow"]), values)
def test_any_value_is_taken_or_refused_with_an_explanation(name: str, value: Any) -> None:
    assert "legal is" in refused({name: value}) or resolve({}, {name: value}).settings


@given(st.text())
def test_any_text_of_a_file_is_taken_or_refused_with_its_name(text: str) -> None:
    assert refused({}, project(text)).startswith("dualgate.toml") or of_project(text).settings


def test_prices_are_named_by_models_whose_names_have_dots_and_stars() -> None:
    text = """
[prices."gpt-5.1*"]
input = 1.25
output = 10
[prices."local/llama:7b"]
input = 0
output = 0
cached = 0
"""
    file = SettingsFile(path="dualgate.toml", source=Source.PROJECT_FILE, text=text)

    found = resolve({}, {}, [file])

    assert found.settings.prices == {
        "gpt-5.1*": Price(input=1.25, output=10.0),
        "local/llama:7b": Price(input=0.0, output=0.0, cached=0.0),
    }
    assert "prices.gpt-5.1*.input" in [entry.key.name for entry in found.entries()]


def test_checks_are_commands_by_name() -> None:
    own = project('[checks]\nlint = "ruff check ."\ntypes = "mypy"')

    found = resolve({}, {}, [user('[checks]\nlint = "flake8"'), own])

    assert found.settings.checks == {"lint": "ruff check .", "types": "mypy"}
    assert [entry.key.name for entry in found.entries()][-2:] == ["checks.lint", "checks.types"]


def test_accepted_findings_have_an_id_and_a_reason() -> None:
    settings = of_project('[verify]\nallow = ["lost-test-1a2b3c4d: the feature is gone"]\nbudget = "90s"').settings

    assert settings.verify.allow == ("lost-test-1a2b3c4d: the feature is gone",)
    assert settings.verify.budget == 90.0
    assert "legal is a list of texts `ID: reason`" in refusal('[verify]\nallow = ["lost-test-1a2b3c4d"]')
    assert "legal is a list of texts `ID: reason`" in refusal('[verify]\nallow = ["lost-test-1a2b3c4d: "]')
