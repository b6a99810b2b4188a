"""A first conftest.py: one that only adds folders of the project to the import path, and one that does more."""

import pytest

from dualgate.workspace.steering.import_paths import hides_modules, only_adds_paths

FOLDERS = {
    "nothing": "",
    "a text": "'''Fixtures.'''\n",
    "a folder by its name": "import sys\nsys.path.append('src')\n",
    "a folder by pathlib": "import sys\nfrom pathlib import Path\n\n"
    "sys.path.insert(0, str(Path(__file__).parent.parent / 'src'))\n",
    "a resolved folder": "import pathlib\nimport sys\n\nROOT = pathlib.Path(__file__).resolve().parents[1]\n"
    "sys.path.insert(0, str(ROOT.joinpath('src', 'shop').absolute()))\n",
    "a folder by os.path": "from __future__ import annotations\nimport os, sys\n"
    "_HERE = os.path.dirname(os.path.abspath(__file__))\n"
    "sys.path.insert(0, os.path.realpath(os.path.join(_HERE, os.pardir, 'lib')))\n",
    "a folder that is not there yet": "import sys\nfrom pathlib import Path\n\n"
    "SRC = str(Path('src', 'shop').as_posix())\n"
    "if SRC not in sys.path:\n    sys.path.insert(0, SRC)\n",
}
MORE = {
    "a folder outside": "import sys\nsys.path.insert(0, '/tmp/lax')\n",
    "a folder above": "import sys\nfrom pathlib import Path\n\nsys.path.insert(0, str(Path(__file__).parents[2]))\n",
    "a folder beside": "import os, sys\nsys.path.append(os.path.join(os.path.dirname(__file__), '..', '..', 'lax'))\n",
    "a folder above one that is resolved": "import sys\nfrom pathlib import Path\n\n"
    "sys.path.insert(0, str((Path(__file__).parent / '..').resolve().parent))\n",
    "a folder above one with a slash": "import os, sys\nfrom pathlib import Path\n\n"
    "sys.path.insert(0, str(Path(os.path.join(Path(__file__).parent.parent, '')).parent))\n",
    "a folder above one with a dot": "import sys\nfrom pathlib import Path\n\n"
    "sys.path.insert(0, str((Path(__file__).parent.parent / '.').parent))\n",
    "a folder above one with parts of its own": "import os, sys\n"
    "sys.path.insert(0, os.path.dirname(os.path.abspath(os.path.join(__file__, '..', '..'))))\n",
    "a folder above all": "import sys\nfrom pathlib import Path\n\n"
    "sys.path.append(str(Path(__file__).parents[99999999999] / 'project'))\n",
    "an unknown folder": "import os, sys\nsys.path.insert(0, os.environ['LAX'])\n",
    "an unknown function": "import sys\nsys.path.insert(0, lax('src'))\n",
    "an unknown expression": "import sys\nsys.path.insert(0, f'{sys}')\n",
    "another list": "import sys\nsys.meta_path.insert(0, 'src')\n",
    "fewer folders": "import sys\nsys.path.remove('src')\n",
    "another path": "import sys\nsys.path = ['src']\n",
    "another condition": "import sys\nif 'src' in sys.path:\n    sys.path.append('src')\n",
    "an escape from the condition": "import sys\nif 'src' not in sys.path:\n    pass\nelse:\n    lax()\n",
    "another module": "import sys\nimport lax\nsys.path.append('src')\n",
    "another Path": "import sys\nfrom lax import Path\nsys.path.append(Path('src'))\n",
    "another name": "import sys as os\n",
    "left out tests": "collect_ignore = 'test_a.py'\n",
    "a hook": "def pytest_runtest_call(item): pass\n",
    "a call": "print('x')\n",
    "no Python": "def def\n",
}


@pytest.mark.parametrize("text", FOLDERS.values(), ids=list(FOLDERS))
def test_a_conftest_may_only_add_folders_of_the_project(text: str) -> None:
    assert only_adds_paths("tests/conftest.py", text.encode())


@pytest.mark.parametrize("text", MORE.values(), ids=list(MORE))
def test_a_conftest_that_does_something_else_is_seen(text: str) -> None:
    assert not only_adds_paths("tests/conftest.py", text.encode())


def test_the_place_of_a_conftest_decides_where_its_folders_are() -> None:
    text = b"import sys\nfrom pathlib import Path\n\nsys.path.insert(0, str(Path(__file__).parent.parent / 'src'))\n"

    assert not only_adds_paths("conftest.py", text)


ADDS_SRC = b"import sys\nfrom pathlib import Path\n\nsys.path.insert(0, str(Path(__file__).parent / 'src'))\n"


@pytest.mark.parametrize(
    ("file", "hides"),
    [
        ("src/support.py", True),
        ("src/support/__init__.py", True),
        ("support.py", True),
        ("src/shop/support.py", False),
        ("src/shop/__init__.py", False),
        ("src/helping.py", False),
        ("src/support.txt", False),
    ],
)
def test_a_module_of_an_added_folder_may_hide_one_elsewhere(file: str, hides: bool) -> None:
    files = ("tests/support.py", "tests/test_shop.py", "tests/conftest.py", "conftest.py", "src/shop/cart.py", file)

    assert hides_modules("conftest.py", ADDS_SRC, files) is hides
