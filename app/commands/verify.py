"""`cartagena verify`: recompute the commitment, the board and every card of a record."""

from __future__ import annotations

import argparse

from app import rules
from app.commands.files import guarded, read_json

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("record", help="a file with a record, or - for standard input")


@guarded
def run(asked: argparse.Namespace) -> None:
    record = rules.record_from_json(read_json(asked.record))
    last = rules.verify(record)
    print(f"commitment: holds ({record.commitment})")
    if record.scheme == 1:
        print("scheme:     1, every player's nonce was known as soon as they sat down")
    else:
        sealed = sum(seal is not None for seal in record.seals)
        print(f"scheme:     2, sealed: {sealed} nonces fit the seals that were frozen before any was opened")
        print(f"void:       {len(record.void_rounds)} void rounds before it, no nonce of theirs used again")
    print(f"seed:       {record.seed}")
    bots = sum(bot is not None for _, bot in record.players)
    print(f"bots:       {bots}, the nonce of each follows from the server's seed")
    print(f"actions:    {len(record.moves)}, each of them legal")
    print(f"cards:      dealt, drawn and shuffled as the seed says ({last.shuffles} reshuffles)")
    who = "nobody" if last.winner is None else f"seat {last.winner} ({record.players[last.winner][0]})"
    print(f"winner:     {who}, {record.reason}")
