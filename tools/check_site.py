"""The built site -> broken links, missing anchors and loads from elsewhere. `make docs` runs it after the build."""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# what a browser fetches by itself; a link is followed by a person only
LOADED = {
    "script": "src",
    "img": "src",
    "iframe": "src",
    "source": "src",
    "video": "src",
    "audio": "src",
    "link": "href",
}
LINKED = {"a": "href"}
NOT_LOADED = {"canonical", "next", "prev"}
LOADED_BY_STYLE = re.compile(r"@import\s+[\"']?(https?:|//)|url\([\"']?(https?:|//)")


@dataclass(slots=True)
class Page(HTMLParser):
    """One page: its anchors, its links, and what it loads."""

    anchors: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        HTMLParser.__init__(self)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.anchors.update(given[name] for name in ("id", "name") if given.get(name))
        if tag in LINKED and LINKED[tag] in given:
            self.links.append(given[LINKED[tag]])
        if tag in LOADED and LOADED[tag] in given and given.get("rel") not in NOT_LOADED:
            self.loads.append(given[LOADED[tag]])


def read_page(path: Path) -> Page:
    page = Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def problems(site: Path) -> Iterator[str]:
    """Each broken link, each missing anchor and each load from elsewhere, as `page: problem`."""
    pages = {path: read_page(path) for path in sorted(site.rglob("*.html"))}
    if not pages:
        yield f"{site}: no page was built"
    for path, page in pages.items():
        name = path.relative_to(site).as_posix()
        yield from (f"{name}: {text}" for link in page.links if (text := wrong_link(site, pages, path, link)))
        yield from (f"{name}: {text}" for load in page.loads if (text := wrong_load(site, path, load)))
    for style in sorted(site.rglob("*.css")):
        if LOADED_BY_STYLE.search(style.read_text(encoding="utf-8")):
            yield f"{style.relative_to(site).as_posix()}: loads from another host"


def wrong_link(site: Path, pages: dict[Path, Page], path: Path, link: str) -> str:
    """The problem with a link, or an empty text. A link to another host is checked for its form only."""
    parts = urlsplit(link)
    if parts.scheme in ("http", "https"):
        return "" if re.fullmatch(r"[\w-]+(\.[\w-]+)+(:\d+)?", parts.netloc) and " " not in link else f"invalid: {link}"
    if parts.scheme or parts.netloc:
        return "" if parts.scheme == "mailto" else f"unknown scheme: {link}"
    target = target_of(site, path, parts.path)
    if not target.is_file():
        return f"broken link: {link}"
    anchor = unquote(parts.fragment)
    if anchor and target in pages and anchor not in pages[target].anchors:
        return f"missing anchor: {link}"
    return ""


def wrong_load(site: Path, path: Path, load: str) -> str:
    parts = urlsplit(load)
    if parts.scheme == "data":
        return ""
    if parts.scheme or parts.netloc:
        return f"loads from another host: {load}"
    return "" if target_of(site, path, parts.path).is_file() else f"missing file: {load}"


def target_of(site: Path, path: Path, link: str) -> Path:
    """The file of a link: of the page itself where the link is only an anchor."""
    if not link:
        return path
    # the page for missing addresses is served anywhere, so its links start at the root
    base = site if link.startswith("/") else path.parent
    target = (base / unquote(link).lstrip("/")).resolve()
    return target / "index.html" if target.is_dir() else target


def main(site: Path) -> int:
    found = list(problems(site.resolve()))
    pages = [read_page(path) for path in site.rglob("*.html")]
    print(*found, sep="\n", end="\n" if found else "")
    print(f"{len(pages)} pages, {sum(len(page.links) for page in pages)} links checked, {len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
