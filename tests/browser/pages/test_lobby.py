"""The lobby: one's own games, four ways into a game, and a list of tables that updates live."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Locator, Route, expect

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
        (("", "Play now against bots"), ("", "Play with friends"), ("/new", "Create the table")),
        start=1,
    ):
        guest.page.goto(guest.url + page)
        guest.page.get_by_role("button", name=button).dblclick()
        guest.page.wait_for_url(re.compile(r"/g/"))
        expect(guest.page.locator("#table[data-phase]")).to_be_visible()
        assert len(guest.api("GET", "/games?list=mine")["games"]) == number


def test_oldest_solo_game_is_closed_at_the_limit_after_a_question(
    person: Callable[..., Player],
):
    guest = person("Guest")
    tables = [begin(guest, options=SHORT, bots=["sailor"], pace=10_000) for _ in range(10)]
    guest.page.goto(guest.url)
    play = guest.page.get_by_role("button", name="Play now against bots")
    play.click()
    dialog = guest.page.get_by_role("dialog")
    expect(dialog).to_contain_text("End your oldest unfinished game without other players?")
    guest.page.keyboard.press("Escape")
    expect(guest.page.locator(".toast")).to_contain_text("finish or leave one first")
    expect(play).to_be_focused()
    assert len(guest.api("GET", "/games?list=mine")["games"]) == 10
    play.click()
    dialog.get_by_role("button", name="End it and make room").click()
    guest.page.wait_for_url(re.compile(r"/g/"))
    guest.complaints.clear()  # the browser logs the refused requests
    expect(guest.page.locator(".toast")).to_contain_text("To make room, your oldest unfinished game")
    expect(guest.page.locator('#table[data-phase="running"]')).to_be_visible()
    left = {game["id"] for game in guest.api("GET", "/games?list=mine")["games"]}
    assert left & set(tables) == set(tables[1:])
    guest.page.goto(guest.url)
    row = guest.page.locator(f'[data-list="mine"] [data-room="{tables[1]}"]')
    guest.page.get_by_role("button", name="Show all games").click()
    row.get_by_role("button", name=re.compile("Leave .* for good")).click()
    expect(dialog.get_by_role("button", name="No")).to_be_focused()
    dialog.get_by_role("button", name="No").click()
    expect(row).to_be_visible()
    row.get_by_role("button", name=re.compile("Leave .* for good")).click()
    dialog.get_by_role("button", name="Leave the game").click()
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
        player.page.get_by_role("button", name="Play with strangers").click()
        if player is ann:
            player.page.get_by_role("button", name="Wait at the table").click()
        player.page.wait_for_url(re.compile(r"/g/"))
        expect(player.page.locator("#table[data-phase]")).to_be_visible()
    assert ann.page.url == bo.page.url


WINDOWS = [(1280, 800), (390, 844), (844, 390), (320, 568)]
LANGUAGES = ["en", "de", "es", "fr", "it", "nb", "nl", "sv"]


def test_games_and_main_button_are_on_the_first_screen_in_every_window_and_language(
    person: Callable[..., Player],
):
    new, ann = person(None), person("Ann")
    for _ in range(3):
        begin(ann, options={**SHORT, "first": 0}, bots=["sailor"], pace=10_000)
    missing = []
    for player in (new, ann):
        for language in LANGUAGES:
            player.page.goto(f"{player.url}/?lang={language}")
            for width, height in WINDOWS:
                player.page.set_viewport_size({"width": width, "height": height})
                wanted = ["[data-play-bots]"]
                if player is ann:
                    wanted += ["[data-room]:nth-child(1) a", "[data-room]:nth-child(2) a"]
                missing += [
                    (language, width, height, selector, box)
                    for selector in wanted
                    if (box := player.page.evaluate(_FIND_ON_SCREEN, selector))
                ]
    assert missing == []


# Why an element is not wholly on the first screen, or covered there, or moved sideways out of its panel.
_FIND_ON_SCREEN = """selector => {
  scrollTo(0, 0);
  const element = document.querySelector(selector);
  const { left, top, right, bottom } = element.getBoundingClientRect();
  if (left < 0 || right > innerWidth || top < 0 || bottom > innerHeight) return [left, top, right, bottom];
  if (document.documentElement.scrollWidth > innerWidth) return "the page is too wide";
  const on = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
  return element.contains(on) ? null : on.outerHTML.slice(0, 80);
}"""


def test_own_games_are_in_the_first_paint_and_do_not_move_the_page(person: Callable[..., Player]):
    ann = person("Ann", java_script_enabled=False)
    game = begin(ann, options={**SHORT, "first": 0}, bots=["sailor"], pace=10_000)
    begin(ann, options={**SHORT, "first": 1}, bots=["sailor"], pace=10_000)
    ann.page.goto(ann.url)
    expect(ann.page.locator('[data-list="mine"] [data-room]')).to_have_count(2)
    first = ann.page.locator('[data-list="mine"] [data-room]').first
    expect(first).to_have_attribute("data-room", game)
    expect(first.get_by_role("link")).to_have_text("Your turn")
    expect(ann.page).to_have_title("(1) Cartagena: play online")
    cookies: Any = ann.context.cookies()
    bo = person(None, viewport={"width": 390, "height": 844})
    bo.context.add_cookies(cookies)
    bo.page.add_init_script(
        "window.shift = 0; new PerformanceObserver((list) => { for (const entry of list.getEntries())"
        " window.shift += entry.value; }).observe({ type: 'layout-shift', buffered: true });"
        "window.tops = []; addEventListener('DOMContentLoaded', () => tops.push(...findTops()));"
        "window.findTops = () => [...document.querySelectorAll('.mine a, [data-play-bots]')]"
        ".map((at) => at.getBoundingClientRect().top);"
    )
    bo.page.goto(bo.url)
    expect(bo.page.get_by_role("button", name=re.compile("Leave .* for good"))).to_have_count(2)
    assert bo.page.evaluate("tops") == bo.page.evaluate("findTops()")
    assert bo.page.evaluate("shift") < 0.05


def test_every_page_shows_how_many_games_wait(person: Callable[..., Player]):
    ann, bo = person("Ann"), person("Bo")
    games = [begin(ann, bo, options={**SHORT, "first": seat}) for seat in (0, 1)]
    page, turns = ann.page, ann.page.locator("[data-turns]")
    for path in ("/", "/rules", "/me"):
        page.goto(ann.url + path)
        expect(turns).to_contain_text("1 game is waiting for you.")
        expect(page).to_have_title(re.compile(r"^\(1\) "))
        expect(page.locator("#favicon")).to_have_attribute("href", re.compile("favicon-turn"))
    # It is current while the page is open: another turn begins,
    bo.game = games[1]
    while bo.state().get("choices"):
        move_via_api(bo)
    expect(turns).to_contain_text("2 games are waiting for you.")
    expect(page).to_have_title(re.compile(r"^\(2\) "))
    # the table counts the other games,
    ann.open(games[0])
    expect(turns).to_contain_text("1 game is waiting for you.")
    expect(page).to_have_title(re.compile(r"^\(1\) Your turn"))
    for game in games:
        ann.game = game
        while ann.state().get("choices"):
            move_via_api(ann)
    expect(turns).to_be_hidden()
    expect(page).to_have_title(re.compile(r"^[^(]"))
    expect(page.locator("#favicon")).to_have_attribute("href", re.compile("favicon.svg"))
    # and a reload agrees.
    page.goto(f"{ann.url}/rules")
    expect(turns).to_be_hidden()
    expect(page).to_have_title(re.compile(r"^[^(]"))


def test_bots_have_the_level_of_the_last_game(person: Callable[..., Player]):
    ann = person("Ann")
    ann.page.goto(ann.url)
    ann.page.get_by_label("How well the bots play").select_option("captain")
    ann.page.get_by_role("button", name="Play now against bots").click()
    ann.page.wait_for_url(re.compile(r"/g/"))
    ann.game = ann.page.url.split("/")[-1]
    assert [seat["bot"] for seat in ann.state()["table"]["seats"]].count("captain") == 2
    ann.page.goto(ann.url)
    expect(ann.page.get_by_label("How well the bots play")).to_have_value("captain")


def test_friends_get_a_link_to_an_unlisted_table(person: Callable[..., Player]):
    ann = person("Ann")
    ann.page.goto(ann.url)
    ann.page.get_by_role("button", name="Play with friends").click()
    ann.page.wait_for_url(re.compile(r"/g/"))
    ann.game = ann.page.url.split("/")[-1]
    table = ann.state()["table"]
    assert (table["visibility"], len(table["seats"]), table["status"]) == ("unlisted", 5, "open")


def test_a_player_who_waits_may_play_elsewhere_and_is_called_back(person: Callable[..., Player]):
    ann, bo = person("Ann"), person("Bo")
    for player in (ann, bo):  # an edition of its own, so that tables of other tests do not matter
        player.page.goto(player.url)
        player.page.get_by_label("Edition").select_option("hispaniola")
        player.page.get_by_label("Seats").select_option("4")
    expect(ann.page.locator("[data-queue]")).to_have_text("No one is waiting right now.")
    ann.page.get_by_role("button", name="Play with strangers").click()
    expect(bo.page.locator("[data-queue]")).to_have_text("1 person is waiting.")
    dialog = ann.page.get_by_role("dialog", name="No one is waiting right now")
    dialog.get_by_role("button", name="Play against bots").click()
    expect(ann.page.locator('#table[data-phase="running"]')).to_be_visible()
    bot_game = ann.page.url
    expect(ann.page.locator("[data-turns]")).to_be_hidden()
    bo.page.get_by_role("button", name="Play with strangers").click()
    bo.page.wait_for_url(re.compile(r"/g/"))
    toast = ann.page.locator(".toast-call")
    expect(toast).to_contain_text("Someone has joined you at your table.")
    expect(ann.page).to_have_title(re.compile(r"^\(1\) "))
    ann.page.goto(f"{ann.url}/rules")  # also after another page was opened; the bots may wait, too
    expect(ann.page).to_have_title(re.compile(r"^\([12]\) "))
    ann.page.goto(bot_game)
    expect(ann.page).to_have_title(re.compile(r"^\(1\) "))
    ann.page.goto(bo.page.url)
    expect(ann.page.locator("#table[data-phase]")).to_be_visible()
    ann.page.wait_for_function("() => !JSON.parse(localStorage.getItem('cartagena.keptSeat')).isCalled")


def test_a_new_visitor_who_waits_on_the_front_page_is_found_and_called(person: Callable[..., Player]):
    ann, bo, cy = person(None), person("Bo"), person("Cy")
    queues = [player.page.locator("[data-queue]") for player in (ann, bo, cy)]
    for player in (ann, bo, cy):
        player.page.goto(player.url)
        player.page.get_by_label("Edition").select_option("hispaniola")
        player.page.get_by_label("Seats").select_option("5")
    for queue in queues:
        expect(queue).to_have_text("No one is waiting right now.")
    ann.page.get_by_role("button", name="Play with strangers").click()
    expect(queues[2]).to_have_text("1 person is waiting.")
    # A refusal is shown in the dialog, which would cover a toast.
    ann.page.route("**/api/v1/games", lambda route: route.abort())
    dialog = ann.page.get_by_role("dialog")
    dialog.get_by_role("button", name="Play against bots").click()
    expect(dialog.get_by_role("alert")).to_contain_text("The server cannot be reached.")
    ann.complaints.clear()
    bo.page.get_by_role("button", name="Play with strangers").click()
    bo.page.wait_for_url(re.compile(r"/g/"))
    expect(queues[2]).to_have_text("2 people are waiting.")
    expect(ann.page.locator('[data-list="mine"] [data-room]')).to_have_count(1)
    expect(queues[0]).to_have_text("No one is waiting right now.")  # it does not count the visitor
    # The dialog is untrue now and would cover the toast.
    expect(dialog).to_have_count(0)
    toast = ann.page.locator(".toast-call")
    expect(toast).to_contain_text("Someone has joined you at your table.")
    toast.get_by_role("link", name="Go to the table").click()
    ann.page.wait_for_url(bo.page.url)
    # People who have left do not wait, and some filters hide tables that quick play finds.
    for player in (ann, bo):
        player.page.goto("about:blank")
    expect(queues[2]).to_have_text("No one is waiting right now.")
    cy.page.get_by_label("Clock").select_option("none")
    expect(queues[2]).to_be_empty()


def test_a_player_may_stop_waiting(person: Callable[..., Player]):
    ann = person("Ann")
    ann.page.goto(ann.url)
    ann.page.get_by_label("Edition").select_option("first-escape")
    ann.page.get_by_role("button", name="Play with strangers").click()
    row = ann.page.locator('[data-list="mine"] [data-room]')
    expect(row).to_have_count(1)
    ann.page.get_by_role("button", name="Stop waiting").click()
    expect(row).to_have_count(0)
    expect(ann.page.get_by_role("dialog")).to_have_count(0)
    ann.page.get_by_role("button", name="Play with strangers").click()  # the button works again
    expect(ann.page.get_by_role("dialog")).to_be_visible()


def test_the_offer_to_wait_ends_with_the_seat(person: Callable[..., Player]):
    ann = person("Ann")
    ann.page.goto(ann.url)
    ann.page.get_by_label("Edition").select_option("jungle")
    ann.page.get_by_label("Seats").select_option("4")
    ann.page.get_by_role("button", name="Play with strangers").click()
    dialog = ann.page.get_by_role("dialog", name="No one is waiting right now")
    expect(dialog).to_be_visible()
    expect(ann.page.locator('[data-list="mine"] [data-room]')).to_have_count(1)
    (row,) = ann.api("GET", "/games?list=mine")["games"]
    ann.game = row["id"]
    ann.command("close")  # on another page
    expect(dialog).to_have_count(0)


def test_stop_waiting_ends_the_dialog_if_the_table_has_been_closed(person: Callable[..., Player]):
    ann = person("Ann")
    ann.page.route_web_socket("**/ws/lobby", lambda lobby: None)  # no row comes through
    ann.page.goto(ann.url)
    ann.page.get_by_label("Edition").select_option("jungle")
    ann.page.get_by_label("Seats").select_option("4")
    ann.page.get_by_role("button", name="Play with strangers").click()
    dialog = ann.page.get_by_role("dialog", name="No one is waiting right now")
    expect(dialog).to_be_visible()
    (row,) = ann.api("GET", "/games?list=mine")["games"]
    ann.game = row["id"]
    ann.command("close")
    dialog.get_by_role("button", name="Stop waiting").click()
    expect(dialog).to_have_count(0)


def test_a_player_who_has_looked_at_the_table_is_not_called_again(person: Callable[..., Player]):
    ann, bo = person("Ann"), person("Bo")
    ann.page.goto(ann.url)
    ann.page.get_by_label("Edition").select_option("jungle")
    ann.page.get_by_label("Seats").select_option("3")
    ann.page.get_by_role("button", name="Play with strangers").click()
    expect(ann.page.get_by_role("dialog")).to_be_visible()
    (row,) = ann.api("GET", "/games?list=mine")["games"]
    bo.game = row["id"]
    bo.command("sit")
    ann.page.locator(".toast-call").get_by_role("link", name="Go to the table").click()
    expect(ann.page.locator("#table[data-phase]")).to_be_visible()
    # It is the only table of the player: the server counts none beside it.
    expect(ann.page.locator("[data-own-games]")).to_have_attribute("data-own-games", "0")
    ann.page.wait_for_function("() => !JSON.parse(localStorage.getItem('cartagena.keptSeat')).isCalled")
    ann.page.goto(ann.url)
    expect(ann.page.locator('[data-list="mine"] [data-room]')).to_have_count(1)
    expect(ann.page.locator("[data-turns]")).to_be_hidden()


def test_focus_and_running_requests_survive_changes_of_a_list(person: Callable[..., Player]):
    ann, bo, cy = person("Ann"), person("Bo"), person("Cy")
    options = {"preset": "jungle", "players": 3}
    first, second = (player.create(options) for player in (ann, cy))
    ann.command("sit")
    cy.command("sit")

    def row(table: str) -> Locator:
        return bo.page.locator(f'[data-list="open"] [data-room="{table}"]')

    joins: list[Route] = []
    bo.page.route("**/commands", lambda route: joins.append(route))
    bo.page.goto(bo.url)
    join = row(first).get_by_role("button", name="Join")
    expect(row(second)).to_be_visible()
    join.focus()
    cy.command("close")  # the row above is gone,
    expect(row(second)).to_have_count(0)
    expect(join).to_be_focused()
    cy.take_seat(first)  # and the row itself changes
    expect(row(first).locator(".dot-taken")).to_have_count(2)
    expect(join).to_be_focused()
    with bo.page.expect_request("**/commands"):
        join.click()
    third = cy.create(options)
    cy.command("sit")
    expect(row(third)).to_be_visible()
    expect(join).to_be_disabled()
    joins[0].continue_()
    bo.page.wait_for_url(re.compile(f"/g/{first}"))


def test_stop_waiting_does_not_close_the_table_on_a_stranger(person: Callable[..., Player]):
    ann, bo = person("Ann"), person("Bo")
    # The list of the page is out of date: no row comes through.
    ann.page.route_web_socket("**/ws/lobby", lambda lobby: None)
    ann.page.goto(ann.url)
    ann.page.get_by_label("Edition").select_option("dungeon")
    ann.page.get_by_label("Seats").select_option("5")
    ann.page.get_by_role("button", name="Play with strangers").click()
    dialog = ann.page.get_by_role("dialog", name="No one is waiting right now")
    expect(dialog).to_be_visible()
    (row,) = ann.api("GET", "/games?list=mine")["games"]
    bo.game = row["id"]
    bo.command("sit")
    dialog.get_by_role("button", name="Stop waiting").click()
    expect(dialog).to_have_count(0)
    table = bo.state()["table"]
    assert table["status"] == "open"
    assert len([seat for seat in table["seats"] if seat["person"]]) == 1


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
