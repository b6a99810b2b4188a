"""Acting on a session from the dashboard: only with the option, only with the token, only after a confirmation."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Open
from tests.browser.dashboards import TOKEN, Dashboard, start_dashboard
from tests.browser.recordings import Recorded

SEND = """async ([path, token]) => {
  const headers = {"Content-Type": "application/json", ...(token ? {Authorization: `Bearer ${token}`} : {})};
  const answer = await fetch(path, {method: "POST", headers, body: '{"action": "guide", "text": "x"}'});
  return answer.status;
}"""


@pytest.fixture(scope="module")
def steering(recorded: Recorded) -> Iterator[Dashboard]:
    """A dashboard that may act."""
    started = start_dashboard(recorded.machine, "--allow-control")
    yield started
    started.stop()


def send(page: Page, session: str, token: str) -> int:
    status: int = page.evaluate(SEND, [f"/api/sessions/{session}/control", token])
    return status


def test_without_the_option_no_action_is_offered_or_done(
    dashboard: Dashboard, recorded: Recorded, open_page: Open
) -> None:
    page = open_page(dashboard(f"sessions/{recorded.hostile}")).page

    expect(page.get_by_role("heading", level=1)).to_have_text("halted")
    expect(page.get_by_role("group", name="Actions")).to_be_hidden()
    assert send(page, recorded.hostile, TOKEN) == 403


def test_an_action_asks_for_the_token_and_a_confirmation_and_shows_its_result(
    steering: Dashboard, recorded: Recorded, open_page: Open
) -> None:
    page = open_page(steering(f"sessions/{recorded.hostile}")).page
    guide = page.get_by_role("group", name="Actions").locator('[data-action="guide"]')
    guide.click()
    asking = page.get_by_role("dialog", name="A token is needed")
    asking.get_by_label("Token").fill("not-the-token-of-this-one")
    asking.get_by_role("button", name="Use this token").click()
    expect(asking.get_by_role("alert")).to_be_visible()
    asking.get_by_label("Token").fill(TOKEN)
    asking.get_by_role("button", name="Use this token").click()
    expect(asking).to_have_count(0)

    confirming = page.locator("dialog.confirm")
    confirming.get_by_role("textbox").fill("Look at the first test.")
    confirming.get_by_role("button").first.click()
    expect(confirming.get_by_role("status")).to_be_visible()
    confirming.get_by_role("button", name="Close").click()

    expect(page.get_by_role("heading", name="Guidance for the agent")).to_be_visible()
    expect(page.locator("main")).to_contain_text("Look at the first test.")


def test_the_token_of_the_address_moves_into_the_tab(steering: Dashboard, recorded: Recorded, open_page: Open) -> None:
    page = open_page(steering(f"sessions/{recorded.hostile}#token={TOKEN}")).page

    expect(page.get_by_role("group", name="Actions")).to_be_visible()
    assert page.url == steering(f"sessions/{recorded.hostile}")
    page.locator('[data-action="guide"]').click()
    expect(page.locator("dialog.confirm")).to_be_visible()


def test_without_the_token_the_server_refuses(steering: Dashboard, recorded: Recorded, open_page: Open) -> None:
    page = open_page(steering(f"sessions/{recorded.hostile}")).page

    assert (send(page, recorded.hostile, ""), send(page, recorded.hostile, "wrong")) == (401, 401)
