"""Friendships and requests in the store, on both databases: concurrent requests, blocks, claims, erasure and limits."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from sqlalchemy import Connection, insert, select

from app.store.database import open_database
from app.store.people import friends as friend_module
from app.store.people.friends import AskerBlocks, FriendLimit, FriendStore
from app.store.people.personal_data import PersonalDataStore
from app.store.people.player_notes import MAX_NOTE_CHARS, PlayerNoteStore
from app.store.people.player_rows import PlayerGone
from app.store.people.references import claim_guest
from app.store.people.retention import FRIEND_REQUEST_DAYS, RULES, Cutoffs, RetentionStore
from app.store.people.social import SocialStore
from app.store.tables.friends import friend_requests, friendships, player_notes
from app.store.tables.people import players

NOW = 1_800_000_000
PEOPLE = ("ann", "Bo", "cy", "Dot")  # ids that PostgreSQL's locale sorts differently


class Stores:
    """All stores about friends, on one database."""

    def __init__(self, url: str) -> None:
        self.database = open_database(url)
        self.friends = FriendStore(self.database)
        self.social = SocialStore(self.database)
        self.notes = PlayerNoteStore(self.database)

    async def names(self, player: str) -> list[str]:
        return [friend.name for friend in await self.friends.list_friends(player, 0)]

    async def received(self, player: str) -> list[str]:
        requests, _ = await self.friends.list_requests(player)
        assert await self.friends.count_received(player) == len(requests)
        return [request.id for request in requests]

    async def sent(self, player: str) -> list[str]:
        _, requests = await self.friends.list_requests(player)
        return [request.id for request in requests]


@pytest.fixture
async def stores(migrated_url: str) -> AsyncIterator[Stores]:
    stores = Stores(migrated_url)

    def add(conn: Connection) -> None:
        for player in (*PEOPLE, "guest"):
            row = {"id": player, "name": player, "skeleton": player, "made_at": NOW, "seen_at": NOW}
            conn.execute(insert(players).values(**row, is_account=player != "guest", is_bot=False))

    await stores.database.write(add)
    yield stores
    await stores.database.close()


async def test_accepting_a_request_makes_both_friends(stores: Stores) -> None:
    assert await stores.friends.ask("ann", "Bo", NOW) == "asked"
    assert await stores.friends.ask("ann", "Bo", NOW + 1) == "asked"
    assert (await stores.received("Bo"), await stores.sent("ann")) == (["ann"], ["Bo"])
    assert await stores.friends.read_relations("Bo", ["ann", "cy"]) == {"ann": "asks_you", "cy": "none"}
    assert await stores.friends.ask("Bo", "ann", NOW + 2) == "friends"
    assert await stores.friends.ask("Bo", "ann", NOW + 3) == "friends"
    assert (await stores.names("ann"), await stores.names("Bo")) == (["Bo"], ["ann"])
    assert (await stores.received("Bo"), await stores.sent("ann")) == ([], [])
    await stores.friends.remove("ann", "Bo")
    await stores.friends.remove("ann", "Bo")
    assert (await stores.names("ann"), await stores.names("Bo")) == ([], [])


async def test_two_people_who_ask_each_other_at_once_are_friends(stores: Stores) -> None:
    pairs = [("ann", "Bo"), ("Bo", "ann"), ("cy", "Dot"), ("Dot", "cy"), ("ann", "Dot"), ("Dot", "ann")]
    await asyncio.gather(*(stores.friends.ask(one, two, NOW) for one, two in pairs * 2))
    assert {person: await stores.names(person) for person in PEOPLE} == {
        "ann": ["Bo", "Dot"], "Bo": ["ann"], "cy": ["Dot"], "Dot": ["ann", "cy"],
    }  # fmt: skip
    assert await stores.database.fetch_rows(select(friend_requests)) == []


async def test_declining_is_silent_and_asking_again_changes_nothing(stores: Stores) -> None:
    await stores.friends.ask("ann", "Bo", NOW)
    await stores.friends.decline("Bo", "ann", NOW + 5)
    for _ in range(2):
        assert await stores.received("Bo") == []
        assert await stores.sent("ann") == ["Bo"]
        assert await stores.friends.read_relations("ann", ["Bo"]) == {"Bo": "asked"}
        await stores.friends.remove("ann", "Bo")  # withdrawn, and asked again
        assert await stores.sent("ann") == []
        assert await stores.friends.ask("ann", "Bo", NOW + 10) == "asked"
    assert await stores.friends.ask("Bo", "ann", NOW + 20) == "friends", "Bo may still change their mind"


async def test_asking_again_looks_the_same_after_a_decline_as_without_an_answer(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(friend_module, "MAX_OPEN_REQUESTS", 2)
    for other in ("Bo", "cy"):
        await stores.friends.ask("ann", other, NOW)
    await stores.friends.decline("Bo", "ann", NOW)
    data = PersonalDataStore(stores.database)
    seen: dict[str, list[object]] = {}
    for other in ("Bo", "cy"):
        await stores.friends.remove("ann", other)
        exported = (await data.export(["ann"]))["friend_requests"]
        await stores.friends.ask("ann", "Dot", NOW + 1)
        with pytest.raises(FriendLimit, match="requests"):
            await stores.friends.ask("ann", other, NOW + 2)
        await stores.friends.remove("ann", "Dot")
        await stores.friends.ask("ann", other, NOW + 60)
        _, sent = await stores.friends.list_requests("ann")
        seen[other] = [len(exported), {request.id: request.at for request in sent}[other]]
    assert seen["Bo"] == seen["cy"] == [1, NOW + 60]
    assert await stores.received("Bo") == []


async def test_a_withdrawn_request_is_no_consent(stores: Stores) -> None:
    await stores.friends.ask("ann", "Bo", NOW)
    await stores.friends.decline("Bo", "ann", NOW)
    await stores.friends.remove("ann", "Bo")
    assert await stores.friends.ask("Bo", "ann", NOW) == "asked"


async def test_a_declined_request_may_be_repeated_when_it_has_expired(stores: Stores) -> None:
    await stores.friends.ask("ann", "Bo", NOW)
    await stores.friends.decline("Bo", "ann", NOW)
    retention = RetentionStore(stores.database)
    for days, is_over in ((FRIEND_REQUEST_DAYS - 1, False), (FRIEND_REQUEST_DAYS + 1, True)):
        later = NOW + days * 86_400
        cutoffs = Cutoffs(later, 0, 0, 0, 0, 0)
        expired = [row for row in await retention.find_expired(cutoffs, 10) if row.rule == "friend_request"]
        assert bool(expired) is is_over
        assert await retention.delete_expired(expired, cutoffs) == [None] * len(expired)
        await stores.friends.ask("ann", "Bo", later)
        assert await stores.received("Bo") == (["ann"] if is_over else [])
    assert "last_seen" in RULES


async def test_a_block_ends_friendship_and_requests_in_silence(stores: Stores) -> None:
    await stores.friends.ask("ann", "Bo", NOW)
    await stores.friends.ask("Bo", "ann", NOW)
    await stores.friends.ask("cy", "Bo", NOW)
    await stores.friends.ask("Bo", "Dot", NOW)
    for other in ("ann", "cy", "Dot"):
        assert await stores.social.block("Bo", other, NOW, 10)
    assert (await stores.names("ann"), await stores.names("Bo"), await stores.received("Bo")) == ([], [], [])
    assert await stores.received("Dot") == []
    assert await stores.sent("cy") == ["Bo"], "cy cannot tell it from a request without an answer"
    for asker in ("ann", "cy", "Dot"):
        assert await stores.friends.ask(asker, "Bo", NOW) == "asked"
        assert await stores.friends.read_relations(asker, ["Bo"]) == {"Bo": "asked"}
    assert await stores.received("Bo") == []
    with pytest.raises(AskerBlocks):
        await stores.friends.ask("Bo", "cy", NOW)
    await stores.social.unblock("Bo", ["cy"])
    assert await stores.received("Bo") == [], "it does not come back"
    assert await stores.friends.ask("Bo", "cy", NOW) == "friends"


async def test_a_block_during_a_request_wins(stores: Stores) -> None:
    for _ in range(5):
        await asyncio.gather(
            stores.friends.ask("ann", "Bo", NOW),
            stores.social.block("Bo", "ann", NOW, 10),
            stores.friends.ask("Bo", "ann", NOW),
            return_exceptions=True,
        )
        assert (await stores.names("ann"), await stores.names("Bo")) == ([], [])
        assert await stores.received("Bo") == []
        await stores.social.unblock("Bo", ["ann"])
        await stores.friends.remove("Bo", "ann")


async def test_limits_count_friends_and_open_requests(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(friend_module, "MAX_FRIENDS", 1)
    monkeypatch.setattr(friend_module, "MAX_OPEN_REQUESTS", 2)
    await stores.friends.ask("ann", "Bo", NOW)
    await stores.friends.ask("Bo", "ann", NOW)
    await stores.friends.ask("cy", "ann", NOW)
    await stores.friends.ask("ann", "Dot", NOW)
    with pytest.raises(FriendLimit, match="own"):
        await stores.friends.ask("ann", "cy", NOW)
    with pytest.raises(FriendLimit, match="other"):
        await stores.friends.ask("Dot", "ann", NOW)
    await stores.friends.ask("cy", "Bo", NOW)
    with pytest.raises(FriendLimit, match="requests"):
        await stores.friends.ask("cy", "Dot", NOW)


async def test_nothing_is_stored_about_people_who_are_gone(stores: Stores) -> None:
    await stores.friends.ask("ann", "Bo", NOW)
    await stores.friends.ask("Bo", "ann", NOW)
    await stores.notes.save("Bo", "ann", "Bluffs.", NOW)
    await stores.notes.save("ann", "Bo", "Never bluffs.", NOW)
    await PersonalDataStore(stores.database).erase(["ann"], NOW)
    for table in (friendships, friend_requests, player_notes):
        assert await stores.database.fetch_rows(select(table)) == []
    for work in (stores.friends.ask("Bo", "ann", NOW), stores.notes.save("Bo", "ann", "x", NOW)):
        with pytest.raises(PlayerGone):
            await work
    assert await stores.names("Bo") == []


async def test_export_tells_nobody_that_a_request_was_declined(stores: Stores) -> None:
    await stores.friends.ask("ann", "Bo", NOW)
    await stores.friends.decline("Bo", "ann", NOW + 5)
    data = PersonalDataStore(stores.database)
    own, others = await data.export(["ann"]), await data.export(["Bo"])
    assert own["friend_requests"] == [{"player": "ann", "asked": "Bo", "at": NOW}]
    assert (own["friend_requests_received"], others["friend_requests"]) == ([], [])
    assert others["friend_requests_received"][0]["declined_at"] == NOW + 5


async def test_notes_follow_a_guest_into_the_account_and_are_joined(stores: Stores) -> None:
    await stores.notes.save("guest", "Bo", "From the phone.", NOW)
    await stores.notes.save("ann", "Bo", "From the desk.", NOW)
    await stores.notes.save("guest", "cy", "x" * MAX_NOTE_CHARS, NOW)
    await stores.notes.save("ann", "cy", "Short.", NOW)
    await stores.notes.save("Dot", "guest", "A guest.", NOW)
    await stores.notes.save("guest", "ann", "Myself.", NOW)
    assert await stores.database.write(
        lambda conn: claim_guest(conn, "guest", "ann", NOW, browser="b", session="s")
    )
    assert await stores.notes.read("ann", "Bo") == "From the desk.\nFrom the phone."
    joined = await stores.notes.read("ann", "cy")
    assert joined == f"Short.\n{'x' * (MAX_NOTE_CHARS - 7)}"
    assert await stores.notes.read("Dot", "ann") == "A guest."
    rows = await stores.database.fetch_rows(select(player_notes.c.player, player_notes.c.about))
    assert sorted(tuple(row) for row in rows) == [("Dot", "ann"), ("ann", "Bo"), ("ann", "cy")]
