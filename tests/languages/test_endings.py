import pytest

from dualgate.core.evidence.examine import changed_by_surroundings
from dualgate.core.values.changes import Changes
from dualgate.core.values.endings import CODE
from dualgate.languages.base import Language
from dualgate.languages.registry import LANGUAGES
from dualgate.testing import failed


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda each: each.name)
def test_every_ending_of_a_language_is_one_of_code(language: Language) -> None:
    assert {*language.sources, *language.class_endings, *language.silent_endings} <= CODE


@pytest.mark.parametrize(("ending", "is_changed"), [(".kts", False), (".java", False), (".json", True)])
def test_a_new_module_beside_tests_changes_none_of_them_in_any_language(ending: str, is_changed: bool) -> None:
    path = f"tests/new{ending}"
    test = failed("test_a", file="tests/test_a.py")

    found = changed_by_surroundings([test], Changes(tree="t", added=(path,), support=(path,)))

    assert found == ({test.id} if is_changed else set())
