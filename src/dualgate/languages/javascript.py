"""JavaScript and TypeScript: the test script of package.json, with the flags that make its tool write a report."""

import json
import re
from dataclasses import dataclass, replace

from dualgate.core.values.suite import FailureKind, Stack, Suite
from dualgate.languages.base import Found, Language, advice, each_part, make_suite, words
from dualgate.languages.parts import Part, read_text
from dualgate.languages.sources import Grammar

# adds the programs that a JavaScript project installs
LOCAL_PROGRAMS = 'export PATH="$PWD/node_modules/.bin:$PATH"; '


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptTool:
    """A JavaScript test tool as a script calls it, and the flags that make it write a report."""

    name: str
    call: str
    """Pattern of its call in a script, up to the place for the flags."""
    runner: str
    flags: str
    before: str = ""
    needs: str = ""
    """A package that the tool needs to write a report."""


SCRIPT_TOOLS = (
    ScriptTool(name="node --test", call=r"\bnode\b[^&|;]*?\s--test(?=\s|$)", runner="tap", flags="--test-reporter=tap"),
    ScriptTool(
        name="jest",
        call=r"(?<![\w/-])jest(?=\s|$)",
        runner="junit",
        flags="--ci --passWithNoTests --reporters=default --reporters=jest-junit",
        before="export JEST_JUNIT_OUTPUT_FILE={report}; ",
        needs="jest-junit",
    ),
    ScriptTool(
        name="vitest",
        call=r"(?<![\w/-])vitest(\s+run)?(?=\s|$)",
        runner="junit",
        flags="--run --passWithNoTests --reporter=junit --outputFile={report}",
    ),
    ScriptTool(
        name="mocha",
        call=r"(?<![\w/-])mocha(?=\s|$)",
        runner="junit",
        flags="--reporter xunit --reporter-option output={report}",
    ),
    ScriptTool(name="ava", call=r"(?<![\w/-])ava(?=\s|$)", runner="tap", flags="--tap"),
    ScriptTool(name="tape", call=r"(?<![\w/-])tape(?=\s|$)", runner="tap", flags=""),
)
NO_SCRIPT = "no test specified"


def _suite(part: Part, sign: str) -> Found:
    try:
        script = json.loads(part.text(sign))["scripts"]["test"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return
    if not isinstance(script, str) or NO_SCRIPT in script:
        return
    tool = next((tool for tool in SCRIPT_TOOLS if re.search(tool.call, script)), None)
    place = part.where(sign)
    if tool is None or "--reporter" in script or "--test-reporter" in script:
        yield f"{place}: how '{script}' reports is not known; {advice('npm test')}"
    elif missing := _missing(part, tool):
        yield f"{place}: {missing}"
    else:
        yield _script_suite(part, tool, script, place)


def _script_suite(part: Part, tool: ScriptTool, script: str, place: str) -> Suite:
    flagged = re.sub(tool.call, lambda call: f"{call[0]} {tool.flags}".rstrip(), script, count=1)
    if tool.name == "vitest":
        flagged = re.sub(r"\bvitest\s+run\b", "vitest", flagged)
    return make_suite(
        part, tool.runner, f"{LOCAL_PROGRAMS}{tool.before}{flagged}", f"the test script of {place} is {tool.name}"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Manager:
    """A package manager: the file that it locks versions in, and its commands."""

    lock: str
    installs: str
    adds: str


NPM = Manager(lock="", installs="npm install", adds="npm install --save-dev")
MANAGERS = (
    Manager(lock="pnpm-lock.yaml", installs="pnpm install", adds="pnpm add --save-dev"),
    Manager(lock="yarn.lock", installs="yarn install", adds="yarn add --dev"),
    Manager(lock="bun.lock", installs="bun install", adds="bun add --dev"),
    Manager(lock="bun.lockb", installs="bun install", adds="bun add --dev"),
    Manager(lock="package-lock.json", installs="npm ci", adds="npm install --save-dev"),
    Manager(lock="npm-shrinkwrap.json", installs="npm ci", adds="npm install --save-dev"),
)


def _missing(part: Part, tool: ScriptTool) -> str:
    """Which package of a tool is not installed, as a note; empty if all are."""
    if tool.name == "node --test":
        return ""
    manager = next((each for each in MANAGERS if any((place / each.lock).exists() for place in part.places)), NPM)
    if not any((place / "node_modules").is_dir() for place in part.places):
        named = any(re.search(rf'"{re.escape(tool.name)}"\s*:', read_text(p / "package.json")) for p in part.places)
        added = "" if named else f", then: {manager.adds} {tool.name}"
        return f"the packages are not installed (node_modules is missing); install them with: {manager.installs}{added}"
    for package in filter(None, (tool.name, tool.needs)):
        if not any((place / "node_modules" / package).exists() for place in part.places):
            return f"{package} is not installed, and {tool.name} needs it to report; {manager.adds} {package}"
    return ""


_SCRIPT_ENDINGS = (".js", ".cjs", ".mjs", ".ts", ".cts", ".mts")
_CONFIG_ENDINGS = (*_SCRIPT_ENDINGS, ".json")
_RC_ENDINGS = (*_CONFIG_ENDINGS, ".jsonc", ".yml", ".yaml")
_CONFIGURATIONS = """jest.config jest.setup jest.preset vitest.config vitest.workspace vitest.setup playwright.config
    cypress.config karma.conf karma.config ava.config mocha.opts wdio.conf jasmine babel.config setupTests setup-tests
    testSetup test-setup globalSetup tap.config web-test-runner.config codecept.conf testcafe.config nightwatch.conf
    c8.config nyc.config"""


def _endings(stems: str, endings: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"{stem}{ending}" for stem in stems.split() for ending in endings)


TSX = Grammar(
    package="tree_sitter_typescript",
    function="language_tsx",
    ends=frozenset({";"}),
    unwrapped=frozenset({("*", "parenthesized_expression"), ("arrow_function", "formal_parameters")}),
)
TYPESCRIPT = replace(TSX, function="language_typescript")
GRAMMARS = {
    **dict.fromkeys(words(".js .mjs .cjs .jsx .tsx"), TSX),
    **dict.fromkeys(words(".ts .mts .cts"), TYPESCRIPT),
}

LANGUAGE = Language(
    name="javascript",
    signs=("package.json",),
    find=each_part(_suite, "package.json"),
    programs=words("node npm npx yarn pnpm bun bunx deno jest vitest mocha ava tape"),
    # by default, jest-junit reports neither file names nor broken files
    environment={"JEST_JUNIT_ADD_FILE_ATTRIBUTE": "true", "JEST_JUNIT_REPORT_TEST_SUITE_ERRORS": "true"},
    scripts={
        **dict.fromkeys(("npm", "yarn", "pnpm", "bun"), ("package.json",)),
        "deno": ("deno.json", "deno.jsonc", "package.json"),
    },
    test_targets={"npm": r'"test"\s*:'},
    interpreters="node|ts-node|tsx|bun",
    stack=Stack(
        name="node",
        sign="package.json",
        install="npm ci",
        test="npm test",
        check="npm run lint",
        layout="code under src/, tests beside it as *.test.ts or under test/",
    ),
    reports={"tap": r"\bnode\b.*--test"},
    silent_endings=(".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"),
    failures={
        FailureKind.ASSERTION: "AssertionError ERR_ASSERTION JestAssertionError",
        FailureKind.MISSING: "ReferenceError",
    },
    phrases={
        FailureKind.BROKEN_FILE: r"test suite failed to run|failed to load test|error TS\d+:",
        FailureKind.MISSING: r"\bis not defined\b|\bis not a (function|constructor)\b|cannot find module",
    },
    steering=(
        *words("package.json deno.json deno.jsonc tsconfig.json jsconfig.json tsconfig.test.json"),
        *words(".npmrc .yarnrc .yarnrc.yml mocha.opts .mocharc .babelrc .nycrc .c8rc"),
        *_endings(_CONFIGURATIONS, _CONFIG_ENDINGS),
        *_endings(".mocharc .babelrc .jestrc .taprc .c8rc .nycrc", _RC_ENDINGS),
        *_endings("vite.config", _SCRIPT_ENDINGS),
    ),
    # one of several configurations of a runner, or a base of others
    steering_variants=(
        r"(?:jest|vitest|mocha|karma|jasmine|ava|playwright|cypress|wdio)[.-](?:[\w-]+[.-])*"
        r"(?:config|conf|setup|preset|workspace|projects)(?:[.-][\w-]+)*\.(?:[cm]?[jt]sx?|json)"
    ),
    sources=GRAMMARS,
    test_files=r".*[._-](?:test|spec|cy|e2e)\.[cm]?[jt]sx?|.*Spec\.[cm]?[jt]sx?",
    test_folders=("__tests__", "__snapshots__", "__mocks__"),
    data_folders=("__snapshots__", "__image_snapshots__"),
    spec_endings=(".js", ".mjs", ".cjs", ".ts"),
    manifests=("package.json",),
    locks=("package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock"),
    installed=("node_modules",),
    never_walked=("node_modules",),
    steering_variables=words("NODE_OPTIONS NODE_ENV NODE_PATH JEST_* VITEST_* MOCHA_* npm_*"),
    toolchain_variables=words("NVM_* VOLTA_HOME PNPM_HOME BUN_INSTALL"),
)
