"""What steers a test run, in every kind of file: functions of a path and its bytes. Only `commands` reads files."""

from dualgate.workspace.steering.additions import only_adds
from dualgate.workspace.steering.commands import NOTHING_CALLED, Called, read_called, usual_command
from dualgate.workspace.steering.parts import code_part, loads_plugins, mend, steering_part
from dualgate.workspace.steering.paths import (
    NO_PATTERNS,
    Patterns,
    is_document,
    is_fixture,
    is_in_test_folder,
    is_steering,
    is_test_file,
    names_dependencies,
    read_patterns,
    shadows,
)
from dualgate.workspace.steering.regions import broken_regions, has_regions, is_always_run, mend_regions, regions
from dualgate.workspace.steering.sections import OWN_PLACES, own_part

__all__ = [
    "NOTHING_CALLED",
    "NO_PATTERNS",
    "OWN_PLACES",
    "Called",
    "Patterns",
    "broken_regions",
    "code_part",
    "has_regions",
    "is_always_run",
    "is_document",
    "is_fixture",
    "is_in_test_folder",
    "is_steering",
    "is_test_file",
    "loads_plugins",
    "mend",
    "mend_regions",
    "names_dependencies",
    "only_adds",
    "own_part",
    "read_called",
    "read_patterns",
    "regions",
    "shadows",
    "steering_part",
    "usual_command",
]
