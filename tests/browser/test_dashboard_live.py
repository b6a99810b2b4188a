"""The dashboard while runs go on: rows and parts change in place, and a lost connection comes back."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Open
from tests.browser.dashboards import Dashboard, start_dashboard
from tests.browser.recordings import Machine, a_machine, waiting_run
from tests.spawner import Spawner

RUN_LIMIT = 60_000


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory, spawner: Spawner) -> Machine:
    """A machine without a session."""
    return a_machine(tmp_path_factory.mktemp("machine"), spawner)


@pytest.fixture(scope="module")
def dashboard(machine: Machine) -> Iterator[Dashboard]:
    started = start_dashboard(machine)
    yield started
    started.stop()


def test_an_empty_machine_says_what_to_do_and_a_run_appears_and_changes_by_itself(
    dashboard: Dashboard, machine: Machine, open_page: Open, tmp_path: Path
) -> None:
    shown = open_page(dashboard())
    page = shown.page
    expect(page.get_by_text("dualgate run SPEC.md --agent NAME")).to_be_visible()
    gate = tmp_path / "gate"

    run = waiting_run(machine, "doubling", gate)
    row = page.get_by_role("row").filter(has_text="doubling")
    expect(row).to_contain_text("running", timeout=RUN_LIMIT)
    row.get_by_role("link").focus()
    gate.touch()
    expect(row).to_contain_text("halted", timeout=RUN_LIMIT)
    run.wait(60)

    expect(row.get_by_role("link")).to_be_focused()
    expect(page.locator("#announcer")).to_contain_text("halted")
    assert len([url for url in shown.requests if url.endswith("/api/stream")]) == 1
    assert len([url for url in shown.requests if url.endswith("/api/overview")]) <= 2  # one while sessions are read
    assert shown.messages == []


def test_what_the_reader_opened_stays_open_while_the_run_goes_on(
    dashboard: Dashboard, machine: Machine, open_page: Open, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    run = waiting_run(machine, "going", gate)
    shown = open_page(dashboard("?q=going"))
    page = shown.page
    page.get_by_role("link", name="going").click()
    page.get_by_role("link", name="Iterations").click()
    first = page.locator('details.entry[data-key="1"]')
    first.locator("> summary").click()
    expect(first).to_contain_text("Claims beside facts")

    gate.touch()
    expect(page.locator("details.entry").first).to_contain_text("blocked", timeout=RUN_LIMIT)
    run.wait(60)
    expect(page.get_by_role("heading", level=1)).to_have_text("halted")

    expect(first).to_have_attribute("open", "")
    expect(first).to_contain_text("Claims beside facts")
    assert shown.messages == []


def test_the_page_connects_again_after_a_restart_and_shows_what_happened_meanwhile(
    machine: Machine, open_page: Open
) -> None:
    first = start_dashboard(machine)
    page = open_page(first()).page
    expect(page.locator("#connection")).to_contain_text("Live")

    first.stop()
    expect(page.locator("#connection")).to_contain_text("Connection lost")
    late = machine.folder / "home" / ".bp-sessions" / "late"
    late.mkdir()
    (late / "journal.jsonl").write_text("not a journal\n")
    second = start_dashboard(machine, port=first.port)

    expect(page.locator("#connection")).to_contain_text("Live", timeout=RUN_LIMIT)
    expect(page.get_by_role("row").filter(has_text="late")).to_contain_text("unreadable")
    second.stop()
