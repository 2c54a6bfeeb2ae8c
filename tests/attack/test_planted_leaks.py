"""Planted leaks: the two-worlds comparison must find each of them."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app import rules
from app.play.frames import Frame
from app.play.lobby import Lobby
from app.play.refusals import Refusal
from app.play.room import audience_frames, subscribers
from app.web.api import bots, games, stream
from app.web.pages import replay
from app.web.pages.render import PageRenderer
from app.web.security import guard
from tests.attack.addresses import pages_of_the_table
from tests.attack.received_bytes import differences
from tests.attack.slots import Move, some_moves, twin
from tests.attack.two_worlds import Laid, Leak, Stage, heard_in, set_up
from tests.choices import choices_of

Patch = pytest.MonkeyPatch


def unseen(position: rules.Position) -> int:
    """Return a number that distinguishes two decks without naming a card."""
    return sum(place * kind for place, kind in enumerate(position.deck)) % 97


def a_card_in_an_event(patch: Patch, laid: Laid) -> None:
    patch.setattr(
        laid, "events_for", lambda events, *_: [rules.event_to_json(event) for event in events], raising=False
    )


def a_number_in_the_view(patch: Patch, laid: Laid) -> None:
    patch.setattr(
        laid,
        "view",
        lambda position, seat: {**rules.view(position, seat), "check": unseen(position)},
        raising=False,
    )


def the_order_of_the_fields(patch: Patch, laid: Laid) -> None:
    def view(position: rules.Position, seat: int | None) -> Any:
        fields = list(rules.view(position, seat).items())
        at = unseen(position) % len(fields)
        return dict(fields[at:] + fields[:at])

    patch.setattr(laid, "view", view, raising=False)


def the_length_of_a_frame(patch: Patch, laid: Laid) -> None:
    """Pad the frame of a move with spaces, which no parser notices."""
    told = audience_frames.event_frames

    def pad_to_power_of_two(before: Any, table: Any, *more: Any) -> Any:
        frames = told(before, table, *more)
        return {seat: Frame(frame.payload + b" " * unseen(table.position)) for seat, frame in frames.items()}

    patch.setattr(subscribers, "event_frames", pad_to_power_of_two)


def an_error_sentence(patch: Patch, laid: Laid) -> None:
    def apply(position: rules.Position, seat: int, action: Any, **known: Any) -> Any:
        try:
            return rules.apply(position, seat, action, **known)
        except rules.RuleError as refused:
            top = position.ruleset.kinds.names[position.deck[-1]]
            refused.message = f"{refused.message} The next card is {top}, after {unseen(position)}."
            raise

    patch.setattr(laid, "apply", apply, raising=False)


def a_parameter_of_a_refusal(patch: Patch, laid: Laid) -> None:
    def apply(position: rules.Position, seat: int, action: Any, **known: Any) -> Any:
        try:
            return rules.apply(position, seat, action, **known)
        except rules.RuleError as refused:
            refused.params = {**refused.params, "card": position.ruleset.kinds.names[position.deck[-1]]}
            raise

    patch.setattr(laid, "apply", apply, raising=False)


def what_others_may_do(patch: Patch, laid: Laid) -> None:
    def choices_json(position: rules.Position, seat: int, **how: Any) -> bytes:
        players = range(position.options.players)
        return json.dumps([each for one in players for each in choices_of(position, one, **how)]).encode()

    patch.setattr(laid, "choices_json", choices_json, raising=False)
    # No other player is to act, so their list is computed as if they were.
    patch.setattr(
        laid,
        "view",
        lambda position, seat: {
            **rules.view(position, seat),
            "may": [len(set(position.hand_names(one))) for one in range(position.options.players)],
        },
        raising=False,
    )


def a_header(patch: Patch, laid: Laid) -> None:
    given = guard.security_headers

    def headers(https: bool, host: str) -> dict[str, str]:
        return {**given(https, host), "x-trace": str(unseen(laid.new_game(None, "")))}  # type: ignore[arg-type]

    patch.setattr(guard, "security_headers", headers)


def the_replay_of_what_was_seen(patch: Patch, laid: Laid) -> None:
    told = replay.seen_history_json

    def seen(*given: Any) -> Any:
        whole = told(*given)
        whole["steps"][-1]["marks"] = [f"deck {unseen(laid.new_game(None, ''))}"]  # type: ignore[arg-type]
        return whole

    patch.setattr(replay, "seen_history_json", seen)


def a_row_of_the_lobby(patch: Patch, laid: Laid) -> None:
    told = Lobby.build_row

    def row(self: Any, *more: Any) -> Any:
        return {**told(self, *more), "n": unseen(laid.new_game(None, ""))}  # type: ignore[arg-type]

    patch.setattr(Lobby, "build_row", row)


def a_page(patch: Patch, laid: Laid) -> None:
    drawn = PageRenderer.page

    async def page(self: Any, request: Any, template: str, **values: Any) -> Any:
        answer = await drawn(self, request, template, **values)
        leak = b"<!-- %d -->" % (unseen(laid.new_game(None, "")) + 100)  # type: ignore[arg-type]
        is_packed = "content-encoding" in answer.headers
        body = bytes(answer.body)
        answer.body = gzip.compress(gzip.decompress(body) + leak, mtime=0) if is_packed else body + leak
        answer.headers["content-length"] = str(len(answer.body))
        return answer

    patch.setattr(PageRenderer, "page", page)


def a_refused_export(patch: Patch, laid: Laid) -> None:
    async def record(*_: Any) -> Any:
        raise Refusal("not_over", f"Not yet: {unseen(laid.new_game(None, ''))} cards to go.")  # type: ignore[arg-type]

    patch.setattr(games, "record_for", record)
    patch.setattr(bots, "record_for", record)


def the_stream_for_programs(patch: Patch, laid: Laid) -> None:
    tell = stream.StreamListener.send

    def louder(self: Any, frame: Frame) -> None:
        tell(self, Frame(frame.payload + b" " * unseen(laid.new_game(None, ""))))  # type: ignore[arg-type]

    patch.setattr(stream.StreamListener, "send", louder)


PLANTED: list[Callable[[Patch, Laid], None]] = [
    a_card_in_an_event,
    a_number_in_the_view,
    the_order_of_the_fields,
    the_length_of_a_frame,
    an_error_sentence,
    a_parameter_of_a_refusal,
    what_others_may_do,
    a_header,
    the_replay_of_what_was_seen,
    a_row_of_the_lobby,
    a_page,
    a_refused_export,
    the_stream_for_programs,
]


STAGE: list[Stage] = []  # created once for all


@pytest.mark.parametrize("leak", PLANTED, ids=lambda leak: leak.__name__)
async def test_a_planted_leak_is_found(leak: Leak, tmp_path: Path, monkeypatch: Patch) -> None:
    if not STAGE:
        STAGE.append(await set_up(tmp_path, {"preset": "jamaica", "players": 2}, monkeypatch))
    stage = STAGE[0]
    chance = random.Random(11)
    moves: list[Move] = []
    while not any(seat == 1 and action["type"] == "retreat" for seat, action in moves):
        moves = some_moves(stage.position, 6, chance)  # the other one must draw
    other = twin(stage.position, moves, 0, chance)
    pages = pages_of_the_table(stage)
    told = [
        await heard_in(stage, position, moves, 0, monkeypatch, looks={6}, pages=pages, leak=leak)
        for position in (stage.position, other)
    ]
    assert list(differences(*told)), "the comparison misses this leak"
