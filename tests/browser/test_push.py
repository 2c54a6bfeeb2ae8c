"""Pushes in Chromium with the real service worker: shown, clicked, taken back, and a game played by them alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.pages.test_people import register
from tests.browser.pushing import Away, PushingHouse
from tests.browser.table.house import SHORT, begin, move_beside

HOUR = 3600
DAYS = {"kind": "days", "days": 3}


@pytest.fixture
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PushingHouse]:
    house = PushingHouse(tmp_path_factory.mktemp("pushing"))
    yield house
    house.close()


@pytest.fixture
def away(house: PushingHouse, browser: Browser) -> Iterator[Callable[..., Away]]:
    made: list[Away] = []

    def make(name: str, **wishes: object) -> Away:
        made.append(Away(house, browser, name, **wishes))
        return made[-1]

    yield make
    complaints = [line for each in made for line in each.player.complaints]
    for each in made:
        each.context.close()
    assert complaints == [], "the page complained"


def _switch_on(person: Away) -> None:
    """On the settings page, as a person does."""
    page = person.player.page
    page.goto(f"{person.player.url}/account")
    page.get_by_label("Tell me on this device, also when no page is open").check()
    expect(page.locator("[data-push] [data-said]")).to_have_text("Saved.")


def test_a_push_is_shown_opens_the_table_and_is_taken_back(
    house: PushingHouse, away: Callable[..., Away]
) -> None:
    ann, bo = away("Ann"), away("Bo")
    for person in (ann, bo):
        _switch_on(person)
    game = begin(ann.player, bo.player, options=SHORT, clock=DAYS, title="Friday's table")
    ann.player.game = bo.player.game = game
    house.turn(60)
    told = next(each for number in range(4) if (each := house.received(number)).told["t"] == "turn")
    mover, other = (ann, bo) if told.path == ann.path else (bo, ann)
    mover.deliver(told.told)
    (notice,) = mover.wait_for_notices(1)
    assert notice["title"] == "Your turn"
    assert notice["body"].startswith("Friday's table")
    assert "{" not in notice["body"]
    mover.deliver(told.told)  # the same one, sent twice
    mover.player.page.wait_for_timeout(300)
    (again,) = mover.notices()
    assert again["silent"] is True
    assert mover.click(notice["tag"]) == f"/g/{game}"
    assert mover.notices() == [], "a click ends it"
    mover.player.open(game)
    mover.deliver(told.told)
    mover.player.page.wait_for_timeout(300)
    assert mover.notices() == [], "whoever looks at the table needs no notice of it"
    mover.player.page.goto(f"{mover.player.url}/about")
    mover.deliver(told.told)
    mover.wait_for_notices(1)
    count = len(house.service.received)
    while move_beside(mover.player):
        pass  # played elsewhere
    house.turn(60)
    gone = next(
        each for number in range(count, count + 4) if (each := house.received(number)).told["t"] == "gone"
    )
    assert gone.path == mover.path
    mover.deliver(gone.told)
    mover.wait_for_notices(0)
    assert other.notices() == []


def test_a_game_over_two_days_is_played_by_following_pushes_alone(
    house: PushingHouse, away: Callable[..., Away]
) -> None:
    follow_pushes(house, away, 12)


def follow_pushes(house: PushingHouse, away: Callable[..., Away], hours_a_turn: int) -> None:
    """A game over two days; one with twice as many turns a day is in tests/soak."""
    ann, bo = away("Ann"), away("Bo")
    people = {person.path: person for person in (ann, bo)}
    for person in (ann, bo):
        _switch_on(person)
    game = begin(ann.player, bo.player, options=SHORT, clock=DAYS)
    ann.player.game = bo.player.game = game
    hours, number, turns, is_over = 0, 0, 0, False
    while not is_over:
        house.turn(hours_a_turn * HOUR)
        hours += hours_a_turn
        while (told := house.received(number)).told["t"] != "turn":
            number += 1
        number += 1
        person = people[told.path]
        person.deliver(told.told)
        (notice,) = person.wait_for_notices(1)
        path = person.click(notice["tag"])
        assert path == f"/g/{game}", "the push alone says where to play"
        person.player.page.goto(f"{person.player.url}{path}")
        expect(person.player.page.locator("#table[data-mine=true]")).to_be_visible()
        state = person.player.state()
        if hours > 48:  # by then each has followed some; a whole game would be some twenty more pages
            person.player.act({"type": "resign"})
            state = person.player.state()
        while move_beside(person.player, state):
            state = person.player.state()
        turns += 1
        is_over = state["table"]["status"] == "finished"
        person.player.page.goto("about:blank")  # away again
        assert turns < 120
    assert hours >= 48, f"{turns} turns in {hours} hours"
    told_turns = [each for each in house.service.received if each.told["t"] == "turn"]
    assert len(told_turns) == turns, "one push a turn, none twice"


def test_somebody_is_invited_from_their_page(house: PushingHouse, away: Callable[..., Away]) -> None:
    ann, bo = away("Ann"), away("Bo")
    _switch_on(bo)
    game = begin(ann.player, bo.player, options=SHORT)
    them = bo.player.api("GET", "/me")["person"]["id"]
    page = ann.player.page
    ann.player.take_seat(ann.player.create(SHORT, title="Come over"))
    with page.expect_response("**/api/v1/me"):
        page.goto(f"{ann.player.url}/players/{them}")
    expect(page.locator("[data-block]")).to_be_visible()
    expect(page.locator("[data-invite]")).to_be_hidden()
    bo.player.game = game
    bo.player.act({"type": "resign"})
    page.reload()
    page.get_by_role("button", name="Invite to your table").click()
    expect(page.get_by_text("Invited, if they want to hear of it.")).to_be_visible()
    told = next(each for number in range(4) if (each := house.received(number)).told["t"] == "invited")
    assert told.path == bo.path
    bo.deliver(told.told)
    (notice,) = bo.wait_for_notices(1)
    assert notice["title"] == "You are invited to a table"
    assert bo.click(notice["tag"]) == f"/g/{ann.player.game}"


def test_the_offer_at_a_table_over_days_and_the_switch_in_its_menu(
    house: PushingHouse, away: Callable[..., Away]
) -> None:
    ann, bo = away("Ann"), away("Bo")
    live = begin(ann.player, bo.player, options=SHORT)
    ann.player.open(live)
    expect(ann.player.page.locator("[data-key=tell-me]")).to_have_count(0)
    game = begin(ann.player, bo.player, options=SHORT, clock=DAYS)
    ann.player.open(game)
    page = ann.player.page
    page.get_by_role("button", name="Tell me", exact=True).click()
    expect(page.locator("[data-key=tell-me]")).to_have_count(0)
    page.locator(".table-menu > summary").click()
    switch = page.get_by_role("button", name="Tell me when it is my turn")
    expect(switch).to_have_attribute("aria-pressed", "true")
    assert len(ann.player.api("GET", "/me/push")["endpoints"]) == 1
    switch.click()
    expect(switch).to_have_attribute("aria-pressed", "false")
    assert ann.player.api("GET", f"/me/notices/games/{game}")["switches"] == {"turn": False, "time": False}
    ann.player.open(game)
    expect(page.locator("[data-key=tell-me]")).to_have_count(0)  # it was answered


def test_the_switch_of_a_table_shows_what_was_chosen_for_all_games(
    house: PushingHouse, away: Callable[..., Away]
) -> None:
    ann, bo = away("Ann"), away("Bo")
    _switch_on(ann)
    ann.player.api("PUT", "/me/notices/wishes", {"switches": {"turn": False}})
    ann.player.open(begin(ann.player, bo.player, options=SHORT, clock=DAYS))
    page = ann.player.page
    page.locator(".table-menu > summary").click()
    switch = page.get_by_role("button", name="Tell me when it is my turn")
    expect(switch).to_have_attribute("aria-pressed", "false")
    switch.click()  # of this game one wants to hear all the same
    expect(switch).to_have_attribute("aria-pressed", "true")
    page.reload()
    page.locator(".table-menu > summary").click()
    expect(switch).to_have_attribute("aria-pressed", "true")


def test_who_comes_after_somebody_else_in_a_browser_is_told_only_if_they_ask(
    house: PushingHouse, away: Callable[..., Away]
) -> None:
    ann, bo = away("Ann"), away("Bo")
    before = begin(ann.player, bo.player, options=SHORT, clock=DAYS)
    page, box = (
        ann.player.page,
        ann.player.page.get_by_label("Tell me on this device, also when no page is open"),
    )
    ann.player.open(before)
    switch = page.get_by_role("button", name="Tell me when it is my turn")
    page.get_by_role("button", name="Tell me", exact=True).click()
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
