"""Notice settings: the time zone of quiet hours, one button that saves everything, and tests of saved addresses."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Route, expect

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


def open_with_webhook(ann: Player, webhook: str | None) -> list[str | None]:
    """Open the account page as on a server that calls webhooks. Return the webhooks that are saved from now on."""
    saved = [webhook]

    def answer(route: Route) -> None:
        if route.request.method == "PUT":
            saved.append((route.request.post_data_json or {})["webhook"])
        settings = ann.api("GET", "/me/notices")
        route.fulfill(json={**settings, "webhooks": True, "webhook": saved[-1], "webhook_form": "plain"})

    ann.page.route("**/api/v1/me/notices", answer)
    ann.page.goto(f"{ann.url}/account")
    return saved


def test_one_button_saves_quiet_hours_and_addresses(person: Callable[..., Player]) -> None:
    ann = person("Ann", fresh=True)
    saved = open_with_webhook(ann, None)
    panel = ann.page.locator("[data-notices]")
    save = panel.get_by_role("button", name="Save")
    panel.get_by_label("Quiet hours").check()
    panel.get_by_label("Webhook, for your own programs").fill("https://bots.example/turns")
    expect(save).to_have_count(1)
    save.click()
    said = ann.page.locator("[data-notice-form] > [data-said]")
    expect(said).to_have_text("Saved.")
    assert ann.api("GET", "/me/notices")["wishes"]["quiet"] == [1320, 480]
    assert saved == [None, "https://bots.example/turns"]
    panel.get_by_label("Quiet hours").uncheck()
    save.click()
    expect(said).to_have_text("Saved.")
    assert ann.api("GET", "/me/notices")["wishes"]["quiet"] is None
    assert len(saved) == 2, "an unchanged address is not sent again"


def test_a_test_call_is_not_offered_beside_an_unsaved_address(person: Callable[..., Player]) -> None:
    ann = person("Ann", fresh=True)
    open_with_webhook(ann, "https://bots.example/old")
    page = ann.page
    button = page.get_by_role("button", name="Send a test call")
    said = page.locator("[data-webhook-saved] [data-test-said]")
    expect(button).to_be_enabled()
    page.get_by_label("Webhook, for your own programs").fill("https://bots.example/new")
    expect(button).to_be_disabled()
    expect(said).to_have_text("Save first.")
    page.locator("[data-notices]").get_by_role("button", name="Save").click()
    expect(button).to_be_enabled()
    expect(said).to_have_text("")
    page.get_by_label("This is a Discord channel").check()
    expect(button).to_be_disabled()
