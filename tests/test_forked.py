"""What the tests of whole runs stand on: pytest is forked from dualgate, and started where a test is `whole`."""

from pathlib import Path

import pytest

from tests.support import Dualgate

ASKING = "import sys\n\ndef test_asks():\n    open({!r}, 'w').write(str('dualgate' in sys.modules))\n"


@pytest.fixture
def asked(project: Path, tmp_path: Path) -> Path:
    """Where the tests of the project write down whether their process has imported dualgate."""
    (project / "tests" / "test_old.py").write_text(ASKING.format(str(tmp_path / "asked")))
    return tmp_path / "asked"


def test_pytest_is_forked_from_dualgate(dualgate: Dualgate, asked: Path) -> None:
    assert (dualgate("tests").code, asked.read_text()) == (0, "True")


@pytest.mark.whole
def test_pytest_is_started_where_a_test_is_whole(dualgate: Dualgate, asked: Path) -> None:
    assert (dualgate("tests").code, asked.read_text()) == (0, "False")
