"""The site: it builds strictly, its pages load nothing from elsewhere, and its quick start can be followed."""

import fcntl
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).parents[2]
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
IGNORED = shutil.ignore_patterns(".git", ".venv", "build", ".live", "__pycache__", ".*_cache", ".hypothesis")
needs_a_browser = pytest.mark.skipif(CHROMIUM is None, reason="neither chromium nor google-chrome is on the PATH")


def make_docs(project: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """`make docs`, one at a time: the first one sets up its environment."""
    ready = ROOT / "build" / "docs"
    ready.parent.mkdir(exist_ok=True)
    with (ready.parent / "docs.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return subprocess.run(
            ["make", "docs", f"DOCS={ready}", *words], cwd=project, capture_output=True, text=True, check=False
        )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    built = make_docs(ROOT, f"SITE={folder}")
    assert built.returncode == 0, built.stdout + built.stderr
    return folder


def test_every_page_is_built_and_no_link_is_broken(site: Path) -> None:
    pages = {path.stem for path in ROOT.glob("docs/*.md")}

    assert pages <= {path.stem for path in site.glob("*.html")}


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("tests.md", "[gone](gone.md)"),
        ("tests.md", "[gone](safety.md#gone)"),
        ("tests.md", "[gone](examples/gone.yml)"),
        ("tests.md", '<a href="gone.html">gone</a>'),
        ("orphan.md", "# A page that nobody finds"),
    ],
)
def test_the_build_fails_for_a_broken_page(tmp_path: Path, name: str, words: str) -> None:
    project = tmp_path / "project"
    shutil.copytree(ROOT, project, ignore=IGNORED)
    with (project / "docs" / name).open("a") as page:
        page.write(f"\n{words}\n")

    built = make_docs(project)

    assert built.returncode != 0
    assert re.search("gone|orphan", built.stdout + built.stderr)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


def opened(browser: Browser, page: Path) -> tuple[Page, list[str], list[str]]:
    """A page opened as a file, with the addresses that it asks for and the errors that it meets."""
    tab = browser.new_page()
    asked: list[str] = []
    errors: list[str] = []
    tab.on("request", lambda request: asked.append(request.url))
    tab.on("pageerror", lambda error: errors.append(str(error)))
    tab.goto(page.as_uri())
    return tab, asked, errors


@needs_a_browser
@pytest.mark.parametrize(
    "name", ["index.html", "quick-start.html", "machine.html", "commands.html", "adr/0001-two-gates.html"]
)
def test_a_page_asks_for_nothing_outside_the_site(site: Path, browser: Browser, name: str) -> None:
    tab, asked, errors = opened(browser, site / name)
    tab.wait_for_load_state("networkidle")
    tab.close()

    assert [address for address in asked if not address.startswith((site.as_uri(), "data:", "blob:"))] == []
    assert (errors, len(asked) > 2) == ([], True)


@needs_a_browser
def test_the_search_finds_a_page_without_a_server(site: Path, browser: Browser) -> None:
    tab, _, _ = opened(browser, site / "index.html")
    tab.locator("[data-md-component=search-query]").fill("amendment")
    found = tab.locator(".md-search-result__link").first
    found.wait_for(state="attached")

    assert "amendments.html" in (found.get_attribute("href") or "")
    tab.close()


def commands_of(page: str) -> str:
    return "\n".join(re.findall(r"^```sh\n(.*?)^```", page, re.DOTALL | re.MULTILINE))


def test_the_quick_start_leads_from_a_clone_to_a_proven_run(tmp_path: Path) -> None:
    clone, home = tmp_path / "clone", tmp_path / "home"
    home.mkdir()
    shutil.copytree(ROOT, clone, ignore=IGNORED)
    commands = commands_of((ROOT / "docs" / "quick-start.md").read_text(encoding="utf-8"))
    # as a new user has it: no environment of the developers on the path, no settings, no session
    kept = {
        name: os.environ[name] for name in ("LANG", "TMPDIR", "PIP_INDEX_URL", "PIP_CONFIG_FILE") if name in os.environ
    }
    path = os.pathsep.join(part for part in os.environ["PATH"].split(os.pathsep) if not part.startswith(str(ROOT)))

    done = subprocess.run(
        ["bash", "-euo", "pipefail"],
        input=commands,
        cwd=clone,
        env={**kept, "HOME": str(home), "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    ends = re.findall(r"completed and proven|exit code 3", done.stdout)
    assert (ends[0], ends[-1]) == ("completed and proven", "exit code 3")
    assert (home / "parking" / "SPEC.md").exists()
