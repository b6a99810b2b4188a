"""What verify does with a real repository: where trees are written, what they hold, and what stays as it was."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support import Dualgate

FEE = "def fee(amount):\n    return max(1, amount * 2 // 100)\n"
WRONG_FEE = FEE.replace("* 2", "* 3")
TAX = "\n\ndef tax(amount):\n    return amount // 5\n"
TEST = "from fee import fee\n\n\ndef test_fee():\n    assert fee(1000) == 20\n"
TAX_TEST = "from fee import tax\n\n\ndef test_tax():\n    assert tax(10) == 2\n"


def git(folder: Path, *words: str) -> str:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.example")
    return subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True, text=True).stdout


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    write(root, {"fee.py": FEE, "test_fee.py": TEST, "pyproject.toml": "[tool.pytest.ini_options]\n"})
    git(root, "init", "-q", "-b", "main")
    return committed(root)


def committed(root: Path) -> Path:
    git(root, "add", "-A")
    git(root, "commit", "-q", "--allow-empty", "-m", "base")
    git(root, "branch", "-f", "base")
    return root


def verified(dualgate: Dualgate, *words: str, **variables: str) -> tuple[int, dict[str, Any]]:
    ended = dualgate("verify", "--base", "base", "--json", *words, **variables)
    assert ended.out, ended.err
    return ended.code, json.loads(ended.out)


def texts(found: dict[str, Any]) -> str:
    return "\n".join(each["text"] for each in (*found["findings"], *found["notes"]))


def test_a_feature_with_its_test_is_verified_and_the_repository_stays_as_it_was(
    dualgate: Dualgate, project: Path
) -> None:
    write(project, {"fee.py": FEE + TAX, "test_tax.py": TAX_TEST, "notes.txt": "stashed\n"})
    git(project, "add", "notes.txt")
    before = (
        git(project, "--no-optional-locks", "status", "--porcelain"),
        (project / ".git" / "index").read_bytes(),
        git(project, "count-objects"),
        git(project, "for-each-ref"),
    )

    code, found = verified(dualgate)

    after = (
        git(project, "--no-optional-locks", "status", "--porcelain"),
        (project / ".git" / "index").read_bytes(),
        git(project, "count-objects"),
        git(project, "for-each-ref"),
    )
    assert (code, found["verdict"]) == (0, "verified"), texts(found)
    assert [(row["id"], row["on_base"]) for row in found["tests"] if "new" in row["states"]] == [
        ("test_tax.py::test_tax", "failed")
    ]
    assert after == before


def test_a_weakened_test_is_refused_by_name_and_a_second_call_says_the_same(dualgate: Dualgate, project: Path) -> None:
    write(project, {"fee.py": WRONG_FEE, "test_fee.py": TEST.replace("== 20", "> 0")})

    first, found = verified(dualgate)
    second, again = verified(dualgate)

    assert (first, second) == (1, 1)
    assert [(each["rule"], each["test"]) for each in found["findings"]] == [("weakened-test", "test_fee.py::test_fee")]
    assert again["head"]["reused"] is True
    assert again["findings"] == found["findings"]


def test_what_is_ignored_is_there_for_the_tests_of_both_sides(dualgate: Dualgate, project: Path) -> None:
    reads = "from pathlib import Path\n\n\ndef test_env():\n    assert Path('.env').read_text() == 'KEY=1'\n"
    write(project, {".gitignore": ".env\n", "test_env.py": reads})
    committed(project)
    write(project, {".env": "KEY=1", "fee.py": FEE + TAX, "test_tax.py": TAX_TEST})

    code, found = verified(dualgate)

    assert code == 0, texts(found)
    assert found["base"]["counts"]["failed"] == 0


def test_a_change_of_documents_runs_nothing(dualgate: Dualgate, project: Path) -> None:
    write(project, {"README.md": "# Shop\n"})

    code, found = verified(dualgate, DUALGATE_TEST_COMMAND="/nowhere")

    assert (code, found["tests"], found["changed"]) == (0, [], ["README.md"])


def test_policy_is_read_from_the_base(dualgate: Dualgate, project: Path) -> None:
    write(project, {"fee.py": FEE + TAX, "dualgate.toml": 'sensitivity = "off"\n'})

    code, found = verified(dualgate)

    assert code == 7
    assert "no test runs `fee.py:5` tax" in texts(found)


def test_what_the_base_accepts_decides_nothing(dualgate: Dualgate, project: Path) -> None:
    write(project, {"fee.py": FEE + TAX})
    _, found = verified(dualgate)
    (finding,) = found["findings"]
    write(project, {"dualgate.toml": f'[verify]\nallow = ["{finding["id"]}: it is a draft"]\n', "fee.py": FEE})
    committed(project)
    write(project, {"fee.py": FEE + TAX})

    code, found = verified(dualgate)

    assert (code, [each["accepted"] for each in found["findings"]]) == (0, ["it is a draft"])


def test_the_base_that_the_main_branch_names_is_compared_with(dualgate: Dualgate, project: Path) -> None:
    write(project, {"dualgate.toml": '[verify]\nbase = "base"\n'})
    committed(project)
    git(project, "switch", "-q", "-c", "work")
    write(project, {"dualgate.toml": '[verify]\nbase = "HEAD"\n', "fee.py": FEE + TAX})
    git(project, "commit", "-qam", "untested")

    ended = dualgate("verify", "--json")

    assert (ended.code, json.loads(ended.out)["base"]["ref"]) == (7, "base")


def test_steps_that_do_not_fit_into_the_time_are_named(dualgate: Dualgate, project: Path) -> None:
    slow = "import time\n\n\ndef test_slow():\n    time.sleep(1.5)\n"
    write(project, {"test_slow.py": slow})
    committed(project)
    write(project, {"fee.py": FEE + TAX, "test_tax.py": TAX_TEST})

    code, found = verified(dualgate, "--budget", "1s")

    assert code == 7, texts(found)
    assert all(each["rule"] == "out-of-time" for each in found["findings"])


def test_the_criteria_of_a_specification_are_shown_by_tests_that_name_them(dualgate: Dualgate, project: Path) -> None:
    spec = "# Tax\n\n## Acceptance Criteria\n\n- AC-1: tax(10) is 2\n- AC-2: tax(0) is 0\n"
    write(project, {"SPEC.md": spec, "fee.py": FEE + TAX, "test_tax.py": TAX_TEST.replace("test_tax", "test_ac1_tax")})

    code, found = verified(dualgate, "--spec", "SPEC.md")

    assert code == 7
    assert [(each["id"], each["state"]) for each in found["criteria"]] == [("AC-1", "green"), ("AC-2", "no test")]
    assert [each["text"] for each in found["findings"]] == ["AC-2 (tax(0) is 0): no test names it"]


def test_only_the_folder_in_which_it_is_called_is_verified(
    dualgate: Dualgate, project: Path, environment: dict[str, str]
) -> None:
    write(project, {"other/test_other.py": "def test_other():\n    assert False\n"})
    committed(project)
    write(project, {"billing/fee.py": FEE, "billing/test_fee.py": TEST, "other/test_other.py": "broken(\n"})

    ended = subprocess.run(
        [sys.executable, "-m", "dualgate", "verify", "--base", "base", "--json"],
        cwd=project / "billing",
        env=environment,
        capture_output=True,
        text=True,
    )

    found = json.loads(ended.stdout)
    assert ended.returncode == 0, texts(found)
    assert [row["id"] for row in found["tests"]] == ["billing/test_fee.py::test_fee"]


@pytest.mark.whole
def test_a_package_that_is_installed_in_place_is_imported_from_the_tree_under_test(
    dualgate: Dualgate, tmp_path: Path, project: Path, environment: dict[str, str]
) -> None:
    write(project, {"src/shop/__init__.py": "", "src/shop/rate.py": "RATE = 2\n\n\ndef rate():\n    return RATE\n"})
    write(project, {"test_rate.py": "from shop.rate import rate\n\n\ndef test_rate():\n    assert rate() == 2\n"})
    committed(project)
    write(project, {"src/shop/rate.py": "RATE = 3\n\n\ndef rate():\n    return RATE\n"})
    write(project, {"test_rate.py": "from shop.rate import rate\n\n\ndef test_rate():\n    assert rate() == 3\n"})
    made = environment_with(project / "src", tmp_path / "made")

    code, found = verified(dualgate, DUALGATE_TEST_COMMAND="", VIRTUAL_ENV=str(made))

    (row,) = [row for row in found["tests"] if row["id"] == "test_rate.py::test_rate"]
    assert code == 0, texts(found)
    assert (row["base"], row["on_base"], row["head"]) == ("passed", "failed", "passed")


def environment_with(source: Path, place: Path) -> Path:
    """A virtual environment with the packages of this one, in which a folder of sources is installed in place."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(place)], check=True)
    (packages,) = place.glob("lib/python*/site-packages")
    ours = [folder for folder in sys.path if folder.endswith("site-packages")]
    (packages / "in_place.pth").write_text("\n".join([*ours, str(source)]) + "\n")
    return place


@pytest.mark.whole
def test_a_run_that_imports_the_project_itself_is_not_trusted(dualgate: Dualgate, project: Path) -> None:
    write(project, {"test_fee.py": f"import sys\n\nsys.path.insert(0, {str(project)!r})\n{TEST}"})
    committed(project)
    write(project, {"fee.py": FEE + TAX, "test_tax.py": TAX_TEST})

    code, found = verified(dualgate)

    assert code == 3
    assert f"modules came from the project, not from the tree under test: fee ({project}/fee.py)" in texts(found)


def test_git_variables_of_a_hook_change_nothing(dualgate: Dualgate, project: Path, tmp_path: Path) -> None:
    write(project, {"fee.py": FEE + TAX, "test_tax.py": TAX_TEST})
    index = tmp_path / "index"

    code, found = verified(dualgate, GIT_INDEX_FILE=str(index), GIT_DIR=str(project / ".git"), GIT_PREFIX="x/")

    assert code == 0, texts(found)
    assert not index.exists()
    assert os.listdir(project / ".git").count("index") == 1  # noqa: PTH208


ASKING = """
import subprocess
from pathlib import Path


def asked(*words):
    here = Path(__file__).parent
    return subprocess.run(["git", *words], cwd=here, check=True, capture_output=True, text=True).stdout.strip()


def test_git_is_about_this_tree():
    here = Path(__file__).resolve().parent
    assert Path(asked("rev-parse", "--show-toplevel")).resolve() == here
    assert "test_git.py" in asked("ls-files")
"""


def test_variables_of_a_git_that_calls_a_hook_are_not_those_of_the_trees(
    dualgate: Dualgate, project: Path, tmp_path: Path
) -> None:
    write(project, {"test_git.py": ASKING})
    committed(project)
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    write(project, {"fee.py": FEE + TAX, "test_tax.py": TAX_TEST})
    variables = {
        "GIT_DIR": str(other / ".git"),
        "GIT_WORK_TREE": str(other),
        "GIT_INDEX_FILE": str(other / "index"),
        "GIT_OBJECT_DIRECTORY": str(other / ".git" / "objects"),
        "GIT_PREFIX": "sub/",
    }

    code, found = verified(dualgate, **variables)
    again, known = verified(dualgate)

    assert (code, found["verdict"], found["head"]["counts"]["passed"]) == (0, "verified", 3), texts(found)
    assert (again, known["head"]["reused"]) == (0, True)
    assert git(other, "status", "--porcelain") == ""


SECRET = "q7-Zz81mmPq0abcd"
LEAKING = f"""
import os

import pytest
from fee import fee

TOKEN = os.environ["SERVICE_TOKEN"]


@pytest.mark.parametrize("token", [TOKEN])
def test_token(token):
    print(token)
    assert fee(1000) == 20, f"the token was {{token}}"


def test_long_message():
    assert fee(1000) == 21, "{"x" * 40} " + TOKEN * 4
"""


@pytest.mark.whole
def test_no_secret_is_kept_or_printed_and_tests_named_after_one_are_found_again(
    dualgate: Dualgate, project: Path, tmp_path: Path
) -> None:
    write(project, {"test_token.py": LEAKING.partition("def test_long_message")[0]})
    committed(project)
    write(project, {"test_token.py": LEAKING.replace("fee(1000) == 20", "20 == fee(1000)")})
    words = ("verify", "--base", "base")

    printed = dualgate(*words, SERVICE_TOKEN=SECRET)
    found = dualgate(*words, "--json", SERVICE_TOKEN=SECRET)

    kept = [path.read_text(errors="replace") for path in (tmp_path / "home").rglob("*") if path.is_file()]
    states = {row["id"]: row["states"] for row in json.loads(found.out)["tests"]}
    assert (printed.code, found.code, len(kept) > 0) == (1, 1, True)
    assert [text for text in (printed.out, found.out, *kept) if SECRET[:8] in text] == []
    assert states["test_token.py::test_token[[redacted:SERVICE_TOKEN]]"] == ["changed"]
