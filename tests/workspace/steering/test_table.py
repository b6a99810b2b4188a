"""Every row of the table: a change that steers is seen, an unrelated one is free, and mending keeps that one."""

import pytest

from dualgate.workspace.steering.parts import steering_part, with_proven_part
from dualgate.workspace.steering.paths import is_steering
from dualgate.workspace.steering.table import ENDINGS, NAMES, row_of

PYPROJECT = (
    '[project]\nname = "x"\ndependencies = ["a"]\n\n[tool.pytest.ini_options]\naddopts = "-q"\n\n[tool.ruff]\nx = 1\n'
)
OWN = '[tool.dualgate.guard]\nfrozen = ["golden/"]\n\n[tool.ruff]\nx = 1\n'
SCRIPTS = '[tool.poe.tasks]\ntest = "pytest"\nlint = "ruff"\n'
PACKAGE = (
    '{\n  "name": "x",\n  "scripts": {\n    "test": "npm run unit",\n    "unit": "jest",\n'
    '    "lint": "eslint"\n  }\n}\n'
)
MAKEFILE = (
    "PY = python\nX = 1\n\n.PHONY: test build\n\nbuild:\n\techo build\n\ntest: setup\n"
    "\t$(PY) -m pytest\n\nsetup:\n\ttrue\n"
)
JUST = "version := '1'\n\ntest: setup\n    pytest\n\nsetup:\n    true\n\nlint:\n    ruff\n"
TASK = (
    "version: '3'\ntasks:\n  test:\n    deps: [setup]\n    cmds:\n      - pytest\n  setup:\n"
    "    cmds: [true]\n  lint:\n    cmds: [ruff]\n"
)
RAKE = (
    "require 'rake/testtask'\n\nRake::TestTask.new do |t|\n  t.pattern = 'a'\nend\n\ntask :deploy do\n  sh 'x'\nend\n"
)
TOX = "[tox]\nenvlist = py\n\n[testenv]\ndeps =\n    pytest\ncommands =\n    pytest\n\n[flake8]\nx = 1\n"
SETUP = "[metadata]\nname = x\n\n[tool:pytest]\naddopts = -q\n"
CARGO = (
    '[package]\nname = "x"\n\n[dependencies]\n\n[lib]\nname = "x"\ntest = true\n\n[[test]]\n'
    'name = "t"\nharness = true\n'
)
POM = (
    "<project><dependencies></dependencies><build><plugins><plugin><artifactId>maven-surefire-plugin</artifactId>"
    "<configuration><skip>false</skip></configuration></plugin></plugins></build></project>"
)
GRADLE = "plugins {\n    id 'java'\n}\ndependencies {\n    implementation 'a'\n}\ntest {\n    useJUnitPlatform()\n}\n"
DENO = '{\n  "imports": {"a": "b"},\n  "test": {"include": ["t"]},\n  "tasks": {"test": "deno test", "dev": "x"}\n}\n'
TSCONFIG = '{\n  // why\n  "compilerOptions": {"paths": {"@/*": ["./src/*"]}, "strict": true,},\n}\n'
VITE = "export default defineConfig({ test: { globals: true } })\n"
WORKFLOW = "on: push\njobs:\n  test:\n    steps:\n      - run: |\n          # kept\n          pytest\n"

# path, proven text, what steers in it and what becomes of that, what is free in it and what becomes of that
SHARED = [
    ("pyproject.toml", PYPROJECT, ('"-q"', '"-k no"'), ('["a"]', '["a", "b"]')),
    ("pyproject.toml", SCRIPTS, ('"pytest"', '"true"'), ('"ruff"', '"ruff check"')),
    ("pyproject.toml", OWN, ('["golden/"]', "[]"), ("x = 1", "x = 2")),
    ("pyproject.toml", PYPROJECT, ('addopts = "-q"', ""), ("x = 1", "x = 2\ny = 3")),
    ("sub/setup.cfg", SETUP, ("addopts = -q", "addopts = -k no"), ("name = x", "name = y")),
    (
        "tox.ini",
        TOX,
        ("commands =\n    pytest", "commands =\n    true"),
        ("deps =\n    pytest", "deps =\n    pytest\n    new"),
    ),
    ("tox.ini", TOX, ("envlist = py", "envlist = none"), ("[flake8]\nx = 1", "[flake8]\nx = 2")),
    ("tox.toml", 'requires = ["a"]\n[env_run_base]\ncommands = [["pytest"]]\n', ('"pytest"', '"true"'), ('"a"', '"b"')),
    ("hatch.toml", '[envs.t]\ndependencies = ["a"]\nscripts.x = "p"\n', ('"p"', '"t"'), ('["a"]', '["a", "b"]')),
    (
        "x.egg-info/entry_points.txt",
        "[console_scripts]\nx = x:main\n\n[pytest11]\np = x.plugin\n",
        ("x.plugin", "x.other"),
        ("x:main", "x:other"),
    ),
    (".coveragerc", "[report]\nfail_under = 90\nskip = 1\n", ("90", "10"), ("skip = 1", "skip = 2")),
    ("Cargo.toml", CARGO, ("harness = true", "harness = false"), ("[dependencies]\n", '[dependencies]\nserde = "1"\n')),
    (
        "Cargo.toml",
        CARGO,
        ("test = true", "test = false"),
        ('name = "x"\n\n[dep', 'name = "x"\nedition = "2021"\n\n[dep'),
    ),
    ("package.json", PACKAGE, ('"npm run unit"', '"true"'), ('"eslint"', '"eslint ."')),
    ("package.json", PACKAGE, ('"jest"', '"true"'), ('"name": "x",', '"name": "x",\n  "dependencies": {"a": "1"},')),
    (
        "package.json",
        PACKAGE,
        ('"name": "x",', '"name": "x",\n  "jest": {"testMatch": []},'),
        ('"eslint"', '"eslint ."'),
    ),
    ("deno.json", DENO, ('["t"]', '["u"]'), ('{"a": "b"}', '{"a": "b", "c": "d"}')),
    ("deno.json", DENO, ('"deno test"', '"true"'), ('"dev": "x"', '"dev": "y"')),
    ("tsconfig.json", TSCONFIG, ('"@/*"', '"vitest": ["./fake"], "@/*"'), ("true", "false")),
    (".npmrc", "registry=a\nscript-shell=sh\n", ("script-shell=sh", "script-shell=true"), ("registry=a", "registry=b")),
    ("pom.xml", POM, ("<skip>false", "<skip>true"), ("<dependencies>", "<dependencies><dependency/>")),
    ("app/build.gradle", GRADLE, ("useJUnitPlatform()", "enabled = false"), ("'a'", "'a'\n    implementation 'b'")),
    ("Makefile", MAKEFILE, ("$(PY) -m pytest", "true"), ("echo build", "echo built")),
    ("Makefile", MAKEFILE, ("PY = python", "PY = true"), ("X = 1", "X = 2")),
    ("Makefile", MAKEFILE, ("setup:\n\ttrue", "setup:\n\tfalse"), ("build:\n", "deploy:\n\ttrue\n\nbuild:\n")),
    ("Makefile", MAKEFILE, ("X = 1", "include other.mk\nX = 1"), ("echo build", "echo built")),
    ("Makefile", MAKEFILE, ("X = 1", "export PYTEST_ADDOPTS = -k no\nX = 1"), ("echo build", "echo built")),
    ("Makefile", MAKEFILE, ("X = 1", "X = 1\n$(T):\n\ttrue\n"), ("echo build", "echo built")),
    ("justfile", JUST, ("pytest", "true"), ("    ruff", "    ruff check")),
    ("justfile", JUST, ("setup:\n    true", "setup:\n    false"), ("lint:", "fix:\n    ruff\n\nlint:")),
    ("Taskfile.yml", TASK, ("- pytest", "- true"), ("[ruff]", "[ruff check]")),
    ("Rakefile", RAKE, ("'a'", "'b'"), ("sh 'x'", "sh 'y'")),
]
WORDS = frozenset({"make", "just", "task", "npm", "poe", "test"})


@pytest.mark.parametrize(("path", "text", "steers", "free"), SHARED)
def test_of_a_shared_file_only_what_steers_is_frozen(
    path: str, text: str, steers: tuple[str, str], free: tuple[str, str]
) -> None:
    assert steers[0] in text
    assert free[0] in text
    proven = steering_part(path, text.encode(), WORDS)

    assert steering_part(path, text.replace(*steers, 1).encode(), WORDS) != proven
    assert steering_part(path, text.replace(*free, 1).encode(), WORDS) == proven


@pytest.mark.parametrize(("path", "text", "steers", "free"), SHARED)
def test_what_steers_is_put_back_and_the_rest_is_kept(
    path: str, text: str, steers: tuple[str, str], free: tuple[str, str]
) -> None:
    wanted = text.replace(*free, 1)

    mended = with_proven_part(path, text.encode(), wanted.replace(*steers, 1).encode(), WORDS)

    assert mended is not None
    assert steering_part(path, mended, WORDS) == steering_part(path, text.encode(), WORDS)
    assert "".join(mended.decode().split()) == "".join(wanted.split())


@pytest.mark.parametrize(("path", "text", "steers", "free"), SHARED)
def test_mending_what_is_right_changes_nothing(
    path: str, text: str, steers: tuple[str, str], free: tuple[str, str]
) -> None:
    assert with_proven_part(path, text.encode(), text.encode(), WORDS) == text.encode()


# path, proven text, the same in another layout, and what does something else
WHOLE = [
    ("conftest.py", "x = [1]\n", "x = [\n    1,  # one\n]\n", "x = [2]\n"),
    ("sitecustomize.py", "import a\n", "# why\nimport a\n", "import b\n"),
    ("usercustomize.py", "import a\n", "import a  # why\n", "import b\n"),
    ("noxfile.py", "x = 'a'\n", 'x = "a"\n', "x = 'b'\n"),
    ("pytest.ini", "[pytest]\naddopts = -q\n", "# why\n[pytest]\n\naddopts = -q\n", "[pytest]\naddopts = -k no\n"),
    (
        "pytest.ini",
        "[pytest]\na = 1\nb =\n  x\n  y\n",
        "[pytest]\na=1\nb=\n    x\n    y\n",
        "[pytest]\na = 1\nb =\nx\ny\n",
    ),
    ("setup.cfg", "[tool:pytest]\na = b c\n", "[tool:pytest]\na=b c\n", "[tool:pytest]\na = b  c\n"),
    (
        "tox.ini",
        "[testenv]\ncommands =\n  a\n",
        "[testenv]\ncommands =\n# why\n    a\n",
        "[testenv]\ncommands =\n  b\n",
    ),
    ("dualgate.toml", "test_command = 'a'\n", 'test_command = "a" # why\n', "test_command = 'b'\n"),
    ("pytest.toml", "[pytest]\nx = 1\n", "[pytest]\nx = 1 # why\n", "[pytest]\nx = 2\n"),
    (".config/nextest.toml", "[profile]\nx = 1\n", "[profile]\n\nx=1\n", "[profile]\nx = 2\n"),
    (".cargo/config.toml", "[build]\nx = 1\n", "[build]\nx=1\n", "[build]\nx = 2\n"),
    (
        "jest.config.js",
        "module.exports = {a: 'b'}\n",
        'module.exports = {\n  a: "b",\n};\n',
        "module.exports = {a: 'c'}\n",
    ),
    ("jest.config.json", '{"a": 1}', '{\n  "a": 1\n}\n', '{"a": 2}'),
    (
        "vitest.config.mts",
        "export default { a: 1 }\n",
        "export default {\n  a: 1, // one\n};\n",
        "export default { a: 2 }\n",
    ),
    ("vite.config.ts", VITE, VITE.replace("{ test", "{\n  test"), VITE.replace("true", "false")),
    ("playwright.config.ts", "export default { a: 1 }", "export default { a: 1, };", "export default { a: 2 }"),
    ("cypress.config.cjs", "module.exports = f(1)", "module.exports = f(\n  1,\n);", "module.exports = f(2)"),
    ("karma.conf.js", "f(x => 1)", "f((x) => 1);", "f(x => 2)"),
    ("babel.config.js", "module.exports = [1]", "module.exports = [1,];", "module.exports = [1,,]"),
    (".mocharc.yml", "spec: a\n", "# why\nspec: a\n\n", "spec: b\n"),
    (".mocharc.json", '{"spec": "a"}', '{ "spec": "a" }', '{"spec": "b"}'),
    (".mocharc.cjs", "module.exports = {a: 1}", "module.exports = { a: 1 };", "module.exports = {a: 2}"),
    (".github/workflows/ci.yml", WORKFLOW, f"# why\n{WORKFLOW}\n", WORKFLOW.replace("pytest", "true")),
    (".circleci/config.yml", "a: 1\n", "a: 1   \n", "a: 2\n"),
    (".gitlab-ci.yml", "a: 1\n", "\na: 1\n", "a: 2\n"),
    (".travis.yml", "script: a\n", "script: a\n# why\n", "script: b\n"),
    ("azure-pipelines.yml", "a: 1\n", "# why\na: 1\n", "a: 2\n"),
    ("Jenkinsfile", "sh 'a'\n", "// why\nsh 'a'\n", "sh 'b'\n"),
    ("phpunit.xml", "<a><b c='1'/></a>", '<!-- why -->\n<a>\n  <b c="1"></b>\n</a>\n', "<a><b c='2'/></a>"),
]


@pytest.mark.parametrize(("path", "text", "formatted", "other"), WHOLE)
def test_of_a_whole_file_the_layout_does_not_count(path: str, text: str, formatted: str, other: str) -> None:
    proven = steering_part(path, text.encode())

    assert is_steering(path)
    assert steering_part(path, formatted.encode()) == proven
    assert steering_part(path, other.encode()) != proven
    assert steering_part(path, None) != proven


BYTES = (".rspec", ".env.test", "evil.pth", "x.pyc", "tests/.rspec")


@pytest.mark.parametrize("path", BYTES)
def test_what_has_no_known_form_is_all_of_its_bytes(path: str) -> None:
    assert is_steering(path)
    assert steering_part(path, b"a") != steering_part(path, b"a ")


ONE_OF_EACH_ENDING = {name.rpartition(".")[2]: name for name in (*NAMES, *(f"x{ending}" for ending in ENDINGS))}


@pytest.mark.parametrize("path", ONE_OF_EACH_ENDING.values())
def test_no_bytes_make_a_row_raise(path: str) -> None:
    for content in (b"", b"\xff\xfe\0", b"[", b"{", b"<a", b"a:\n\tb\n", b"'", b"[[x]]\n=\n", b"{" * 5000):
        assert steering_part(path, content, WORDS) is not None
        with_proven_part(path, content, b"[x]\ny = 1\n", WORDS)


NEW_AND_STEERING = [
    ("conftest.py", ""),
    ("pytest.ini", ""),
    ("jest.config.js", ""),
    ("jest.unit.config.ts", ""),
    ("jest.config.base.js", ""),
    ("app/vitest.unit.config.mts", ""),
    ("jest-setup.js", ""),
    ("karma.ci.conf.js", ""),
    ("sub/sitecustomize.py", "x = 1"),
    ("tox.ini", "[pytest]\n"),
    ("dualgate.toml", ""),
    ("pyproject.toml", "[tool.dualgate.guard]\nallowed = ['*']\n"),
    ("setup.cfg", "[tool:pytest]\naddopts = x\n"),
    ("pyproject.toml", "[tool.pytest]\n"),
    ("package.json", '{"scripts": {"pretest": "x"}}'),
    ("vite.config.js", "export default { test: {} }"),
]
NEW_AND_FREE = [
    ("setup.cfg", "[metadata]\nname = x\n"),
    ("tox.ini", "[flake8]\nx = 1\n"),
    ("pyproject.toml", "[project]\nname = 'x'\n"),
    ("package.json", '{"dependencies": {"a": "1"}}'),
    ("vite.config.js", "export default { plugins: [] }"),
    ("Cargo.toml", '[package]\nname = "x"\n'),
]


@pytest.mark.parametrize(("path", "text"), NEW_AND_STEERING)
def test_a_new_file_that_would_steer_is_a_change(path: str, text: str) -> None:
    assert is_steering(path)
    assert steering_part(path, text.encode()) != steering_part(path, None)


@pytest.mark.parametrize(("path", "text"), [("pyproject.toml", "tool = 5\n"), ("Cargo.toml", "bin = 5\n")])
def test_a_file_with_values_of_unexpected_types_is_all_of_its_bytes(path: str, text: str) -> None:
    assert steering_part(path, text.encode()) == text


@pytest.mark.parametrize(("path", "text"), NEW_AND_FREE)
def test_a_new_file_without_the_part_that_steers_is_like_none(path: str, text: str) -> None:
    assert steering_part(path, text.encode()) == steering_part(path, None)


@pytest.mark.parametrize(
    "path",
    [
        "requirements.txt",
        "package-lock.json",
        "uv.lock",
        "Cargo.lock",
        "src/app.py",
        "go.mod",
        "jester.config.js",
        "src/vitest.ts",
    ],
)
def test_dependencies_and_sources_steer_nothing(path: str) -> None:
    assert not is_steering(path)


IN_FOLDERS = (
    "jest.unit.config.ts",
    "app/jest-setup.js",
    ".github/workflows/x.yml",
    ".cargo/config.toml",
    "crate/.cargo/config",
    "crate/.cargo/x",
    "config.toml",
)


@pytest.mark.parametrize("path", [*NAMES, *(f"x{ending}" for ending in ENDINGS), *IN_FOLDERS])
def test_the_quick_answer_is_that_of_the_table(path: str) -> None:
    row = row_of(path)

    assert is_steering(path) == (row is not None and not row.is_called)


@pytest.mark.parametrize("path", ["Makefile", "justfile", "Taskfile.yml", "Rakefile", "x.mk"])
def test_what_runs_targets_steers_only_where_it_is_called(path: str) -> None:
    assert not is_steering(path)
