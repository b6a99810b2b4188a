"""A headless Chromium for pages of dualgate: what it logs, which requests leave a page, what axe finds in it."""

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Browser, Error, Page, Request, expect, sync_playwright

from tests.browser.dashboards import Dashboard, start_dashboard
from tests.browser.recordings import Recorded, a_machine, record
from tests.spawner import Spawner

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# root cannot start its sandbox; nothing here may leave the machine
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-dev-shm-usage",
)
# all else that axe looks at is counted only, not described
VIOLATIONS = {"resultTypes": ["violations"]}
GRAVE = ("serious", "critical")
LIMIT = 20_000
expect.set_options(timeout=LIMIT)


@dataclass
class Opened:
    """A page as a person sees it. `messages` are errors and warnings of its console, `requests` what it asked for."""

    page: Page
    messages: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    @property
    def overflow(self) -> int:
        """Pixels by which the page is wider than the window."""
        wider: int = self.page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        return wider

    def grave_findings(self) -> list[str]:
        """What axe calls serious or critical, each with its first place."""
        found: list[dict[str, Any]] = Axe().run(self.page, options=VIOLATIONS).response["violations"]
        return [f"{each['id']}: {each['nodes'][0]['html']}" for each in found if each["impact"] in GRAVE]


Open = Callable[..., Opened]


@pytest.fixture(scope="module")  # while it lives, its event loop runs in the thread of all tests
def browser() -> Iterator[Browser]:
    program = next((path for name in PROGRAMS if (path := shutil.which(name))), None)
    if program is None:
        pytest.skip(f"no Chromium on the PATH ({', '.join(PROGRAMS)}): 'make browser-tools' installs one on Debian")
    with sync_playwright() as playwright:
        try:
            started = playwright.chromium.launch(
                executable_path=program, args=list(FLAGS), timeout=LIMIT, env={**os.environ, "NO_AT_BRIDGE": "1"}
            )
        except Error as error:
            pytest.skip(f"{program} cannot start: {str(error).splitlines()[0]}")
        yield started
        started.close()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Open]:
    """Open an address or a file, 1440 pixels wide and light if not said otherwise. Pages may not use the network."""
    contexts = []

    def opened(
        place: str | Path, width: int = 1440, scheme: Any = "light", script: bool = True, policy: bool = True
    ) -> Opened:
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme=scheme,
            java_script_enabled=script,
            bypass_csp=not policy,  # axe is a script, which the policy of a page refuses
            timezone_id="Europe/Berlin",
        )
        contexts.append(context)
        shown = Opened(page=context.new_page())
        shown.page.set_default_timeout(LIMIT)
        shown.page.on("console", lambda message: shown.messages.append(f"{message.type}: {message.text}"))
        shown.page.on("pageerror", lambda error: shown.messages.append(f"error: {error}"))
        shown.page.on("request", lambda request: _note(shown, request))
        shown.page.goto(place.as_uri() if isinstance(place, Path) else place)
        return shown

    yield opened
    for context in contexts:
        context.close()


def _note(shown: Opened, request: Request) -> None:
    shown.requests.append(request.url)


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory, spawner: Spawner) -> Recorded:
    """Sessions of real runs, made once for all tests that only look at them."""
    return record(a_machine(tmp_path_factory.mktemp("machine"), spawner))


@pytest.fixture(scope="module")
def dashboard(recorded: Recorded) -> Iterator[Dashboard]:
    """A dashboard that may only look."""
    started = start_dashboard(recorded.machine)
    yield started
    started.stop()
