"""Creating games: the row and first entry of a new table, or of the rematch after a game."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import string
from collections.abc import Mapping
from typing import Any

import msgspec

from app.play.commands.seating import pick_bot_name
from app.play.engines import engine_for
from app.play.log.entries import NO_SEAT, Entry, GameRow
from app.play.log.fold import fold
from app.play.log.series import player_key
from app.play.log.table import Table
from app.play.log.terms import BOT_LEVELS, COLOURS, Terms, parse_stored_terms
from app.play.ports import Actor
from app.play.refusals import Refusal
from app.ratings.ranks import MIN_PEOPLE
from app.rules import RuleError

ID_LETTERS = string.ascii_letters + string.digits
ID_LENGTH = 20


def new_game_id() -> str:
    """Return a random id of 119 bits; it is the only secret of an unlisted table."""
    # Letters and digits only: a leading dash would be an option on the command line.
    return format_game_id(secrets.randbelow(len(ID_LETTERS) ** ID_LENGTH))


def format_game_id(number: int) -> str:
    """Write a number as an id, modulo the number of ids."""
    letters = []
    for _ in range(ID_LENGTH):
        number, letter = divmod(number, len(ID_LETTERS))
        letters.append(ID_LETTERS[letter])
    return "".join(letters)


def derive_game_id(secret: str, label: str) -> str:
    """Return the id derived from this label: the same in every worker, unguessable without the site's secret."""
    return format_game_id(int.from_bytes(hmac.digest(secret.encode(), label.encode(), hashlib.sha256)))


def new_table(
    creator: str,
    options: dict[str, Any],
    terms: Terms,
    bots: list[str],
    now: int,
    version: int,
    game: str | None = None,
    *,
    is_from_screen: bool = False,
    is_rated: bool = False,
) -> tuple[GameRow, Entry]:
    """Return the row and first entry of a table; `bots` are the levels of the bots on its last seats. Raises Refusal.

    A table opened from a screen has no host until the first player sits down.
    """
    engine = engine_for(version)
    try:
        parsed = engine.parse_options(options)
    except RuleError as refused:
        raise Refusal.from_rule_error(refused) from refused
    if len(bots) >= parsed.players:
        raise Refusal("bad_options", "At least one seat must be left for a person.")
    for level in bots:
        if level not in BOT_LEVELS:
            raise Refusal("bad_level")
    server_seed = secrets.token_hex(32)
    kept = [
        _reserve_bot_seat(parsed.players - len(bots) + number, level, None, None)
        for number, level in enumerate(bots)
    ]
    if is_from_screen and not terms.spectators:
        raise Refusal("bad_options", "A table on a big screen must allow spectators: the screen is one.")
    if is_rated:
        _check_rated(parsed.players - len(bots), terms, is_from_screen=is_from_screen)
    first = (
        {"kept": kept} | ({"screen": True} if is_from_screen else {}) | ({"rated": True} if is_rated else {})
    )
    return _build_row(version, creator, engine.options_to_json(parsed), terms, first, server_seed, now, game)


def new_table_like(
    old: GameRow, creator: Actor, company: Mapping[int, str], now: int, version: int, game: str | None = None
) -> tuple[GameRow, Entry]:
    """Return a table with the options and terms of a stored game. Its bots sit there again.

    `company` has the people for whom the seats of the old game are kept. Raises Refusal.
    """
    engine, summary = engine_for(version), old.summary
    assert summary is not None
    try:
        options = engine.options_to_json(engine.parse_options(summary.options))
    except RuleError as refused:
        raise Refusal.from_rule_error(refused) from refused
    kept: list[dict[str, Any]] = []
    for seat in summary.seats:
        if seat.seat in company:
            kept.append({"seat": seat.seat, "person": company[seat.seat], "colour": seat.colour})
        elif seat.person is None and seat.bot is not None:
            kept.append(_reserve_bot_seat(seat.seat, seat.bot, seat.colour, seat.name))
    terms = parse_stored_terms(old.terms)
    if old.creator not in creator.ids:  # the title belongs to its creator
        terms = msgspec.structs.replace(terms, title="")
    first = {"kept": kept} | ({"rated": True} if summary.is_rated else {})
    return _build_row(version, creator.id, options, terms, first, secrets.token_hex(32), now, game)


def _check_rated(people: int, terms: Terms, *, is_from_screen: bool) -> None:
    """Raise Refusal if a table cannot be rated: `people` is how many can play."""
    if terms.hints:
        raise Refusal("bad_options", "A rated table cannot have hints. Turn one of them off.")
    if is_from_screen:
        raise Refusal("bad_options", "A table on a big screen cannot be rated.")
    if not terms.clock.clock_class.is_timed and not terms.absence:
        # Nothing would ever end the game: a player about to lose could simply leave.
        raise Refusal(
            "bad_options", "A rated table without a clock needs a time until absence. Choose one, or a clock."
        )
    if people < MIN_PEOPLE:
        raise Refusal("bad_options", "A rated table needs seats for at least two people. Seat fewer bots.")


def new_rematch(table: Table, actor: Actor, now: int, version: int, game: str) -> tuple[GameRow, Entry]:
    """Return the next table for the same players, each one seat further on; deleted people are left out."""
    engine = engine_for(version)
    count = len(table.seats)
    server_seed = secrets.token_hex(32)
    kept: list[dict[str, Any]] = []
    existing = {seat.person for seat in table.seats if table.names.get(seat.person) is not None}
    for old, seat in enumerate(table.seats):
        new = (old + 1) % count
        if seat.person is None:
            assert seat.bot is not None
            kept.append(_reserve_bot_seat(new, seat.bot, seat.colour, seat.name))
        elif seat.person in existing:
            kept.append({"seat": new, "person": seat.person, "colour": seat.colour})
    options = engine.options_to_json(table.options)
    creator = table.host if table.host in existing else actor.id
    # The title belongs to its creator; a table of another creator does not keep it.
    title = table.title() if creator == table.creator else ""
    terms = msgspec.structs.replace(table.terms, title=title)
    first: dict[str, Any] = {
        "kept": kept,
        "series": {"after": table.id, "wins": _count_series_wins(table, existing)},
    }
    if table.is_rated:
        first["rated"] = True
    return _build_row(version, creator, options, terms, first, server_seed, now, game)


def _count_series_wins(table: Table, existing: set[str | None]) -> dict[str, int]:
    """Return the wins of the continuing players in this series, which may begin with this game."""
    winner = (table.result or {}).get("winner")
    score = table.series.count_wins(table.seats, winner) if table.series is not None else None
    return {
        player_key(seat): score[number] if score is not None else int(number == winner)
        for number, seat in enumerate(table.seats)
        if seat.person is None or seat.person in existing
    }


def _reserve_bot_seat(seat: int, level: str, colour: str | None, name: str | None) -> dict[str, Any]:
    return {
        "seat": seat,
        "bot": level,
        "name": name or pick_bot_name(level, seat),
        "colour": colour or COLOURS[seat],
    }


def _build_row(
    version: int,
    creator: str,
    options: dict[str, Any],
    terms: Terms,
    first: dict[str, Any],
    server_seed: str,
    now: int,
    game: str | None = None,
) -> tuple[GameRow, Entry]:
    game = game or new_game_id()
    row = GameRow(
        id=game,
        rules_version=version,
        options=options,
        terms=msgspec.to_builtins(terms),
        server_seed=server_seed,
        commitment=engine_for(version).commitment_of(server_seed),
        creator=creator,
        created_at=now,
        seq=1,
        updated_at=now,
    )
    entry = Entry(game, 1, "created", NO_SEAT, first, "person", now, None, creator)
    table = Table.from_row(row)
    fold(table, entry)
    return msgspec.structs.replace(row, summary=table.summary()), entry
