"""Texts of broken files: what stands in the place of code of a module, and of data."""

from pathlib import Path

import pytest

from dualgate.core.values.suite import CaseOutcome, CaseResult
from dualgate.runners.probes.broken import of_all, of_changes
from dualgate.runners.probes.reading import reads_or_starts
from dualgate.runners.reporters.probes import changes, scripts
from dualgate.runners.reporters.probes.switches import Switches
from dualgate.runners.reporters.probes.texts import NOTE

OTHER = f"({NOTE}, 1)[1]"


def without_changed_code(text: str, old: str = "") -> str:
    source, before = changes.Source(text), changes.Before({"a.py": old})
    before.mark("a.py", source)
    return scripts.without_changed_code(source, before).replace(NOTE, "...").replace("(..., ", "(")


@pytest.mark.parametrize(
    ("text", "old", "broken"),
    [
        ("import sys\nsys.exit(1)\n", "", "import sys\n...\n"),
        ("print(1)\nprint(2)\n", "print(1)\n", "print(1)\n...\n"),
        ("for x in (\n    1,\n):\n    print(x)\nprint(2)\n", "", "...\n...\n"),
        ("RATE = 3\nprint(RATE)\n", "print(RATE)\n", "RATE = (1)[1]\nprint(RATE)\n"),
        ("parser = make()\na, b = 1, 2\n", "", "parser = make()\na, b = 1, 2\n"),
        (
            "try:\n    import x\nexcept ImportError:\n    print(1)\n",
            "",
            "try:\n    import x\nexcept ImportError:\n    ...\n",
        ),
        ("if __name__ == '__main__': main()\n", "", "if __name__ == '__main__': ...\n"),
        (
            "RATE = 3\ndef main(): return RATE\nif __name__ == '__main__':\n    print('ä', main()); main()\n",
            "",
            "RATE = 3\ndef main(): return RATE\nif __name__ == '__main__':\n    ...; ...\n",
        ),
        ('"""Only words."""\n# and more\n', "", '"""Only words."""\n# and more\n'),
        ("class A:\n    x = 1\n", "", "class A:\n    x = 1\n"),
    ],
)
def test_changed_code_of_a_module_is_left_out(text: str, old: str, broken: str) -> None:
    assert without_changed_code(text, old) == broken


def stubbed(project: Path, files: dict[str, str], before: dict[str, str]) -> dict[str, str]:
    for name, text in files.items():
        (project / name).write_text(text)
    switches = Switches(str(project))
    switches.compile_changed({**dict.fromkeys(files, ""), **before})
    return {name: text.replace(NOTE, "...") for name, text in switches.stubbed.items()}


MOVED = "def main(): print(1)\n"
CALLING = "from cli import main\n"


def test_functions_that_were_only_moved_to_a_new_file_return_constants_in_a_copy(tmp_path: Path) -> None:
    found = stubbed(tmp_path, {"cli.py": MOVED, "app.py": CALLING}, {"app.py": MOVED})

    assert found == {"cli.py": "def main(): ...; return 1; print(1)\n"}


def test_beside_a_changed_function_moved_ones_stay_whole_so_that_tests_must_notice_the_change(tmp_path: Path) -> None:
    app = CALLING + "def rate(): return 2\n"

    found = stubbed(tmp_path, {"cli.py": MOVED, "app.py": app}, {"app.py": MOVED + "def rate(): return 1\n"})

    assert list(found) == ["app.py"]


def test_values_bases_and_names_that_are_passed_on_are_others() -> None:
    text = "@frozen(True)\nclass A(B, C, metaclass=D):\n    x: int = 2\n    def f(self): return 1\n"

    assert scripts.with_other_values(changes.Source(text)) == (
        f"\nclass A(*(), *(), metaclass=D):\n    x: int = {OTHER}\n    def f(self): return 1\n"
    )
    assert scripts.with_other_values(changes.Source("from .a import b as c, d\n")) == (
        "from .a import b as c, d; c = object(); d = object()\n"
    )


@pytest.mark.parametrize(
    ("name", "text", "empty"),
    [
        ("a.json", '{"a": 1}', "{}\n"),
        ("a.json", "[1]", "[]\n"),
        ("a.json", '"a"', '""\n'),
        ("a.json", "{ broken", ""),
        ("a.yaml", "# words\na: 1\n", "{}\n"),
        ("a.yml", "- a\n- b\n", "[]\n"),
        ("a.xml", "<a><b/></a>", "<x/>\n"),
        ("a.html", "<p>{{ name }}</p>", ""),
        ("a.toml", "a = 1\n", ""),
    ],
)
def test_data_is_emptied_by_its_kind(tmp_path: Path, name: str, text: str, empty: str) -> None:
    (tmp_path / name).write_text(text)
    (tmp_path / "empty.txt").write_text("")
    started = {"stubbed": {}, "scripts": {}, "without_code": [], "path": ["."]}

    made = of_changes(started, (name, "empty.txt", "gone.txt"), tmp_path)

    assert [dict(each.texts) for each in made.breaks] == [{name: empty}]
    assert made.unrun == f"it also passes when `{name}` is empty"
    assert not of_changes(started | {"stubbed": {"a.py": ""}}, (name,), tmp_path).unrun


def test_all_files_but_tests_and_installed_packages_are_broken(tmp_path: Path) -> None:
    for name in ("shop/a.py", "tests/helpers.py", "test_a.py", "env/lib/b.py", ".tox/c.py", "broken.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("def f(): return 2\n" if name != "broken.py" else "def f(:\n")
    (tmp_path / "env" / "pyvenv.cfg").write_text("")

    functions, values = of_all(tmp_path, ()).breaks

    assert functions.texts == {"shop/a.py": f"def f(): {NOTE}; return 1; return 2\n"}
    assert set(values.texts) == {"shop/a.py"}


@pytest.mark.parametrize(
    ("test", "above", "expected"),
    [
        ("def test_a(): assert 1", "", False),
        ("def test_b(): open('x')\ndef test_a(): assert 1", "", False),
        ("def test_a(): open('x')", "", True),
        ("import subprocess\ndef test_a(): assert 1", "", False),
        ("import subprocess\ndef run(): subprocess.run('x')\ndef test_a(): run()", "", True),
        ("def test_a(): assert 1", "from pathlib import Path\nHERE = Path('.')", True),
        ("def test_a(:", "", True),
    ],
)
def test_a_test_may_look_at_files_or_start_processes(tmp_path: Path, test: str, above: str, expected: bool) -> None:
    (tmp_path / "conftest.py").write_text(above)
    (tmp_path / "test_a.py").write_text(test)
    case = CaseResult(id="test_a.py::test_a[1]", outcome=CaseOutcome.PASSED, file="test_a.py")

    assert reads_or_starts(tmp_path, case) is expected


def test_a_test_whose_file_is_unknown_may_look_at_anything(tmp_path: Path) -> None:
    assert reads_or_starts(tmp_path, CaseResult(id="a.test", outcome=CaseOutcome.PASSED))
