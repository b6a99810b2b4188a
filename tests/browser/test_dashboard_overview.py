"""The overview of the dashboard in a browser: sessions, filters, order and totals."""

from playwright.sync_api import Route, expect

from tests.browser.conftest import Open
from tests.browser.dashboards import Dashboard


def test_sessions_have_their_state_tests_phase_cost_and_problem(dashboard: Dashboard, open_page: Open) -> None:
    shown = open_page(dashboard())

    rows = shown.page.get_by_role("row")
    proven = rows.filter(has_text="parking")
    expect(proven).to_contain_text("proven")
    expect(proven).to_contain_text("5/5")
    expect(proven).to_contain_text("$1.20")
    expect(proven.get_by_role("img")).to_have_attribute(
        "aria-label", "RED done, GREEN done, REFACTOR done, DOCUMENT done, QA done"
    )
    expect(rows.filter(has_text="odd")).to_contain_text("halted")
    expect(rows.filter(has_text="broken")).to_contain_text("unreadable")
    assert shown.messages == []
    assert all(url.startswith(dashboard()) for url in shown.requests)


def test_a_filter_a_search_an_order_and_groups_are_in_the_address(dashboard: Dashboard, open_page: Open) -> None:
    page = open_page(dashboard()).page
    sessions = page.locator("tr.session")
    expect(sessions).to_have_count(3)

    page.get_by_role("button", name="proven 1").click()
    expect(sessions).to_have_count(1)
    assert page.url == dashboard("?state=proven")
    page.get_by_role("button", name="all").click()
    page.keyboard.press("/")
    page.keyboard.type("park")
    expect(sessions).to_have_count(1)
    page.keyboard.press("Escape")
    expect(sessions).to_have_count(3)
    page.get_by_role("button", name="Cost", exact=True).click()
    expect(page.get_by_role("columnheader", name="Cost")).to_have_attribute("aria-sort", "descending")
    expect(sessions.first).to_contain_text("odd")
    page.get_by_label("Group").select_option("state")
    expect(page.locator("tr.group")).to_have_count(3)
    assert page.url == dashboard("?sort=cost&group=state")

    page.goto(dashboard("?q=nothing+like+this"))
    expect(page.get_by_text("No session matches.")).to_be_visible()


def test_charts_over_time_have_data_for_the_mouse_the_keys_and_a_table(dashboard: Dashboard, open_page: Open) -> None:
    page = open_page(dashboard()).page
    chart = page.get_by_role("figure", name="Sessions by day")
    drawing = chart.get_by_role("img")
    expect(drawing).to_be_visible()
    assert drawing.locator("path.good").get_attribute("d")

    drawing.focus()
    page.keyboard.press("End")
    expect(chart.get_by_role("status")).to_contain_text("proven: 1")
    chart.get_by_role("button", name="Table").click()
    expect(chart.get_by_role("row").last).to_contain_text("1")
    price = page.get_by_role("figure", name="Cost per proven criterion")
    price.get_by_role("img").hover(position={"x": price.evaluate("node => node.clientWidth") - 10, "y": 80})
    expect(price.get_by_role("status")).to_contain_text("cost per proven criterion: $")


def test_a_thousand_sessions_are_drawn_in_parts(dashboard: Dashboard, open_page: Open) -> None:
    page = open_page("about:blank").page

    def thousandfold(route: Route) -> None:
        answer = route.fetch()
        document = answer.json()
        row = next(each for each in document["sessions"] if each["project_name"] == "parking")
        document["sessions"] = [row | {"id": f"{row['id'][:-4]}{number:04}"} for number in range(1000)]
        route.fulfill(response=answer, json=document)

    page.route("**/api/overview", thousandfold)
    page.goto(dashboard())
    expect(page.locator("tr.session")).to_have_count(100)
    page.get_by_role("button", name="Show all").click()
    expect(page.locator("tr.session")).to_have_count(1000)
    expect(page.get_by_role("button", name="proven 1,000")).to_be_visible()
