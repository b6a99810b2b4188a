"""The code of templates: compiled once, and again where the source differs."""

from jinja2 import DictLoader, Environment

from dualgate.core.prompt.compiled import CompiledTemplates


def rendered(cache: CompiledTemplates, source: str) -> str:
    return Environment(loader=DictLoader({"a.md": source}), bytecode_cache=cache).get_template("a.md").render(x=1)


def test_a_template_is_compiled_once_for_every_environment() -> None:
    cache = CompiledTemplates()
    first = rendered(cache, "{{ x }} of 2")
    (code,) = cache.kept.values()

    assert (first, rendered(cache, "{{ x }} of 2")) == ("1 of 2", "1 of 2")
    assert [each is code for each in cache.kept.values()] == [True]


def test_another_source_under_the_same_name_is_compiled() -> None:
    cache = CompiledTemplates()

    assert [rendered(cache, "{{ x }}"), rendered(cache, "not {{ x }}")] == ["1", "not 1"]


def test_what_has_no_room_is_compiled_each_time() -> None:
    cache = CompiledTemplates(most=1)

    assert [rendered(cache, text) for text in ("a{{ x }}", "b{{ x }}", "b{{ x }}")] == ["a1", "b1", "b1"]
    assert len(cache.kept) == 1
