import json
from pathlib import Path

from tests.support import Dualgate


def test_the_table_tells_every_value_and_where_it_came_from(dualgate: Dualgate, project: Path) -> None:
    (project / "dualgate.toml").write_text('documents = 1\n[suites.web]\ncommand = "npm test"\n')

    ended = dualgate("config", "--timeout", "1h30m", DUALGATE_MAX_ITERATIONS="7")

    rows = {line.split()[0]: line.split(maxsplit=2)[1:] for line in ended.out.splitlines()[1:]}
    assert ended.code == 0
    assert rows["documents"] == ["1", f"project file {project}/dualgate.toml"]
    assert rows["max_iterations"] == ["7", "environment DUALGATE_MAX_ITERATIONS"]
    assert rows["timeout"] == ["1h30m", "flag --timeout"]
    assert rows["qa_returns"] == ["3", "default"]
    assert ended.out.splitlines()[-1].endswith(f"project file {project}/dualgate.toml")


def test_the_columns_are_aligned(dualgate: Dualgate) -> None:
    lines = dualgate("config", "--defaults").out.splitlines()

    column = lines[0].index("SOURCE")
    assert {line[column:] for line in lines[1:]} == {"default"}


def test_with_json_the_values_are_as_programs_want_them(dualgate: Dualgate, project: Path) -> None:
    (project / "pyproject.toml").write_text('[tool.dualgate]\ntimeout = "2m"\n')

    (record,) = dualgate("config", "--json").lines

    assert record["timeout"] == {
        "value": 120.0,
        "source": "project file",
        "where": f"{project}/pyproject.toml",
    }
    assert (record["max_cost"]["value"], record["max_cost"]["where"]) == (None, None)


def test_one_setting_is_shown_with_what_it_is_for(dualgate: Dualgate) -> None:
    assert dualgate("config", "--show", "retry_delay").out == (
        "retry_delay = 0s\n"
        "source  environment DUALGATE_RETRY_DELAY\n"
        "what    Wait before a failed call is retried; doubled with each failure in a row.\n"
        "legal   a duration such as 90s, 30m or 1h30m (a number is seconds)\n"
    )


def test_a_group_is_shown_alone(dualgate: Dualgate) -> None:
    shown = json.loads(dualgate("config", "--show", "breaker.GREEN", "--json").out)

    assert list(shown) == ["breaker.GREEN.no_progress", "breaker.GREEN.same_error"]


def test_a_name_that_is_none_is_refused_with_the_nearest(dualgate: Dualgate) -> None:
    ended = dualgate("config", "--show", "time_out")

    assert (ended.code, ended.out) == (1, "")
    assert ended.err == (
        "dualgate: There is no setting time_out.\nDid you mean timeout? All names: dualgate config --defaults\n"
    )


def test_a_bad_file_ends_config_and_run_with_1_and_not_what_needs_no_settings(
    dualgate: Dualgate, project: Path
) -> None:
    (project / "dualgate.toml").write_text("documents = = 1")
    message = f"dualgate: {project}/dualgate.toml is not valid TOML: Invalid value (at line 1, column 13).\n"

    for words in (("config",), ("run", "SPEC.md", "--agent", "rehearsal")):
        ended = dualgate(*words)
        assert (ended.code, ended.err.startswith(message)) == (1, True)
    assert dualgate("config", "--defaults").code == 0
    assert dualgate("schema", "--help").code == 0


def test_a_duration_that_is_none_is_a_wrong_call(dualgate: Dualgate) -> None:
    ended = dualgate("config", "--timeout", "soon")

    assert ended.code == 2
    assert "'soon' is not a duration such as 90s, 30m or 1h30m" in ended.err


def test_budgets_are_given_by_flags_and_a_wrong_one_is_a_wrong_call(dualgate: Dualgate) -> None:
    given = dualgate("config", "--json", "--max-tokens", "off", "--budget", "green.tokens=200000", "--max-cost", "2.5")
    wrong = [dualgate("config", *words).err for words in (("--max-cost", "0"), ("--budget", "BLUE.cost=1"))]

    (record,) = given.lines
    assert [record[name]["value"] for name in ("max_tokens", "budget.GREEN.tokens", "max_cost")] == [None, 200000, 2.5]
    assert record["budget.GREEN.tokens"]["where"] == "--budget"
    assert "'0' is not a number above 0, or off." in wrong[0]
    assert "'BLUE.cost=1' is not a budget. Examples: GREEN.tokens=200000, GREEN.cost=5, QA.calls=3." in wrong[1]
