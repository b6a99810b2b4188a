"""A session and its iterations in a browser: facts, charts, log, addresses."""

from pathlib import Path

from playwright.sync_api import expect

from tests.browser.conftest import Open
from tests.browser.dashboards import Dashboard
from tests.browser.recordings import Recorded


def test_a_session_shows_its_criteria_catches_review_and_specification(
    dashboard: Dashboard, recorded: Recorded, open_page: Open
) -> None:
    shown = open_page(dashboard(f"sessions/{recorded.proven}?tab=criteria"))
    page = shown.page
    criterion = page.get_by_role("row").filter(has_text="AC-3")
    expect(criterion).to_contain_text("No day costs more than 1500 cents.")
    expect(criterion).to_contain_text("tests/test_fee.py::test_ac3_no_day_costs_more_than_1500")
    expect(criterion).to_contain_text("killed")

    page.get_by_role("link", name="Caught").click()
    expect(page.get_by_role("heading", name="The agent changed a file that the phase does not allow")).to_be_visible()
    expect(page.get_by_text("- assert fee(24 * 60) == 1500")).to_be_visible()
    expect(page.get_by_role("heading", name="Breaker")).to_be_visible()
    page.get_by_role("link", name="Review").click()
    expect(page.get_by_role("row").filter(has_text="FR-1")).to_contain_text("closed")
    page.get_by_role("link", name="Specification").click()
    expect(page.get_by_text("A function `fee(minutes)` tells what parking costs, in cents.")).to_be_visible()
    assert shown.messages == []
    assert all(url.startswith(dashboard()) for url in shown.requests)


def test_charts_of_a_session_have_data_and_lead_to_an_iteration(
    dashboard: Dashboard, recorded: Recorded, open_page: Open
) -> None:
    page = open_page(dashboard(f"sessions/{recorded.proven}")).page
    for name, value in (("Tests", "passing: 1"), ("Cost", "cost: $0.12"), ("Tokens", "input: 5.2k")):
        chart = page.get_by_role("figure", name=f"{name} over iterations")
        chart.get_by_role("img").focus()
        page.keyboard.press("Home")
        expect(chart.get_by_role("status")).to_contain_text(value)
        chart.get_by_role("button", name="Table").click()
        expect(chart.get_by_role("table").get_by_role("row")).to_have_count(11)

    page.get_by_role("img", name="Tests over iterations").focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Iteration 2 GREEN 1")


def test_an_iteration_opens_in_place_and_on_a_page_of_its_own(
    dashboard: Dashboard, recorded: Recorded, open_page: Open
) -> None:
    page = open_page(dashboard(f"sessions/{recorded.proven}?tab=iterations")).page
    entry = page.locator("details.entry").filter(has_text="GREEN 2")
    entry.locator("> summary").click()
    expect(entry.get_by_role("row").filter(has_text="TESTS_STATUS")).to_contain_text("does not hold")
    expect(entry).to_contain_text("gate 1, evidence: shut")
    expect(entry).to_contain_text("The test of AC-3 asked for too much")

    entry.get_by_role("link", name="on a page of its own").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Iteration 3 GREEN 2")
    page.keyboard.press("]")
    expect(page.get_by_role("heading", level=1)).to_have_text("Iteration 4 GREEN 3")
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text("Iteration 3 GREEN 2")
    page.goto(dashboard(f"sessions/{recorded.proven}/iterations/99"))
    expect(page.get_by_role("alert")).to_be_visible()


def test_the_log_can_be_filtered_and_paused(dashboard: Dashboard, recorded: Recorded, open_page: Open) -> None:
    page = open_page(dashboard(f"sessions/{recorded.proven}?tab=log")).page
    lines = page.locator(".log-lines li:visible")
    expect(lines.filter(has_text="both gates open → GREEN")).to_have_count(1)

    page.keyboard.press("/")
    page.keyboard.type("reverted")
    expect(lines).to_have_count(1)
    page.keyboard.press("Escape")
    page.get_by_label("Phase").select_option("QA")
    expect(lines.filter(has_text="both gates open → GREEN")).to_have_count(0)
    page.get_by_role("button", name="Following: pause").click()
    expect(page.get_by_role("button", name="Paused: follow")).to_be_visible()


def test_a_halted_session_says_why_and_offers_commands_to_copy(
    dashboard: Dashboard, recorded: Recorded, open_page: Open
) -> None:
    page = open_page(dashboard(f"sessions/{recorded.hostile}")).page

    expect(page.get_by_role("heading", level=1)).to_have_text("halted")
    expect(page.get_by_role("heading", name="Why it halted")).to_be_visible()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy: dualgate").first.click()
    expect(page.locator("#announcer")).to_have_text("Copied.")
    assert str(page.evaluate("navigator.clipboard.readText()")).startswith("dualgate ")


def test_a_long_answer_is_shown_in_part_and_more_of_it_when_asked(
    dashboard: Dashboard, recorded: Recorded, open_page: Open
) -> None:
    answer = next(_session_folder(recorded).glob("calls/0001-*answer*"))
    kept = answer.read_bytes()
    answer.write_text("".join(f"line {number}\n" for number in range(60_000)))
    page = open_page(dashboard(f"sessions/{recorded.hostile}/iterations/1")).page

    text = page.get_by_role("group", name="answer of call 1")
    expect(text).to_contain_text("line 5000\n")
    expect(text).not_to_contain_text("line 50000\n")
    page.get_by_role("button", name="Show more").click()
    expect(text).to_contain_text("line 20000\n")
    page.get_by_role("button", name="Show the end").click()
    expect(text).to_contain_text("line 59999")
    answer.write_bytes(kept)


def _session_folder(recorded: Recorded) -> Path:
    found = recorded.machine.folder.glob("home/.bp-sessions/*/journal.jsonl")
    return next(path.parent for path in found if recorded.hostile in path.read_text())


def test_keys_lead_from_row_to_row_into_a_session_and_back(
    dashboard: Dashboard, recorded: Recorded, open_page: Open
) -> None:
    page = open_page(dashboard("?sort=cost")).page
    expect(page.locator("tr.session")).to_have_count(3)

    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("proven")
    assert page.url == dashboard(f"sessions/{recorded.proven}")
    page.keyboard.press("3")
    expect(page.get_by_role("heading", name="Iterations")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", name="Phases")).to_be_visible()
    page.go_back()
    expect(page.locator("tr.session")).to_have_count(3)
    assert page.url == dashboard("?sort=cost")
    page.go_forward()
    expect(page.get_by_role("heading", name="Phases")).to_be_visible()
    page.keyboard.press("u")
    expect(page.locator("tr.session")).to_have_count(3)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
