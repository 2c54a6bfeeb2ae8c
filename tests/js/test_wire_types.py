"""static/js/core/types.d.ts names the same fields as the messages of the server (app/play/frames.py)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from app.play import frames

TYPES = Path(__file__).resolve().parents[2] / "static" / "js" / "core" / "types.d.ts"
INTERFACE = re.compile(
    r"^(?:export )?interface (\w+)(?: extends (\w+))? \{\n(.*?)^\}", re.MULTILINE | re.DOTALL
)
IN_UNION = re.compile(r'^  \| \(?\{ t: "(\w+)"(.*?)\}(?: & (\w+)\))?$', re.MULTILINE)
FIELD = re.compile(r"(?:^  |[;{] )(\w+)\??:", re.MULTILINE)
# Fields that only the browser has.
OWN = {"Table": {"trial"}}
NAMES = {
    frames.ClockBlock: "Clock",
    frames.SeatBlock: "Seat",
    frames.SealRoundBlock: "Opening",
    frames.TableBlock: "Table",
    frames.YouInRoom: "You",
    frames.Welcome: "WelcomeFrame",
    frames.State: "StateFrame",
    frames.Events: "EventsFrame",
    frames.TableChange: "TableFrame",
    frames.Refused: "RefusedFrame",
    frames.Hint: "HintFrame",
    frames.Why: "WhyFrame",
}
IN_UNIONS = [frames.Ack, frames.Chat, frames.Presence, frames.Pong, frames.Bye]


def fields_of(body: str) -> set[str]:
    """Names of the fields of one interface, without those of types within it."""
    flat = re.sub(r"/\*\*.*?\*/", "", body)
    flat = re.sub(r"(?<=: )\{.*?\}", "", flat)
    return set(FIELD.findall(flat))


def interfaces() -> dict[str, set[str]]:
    declared = INTERFACE.findall(TYPES.read_text())
    own = {name: fields_of(body) for name, _, body in declared}
    return {name: own[name] | own.get(base, set()) for name, base, _ in declared}


def union_of_frames() -> dict[str, set[str]]:
    text = TYPES.read_text()
    (union,) = re.findall(r"^export type Frame = Exact<\n(.*?)^>;", text, re.MULTILINE | re.DOTALL)
    known = interfaces()
    return {tag: fields_of(fields) | known.get(base, set()) for tag, fields, base in IN_UNION.findall(union)}


def sent_by(struct: Any) -> set[str]:
    return {field.encode_name for field in msgspec.structs.fields(struct)}


@pytest.mark.parametrize("struct", NAMES, ids=lambda struct: struct.__name__)
def test_interface_has_the_fields_of_its_message(struct: Any) -> None:
    name = NAMES[struct]
    assert interfaces()[name] - OWN.get(name, set()) - {"t"} == sent_by(struct)


@pytest.mark.parametrize("struct", IN_UNIONS, ids=lambda struct: struct.__name__)
def test_frame_of_the_union_has_the_fields_of_its_message(struct: Any) -> None:
    assert union_of_frames()[struct.__struct_config__.tag] == sent_by(struct)


def test_every_frame_of_the_game_socket_is_compared() -> None:
    lobby = {frames.LobbyWelcome, frames.LobbyLists, frames.LobbyRow, frames.LobbyGone}
    sent = {each for each in frames.ServerFrame.__subclasses__() if each.__struct_config__.tag}
    sent |= set(frames._VersionedFrame.__subclasses__())
    assert {each for each in sent if not each.__name__.startswith("_")} - lobby == {*NAMES, *IN_UNIONS} & sent
