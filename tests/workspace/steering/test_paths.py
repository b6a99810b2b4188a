import pytest

from dualgate.workspace.steering.paths import (
    is_in_test_folder,
    is_test_file,
    names_dependencies,
    read_patterns,
    shadows,
)

SHADOWING = [
    *("pytest.py", "_pytest/__init__.py", "pytest_cov.py", "json.py", "unittest/__init__.py", "src/pluggy.py"),
    *("tests/pytest.py", "tests/unit/hypothesis.py", "tests/random.py", "tests/json/__init__.py"),
]
NOT_SHADOWING = [
    *("types/index.ts", "email/welcome.html", "src/types.py", "app/json.py", "test/__init__.py", "jest.js"),
    *("src/app/testing/types.py", "tests/test_json.py", "tests/data/json.txt"),
]


@pytest.mark.parametrize("path", SHADOWING)
def test_a_module_in_the_place_of_the_runner_s_is_known(path: str) -> None:
    assert shadows(path)


@pytest.mark.parametrize("path", NOT_SHADOWING)
def test_what_nothing_imports_in_place_of_another_shadows_nothing(path: str) -> None:
    assert not shadows(path)


@pytest.mark.parametrize(
    "path", ["a_test.go", "src/a.test.tsx", "ATest.java", "a_spec.rb", "src/tests.rs", "test_a.py", "spec/appSpec.js"]
)
def test_files_of_tests_are_known_by_name(path: str) -> None:
    assert is_test_file(path)


@pytest.mark.parametrize("path", ["contest.py", "latest.js", "attest.go", "src/lib.rs", "Testament.md"])
def test_other_files_are_not(path: str) -> None:
    assert not is_test_file(path)


def test_what_stands_with_tests_is_theirs_but_for_its_read_me() -> None:
    assert is_in_test_folder("pkg/testdata/golden.txt")
    assert is_in_test_folder("spec/spec_helper.rb")
    assert is_in_test_folder("spec/helpers/near.js")
    assert not is_in_test_folder("spec/openapi.yaml")
    assert not is_in_test_folder("tests/README.md")


@pytest.mark.parametrize(
    "path", ["pyproject.toml", "requirements/dev.txt", "requirements-dev.txt", "web/package.json", "uv.lock", "go.sum"]
)
def test_files_that_name_dependencies_are_known(path: str) -> None:
    assert names_dependencies(path)
    assert not names_dependencies(f"{path}.md".replace("requirements/", ""))


def test_a_project_may_freeze_more_and_free_some() -> None:
    patterns = read_patterns(frozen=["golden/", "*.snap"], allowed=["golden/free/**"])

    assert patterns.freezes("golden/a")
    assert patterns.freezes("x/y.snap")
    assert not patterns.freezes("golden/free/a")
    assert patterns.allows("golden/free/a")
