import pytest

from dualgate.core.values.changes import is_output

MATCHED = [
    ("*.log", "a/b.log"),
    ("run-<n>.txt", "run-12.txt"),
    ("htmlcov/*", "htmlcov/js/x.js"),
    ("a[[]1].txt", "a[1].txt"),
]
OTHERS = [("*.log", "a.log.py"), ("run-<n>.txt", "run-x.txt"), ("out.txt", "sub/out.txt"), ("v1.txt", "v2.txt")]


@pytest.mark.parametrize(("pattern", "path"), MATCHED)
def test_an_output_is_known_by_its_pattern(pattern: str, path: str) -> None:
    assert is_output(path, ("nothing", pattern))


@pytest.mark.parametrize(("pattern", "path"), OTHERS)
def test_another_path_is_no_output(pattern: str, path: str) -> None:
    assert not is_output(path, (pattern,))
