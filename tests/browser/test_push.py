"""Pushes in Chromium with the real service worker: shown, clicked, withdrawn, and a game played from pushes alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, expect

from app.notify.webhook import sign
from tests.browser.game_server import SHORT, begin, move_via_api
from tests.browser.pages.test_accounts import register
from tests.browser.push_harness import PushClient, PushHarness

HOUR = 3600
DAYS = {"kind": "days", "days": 3}


@pytest.fixture
def harness(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PushHarness]:
    harness = PushHarness(tmp_path_factory.mktemp("pushing"))
    yield harness
    harness.close()


@pytest.fixture
def push_client(harness: PushHarness, browser: Browser) -> Iterator[Callable[..., PushClient]]:
    made: list[PushClient] = []

    def make(name: str, **context_options: object) -> PushClient:
        made.append(PushClient(harness, browser, name, **context_options))
        return made[-1]

    yield make
    complaints = [line for each in made for line in each.player.complaints]
    for each in made:
        each.context.close()
    assert complaints == [], "the page complained"


def _switch_on(person: PushClient) -> None:
    """Enable pushes on the settings page."""
    page = person.player.page
    page.goto(f"{person.player.url}/account")
    page.get_by_label("Notify me on this device, even when no page is open").check()
    expect(page.locator("[data-push] [data-said]")).to_have_text("Saved.")


def test_push_is_shown_opens_the_table_and_is_withdrawn(
    harness: PushHarness, push_client: Callable[..., PushClient]
) -> None:
    ann, bo = push_client("Ann"), push_client("Bo")
    for person in (ann, bo):
        _switch_on(person)
    game = begin(ann.player, bo.player, options=SHORT, clock=DAYS, title="Friday's table")
    ann.player.game = bo.player.game = game
    harness.advance(60)
    push = next(each for number in range(4) if (each := harness.received(number)).content["t"] == "turn")
    mover, other = (ann, bo) if push.path == ann.path else (bo, ann)
    mover.deliver(push.content)
    (notice,) = mover.wait_for_notices(1)
    opponent = other.player.page.evaluate("fetch('/api/v1/me').then((answer) => answer.json())")["person"][
        "name"
    ]
    assert notice["title"] == f"Your turn against {opponent}"
    about, _, deadline = notice["body"].rpartition(" · ")
    assert about == "Friday's table · Tortuga"
    assert re.fullmatch(r"until (Mon|Tue|Wed|Thu|Fri|Sat|Sun),? \d\d:\d\d", deadline), deadline
    mover.deliver(push.content)  # the same one, sent twice
    mover.player.page.wait_for_timeout(300)
    (again,) = mover.notices()
    assert again["silent"] is True
    assert mover.click(notice["tag"]) == f"/g/{game}"
    assert mover.notices() == [], "a click ends it"
    mover.player.open(game)
    mover.deliver(push.content)
    mover.player.page.wait_for_timeout(300)
    assert mover.notices() == [], "a player with the table open needs no notice"
    mover.player.page.goto(f"{mover.player.url}/about")
    mover.deliver(push.content)
    mover.wait_for_notices(1)
    count = len(harness.service.received)
    while move_via_api(mover.player):
        pass  # played elsewhere
    harness.advance(60)
    gone = next(
        each
        for number in range(count, count + 4)
        if (each := harness.received(number)).content["t"] == "gone"
    )
    assert gone.path == mover.path
    mover.deliver(gone.content)
    mover.wait_for_notices(0)
    assert other.notices() == []


def test_two_day_game_can_be_played_from_pushes_alone(
    harness: PushHarness, push_client: Callable[..., PushClient]
) -> None:
    follow_pushes(harness, push_client, 12)


def follow_pushes(harness: PushHarness, push_client: Callable[..., PushClient], hours_a_turn: int) -> None:
    """Play a two-day game from pushes; tests/soak plays one with twice as many turns a day."""
    ann, bo = push_client("Ann"), push_client("Bo")
    people = {person.path: person for person in (ann, bo)}
    for person in (ann, bo):
        _switch_on(person)
    game = begin(ann.player, bo.player, options=SHORT, clock=DAYS)
    ann.player.game = bo.player.game = game
    hours, number, turns, is_over = 0, 0, 0, False
    while not is_over:
        harness.advance(hours_a_turn * HOUR)
        hours += hours_a_turn
        while (push := harness.received(number)).content["t"] != "turn":
            number += 1
        number += 1
        person = people[push.path]
        person.deliver(push.content)
        (notice,) = person.wait_for_notices(1)
        path = person.click(notice["tag"])
        assert path == f"/g/{game}", "the push contains the link to the table"
        person.player.page.goto(f"{person.player.url}{path}")
        expect(person.player.page.locator("#table[data-mine=true]")).to_be_visible()
        state = person.player.state()
        if hours > 48:  # by then each has followed some; a whole game would be some twenty more pages
            person.player.act({"type": "resign"})
            state = person.player.state()
        while move_via_api(person.player, state):
            state = person.player.state()
        turns += 1
        is_over = state["table"]["status"] == "finished"
        person.player.page.goto("about:blank")  # away again
        assert turns < 120
    assert hours >= 48, f"{turns} turns in {hours} hours"
    told_turns = [each for each in harness.service.received if each.content["t"] == "turn"]
    assert len(told_turns) == turns, "one push per turn, no duplicates"


def test_player_can_be_invited_from_their_profile(
    harness: PushHarness, push_client: Callable[..., PushClient]
) -> None:
    ann, bo = push_client("Ann"), push_client("Bo")
    _switch_on(bo)
    game = begin(ann.player, bo.player, options=SHORT)
    them = bo.player.api("GET", "/me")["person"]["id"]
    page = ann.player.page
    ann.player.take_seat(ann.player.create(SHORT, title="Come over"))
    with page.expect_response("**/api/v1/players/*"):
        page.goto(f"{ann.player.url}/players/{them}")
    expect(page.locator("[data-block]")).to_be_visible()
    expect(page.locator("[data-invite]")).to_be_hidden()
    bo.player.game = game
    bo.player.act({"type": "resign"})
    page.reload()
    page.get_by_role("button", name="Invite to your table").click()
    expect(page.get_by_text("Invitation sent, if they accept invitations.")).to_be_visible()
    push = next(each for number in range(4) if (each := harness.received(number)).content["t"] == "invited")
    assert push.path == bo.path
    bo.deliver(push.content)
    (notice,) = bo.wait_for_notices(1)
    assert notice["title"] == "You have an invitation to a table"
    assert bo.click(notice["tag"]) == f"/g/{ann.player.game}"


def test_correspondence_table_offers_pushes_and_has_a_switch_in_its_menu(
    harness: PushHarness, push_client: Callable[..., PushClient]
) -> None:
    ann, bo = push_client("Ann"), push_client("Bo")
    live = begin(ann.player, bo.player, options=SHORT)
    ann.player.open(live)
    expect(ann.player.page.locator("[data-key=tell-me]")).to_have_count(0)
    game = begin(ann.player, bo.player, options=SHORT, clock=DAYS)
    ann.player.open(game)
    page = ann.player.page
    page.get_by_role("button", name="Notify me", exact=True).click()
    expect(page.locator("[data-key=tell-me]")).to_have_count(0)
    page.locator(".table-menu > summary").click()
    switch = page.get_by_role("button", name="Notify me when it is my turn")
    expect(switch).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("group", name="Your settings").locator(switch)).to_be_visible()
    tick = "(node) => getComputedStyle(node, '::after').content"
    assert switch.evaluate(tick) == '"✓"'
    assert len(ann.player.api("GET", "/me/push")["endpoints"]) == 1
    switch.click()
    expect(switch).to_have_attribute("aria-pressed", "false")
    assert switch.evaluate(tick) == "none"
    assert ann.player.api("GET", f"/me/notices/games/{game}")["switches"] == {"turn": False, "time": False}
    ann.player.open(game)
    expect(page.locator("[data-key=tell-me]")).to_have_count(0)  # it was answered


def test_table_switch_shows_the_global_setting(
    harness: PushHarness, push_client: Callable[..., PushClient]
) -> None:
    ann, bo = push_client("Ann"), push_client("Bo")
    _switch_on(ann)
    ann.player.api("PUT", "/me/notices/wishes", {"switches": {"turn": False}})
    ann.player.open(begin(ann.player, bo.player, options=SHORT, clock=DAYS))
    page = ann.player.page
    page.locator(".table-menu > summary").click()
    switch = page.get_by_role("button", name="Notify me when it is my turn")
    expect(switch).to_have_attribute("aria-pressed", "false")
    switch.click()  # pushes of this game stay on
    expect(switch).to_have_attribute("aria-pressed", "true")
    page.reload()
    page.locator(".table-menu > summary").click()
    expect(switch).to_have_attribute("aria-pressed", "true")


def test_next_user_of_a_browser_receives_pushes_only_after_opting_in(
    harness: PushHarness, push_client: Callable[..., PushClient]
) -> None:
    ann, bo = push_client("Ann"), push_client("Bo")
    before = begin(ann.player, bo.player, options=SHORT, clock=DAYS)
    page, box = (
        ann.player.page,
        ann.player.page.get_by_label("Notify me on this device, even when no page is open"),
    )
    ann.player.open(before)
    switch = page.get_by_role("button", name="Notify me when it is my turn")
    page.get_by_role("button", name="Notify me", exact=True).click()
    page.locator(".table-menu > summary").click()
    expect(switch).to_have_attribute("aria-pressed", "true")
    page.goto(f"{ann.player.url}/account")
    expect(box).to_be_checked()
    ann.context.clear_cookies()  # the session has lapsed, or was ended on another device
    ann.player.introduce("Cy")
    page.reload()
    expect(box).to_be_visible()
    expect(box).not_to_be_checked()
    assert ann.player.api("GET", "/me/push")["endpoints"] == [], "they were not asked"
    register(ann.player, f"Cy {ann.player.api('GET', '/me')['person']['id'][:6]}")
    ann.player.api("GET", "/me")  # the session is another
    expect(box).to_be_visible()
    expect(box).not_to_be_checked()
    assert ann.player.api("GET", "/me/push")["endpoints"] == [], "nor by logging in"
    ann.player.open(begin(ann.player, bo.player, options=SHORT, clock=DAYS))
    page.get_by_role("button", name="Not now").click()
    page.reload()
    page.locator(".table-menu > summary").click()
    expect(switch).to_have_attribute("aria-pressed", "false")
    expect(page.locator("[data-key=tell-me]")).to_have_count(0)  # it was answered
    switch.click()
    expect(switch).to_have_attribute("aria-pressed", "true")
    assert len(ann.player.api("GET", "/me/push")["endpoints"]) == 1


def test_account_page_shows_the_state_of_each_channel_and_tests_it(
    harness: PushHarness, push_client: Callable[..., PushClient]
) -> None:
    ann = push_client("Ann")
    page = ann.player.page
    page.goto(f"{ann.player.url}/account")
    form = page.locator("[data-notice-form]")
    result = form.locator("[data-said]")
    for name in ("Send a test to this device", "Send a test e-mail", "Send a test call"):
        expect(page.get_by_role("button", name=name)).to_be_hidden()
    expect(page.get_by_text("Show the signing key")).to_be_hidden()

    _switch_on(ann)
    page.get_by_role("button", name="Send a test to this device").click()
    expect(page.locator("[data-push-test] [role=status]")).to_have_text("The test is on its way.")
    ann.deliver(harness.received(0).content)
    (notice,) = ann.wait_for_notices(1)
    assert notice["title"] == "A test from Cartagena"
    harness.service.status = "410 Gone"
    page.get_by_role("button", name="Send a test to this device").click()
    expect(page.locator("[data-push-test] [role=status]")).to_contain_text("Turn them off and on again.")

    page.get_by_label("E-mail, for games by correspondence").fill("ann@example.org")
    page.get_by_label("Webhook, for your own programs").fill(f"http://127.0.0.1:{harness.receiver.port}/hook")
    form.get_by_role("button", name="Save").click()
    state = form.locator("[data-mail-state]")
    expect(state).to_contain_text("ann@example.org is not confirmed yet.")
    expect(page.get_by_role("button", name="Send a test e-mail")).to_be_hidden()
    code = re.search(r"[A-Z2-9]{4}-[A-Z2-9]{4}", str(harness.mailbox.messages[-1]["Subject"]))
    assert code is not None
    page.get_by_placeholder("The code from the e-mail").fill(code[0])
    page.get_by_role("button", name="Confirm the address").click()
    expect(state).to_have_text("ann@example.org is confirmed.")
    page.get_by_role("button", name="Send a test e-mail").click()
    expect(page.locator("[data-mail-test] [role=status]")).to_have_text("The test is on its way.")
    assert harness.mailbox.messages[-1]["Subject"] == "A test from Cartagena"

    key = form.locator("[data-key]")
    expect(key).to_be_hidden()
    page.get_by_text("Show the signing key").click()
    expect(key).to_have_text(re.compile(r"^[\w-]{32}$"))
    page.get_by_role("button", name="Send a test call").click()
    called = page.locator("[data-webhook-saved] [role=status]")
    expect(called).to_have_text("The test is on its way.")
    ((headers, body),) = harness.receiver.posted
    at = int(headers["x-cartagena-signature"].partition(",")[0].removeprefix("t="))
    assert headers["x-cartagena-signature"] == sign(key.text_content() or "", at, body)
    harness.receiver.status = "404 Not Found"
    page.get_by_role("button", name="Send a test call").click()
    expect(called).to_have_text("The test was refused with status 404.")
    page.get_by_label("This is a Discord channel: announce turns there").check()
    form.get_by_role("button", name="Save").click()
    expect(result).to_have_text("Saved.")
    expect(page.get_by_text("Show the signing key")).to_be_hidden()
