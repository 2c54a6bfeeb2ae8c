"""Sockets that only watch: a spectator's frames and rights, even for a signed-in player."""

from __future__ import annotations

from typing import Any

from tests.sockets.client import Client, Clients, advance, good_choice, play_out


def screen_of(clients: Clients, client: Client) -> Client:
    """Connect a watching socket with the same browser session."""
    screen = clients.twin(client)
    screen.is_watching = True
    return screen


def shown(client: Client) -> list[Any]:
    """Return every frame about the game, without times and personal greetings."""
    kept = [frame for frame in client.log if frame["t"] in ("state", "events", "table")]
    return [{name: value for name, value in frame.items() if name != "now"} for frame in kept]


async def test_a_watching_socket_of_a_player_receives_a_strangers_frames(light_clients: Clients) -> None:
    ann, bo = await light_clients.game()
    stranger = await light_clients.person()
    screen, watching = screen_of(light_clients, ann), light_clients.twin(stranger)
    for each in (watching, screen):
        await each.join(ann.game)
    await play_out([ann, bo], 12)
    for each in (screen, watching):
        await each.reaches(ann.seq)
    you = screen.of("welcome")[0]["you"]
    assert (you["person"], you["name"], you["seat"]) == (None, "", None)
    assert screen.view["players"][0]["hand"] is None  # type: ignore[index]
    assert not screen.choices
    assert shown(screen) == shown(watching)


async def test_a_watching_socket_stays_a_spectator_after_hello_and_resume(light_clients: Clients) -> None:
    ann, _bo = await light_clients.game()
    screen = screen_of(light_clients, ann)
    await screen.join(ann.game)
    await screen.say("hello", v=2)  # need not be repeated
    await screen.until(lambda: len(screen.of("state")) == 2)
    await screen.leave()
    await ann.act(advance(ann))
    await screen.join(ann.game, resume=True)
    await screen.reaches(ann.seq)
    assert all(frame["you"]["seat"] is None for frame in screen.of("welcome"))
    assert all(frame["view"]["players"][0]["hand"] is None for frame in screen.of("state"))
    assert not any(frame.get("choices") for frame in screen.of("events"))


async def test_a_screen_can_send_no_command_and_counts_as_no_player_or_spectator(
    light_clients: Clients,
) -> None:
    ann, bo = await light_clients.game()
    screen = screen_of(light_clients, ann)
    await screen.join(ann.game)
    assert await screen.refused("act", version=screen.seq, action=good_choice(ann)) == "no_session"
    assert await screen.refused("chat", text="Ahoy") == "no_session"
    await ann.leave()
    await bo.until(lambda: bo.of("presence")[-1]["seats"] == [False, True])
    assert bo.of("presence")[-1]["watching"] == 0


async def has_lines(client: Client, count: int) -> None:
    await client.until(lambda: len(client.of("chat")) == count)


async def test_a_players_screen_does_not_receive_the_spectators_chat(light_clients: Clients) -> None:
    ann, bo = await light_clients.game()
    wim = await light_clients.person()
    await wim.join(ann.game)
    before = screen_of(light_clients, ann)
    stranger = screen_of(light_clients, await light_clients.person())
    for each in (before, stranger):
        await each.join(ann.game)
    await wim.command("chat", text="Ann should sail")
    await bo.command("chat", text="Ahoy")
    later = screen_of(light_clients, ann)
    await later.join(ann.game)
    for screen in (before, later):
        await has_lines(screen, 2)
        assert [line.get("text") for line in screen.of("chat")] == [None, "Ahoy"]
    await has_lines(stranger, 2)
    assert [line.get("text") for line in stranger.of("chat")] == ["Ann should sail", "Ahoy"]
    await bo.act({"type": "resign"})
    over = screen_of(light_clients, ann)
    await over.join(ann.game)
    assert [line.get("text") for line in over.of("chat")] == ["Ann should sail", "Ahoy"]


async def test_a_players_socket_cannot_become_a_screen(light_clients: Clients) -> None:
    ann, _bo = await light_clients.game()
    await ann.say("hello", v=2, watch=True)
    await ann.until(lambda: ann.of("refused"))
    assert ann.of("refused")[0]["code"] == "bad_message"
    await ann.act(advance(ann))


async def test_a_player_may_open_a_screen_at_a_locked_table_without_spectators(
    light_clients: Clients,
) -> None:
    ann = await light_clients.person()
    bo, wim = await light_clients.person(), await light_clients.person()
    game = await light_clients.open_table(ann, password="rum and salt", spectators=False)
    for client, password in ((ann, None), (bo, "rum and salt")):
        await client.join(game, password=password)
        await client.command("sit")
        await client.command("ready", ready=True)
    screen, strange = screen_of(light_clients, bo), screen_of(light_clients, wim)
    await screen.join(game)  # without the password: bo sits there
    await strange.join(game, password="rum and salt")
    await ann.command("start")
    await screen.sees("status", "running")
    assert await strange.is_closed() == 4003
    again = screen_of(light_clients, wim)
    await again.join(game, password="rum and salt")
    assert again.log[0]["code"] == "no_spectators"
    await ann.act(advance(ann)) if ann.choices else await bo.act(advance(bo))
    await screen.reaches(ann.seq)
    assert screen.closed_with is None
    assert all(player["hand"] is None for player in screen.view["players"])  # type: ignore[index]
