"""Every view of the dashboard: silent, alone, readable by everybody, on any width; text of a run is never markup."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Open
from tests.browser.dashboards import Dashboard
from tests.browser.recordings import EVIL, Recorded

TABS = ("", "?tab=criteria", "?tab=iterations", "?tab=caught", "?tab=review", "?tab=log", "?tab=specification")


def views_of(session: str) -> list[str]:
    """Every address of a session, and the overview in both layouts."""
    own = f"sessions/{session}"
    return ["", "?view=cards&group=agent", *(own + tab for tab in TABS), f"{own}/iterations/3"]


def wait_for(page: Page) -> None:
    """Until a view has loaded what it shows."""
    expect(page.locator("#connection")).to_contain_text("Live")
    expect(page.locator("main .loading")).to_have_count(0)


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (390, "dark")])
def test_every_view_fits_and_axe_finds_nothing_serious(
    width: int, scheme: str, dashboard: Dashboard, recorded: Recorded, open_page: Open
) -> None:
    shown = open_page("about:blank", width=width, scheme=scheme, policy=False)
    # a hostile session has the longest words, and shows every kind of part
    for view in views_of(recorded.proven if scheme == "light" else recorded.hostile):
        shown.page.goto(dashboard(view))
        wait_for(shown.page)

        assert (view, shown.overflow) == (view, min(0, shown.overflow))
        assert (view, shown.grave_findings()) == (view, [])


def test_the_switch_chooses_light_or_dark_and_stays(dashboard: Dashboard, open_page: Open) -> None:
    page = open_page(dashboard(), scheme="dark").page
    ground = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(ground)

    page.get_by_role("button", name="Theme: system").click()

    expect(page.get_by_role("button", name="Theme: light")).to_be_visible()
    light = page.evaluate(ground)
    page.reload()
    expect(page.get_by_role("button", name="Theme: light")).to_be_visible()
    assert (page.evaluate(ground), dark) == (light, "rgb(20, 21, 23)")


def test_markup_in_names_texts_and_answers_is_shown_as_text(
    dashboard: Dashboard, recorded: Recorded, open_page: Open
) -> None:
    own = f"sessions/{recorded.hostile}"
    places = {
        "": (f"odd {EVIL}",),
        own: (f"{EVIL} in guidance", f"Doubling {EVIL}", EVIL),
        f"{own}?tab=criteria": (f"double(2) is 4 {EVIL}", f"[{EVIL}]"),
        f"{own}?tab=specification": (f"A module that doubles. {EVIL}",),
        f"{own}?tab=log": (EVIL,),
        f"{own}/iterations/2": (f"{EVIL} in an answer", f"{EVIL}.py", f"{EVIL} in a message"),
    }
    shown = open_page("about:blank")
    for view, texts in places.items():
        shown.page.goto(dashboard(view))
        wait_for(shown.page)
        for text in texts:
            expect(shown.page.locator("main")).to_contain_text(text)
        assert shown.page.locator("main img").count() == 0
        assert shown.page.evaluate("typeof owned") == "undefined"

    assert shown.messages == []
    assert all(url.startswith((dashboard(), "about:")) for url in shown.requests)
    assert not any(url.endswith("/x") for url in shown.requests)
