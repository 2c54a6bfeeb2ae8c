"""How a game comes to be: a new table from what its creator asked for, or the next one after a game."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import string
from typing import Any

import msgspec

from app.play.commands.seating import bot_name
from app.play.engines import NAMELESS, SCHEMES, engine_for
from app.play.log.entries import NOBODY, Entry, GameRow
from app.play.log.fold import fold
from app.play.log.series import identity
from app.play.log.table import Table
from app.play.log.terms import COLOURS, LEVELS, Terms
from app.play.ports import Actor
from app.play.refusals import Refusal
from app.rules import RuleError

ID_LETTERS = string.ascii_letters + string.digits
ID_LENGTH = 20


def new_game_id() -> str:
    """119 random bits: an unlisted room is its link."""
    # Letters and digits only: an id that begins with a dash is an option to every command line.
    return id_of(secrets.randbelow(len(ID_LETTERS) ** ID_LENGTH))


def id_of(number: int) -> str:
    """The id that this number is written as; what is too large for it is left out."""
    letters = []
    for _ in range(ID_LENGTH):
        number, letter = divmod(number, len(ID_LETTERS))
        letters.append(ID_LETTERS[letter])
    return "".join(letters)


def derive_game_id(secret: str, label: str) -> str:
    """Return the id that belongs to this label: the same at every worker, and unguessable without the site's secret."""
    return id_of(int.from_bytes(hmac.digest(secret.encode(), label.encode(), hashlib.sha256)))


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
) -> tuple[GameRow, Entry]:
    """A new table; `bots` are the levels of bots that sit on its last seats. Raises Refusal `bad_options`.

    One that is opened from a screen is nobody's: whoever sits down first is its host.
    """
    engine = engine_for(version)
    try:
        parsed = engine.parse_options(options)
    except RuleError as refused:
        raise Refusal.by_rules(refused) from refused
    if len(bots) >= parsed.players:
        raise Refusal("bad_options", "At least one seat must be left for a person.")
    for level in bots:
        if level not in LEVELS:
            raise Refusal("bad_level")
    server_seed = secrets.token_hex(32)
    kept = [
        _kept_bot(version, server_seed, parsed.players - len(bots) + number, level, None, None)
        for number, level in enumerate(bots)
    ]
    if is_from_screen and not terms.spectators:
        raise Refusal("bad_options", "A table on a big screen is watched: by its screen.")
    first = {"kept": kept} | ({"screen": True} if is_from_screen else {})
    return _row(version, creator, engine.options_to_json(parsed), terms, first, server_seed, now, game)


def new_rematch(table: Table, actor: Actor, now: int, version: int, game: str) -> tuple[GameRow, Entry]:
    """The same people, if they are still there, and bots one seat further on, under a new commitment."""
    engine = engine_for(version)
    count = len(table.seats)
    server_seed = secrets.token_hex(32)
    kept: list[dict[str, Any]] = []
    here = {seat.person for seat in table.seats if table.names.of(seat.person) is not None}
    for old, seat in enumerate(table.seats):
        new = (old + 1) % count
        if seat.person is None:
            assert seat.bot is not None
            kept.append(_kept_bot(version, server_seed, new, seat.bot, seat.colour, seat.name))
        elif seat.person in here:
            kept.append({"seat": new, "person": seat.person, "colour": seat.colour})
            if version < NAMELESS:
                kept[-1]["name"] = ""
    options = engine.options_to_json(table.options)
    is_there = table.host in here
    creator = table.host if is_there else actor.id
    # A title is its creator's words and goes with them: a table of somebody else does not keep it.
    title = table.title() if creator == table.creator else ""
    terms = msgspec.structs.replace(table.terms, title=title)
    first = {"kept": kept, "series": {"after": table.id, "wins": _wins(table, here)}}
    return _row(version, creator, options, terms, first, server_seed, now, game)


def _wins(table: Table, here: set[str | None]) -> dict[str, int]:
    """Who of those who go on has won how many games of this series, which may begin with this one."""
    winner = (table.result or {}).get("winner")
    score = table.series.score(table.seats, winner) if table.series is not None else None
    return {
        identity(seat): score[number] if score is not None else int(number == winner)
        for number, seat in enumerate(table.seats)
        if seat.person is None or seat.person in here
    }


def _kept_bot(
    version: int, server_seed: str, seat: int, level: str, colour: str | None, name: str | None
) -> dict[str, Any]:
    kept = {
        "seat": seat,
        "bot": level,
        "name": name or bot_name(level, seat),
        "colour": colour or COLOURS[seat],
    }
    if SCHEMES[version] == 1:
        kept["nonce"] = engine_for(version).bot_nonce(server_seed, seat)
    return kept


def _row(
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
    entry = Entry(game, 1, "created", NOBODY, first, "person", now, None, creator)
    table = Table.of(row)
    fold(table, entry)
    return msgspec.structs.replace(row, summary=table.summary()), entry
