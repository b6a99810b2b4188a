"""JSON, XML and Gradle files that tests share with other tools -> the part that concerns tests."""

import re
from collections.abc import Callable
from xml.etree import ElementTree

from dualgate.languages.jvm import KOTLIN
from dualgate.workspace.steering.formats import json_value, or_plain, plain, text_of
from dualgate.workspace.steering.lexer import Token, form_of_tokens, tokens_of
from dualgate.workspace.steering.sections import Pick, Table, at, pick_scripts, picked_part, present
from dualgate.workspace.steering.targets import Words

RUNNER_SECTIONS = (
    "jest", "mocha", "vitest", "ava", "karma", "nyc", "c8", "tap", "jasmine", "babel", "wireit", "playwright"
)  # fmt: skip
_RUNNER_PACKAGES = re.compile(
    r"(?:node:)?test|node:assert.*|(?:@jest|@vitest|@playwright|@testing-library|@std/(?:assert|testing|expect))(?:/.*)?"
    r"|jest.*|vitest.*|mocha|chai.*|ava|tape?|expect|sinon|jasmine|assert|karma|cypress|supertest|uvu.*"
)


def pick_package(document: Table, words: Words) -> Table:
    scripts = pick_scripts(document.get("scripts"), words)
    return present({"scripts": scripts, **{name: document.get(name) for name in RUNNER_SECTIONS}})


def pick_deno(document: Table, words: Words) -> Table:
    imports = _of_runners(document.get("imports"))
    return present(
        {"test": document.get("test"), "tasks": pick_scripts(document.get("tasks"), words), "imports": imports}
    )


def pick_tsconfig(document: Table, _: Words) -> Table:
    """Only paths that replace a module of a runner; the other compiler options are not frozen."""
    return present({"paths": _of_runners(at(document, "compilerOptions", "paths"))})


def _of_runners(names: object) -> Table:
    if not isinstance(names, dict):
        return {}
    return {name: names[name] for name in sorted(names) if _RUNNER_PACKAGES.fullmatch(name.removesuffix("/"))}


def json_part(pick: Pick) -> Callable[[bytes, Words], str]:
    return picked_part(lambda content: json_value(content) if content.strip() else {}, pick)


_TEST_PLUGINS = frozenset(
    {"maven-surefire-plugin", "maven-failsafe-plugin", "jacoco-maven-plugin", "tycho-surefire-plugin"}
)
_TEST_ELEMENTS = frozenset(
    {"testSourceDirectory", "testResources", "argLine", "skipTests", "skipITs", "testFailureIgnore"}
)
_TEST_PROPERTIES = re.compile(
    r"maven\.test\..*|surefire\..*|failsafe\..*|test|it\.test|groups|excludedGroups|skip.*[Tt]ests?"
)


@or_plain
def pom_part(content: bytes, _: Words) -> str:
    """The plug-ins that run tests, and the properties and folders that they read."""
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
        return plain(content)
    if not content.strip():
        return ""
    return "\n".join(
        ElementTree.canonicalize(ElementTree.tostring(element, "unicode"), strip_text=True)
        for parent in ElementTree.fromstring(content).iter()
        for element in parent
        if _concerns_tests(_local(parent), element)
    )


def _concerns_tests(parent: str, element: ElementTree.Element) -> bool:
    name = _local(element)
    if name == "plugin":
        return any(_local(child) == "artifactId" and (child.text or "").strip() in _TEST_PLUGINS for child in element)
    return name in _TEST_ELEMENTS or (parent == "properties" and _TEST_PROPERTIES.fullmatch(name) is not None)


def _local(element: ElementTree.Element | str) -> str:
    tag = element if isinstance(element, str) else element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


_GRADLE_WORDS = frozenset({
    "test", "tests", "Test", "testing", "check", "useJUnitPlatform", "useJUnit", "useTestNG", "sourceSets",
    "allprojects", "subprojects", "gradle", "taskGraph", "exclude", "filter", "ignoreFailures", "testLogging",
})  # fmt: skip
_FREE_BLOCKS = frozenset({"dependencies", "plugins", "repositories", "group", "version", "description", "import"})


@or_plain
def gradle_part(content: bytes, words: Words) -> str:
    """The statements that name tests; dependencies of the build are not frozen."""
    statements, depth = list[list[Token]](), 0
    for token in tokens_of(text_of(content), KOTLIN):
        if depth == 0 and token.is_first:
            statements.append([])
        statements[-1].append(token)
        depth += (token.text in ("{", "(", "[")) - (token.text in ("}", ")", "]"))
    wanted = _GRADLE_WORDS | {word for word in words if word.isidentifier()}
    return "".join(form_of_tokens(each, KOTLIN) for each in statements if _names_tests(each, wanted))


def _names_tests(statement: list[Token], wanted: Words) -> bool:
    named = {word for token in statement for word in re.findall(r"\w+", token.text)}
    return statement[0].text not in _FREE_BLOCKS and not wanted.isdisjoint(named)


_PACKAGE_MANAGER_KEYS = re.compile(
    r"""\s*["']?(?:script-shell|node-options|shell|ignore-scripts|if-present|yarn-?path|nodeOptions|plugins|prefix"""
    r"""|globalconfig|userconfig|workspaces?|yarnPath|enableScripts)\b"""
)


def package_manager_part(content: bytes, _: Words) -> str:
    """The lines that change how a package manager runs scripts; registries of packages are not frozen."""
    return "\n".join(line.strip() for line in plain(content).splitlines() if _PACKAGE_MANAGER_KEYS.match(line))


def vite_part(form: Callable[[bytes], str]) -> Callable[[bytes, Words], str]:
    """The whole build configuration if it names tests, otherwise nothing."""

    def read(content: bytes, _: Words) -> str:
        return form(content) if re.search(rb"vitest|\btest\b", content) else ""

    return read
