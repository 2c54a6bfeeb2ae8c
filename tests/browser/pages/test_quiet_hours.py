"""Notice settings: quiet hours keep the time zone in which they were set until they are changed."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.game_server import Player


def test_quiet_hours_are_shown_with_their_time_zone(person: Callable[..., Player]) -> None:
    ann = person("Ann", fresh=True, timezone_id="Europe/Berlin")
    page = ann.page
    page.goto(f"{ann.url}/account")
    zone = page.locator("[data-zone]")
    expect(zone).to_have_text("Time zone: Europe/Berlin.")  # nothing is kept yet
    ann.api("PUT", "/me/notices/wishes", {"zone": "America/New_York", "quiet": [1320, 480]})
    page.reload()
    expect(zone).to_have_text("Time zone: America/New York.")
    form = page.locator("[data-wishes]")
    form.locator("[name=quiet_to]").fill("09:00")
    form.locator("[name=quiet_to]").press("Tab")
    expect(zone).to_have_text("Time zone: Europe/Berlin.")  # as it would be saved
    form.get_by_role("button", name="Save").click()
    expect(form.locator("[data-said]")).to_have_text("Saved.")
    kept = ann.api("GET", "/me/notices")["wishes"]
    assert (kept["zone"], kept["quiet"]) == ("Europe/Berlin", [1320, 540])
    page.reload()
    expect(zone).to_have_text("Time zone: Europe/Berlin.")
