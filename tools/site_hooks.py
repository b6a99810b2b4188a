"""Hooks of the site: pages from outside docs/, decisions in the navigation, and no script from elsewhere."""

from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files  # type: ignore[import-not-found]  # of requirements/docs.txt

ROOT = Path(__file__).parent.parent
OUTSIDE = {"CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md"}
SHIM = "https://unpkg.com/iframe-worker/shim"


def on_config(config: Any) -> Any:
    """List every decision record in place of the word DECISIONS."""
    records = sorted(path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs" / "adr").glob("*.md"))
    (project,) = (part["Project"] for part in config.nav if "Project" in part)
    project[-1]["Decisions"] = records
    return config


def on_files(files: Files, config: Any) -> Files:
    """Add the pages of the root, with their links as seen from docs/."""
    for name, page in OUTSIDE.items():
        text = (ROOT / name).read_text(encoding="utf-8").replace("](docs/", "](")
        files.append(File.generated(config, page, content=text))
    return files


def on_post_page(output: str, page: Any, **_: Any) -> str:
    """Load the script of the offline search from the site itself."""
    return with_own_shim(output, "../" * page.url.count("/"))


def on_post_template(output: str, template_name: str, **_: Any) -> str:
    """The same for pages that no Markdown makes, such as 404.html."""
    return with_own_shim(output, "/") if template_name.endswith(".html") else output


def with_own_shim(output: str, root: str) -> str:
    return output.replace(SHIM, f"{root}assets/iframe-worker-shim.js")
