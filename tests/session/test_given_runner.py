from pathlib import Path

from dualgate.cli.run import run
from dualgate.core.values.vocabulary import RunnerName
from dualgate.session.suites import plan_of
from dualgate.settings import Settings


def test_the_runner_that_advice_names_is_an_option_of_a_run(tmp_path: Path) -> None:
    settings = Settings(test_command="make test", runner=RunnerName.TAP)

    (suite,) = plan_of(settings, tmp_path, {}).suites

    assert (suite.runner, suite.command) == ("tap", ("make", "test"))
    assert "--runner" in {flag for option in run.params for flag in option.opts}
