"""Accounts, devices and profiles on the pages."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.game_server import SHORT, Player, begin


def name() -> str:
    return f"Nettle {secrets.token_hex(3)}"


def register(player: Player, who: str, password: str = "four quiet otters") -> list[str]:
    page = player.page
    page.goto(f"{player.url}/account")
    form = page.locator('[data-form="/account/register"]')
    form.get_by_label("Name").fill(who)
    form.get_by_label("Password").fill(password)
    form.get_by_role("button", name="Register").click()
    codes = page.locator("[data-code-list] code")
    expect(codes).to_have_count(8)
    shown = codes.all_inner_texts()
    # Only the button closes it: the codes are not shown again.
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    expect(codes.first).to_be_visible()
    page.get_by_role("button", name="I have saved them").click()
    expect(page.get_by_role("button", name="Log out", exact=True)).to_be_visible()
    return shown


def test_register_log_out_and_log_in_elsewhere(person: Callable[..., Player]):
    ann, elsewhere = person("Ann"), person(None)
    who = name()
    register(ann, who)
    elsewhere.page.goto(f"{elsewhere.url}/account")
    form = elsewhere.page.locator('[data-form="/account/login"]')
    form.get_by_label("Name").fill(who)
    form.get_by_label("Password").fill("wrong wrong wrong")
    form.get_by_role("button", name="Log in").click()
    expect(form.locator("[data-said]")).to_have_text("There is no account with this name and password.")
    form.get_by_label("Name").fill(who)
    form.get_by_label("Password").fill("four quiet otters")
    form.get_by_role("button", name="Log in").click()
    elsewhere.page.wait_for_url(re.compile("/me$"))
    expect(elsewhere.page.locator(".who-name")).to_have_text(who)
    elsewhere.complaints.clear()


def test_a_recovery_code_opens_the_account_again(person: Callable[..., Player]):
    ann, elsewhere = person("Ann"), person(None)
    who = name()
    codes = register(ann, who)
    page = elsewhere.page
    page.goto(f"{elsewhere.url}/account")
    page.get_by_text("Forgot your password?").click()
    form = page.locator('[data-form="/account/recover"]')
    form.get_by_label("Name").fill(who)
    form.get_by_label("recovery codes").fill(codes[3].lower())
    form.get_by_label("New password").fill("five loud pelicans")
    form.get_by_role("button").click()
    expect(page.locator("[data-code-list] code")).to_have_count(8)


def test_a_resume_code_brings_the_seat_to_the_phone(person: Callable[..., Player]):
    ann, bo, phone = person("Ann"), person("Bo"), person(None, phone=True)
    game = begin(ann, bo, options=SHORT)
    ann.page.goto(f"{ann.url}/account")
    ann.page.get_by_role("button", name="Show a code for another device").click()
    code = ann.page.locator("[data-code-text]")
    expect(code).to_have_text(re.compile(r"\w{4}-\w{4}-\w{4}"))
    assert ann.page.locator("[data-qr]").evaluate("image => image.complete && image.naturalWidth > 0")
    phone.page.goto(f"{phone.url}/resume/{code.inner_text()}")
    assert code.inner_text() not in phone.page.url  # the code leaves the address at once
    phone.page.get_by_role("button", name="Move my seat here").click()
    phone.page.wait_for_url(re.compile("/me$"))
    expect(phone.page.locator(f'a[href="/g/{game}"]')).to_be_visible()


def test_results_and_games_of_a_player(person: Callable[..., Player]):
    ann, bo = person("Ann"), person("Bo")
    game = begin(ann, bo, options=SHORT)
    bo.act({"type": "resign"})
    ann.page.goto(f"{ann.url}/me")
    expect(ann.page.locator("[data-results]")).to_contain_text("Tortuga")
    expect(ann.page.locator("[data-results]")).to_contain_text("1 (100%)")
    expect(ann.page.locator(f'a[href="/g/{game}/replay"]')).to_be_visible()
    expect(ann.page.locator(f'a[href="/g/{game}/review"]')).to_be_visible()
    row = ann.page.locator('[data-section="finished"] .table-row').first
    assert row.inner_text().count("Tortuga") == 1  # the edition once
    expect(row.locator(".table-facts")).to_have_text(
        re.compile(r"won · .*\d{4}.*\d:\d\d")
    )  # and the time of day
    expect(row.locator(".company li").first).to_have_class("is-first")
    expect(row.locator(".company li").first).to_contain_text("red")
    ann.page.locator('[data-section="finished"] a[href^="/players/"]').last.click()
    expect(ann.page.locator("[data-results]")).to_contain_text("0 (0%)")
    expect(ann.page.locator("[data-facts]")).to_contain_text("You against Bo")
    expect(ann.page.locator("[data-facts]")).to_contain_text("1 – 0")
    expect(ann.page.locator("[data-facts]")).to_contain_text("Favourite colour")
    ann.page.get_by_role("button", name="Block", exact=True).click()
    expect(ann.page.locator(".toast")).to_contain_text("This player is blocked.")
    ann.page.goto(f"{ann.url}/account")
    expect(ann.page.locator("[data-account]")).to_have_attribute("aria-busy", "false")
    ann.page.get_by_role("button", name="Unblock").click()
    expect(ann.page.get_by_text("No one is blocked.")).to_be_visible()


def test_personal_data_is_downloaded_and_deleted(person: Callable[..., Player]):
    ann = person("Ann")
    ann.page.goto(f"{ann.url}/account")
    # Lists above the link load after the page and move it: an earlier click may miss it.
    expect(ann.page.locator("[data-account]")).to_have_attribute("aria-busy", "false")
    with ann.page.expect_download() as download:
        ann.page.get_by_role("link", name="Download everything").click()
    assert download.value.suggested_filename.endswith(".json")
    ann.page.locator("summary", has_text="Delete everything").click()
    expect(ann.page.locator("[data-delete-form]")).to_contain_text("Running games go on without you")
    ann.page.get_by_label("I am sure").check()
    ann.page.locator("[data-delete-form]").get_by_role("button").click()
    ann.page.wait_for_url(f"{ann.url}/")
    expect(ann.page.locator(".who-name")).to_have_text("Guest")


def test_not_found_pages_offer_links(person: Callable[..., Player]):
    ann = person("Ann", locale="nl-NL")
    for path, status in (("/nothing/here", 404), ("/g/short", 404), ("/rules/nothing", 404)):
        answer = ann.page.goto(f"{ann.url}{path}")
        assert answer is not None
        assert answer.status == status
        expect(ann.page.get_by_role("heading", name="Onbekende wateren")).to_be_visible()
        expect(ann.page.get_by_role("link", name="Naar de lobby")).to_be_visible()
        # the page does not know its reader, so it calls no one a guest
        expect(ann.page.locator(".who-name")).to_have_text("Account")
    ann.complaints.clear()


def test_offline_page_is_shown_without_a_network(person: Callable[..., Player]):
    ann = person("Ann", service_workers="allow")
    ann.page.goto(f"{ann.url}/about")
    ann.page.evaluate("() => navigator.serviceWorker.ready.then(() => true)")
    ann.page.reload()
    ann.context.set_offline(True)
    ann.page.goto(f"{ann.url}/rules")
    expect(ann.page.get_by_role("heading", name="Becalmed")).to_be_visible()
    ann.context.set_offline(False)
    expect(ann.page.get_by_role("heading", name="The basic game")).to_be_visible(timeout=15000)
    ann.complaints.clear()


def test_offline_page_uses_the_last_language(person: Callable[..., Player]):
    ann = person("Ann", service_workers="allow")
    ann.page.goto(f"{ann.url}/about")
    ann.page.evaluate("() => navigator.serviceWorker.ready.then(() => true)")
    ann.page.reload()
    ann.page.goto(f"{ann.url}/about?lang=nl")
    # Not wait_for_function: it takes the promise of an async predicate for "true" and waits for nothing.
    ann.page.evaluate("""async () => {
      const language = async () => (await caches.match("/offline"))?.headers.get("Content-Language");
      while ((await language()) !== "nl") await new Promise((done) => setTimeout(done, 50));
    }""")
    ann.context.set_offline(True)
    ann.page.goto(f"{ann.url}/rules")
    expect(ann.page.locator("html")).to_have_attribute("lang", "nl")
    ann.context.set_offline(False)
    ann.complaints.clear()


def test_app_is_installable(person: Callable[..., Player]):
    ann = person("Ann", locale="it-IT")
    ann.page.goto(ann.url)
    address = ann.page.locator('link[rel="manifest"]').get_attribute("href")
    card = ann.page.evaluate("address => fetch(address).then(answer => answer.json())", address)
    assert (card["lang"], card["display"], card["start_url"]) == ("it", "standalone", "/")
    for picture in card["icons"]:
        answer = ann.context.request.get(f"{ann.url}{picture['src']}")
        assert answer.ok
        assert answer.headers["content-type"] == picture["type"]
    assert {"192x192", "512x512"} <= {picture["sizes"] for picture in card["icons"]}


def test_theme_is_remembered_and_rendered_by_the_server(person: Callable[..., Player]):
    ann = person("Ann", color_scheme="light")
    ann.page.goto(ann.url)
    ann.page.locator(".menu").nth(1).locator("summary").click()
    ann.page.get_by_role("button", name="Dark: by lantern").click()
    assert ann.page.locator("html").get_attribute("data-theme") == "dark"
    html = ann.context.request.get(f"{ann.url}/rules").text()
    assert 'data-theme="dark"' in html
    assert "<style" not in html
    assert "style=" not in html
    assert "onclick" not in html
