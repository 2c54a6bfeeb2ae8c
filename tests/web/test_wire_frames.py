"""Frames as a server reads them: every way RFC 6455 lets them come, and every way it does not."""

from __future__ import annotations

import random

import pytest
from websockets.frames import Frame, Opcode

from app.web.wire import framed_as
from app.web.wire_frames import BINARY, CLOSE, PING, TEXT, BadFrame, FrameReader, close_payload

MOST = 4096


def sent(opcode: int, payload: bytes, *, fin: bool = True, mask: bool = True) -> bytes:
    """A frame as a client of the websockets library would write it."""
    return Frame(Opcode(opcode), payload, fin).serialize(mask=mask)


def read_all(pieces: list[bytes], most: int = MOST) -> list[tuple[int, bytes]]:
    reader = FrameReader(most)
    return [message for piece in pieces for message in reader.read(piece)]


@pytest.mark.parametrize("size", [0, 1, 5, 124, 125, 126, 127, 1000, MOST])
def test_a_whole_text_is_read_at_once_and_piece_by_piece(size: int) -> None:
    text = bytes(random.Random(size).randbytes(size))
    frame = sent(TEXT, text)
    assert read_all([frame]) == [(TEXT, text)]
    assert read_all([frame[at : at + 1] for at in range(len(frame))]) == [(TEXT, text)]
    assert FrameReader(MOST).whole_text(frame) == (text if size else None)


def test_several_frames_in_one_piece_come_one_by_one() -> None:
    pieces = sent(TEXT, b"one") + sent(PING, b"?") + sent(BINARY, b"two") + sent(TEXT, b"x" * 300)
    assert read_all([pieces]) == [(TEXT, b"one"), (PING, b"?"), (BINARY, b"two"), (TEXT, b"x" * 300)]
    assert FrameReader(MOST).whole_text(pieces) is None


def test_the_short_way_is_not_taken_in_the_middle_of_anything() -> None:
    reader = FrameReader(MOST)
    whole = sent(TEXT, b"whole")
    assert list(reader.read(sent(TEXT, b"half", fin=False))) == []
    assert reader.whole_text(whole) is None
    assert list(reader.read(sent(0, b" and half"))) == [(TEXT, b"half and half")]
    assert reader.whole_text(whole) == b"whole"
    assert list(reader.read(whole[:4])) == []
    assert reader.whole_text(whole) is None
    assert list(reader.read(whole[4:])) == [(TEXT, b"whole")]


def test_a_control_frame_may_come_between_the_parts_of_a_message() -> None:
    pieces = [sent(TEXT, b"a", fin=False), sent(PING, b"p"), sent(0, b"b", fin=False), sent(0, b"c")]
    assert read_all(pieces) == [(PING, b"p"), (TEXT, b"abc")]


@pytest.mark.parametrize(
    ("pieces", "code"),
    [
        ([sent(TEXT, b"bare", mask=False)], 1002),
        ([bytes((0xC1, 0x80, 0, 0, 0, 0))], 1002),
        ([bytes((0x83, 0x80, 0, 0, 0, 0))], 1002),
        ([bytes((0x8B, 0x80, 0, 0, 0, 0))], 1002),
        ([bytes((0x09, 0x80, 0, 0, 0, 0))], 1002),
        ([bytes((0x89, 0xFE, 0, 200))], 1002),
        ([sent(0, b"of nothing")], 1002),
        ([sent(TEXT, b"a", fin=False), sent(TEXT, b"b")], 1002),
        ([sent(TEXT, b"x" * (MOST + 1))], 1009),
        ([sent(TEXT, b"x" * MOST, fin=False), sent(0, b"y")], 1009),
        ([bytes((0x81, 0xFF)) + (2**40).to_bytes(8, "big")], 1009),
    ],
    ids=[
        "unmasked",
        "reserved bits",
        "unknown opcode",
        "unknown control frame",
        "control frame in parts",
        "long control frame",
        "continuation of nothing",
        "a message inside a message",
        "too long",
        "too long in parts",
        "a length that would fill the memory",
    ],
)
def test_what_breaks_the_protocol_is_refused_with_its_code(pieces: list[bytes], code: int) -> None:
    with pytest.raises(BadFrame) as refused:
        read_all(pieces)
    assert refused.value.code == code


def test_what_came_before_the_fault_still_counts() -> None:
    reader = FrameReader(MOST)
    messages = reader.read(sent(TEXT, b"good") + sent(TEXT, b"bad", mask=False))
    assert next(messages) == (TEXT, b"good")
    with pytest.raises(BadFrame):
        next(messages)


@pytest.mark.parametrize("size", [0, 125, 126, 65535, 65536])
def test_what_we_write_is_what_the_library_would_write(size: int) -> None:
    payload = b"x" * size
    assert framed_as(TEXT, payload) == Frame(Opcode.TEXT, payload).serialize(mask=False)


def test_a_close_carries_its_code_and_as_much_of_the_reason_as_fits() -> None:
    assert close_payload(4004, "slow") == b"\x0f\xa4slow"
    assert len(framed_as(CLOSE, close_payload(4004, "x" * 500))) == 127
