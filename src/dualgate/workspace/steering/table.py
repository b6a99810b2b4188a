"""Path -> how much of the file steers a test run. A new kind of file is a row here."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from dualgate.languages.registry import LANGUAGES
from dualgate.workspace.steering import formats
from dualgate.workspace.steering.code import FORMS, form_of
from dualgate.workspace.steering.documents import (
    gradle_part,
    json_part,
    package_manager_part,
    pick_deno,
    pick_package,
    pick_tsconfig,
    pom_part,
    vite_part,
)
from dualgate.workspace.steering.formats import plain
from dualgate.workspace.steering.sections import (
    OWN_FILE,
    Pick,
    ini_part,
    pick_cargo,
    pick_pyproject,
    pick_tox,
    toml_part,
)
from dualgate.workspace.steering.targets import (
    Read,
    Words,
    called_part,
    justfile,
    make_form,
    makefile,
    rakefile,
    taskfile,
)

Part = Callable[[bytes, Words], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """How a kind of file steers. Of a shared file only a part does; without that part it counts as missing."""

    part: Part
    is_shared: bool = True
    is_called: bool = False
    """Whether it steers only if the test command calls it."""


def row_of(path: str) -> Row | None:
    """The row of a path: by its name, its ending, its pattern or its folder, in this order."""
    name = path[path.rfind("/") + 1 :]
    row = NAMES.get(name) or ENDINGS.get(name[name.rfind(".") :])
    if row is not None:
        return row
    if VARIANTS.fullmatch(name):
        return _whole(lambda content: form_of(name, content))
    if path.startswith(_FOLDERS) or path.endswith(PATHS):
        return _IN_FOLDERS.get(name[name.rfind(".") :], _WHOLE)
    return None


def is_of_continuous_integration(path: str) -> bool:
    """Whether a file tells another machine what to run; no test run here reads it."""
    name = path[path.rfind("/") + 1 :]
    return name in _CI_FILES or name == "Jenkinsfile" or path.startswith(_FOLDERS)


def _whole(form: Callable[[bytes], str], is_called: bool = False) -> Row:
    return Row(part=lambda content, _: form(content), is_shared=False, is_called=is_called)


def _toml(pick: Pick) -> Row:
    return Row(part=toml_part(pick))


def _called(read: Read, form: Callable[[str], str]) -> Row:
    return Row(part=called_part(read, form), is_called=True)


def _json(pick: Pick) -> Row:
    return Row(part=json_part(pick))


def _endings(stems: Iterable[str], endings: Iterable[str]) -> list[str]:
    return [f"{stem}{ending}" for stem in stems for ending in endings]


_WHOLE = _whole(plain)
_CI_FILES = (
    ".gitlab-ci.yml", ".gitlab-ci.yaml", ".travis.yml", "azure-pipelines.yml", "azure-pipelines.yaml", "appveyor.yml",
    ".appveyor.yml", "bitbucket-pipelines.yml", ".drone.yml", ".cirrus.yml", "buildspec.yml", "cloudbuild.yaml",
    ".woodpecker.yml", "codemagic.yaml", "wercker.yml",
)  # fmt: skip
_FOLDERS = (".github/workflows/", ".github/actions/", ".circleci/", ".buildkite/", ".woodpecker/", ".semaphore/")
# files of a language that do not steer as a whole, or have a different form than their ending suggests
_PARTS: dict[str, Row] = {
    "pyproject.toml": _toml(pick_pyproject),
    "tox.toml": _toml(pick_tox),
    "hatch.toml": _toml(pick_tox),
    "Cargo.toml": _toml(pick_cargo),
    **dict.fromkeys(("setup.cfg", "tox.ini", "entry_points.txt", ".coveragerc"), Row(part=ini_part)),
    "package.json": _json(pick_package),
    **dict.fromkeys(("deno.json", "deno.jsonc"), _json(pick_deno)),
    **dict.fromkeys(("tsconfig.json", "jsconfig.json", "tsconfig.test.json"), _json(pick_tsconfig)),
    **dict.fromkeys((".npmrc", ".yarnrc", ".yarnrc.yml"), Row(part=package_manager_part)),
    **dict.fromkeys((".mocharc", ".babelrc", ".nycrc", ".c8rc"), _whole(formats.json_form)),
    "build.sbt": _whole(FORMS[".groovy"]),
    "pom.xml": Row(part=pom_part),
    **dict.fromkeys(("build.gradle", "build.gradle.kts"), Row(part=gradle_part)),
    "phpunit.xml.dist": _whole(formats.xml),
}


def _row_of_name(name: str) -> Row:
    if name.startswith("vite.config."):
        return Row(part=vite_part(FORMS[".ts"]))
    return _PARTS.get(name) or _whole(lambda content: form_of(name, content))


NAMES: dict[str, Row] = {
    **{name: _row_of_name(name) for language in LANGUAGES for name in language.steering},
    **{name: _row_of_name(name) for name in (OWN_FILE, *_CI_FILES, ".env.test", ".env.testing")},
    "Jenkinsfile": _whole(FORMS[".groovy"]),
    **dict.fromkeys(("Makefile", "makefile", "GNUmakefile"), _called(makefile, make_form)),
    **dict.fromkeys(("justfile", "Justfile", ".justfile"), _called(justfile, make_form)),
    **dict.fromkeys(
        _endings(("Taskfile", "taskfile", "Taskfile.dist"), (".yml", ".yaml")),
        _called(taskfile, lambda text: formats.yaml(text.encode())),
    ),
    **dict.fromkeys(
        ("Rakefile", "rakefile", "Rakefile.rb"),
        _called(rakefile, lambda text: formats.without_blank_lines(text.encode())),
    ),
}
ENDINGS: dict[str, Row] = {
    **dict.fromkeys((ending for language in LANGUAGES for ending in language.steering_endings), _WHOLE),
    ".mk": _whole(lambda content: make_form(plain(content)), is_called=True),
}
VARIANTS = re.compile("|".join(language.steering_variants for language in LANGUAGES if language.steering_variants))
PATHS = tuple(path for language in LANGUAGES for path in language.steering_paths)
_IN_FOLDERS: dict[str, Row] = {
    ".yml": _whole(formats.yaml),
    ".yaml": _whole(formats.yaml),
    ".toml": _whole(formats.toml),
    ".json": _whole(formats.json_form),
}
