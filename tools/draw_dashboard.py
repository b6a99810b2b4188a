"""Draw docs/assets/dashboard-*.png: `python -m tools.draw_dashboard`. The sessions in them are real runs.

It needs Chromium and the tools of the browser tests.
"""

import os
import shutil
import signal
import tempfile
from pathlib import Path

from playwright.sync_api import Page, expect, sync_playwright

from tests.browser.conftest import FLAGS, PROGRAMS
from tests.browser.dashboards import start_dashboard
from tests.browser.recordings import Machine, a_machine, run_parking, waiting_run
from tests.spawner import Spawner

ASSETS = Path(__file__).parent.parent / "docs" / "assets"
LIMIT = 120_000


def main() -> None:
    spawner = Spawner()
    with tempfile.TemporaryDirectory() as folder:
        _draw(a_machine(Path(folder), spawner))
    spawner.close()


def _draw(machine: Machine) -> None:
    """A proven session, a halted one and one that is running, in the overview and alone."""
    gate = machine.folder / "gate"
    parking = machine.session_id(run_parking(machine))
    gate.touch()
    waiting_run(machine, "invoices", gate).wait()
    gate.unlink()
    running = waiting_run(machine, "payments", gate)
    dashboard = start_dashboard(machine)
    program = next(path for name in PROGRAMS if (path := shutil.which(name)))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        page = browser.new_page(viewport={"width": 1200, "height": 755})
        page.goto(dashboard())
        expect(page.get_by_role("row").filter(has_text="payments")).to_contain_text("GREEN", timeout=LIMIT)
        page.get_by_role("button", name="7 days").click()
        _take(page, "overview")
        page.emulate_media(color_scheme="dark")
        page.set_viewport_size({"width": 1440, "height": 1100})
        page.goto(dashboard(f"sessions/{parking}"))
        expect(page.get_by_role("figure", name="Tokens over iterations")).to_be_visible(timeout=LIMIT)
        _take(page, "session")
        browser.close()
    dashboard.stop()
    os.kill(running.pid, signal.SIGTERM)
    running.wait()


def _take(page: Page, name: str) -> None:
    page.wait_for_load_state("load")
    page.screenshot(path=ASSETS / f"dashboard-{name}.png", animations="disabled")


if __name__ == "__main__":
    main()
