"""Fair shares of bot processes: accounts individually, guests by network."""

from __future__ import annotations

import asyncio

from app.bots.fair_queue import Share
from app.bots.pool import BotPool
from app.store.people.player_rows import Player
from app.web.security.fair_shares import MAX_KNOWN_PEOPLE, FairShares
from tests.sockets.running_server import in_process
from tools.first_game import guest_api, new_guest


def player(number: int, *, is_account: bool = False, aliases: tuple[str, ...] = ()) -> Player:
    return Player(f"p{number}", "Ann", is_account, False, 0, 0, aliases)


def test_guests_of_one_address_share_and_accounts_do_not() -> None:
    shares = FairShares()
    shares.note_request(player(1), "203.0.113.9")
    shares.note_request(player(2), "203.0.113.9")
    shares.note_request(player(3, is_account=True), "203.0.113.9")
    assert [shares.share_of(f"p{n}") for n in (1, 2, 3)] == [
        ("203.0.113.9", "p1"),
        ("203.0.113.9", "p2"),
        ("p3",),
    ]
    assert shares.share_of("203.0.113.9") == ("203.0.113.9", ""), "a client without a session"


def test_ipv6_guests_share_by_site_and_within_it_by_network() -> None:
    shares = FairShares()
    for number, address in enumerate(
        ("2001:db8:1:1::5", "2001:db8:1:1::6", "2001:db8:1:2::5", "2001:db8:2::5")
    ):
        shares.note_request(player(number), address)
    paths = [shares.share_of(f"p{n}") for n in range(4)]
    assert paths[0][:2] == paths[1][:2] == ("2001:db8:1::/48", "2001:db8:1:1::/64")
    assert paths[2][0] == paths[0][0]
    assert paths[2][1] != paths[0][1]
    assert paths[3][0] != paths[0][0]


def test_a_seat_taken_as_a_guest_counts_towards_the_account_that_claimed_it() -> None:
    shares = FairShares()
    shares.note_request(player(1), "203.0.113.9")
    shares.note_request(player(2, is_account=True, aliases=("p1",)), "198.51.100.7")
    assert shares.share_of("p1") == shares.share_of("p2") == ("p2",)


def test_an_unknown_person_has_their_own_share_and_memory_is_bounded() -> None:
    shares = FairShares()
    assert shares.share_of("p9") == ("p9",)
    for number in range(MAX_KNOWN_PEOPLE + 1):
        shares.note_request(player(number), "203.0.113.9")
    assert shares.share_of("p0") == ("p0",)
    assert shares.share_of("p1") == ("203.0.113.9", "p1")


async def test_a_bot_at_a_guests_table_counts_towards_the_guests_network(sqlite_url: str) -> None:
    async with in_process(sqlite_url, trusted_hops=1) as server:
        pool = server.game_server.context.bots
        assert isinstance(pool, BotPool)
        asked: asyncio.Queue[Share] = asyncio.Queue()
        share_of = pool._share_of

        def listen(person: str) -> Share:
            asked.put_nowait(share_of(person))
            return share_of(person)

        pool._share_of = listen
        async with guest_api(server.base, await new_guest(server.base)) as api:
            api.headers["X-Forwarded-For"] = "2001:db8:1:1::5"
            options = {"preset": "jamaica", "players": 2, "pirates": 4, "first": 1}
            game = await api.create(options, visibility="unlisted", pace=0, bots=["captain"])
            await api.sit(game)
            await api.start(game)
            opening = api.keeper(game).next_command((await api.state(game))["table"], 0)
            assert opening is not None
            await api.command(game, **opening)
            async with asyncio.timeout(60):
                share = await asked.get()
            guest = (await api.state(game))["table"]["host"]
    assert share == ("2001:db8:1::/48", "2001:db8:1:1::/64", guest)
