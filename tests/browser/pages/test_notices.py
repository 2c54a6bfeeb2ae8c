"""The settings of notices: quiet hours are those of the place where they were set, until they are set anew."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.table.house import Player


def test_kept_hours_are_named_with_the_zone_they_are_kept_in(person: Callable[..., Player]) -> None:
    ann = person("Ann", fresh=True, timezone_id="Europe/Berlin")
    page = ann.page
    page.goto(f"{ann.url}/account")
    zone = page.locator("[data-zone]")
    expect(zone).to_have_text("Times are those of Europe/Berlin.")  # nothing is kept yet
    ann.api("PUT", "/me/notices/wishes", {"zone": "America/New_York", "quiet": [1320, 480]})
    page.reload()
    expect(zone).to_have_text("Times are those of America/New York.")
    form = page.locator("[data-wishes]")
    form.locator("[name=quiet_to]").fill("09:00")
    form.locator("[name=quiet_to]").press("Tab")
    expect(zone).to_have_text("Times are those of Europe/Berlin.")  # as it would be saved
    form.get_by_role("button", name="Save").click()
    expect(form.locator("[data-said]")).to_have_text("Saved.")
    kept = ann.api("GET", "/me/notices")["wishes"]
    assert (kept["zone"], kept["quiet"]) == ("Europe/Berlin", [1320, 540])
    page.reload()
    expect(zone).to_have_text("Times are those of Europe/Berlin.")
