"""The lobby: four ways into a game, and a list of tables that updates live."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.game_server import SHORT, GameServer, Player, begin, move_via_api

PLAY_ON = re.compile("Your turn|Continue")


def test_one_click_from_the_front_page_into_a_game_against_bots(person: Callable[..., Player]):
    stranger = person(None)
    stranger.page.goto(stranger.url)
    stranger.page.get_by_role("button", name="Play now against bots").click()
    stranger.page.wait_for_url(re.compile(r"/g/"))
    expect(stranger.page.locator('#table[data-phase="running"]')).to_be_visible()
    # The first games show hints, until they are switched off.
    stranger.wait_until_mine()
    expect(stranger.page.locator(".tray-hint")).to_have_text(re.compile("^Hint: "), timeout=30_000)
    expect(stranger.page.locator(".choice")).to_have_count(1)
    stranger.page.locator(".status-menu summary").first.click()
    stranger.page.get_by_role("button", name="Hints are on").click()
    expect(stranger.page.get_by_role("button", name="Hints are off")).to_be_visible()
    stranger.page.keyboard.press("Escape")
    stranger.page.locator(".choice").click()
    expect(stranger.page.locator(".tray-hint")).to_contain_text("left")
    game = stranger.page.url.split("/g/")[1]
    assert stranger.api("GET", f"/games/{game}")["table"]["hints"]


def test_a_double_click_opens_one_table(person: Callable[..., Player]):
    guest = person("Guest")
    for number, (page, button) in enumerate(
        (("", "Play now against bots"), ("", "Quick game with other players"), ("/new", "Create the table")),
        start=1,
    ):
        guest.page.goto(guest.url + page)
        guest.page.get_by_role("button", name=button).dblclick()
        guest.page.wait_for_url(re.compile(r"/g/"))
        expect(guest.page.locator("#table[data-phase]")).to_be_visible()
        assert len(guest.api("GET", "/games?list=mine")["games"]) == number


def test_oldest_solo_game_is_closed_at_the_limit_with_a_notice(
    person: Callable[..., Player],
):
    guest = person("Guest")
    tables = [begin(guest, options=SHORT, bots=["sailor"], pace=10_000) for _ in range(10)]
    guest.page.goto(guest.url)
    guest.page.get_by_role("button", name="Play now against bots").click()
    guest.page.wait_for_url(re.compile(r"/g/"))
    expect(guest.page.locator(".toast")).to_contain_text("To make room, your oldest unfinished game")
    expect(guest.page.locator('#table[data-phase="running"]')).to_be_visible()
    left = {game["id"] for game in guest.api("GET", "/games?list=mine")["games"]}
    assert left & set(tables) == set(tables[1:])
    guest.page.goto(guest.url)
    row = guest.page.locator(f'[data-list="mine"] [data-room="{tables[1]}"]')
    row.get_by_role("button", name=re.compile("Leave .* for good")).click()  # and one goes by one click
    expect(row).to_have_count(0)


def test_open_table_appears_without_reload_and_is_joined_with_a_name(person: Callable[..., Player]):
    ann, bo = person("Ann"), person(None)
    bo.page.goto(bo.url)
    expect(bo.page.locator("[data-waiting]")).to_be_hidden()
    game = ann.create({"preset": "tortuga", "players": 2}, title="The Drunken Parrot")
    ann.command("sit")
    row = bo.page.locator(f'[data-list="open"] [data-room="{game}"]')
    expect(row).to_contain_text("The Drunken Parrot")
    bo.page.get_by_label("Name", exact=True).fill("Salty Bo")
    row.get_by_role("button", name="Join").click()
    bo.page.wait_for_url(re.compile(f"/g/{game}"))
    ann.game = game
    assert "Salty Bo" in [seat["name"] for seat in ann.state()["table"]["seats"]]


def test_filters_apply_to_tables_added_later(person: Callable[..., Player]):
    ann, bo = person("Ann"), person("Bo")
    bo.page.goto(bo.url)
    bo.page.get_by_label("Edition").select_option("jungle")
    other = ann.create({"preset": "jamaica", "players": 2})
    ann.command("sit")
    wanted = ann.create({"preset": "jungle", "players": 2})
    ann.command("sit")
    expect(bo.page.locator(f'[data-room="{wanted}"]')).to_be_visible()
    expect(bo.page.locator(f'[data-room="{other}"]')).to_have_count(0)


def test_quick_play_seats_two_strangers_at_one_table(person: Callable[..., Player]):
    ann, bo = person(None), person(None)
    for player in (ann, bo):
        player.page.goto(player.url)
        player.page.get_by_label("Edition").select_option("dungeon")
        player.page.get_by_label("Seats").select_option("2")
        player.page.get_by_role("button", name="Quick game").click()
        player.page.wait_for_url(re.compile(r"/g/"))
        expect(player.page.locator("#table[data-phase]")).to_be_visible()
    assert ann.page.url == bo.page.url


def test_own_games_are_listed_first_with_whose_turn_it_is(person: Callable[..., Player]):
    ann = person("Ann")
    ann.page.goto(ann.url)
    game = ann.create({"preset": "jamaica", "players": 2, "first": 0}, bots=["sailor"])
    ann.take_seat(game)
    ann.command("start")
    ann.confirm()
    mine = ann.page.locator(f'[data-list="mine"] [data-room="{game}"]')
    expect(mine).to_contain_text(PLAY_ON)
    state = ann.state()
    if state["view"]["turn"]["seat"] == state["you"]["seat"]:
        expect(ann.page).to_have_title(re.compile(r"^\(\d+\) Your turn"))


def test_invalid_name_is_refused_with_an_explanation(person: Callable[..., Player]):
    ann = person(None)
    ann.page.goto(ann.url)
    ann.page.get_by_label("Name", exact=True).fill("admin")
    ann.page.get_by_role("button", name="Save").click()
    expect(ann.page.locator("#name-said")).to_contain_text("someone who runs this site")
    ann.page.get_by_label("Name", exact=True).fill("Captain Nettle")
    ann.page.get_by_role("button", name="Save").click()
    expect(ann.page.locator("#name-said")).to_have_text("Saved.")
    expect(ann.page.locator(".who-name")).to_have_text("Captain Nettle")
    ann.complaints.clear()  # the browser logs the refused request


def test_lobby_reconnects_after_a_server_restart(person: Callable[..., Player], game_server: GameServer):
    ann, bo = person("Ann"), person("Bo")
    bo.page.goto(bo.url)
    expect(bo.page.locator("[data-waiting]")).to_be_hidden()
    game_server.stop()
    game_server.start()
    game = ann.create({"preset": "hispaniola", "players": 3})
    ann.command("sit")
    expect(bo.page.locator(f'[data-room="{game}"]')).to_be_visible()
    bo.complaints.clear()


def test_turn_is_announced_on_a_hidden_page(person: Callable[..., Player]):
    ann, bo = person("Ann", permissions=["notifications"]), person("Bo")
    game = begin(ann, bo, options={**SHORT, "first": 1})
    ann.page.add_init_script(
        "localStorage.setItem('notify', 'on'); window.told = [];"
        "Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' });"
        "window.Notification = class extends EventTarget { constructor(title) { super(); told.push(title); }"
        " static permission = 'granted'; };"
        # Recorded in the page: a listener outside it may miss the first frame.
        "window.WebSocket = class extends WebSocket { constructor(address) { super(address);"
        " this.addEventListener('message', ({ data }) => { window.listed ||= data.includes('\"lobby\"'); }); } };"
    )
    ann.page.goto(f"{ann.url}/rules")
    ann.page.wait_for_function("() => window.listed")
    assert ann.page.evaluate("told") == []
    bo.game = game
    while bo.state().get("choices"):
        move_via_api(bo)
    ann.page.wait_for_function("() => told.length > 0")
    assert ann.page.evaluate("told") == ["Your turn"]
