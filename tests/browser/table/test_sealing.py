"""Sealed seats in browsers: they seal and open automatically, store what they received, and compare it later."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, expect

from app import rules
from tests.browser.game_server import SHORT, Player
from tests.browser.pages.page_paths import played_record

CLEAR_STORAGE = "() => localStorage.clear()"


def sit(player: Player, game: str) -> None:
    player.open(game)
    player.page.get_by_role("button", name="Sit here").first.click()
    player.page.get_by_role("button", name="I'm ready").click()
    expect(player.page.get_by_role("button", name="I'm not ready after all")).to_be_visible()


def seat_players(person: Callable[..., Player], *names: str) -> tuple[list[Player], str]:
    people = [person(name) for name in names]
    game = people[0].create(SHORT)
    for player in people:
        player.game = game
        sit(player, game)
    return people, game


def start(host: Player) -> None:
    host.page.get_by_role("button", name="Start the game").click()


def expect_verified(page: Page, url: str) -> None:
    page.goto(url)
    page.get_by_role("button", name="Check this game").click()


def test_game_started_in_browsers_matches_their_stored_seals(person: Callable[..., Player]) -> None:
    (ann, bo), game = seat_players(person, "Ann", "Bo")
    watcher = person("Wim")
    start(ann)
    for each in (ann, bo):
        expect(each.page.locator(".plate")).to_have_count(2)
    bo.act({"type": "resign"})
    expect_verified(ann.page, f"{ann.url}/g/{game}/fairness")
    expect(ann.page.locator("[data-verdict]")).to_contain_text("This game was fair")
    expect(ann.page.locator(".check-good", has_text="This browser was there")).to_be_visible()
    expect(ann.page.locator(".check-good", has_text="numbers of 2 players match the seals")).to_be_visible()
    watcher.game = game
    expect_verified(watcher.page, f"{ann.url}/g/{game}/fairness")
    expect(watcher.page.locator("[data-verdict]")).to_contain_text("This game was fair")
    expect(watcher.page.locator(".check-remark", has_text="This browser was not there")).to_be_visible()


def test_server_that_later_shows_another_game_is_detected(person: Callable[..., Player]) -> None:
    """Attack: a consistent record of another deck under the same URL."""
    (ann, bo), game = seat_players(person, "Ann", "Bo")
    start(ann)
    expect(ann.page.locator(".plate")).to_have_count(2)
    bo.act({"type": "resign"})

    def other(route: Any) -> None:
        route.fulfill(json=played_record("jamaica"))

    ann.page.route(f"**/games/{game}/record", other)
    expect_verified(ann.page, f"{ann.url}/g/{game}/fairness")
    expect(ann.page.locator(".check-bad")).to_contain_text("not the game that this browser was shown")
    expect(ann.page.locator("[data-verdict]")).to_contain_text("does not match")


def test_seal_exchanged_after_the_freeze_is_detected(person: Callable[..., Player]) -> None:
    """Attack: the operator lets Bo choose a nonce later, and writes the fitting seal into the record."""
    (ann, bo), game = seat_players(person, "Ann", "Bo")
    start(ann)
    expect(ann.page.locator(".plate")).to_have_count(2)
    bo.act({"type": "resign"})

    def forge(route: Any) -> None:
        payload = route.fetch().json()
        payload["nonces"][1] = "0" * 32
        payload["seals"][1] = rules.seal_of(payload["commitment"], "0" * 32)
        route.fulfill(json=payload)

    ann.page.route(f"**/games/{game}/record", forge)
    expect_verified(ann.page, f"{ann.url}/g/{game}/fairness")
    expect(ann.page.locator(".check-bad")).to_contain_text("not the game that this browser was shown")


def test_browser_without_its_stored_nonce_voids_the_round(person: Callable[..., Player]) -> None:
    (ann, bo), game = seat_players(person, "Ann", "Bo")
    bo.page.goto(f"{bo.url}/rules")  # away from the table, with cleared storage
    bo.page.evaluate(CLEAR_STORAGE)
    start(ann)
    expect(ann.page.get_by_text("Waiting for confirmation from: Bo")).to_be_visible()
    bo.open(game)
    expect(bo.page.get_by_text("sealed in another browser or on another device")).to_be_visible()
    bo.page.get_by_role("button", name="I no longer have it").click()
    bo.page.get_by_role("dialog").get_by_role("button", name="Seal again").click()
    for each in (ann, bo):
        expect(each.page.locator(".host-controls")).to_contain_text("had lost its sealed number")
    expect(ann.page.locator(".berth.mine")).to_be_visible()
    start(ann)
    for each in (ann, bo):
        expect(each.page.locator(".plate")).to_have_count(2)
    bo.act({"type": "resign"})
    expect_verified(bo.page, f"{bo.url}/g/{game}/fairness")
    expect(bo.page.locator(".check-good", has_text="1 earlier start failed")).to_be_visible()
    expect(bo.page.locator("[data-verdict]")).to_contain_text("This game was fair")


def test_host_of_a_correspondence_game_can_remove_a_player_who_does_not_open(
    person: Callable[..., Player],
) -> None:
    ann, bo = person("Ann"), person("Bo")
    game = ann.create(SHORT, clock={"kind": "days", "days": 1})
    for player in (ann, bo):
        player.game = game
        sit(player, game)
    bo.page.goto(f"{bo.url}/rules")  # away from the table
    start(ann)
    expect(ann.page.get_by_text("Waiting for confirmation from: Bo")).to_be_visible()
    remove = ann.page.get_by_role("button", name="Remove Bo")
    expect(remove).to_be_visible()
    expect(ann.page.get_by_role("button", name="Stand up")).to_have_count(0)
    remove.click()
    expect(ann.page.get_by_role("dialog")).to_contain_text("The start is called off.")
    ann.page.get_by_role("dialog").get_by_role("button", name="Remove Bo").click()
    expect(ann.page.locator("#live-alert")).to_contain_text("wait a moment")  # Bo's browser has 20 seconds


def test_second_device_creates_a_new_seal_before_the_start(person: Callable[..., Player]) -> None:
    (ann, bo), game = seat_players(person, "Ann", "Bo")
    before = bo.state()["table"]["seals"]
    bo.page.evaluate(CLEAR_STORAGE)
    bo.page.reload()
    expect(bo.page.locator(".berth.mine")).to_be_visible()
    bo.page.wait_for_function("game => localStorage.getItem(`cartagena.chance.${game}`)", arg=game)
    ann.page.wait_for_function(
        "seq => Number(document.getElementById('table').dataset.seq) > seq", arg=ann.seq() - 1
    )
    start(ann)
    for each in (ann, bo):
        expect(each.page.locator(".plate")).to_have_count(2)
    assert bo.state()["table"]["seals"][1] != before[1]


def test_sealing_is_invisible_in_a_game_against_bots(
    person: Callable[..., Player],
) -> None:
    ann = person("Ann")
    bodies: list[dict[str, Any]] = []
    ann.page.on(
        "request",
        lambda request: (
            bodies.append(json.loads(request.post_data))
            if request.url.endswith("/commands") and request.post_data
            else None
        ),
    )
    ann.page.goto(ann.url)
    ann.page.locator("[data-play-bots]").first.click()
    expect(ann.page.locator(".plate")).to_have_count(3)
    (sat,) = [body for body in bodies if body["do"] == "sit"]
    kept = ann.page.evaluate(
        "() => JSON.parse(localStorage.getItem('cartagena.chance.' + document.getElementById('table').dataset.game))"
    )
    assert "nonce" not in sat  # only the seal was sent, made for the commitment that this browser received
    assert sat["seal"] == rules.seal_of(kept["commitment"], kept["nonces"][sat["seal"]])
    assert len(kept["rounds"]) == 1


def test_browser_sends_no_seal_before_it_receives_the_commitment(person: Callable[..., Player]) -> None:
    host, ann = person("Host"), person("Ann")
    game = host.create(SHORT, title="Sealed Orders")
    host.take_seat(game)
    asked: list[tuple[str, str]] = []
    ann.page.on("request", lambda request: asked.append((request.method, request.url)))
    ann.page.goto(ann.url)
    ann.page.locator(
        "[data-list=open] li, [data-list=open] tr, .room", has_text="Sealed Orders"
    ).first.get_by_role("button").first.click()
    expect(ann.page.locator(".berth.mine")).to_be_visible()
    order = [method for method, url in asked if f"/api/v1/games/{game}" in url]
    assert order[:2] == ["GET", "POST"]
