"""Outputs of test runs that are removed before a probe."""

from pathlib import Path

from dualgate.core.values.changes import RUN_NUMBER
from dualgate.runners.reporters.probes.outputs import remove_outputs


def test_outputs_with_any_number_or_random_name_are_removed_and_others_stay(tmp_path: Path) -> None:
    for name in ("report-12.txt", "report-c0ffee1.txt", "report-last.txt", "tmpab12cd_9.db"):
        (tmp_path / name).touch()

    remove_outputs(str(tmp_path), ["report-<n>.txt", "tmp<n>.db"], RUN_NUMBER.pattern)

    assert [path.name for path in tmp_path.iterdir()] == ["report-last.txt"]
