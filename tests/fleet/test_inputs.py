"""Which untracked files a worktree gets."""

from pathlib import Path

from dualgate.fleet.inputs import LARGEST
from dualgate.fleet.plan import Wanted, WorktreePlan, plan_rows, plan_worktree
from dualgate.settings import Settings
from dualgate.settings.declaration import Sandbox, Worktrees
from tests.fleet.places import committed


def planned(repository: Path, settings: Settings | None = None, *files: str) -> WorktreePlan:
    return plan_worktree(repository, Wanted(name="night", files=files), settings or Settings(), {})


def put(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("x\n")


def test_local_settings_and_generated_code_are_copied_and_caches_and_notes_are_not(repository: Path) -> None:
    put(repository, "app/__init__.py")
    committed(repository, **{".gitignore": ".env*\n*.log\n_version.py\n*.so\n.cache/\nbuild/\nsecret/\n"})
    put(repository, ".env", ".env.test", "app/_version.py", "app/fast.so", "run.log", ".cache/x.py", "build/y.py")
    put(repository, "app/settings.local.json", "notes.md", "draft.py", "app/__pycache__/a.py", "dualgate.toml")
    (repository / ".env.large").write_bytes(bytes(LARGEST + 1))

    inputs = planned(repository).inputs

    assert inputs.copied == (
        ".env",
        ".env.test",
        "app/_version.py",
        "app/fast.so",
        "app/settings.local.json",
        "dualgate.toml",
    )
    assert inputs.left_out == ("draft.py", "notes.md")


def test_small_databases_are_copied_and_other_ignored_files_are_named(repository: Path) -> None:
    committed(repository, **{".gitignore": "*.sqlite3\n*.csv\n*.log\n*.egg-info/\n"})
    put(repository, "local.sqlite3", "data/prices.csv", "run.log", "shop.egg-info/PKG-INFO")

    plan = planned(repository)

    assert plan.inputs.copied == ("local.sqlite3",)
    assert ("left", "in your checkout: data/prices.csv, ignored by git; worktree.copy adds some") in [*plan_rows(plan)]


def test_the_rows_of_a_plan_hold_each_name_on_one_line(repository: Path) -> None:
    committed(repository, **{"a\nleft  b.py": "x = 1\n", ".gitignore": "*.env\n"})
    put(repository, "a\nleft  b.py", "c\nd.py", "e\nf.env")

    told = "\n".join(text for _, text in plan_rows(planned(repository)))

    assert all(name in told for name in ("a\\nleft  b.py with uncommitted changes", "c\\nd.py, untracked", "e\\nf.env"))


def test_a_setting_names_the_files_instead(repository: Path) -> None:
    committed(repository, **{".gitignore": ".env\ndata/\n"})
    put(repository, ".env", "data/one.csv", "data/more/two.csv", "notes.md")

    settings = Settings(worktree=Worktrees(copy=("data", "*.md")))

    assert planned(repository, settings).inputs.copied == ("data/more/two.csv", "data/one.csv", "notes.md")


def test_a_specification_that_is_not_committed_is_copied(repository: Path) -> None:
    assert planned(repository, None, "SPEC.md").inputs.copied == ()

    (repository / "SPEC.md").write_text("# Other\n")
    put(repository, "docs/NEW.md")

    assert planned(repository, None, "SPEC.md", "docs/NEW.md").inputs.copied == ("SPEC.md", "docs/NEW.md")


def test_files_that_the_sandbox_hides_are_not_copied(repository: Path) -> None:
    put(repository, ".env", "keys/.env")

    assert planned(repository, Settings(sandbox=Sandbox(hidden=("keys",)))).inputs.copied == (".env",)


def test_packages_are_found_whether_git_ignores_them_or_not(repository: Path) -> None:
    committed(repository, **{".gitignore": "node_modules/\n"})
    put(repository, "node_modules/left/index.js", "web/node_modules/right/index.js", "vendor/autoload.php")
    put(repository, ".venv/pyvenv.cfg", ".venv/lib/python3.11/site-packages/six.py", ".venv/bin/python")

    plan = planned(repository)

    assert (plan.linked, plan.duplicated) == (("node_modules", "web/node_modules"), ("vendor",))
    assert plan.shared == {".venv": repository / ".venv"}
    assert plan.inputs.left_out == ()
