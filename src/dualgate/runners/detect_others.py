"""Which suites of other languages a project has: those that can tell of each test by JUnit's XML or by TAP.

What cannot is named, with what would make it.
"""

import json
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from dualgate.core.values.notation import split_command
from dualgate.core.values.suite import Suite
from dualgate.runners.folders import Part

# where the programs of a JavaScript project lie
LOCAL_PROGRAMS = 'export PATH="$PWD/node_modules/.bin:$PATH"; '


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptTool:
    """A JavaScript test tool as a script calls it, and the flags that make it write a report."""

    name: str
    call: str
    """Its call in a script, up to where the flags go."""
    runner: str
    flags: str
    before: str = ""
    needs: str = ""
    """A package without which it writes no report."""


SCRIPT_TOOLS = (
    ScriptTool(name="node --test", call=r"\bnode\b[^&|;]*?\s--test(?=\s|$)", runner="tap", flags="--test-reporter=tap"),
    ScriptTool(
        name="jest",
        call=r"(?<![\w/-])jest(?=\s|$)",
        runner="junit",
        flags="--ci --reporters=default --reporters=jest-junit",
        before="export JEST_JUNIT_OUTPUT_FILE={report}; ",
        needs="jest-junit",
    ),
    ScriptTool(
        name="vitest",
        call=r"(?<![\w/-])vitest(\s+run)?(?=\s|$)",
        runner="junit",
        flags="--run --reporter=junit --outputFile={report}",
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
# the build of the folder above runs the tests of these too
OF_THE_WHOLE = frozenset({"Cargo.toml", "pom.xml", "build.gradle", "build.gradle.kts"})
NO_SCRIPT = "no test specified"


def other_suites(part: Part) -> Iterator[Suite | str]:
    """The suites of a folder, and in words what was found and cannot be read."""
    signs = {find: sign for sign, find in reversed(LANGUAGES.items()) if sign in part.home.files}
    for find, sign in signs.items():
        if sign not in OF_THE_WHOLE or not _stands_above(part, sign):
            yield from find(part, sign)


def _stands_above(part: Part, sign: str) -> bool:
    return any((place / sign).exists() for place in part.folder.parents if place.is_relative_to(part.root))


def _javascript(part: Part, sign: str) -> Iterator[Suite | str]:
    try:
        script = json.loads(part.text(sign))["scripts"]["test"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return
    if not isinstance(script, str) or NO_SCRIPT in script:
        return
    tool = next((tool for tool in SCRIPT_TOOLS if re.search(tool.call, script)), None)
    place = part.where(sign)
    if tool is None or "--reporter" in script or "--test-reporter" in script:
        yield f"{place}: how '{script}' reports is not known; {_advice('npm test')}"
    elif missing := _missing(part, tool):
        yield f"{place}: {missing}"
    else:
        yield _script_suite(part, tool, script, place)


def _script_suite(part: Part, tool: ScriptTool, script: str, place: str) -> Suite:
    flagged = re.sub(tool.call, lambda call: f"{call[0]} {tool.flags}".rstrip(), script, count=1)
    if tool.name == "vitest":
        flagged = re.sub(r"\bvitest\s+run\b", "vitest", flagged)
    return _suite(
        part, tool.runner, f"{LOCAL_PROGRAMS}{tool.before}{flagged}", f"the test script of {place} is {tool.name}"
    )


def _missing(part: Part, tool: ScriptTool) -> str:
    """What is not installed, of a tool that has to be."""
    if tool.name == "node --test":
        return ""
    places = [part.folder, *(parent for parent in part.folder.parents if parent.is_relative_to(part.root))]
    for package in filter(None, (tool.name, tool.needs)):
        if not any((place / "node_modules" / package).exists() for place in places):
            return f"{package} is not installed, and {tool.name} needs it to report; npm install --save-dev {package}"
    return ""


def _rust(part: Part, sign: str) -> Iterator[Suite | str]:
    configuration = part.folder / ".config" / "nextest.toml"
    text = configuration.read_text(errors="replace") if configuration.exists() else ""
    if profile := re.search(r"^\[profile\.([\w-]+)\.junit\]", text, re.MULTILINE):
        command = f"cargo nextest run --no-fail-fast --profile {profile[1]}"
        reason = f"cargo-nextest writes JUnit reports (profile {profile[1]})"
        yield _suite(part, "junit", command, reason, report=f"target/nextest/{profile[1]}/*.xml")
    else:
        yield (
            f"{part.where(sign)}: cargo test writes no report of each test; use cargo-nextest, with "
            "[profile.ci.junit] path = 'junit.xml' in .config/nextest.toml"
        )


def _go(part: Part, sign: str) -> Iterator[Suite | str]:
    if shutil.which("gotestsum", path=part.environment.get("PATH")):
        command = "gotestsum --junitfile {report} -- -count=1 ./..."
        yield _suite(part, "junit", command, f"{part.where(sign)}, and gotestsum is on the PATH")
    else:
        yield f"{part.where(sign)}: go test writes no report that is read here; install gotestsum"


def _php(part: Part, sign: str) -> Iterator[Suite | str]:
    for tool in ("pest", "phpunit"):
        if (part.folder / "vendor" / "bin" / tool).exists():
            yield _suite(
                part, "junit", f"vendor/bin/{tool} --log-junit {{report}}", f"{part.where(sign)} and vendor/bin/{tool}"
            )
            return
    yield f"{part.where(sign)}: PHPUnit is not installed in vendor; run composer install"


def _ruby(part: Part, sign: str) -> Iterator[Suite | str]:
    gems = part.text(sign) + part.text("Gemfile.lock")
    if "rspec_junit_formatter" in gems:
        command = "bundle exec rspec --format RspecJunitFormatter --out {report}"
        yield _suite(part, "junit", command, f"{part.where(sign)} has rspec_junit_formatter")
    elif "rspec" in gems:
        yield f"{part.where(sign)}: RSpec writes no report that is read here; add the gem rspec_junit_formatter"


def _maven(part: Part, sign: str) -> Iterator[Suite | str]:
    program = "./mvnw" if "mvnw" in part.home.files else "mvn"
    command = f"{program} --batch-mode --fail-at-end test"
    yield _suite(part, "junit", command, part.where(sign), report="**/target/surefire-reports/TEST-*.xml")


def _gradle(part: Part, sign: str) -> Iterator[Suite | str]:
    program = "./gradlew" if "gradlew" in part.home.files else "gradle"
    command = f"{program} --continue cleanTest test"
    yield _suite(part, "junit", command, part.where(sign), report="**/build/test-results/test/*.xml")


# file -> what it says about tests
LANGUAGES: dict[str, Callable[[Part, str], Iterator[Suite | str]]] = {
    "package.json": _javascript,
    "Cargo.toml": _rust,
    "go.mod": _go,
    "phpunit.xml": _php,
    "phpunit.xml.dist": _php,
    "Gemfile": _ruby,
    "pom.xml": _maven,
    "build.gradle": _gradle,
    "build.gradle.kts": _gradle,
}


def make_target(part: Part) -> Iterator[str]:
    """A Makefile says that there are tests, and not how they report."""
    for name in ("GNUmakefile", "makefile", "Makefile"):
        if re.search(r"^(test|check)\s*:(?!=)", part.text(name), re.MULTILINE):
            yield f"{part.where(name)}: how its tests report is not known; {_advice('make test')}"


def _advice(command: str) -> str:
    return f"give --test-command '{command}' --runner NAME, with one that it speaks"


def _suite(part: Part, runner: str, command: str, reason: str, report: str = "") -> Suite:
    is_root = part.home.path == "."
    return Suite(
        name=runner if is_root else part.home.path,
        runner=runner,
        command=split_command(command),
        folder=part.home.path,
        report=report,
        reason=reason,
    )
