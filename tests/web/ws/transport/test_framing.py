"""Frames as a server reads them: the short cut for a whole text, the library for every other way."""

from __future__ import annotations

import random

import pytest
from websockets.frames import Frame, Opcode

from app.web.ws.transport.framing import SLICE, FrameParser, encode_frame, whole_text

MOST = 4096
TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


def sent(opcode: int, payload: bytes, *, fin: bool = True, mask: bool = True) -> bytes:
    """A frame as a client of the websockets library would write it."""
    return Frame(Opcode(opcode), payload, fin).serialize(mask=mask)


def read_all(parser: FrameParser, *pieces: bytes) -> list[tuple[bool, bytes]]:
    messages = []
    for piece in pieces:
        parser.hold(piece)
        while parser.has_held:
            messages += [message for message in parser.read() if message is not None]
    return messages


@pytest.mark.parametrize("size", [0, 1, 5, 124, 125, 126, 127, 1000, MOST])
def test_a_whole_text_is_read_at_once_and_piece_by_piece(size: int) -> None:
    text = bytes(random.Random(size).randbytes(size))
    frame = sent(TEXT, text)
    assert whole_text(frame, MOST) == (text if size else None)
    assert read_all(FrameParser(MOST), frame) == [(True, text)]
    parser = FrameParser(MOST)
    assert read_all(parser, *(frame[at : at + 1] for at in range(len(frame)))) == [(True, text)]
    assert parser.is_empty


@pytest.mark.parametrize(
    "odd",
    [
        sent(TEXT, b"one") + sent(TEXT, b"two"),
        sent(TEXT, b"one")[:-1],
        sent(TEXT, b"one", fin=False),
        sent(TEXT, b"one", mask=False),
        sent(BINARY, b"one"),
        sent(PING, b"one"),
        sent(TEXT, b"x" * (MOST + 1)),
        bytes((0xC1, 0x83)) + sent(TEXT, b"one")[2:],
        bytes((0x81, 0xFF)) + (3).to_bytes(8, "big") + b"....one",
        b"\x81",
        b"",
    ],
    ids=(
        "two frames,half a frame,a piece,not masked,binary,a ping,too long,compressed,a length of eight bytes"
        ",half a head,nothing"
    ).split(","),
)
def test_the_short_cut_is_for_nothing_else(odd: bytes) -> None:
    assert whole_text(odd, MOST) is None


def test_several_frames_in_one_piece_come_one_by_one() -> None:
    parser = FrameParser(MOST)
    pieces = sent(TEXT, b"one") + sent(PING, b"?") + sent(BINARY, b"two") + sent(TEXT, b"x" * 300)
    assert read_all(parser, pieces) == [(True, b"one"), (False, b"two"), (True, b"x" * 300)]
    assert parser.to_send() == encode_frame(PONG, b"?")
    assert parser.is_empty


def test_a_control_frame_may_come_between_the_parts_of_a_message() -> None:
    pieces = [sent(TEXT, b"a", fin=False), sent(PING, b"p"), sent(0, b"b", fin=False), sent(0, b"c")]
    parser = FrameParser(MOST)
    assert read_all(parser, *pieces[:3]) == []
    assert not parser.is_empty, "a message is half received"
    assert read_all(parser, pieces[3]) == [(True, b"abc")]
    assert parser.is_empty


def test_a_frame_whose_head_alone_is_there_is_not_forgotten() -> None:
    """The library takes a head out of its buffer as soon as it is whole, so an empty buffer means nothing."""
    for frame in (sent(PONG, b""), sent(TEXT, b"later"), sent(TEXT, b"x" * 300)):
        for at in range(1, len(frame)):
            parser = FrameParser(MOST)
            read_all(parser, frame[:at])
            assert not parser.is_empty, at
            read_all(parser, frame[at:])
            assert parser.is_empty, at


def test_a_length_written_longer_than_need_be_is_read_and_the_library_stays() -> None:
    parser = FrameParser(MOST)
    mask = b"\x00\x00\x00\x00"
    assert read_all(parser, b"\x81\xfe\x00\x02" + mask + b"hi") == [(True, b"hi")]
    assert not parser.is_empty, "careful, not wrong: it cannot be told from half a frame"
    assert read_all(parser, sent(TEXT, b"and on")) == [(True, b"and on")]


def test_no_more_than_a_slice_is_read_at_once_and_the_rest_waits() -> None:
    parser = FrameParser(MOST)
    pong = sent(PONG, b"")
    parser.hold(pong * 10_000)
    frames = 0
    for turn in range(1, 4):
        frames += len(list(parser.read()))
        assert frames == turn * SLICE // len(pong)
    assert parser.has_held


@pytest.mark.parametrize(
    ("pieces", "code"),
    [
        ([sent(TEXT, b"bare", mask=False)], 1002),
        ([bytes((0xC1, 0x80, 0, 0, 0, 0))], 1002),
        ([bytes((0x83, 0x80, 0, 0, 0, 0))], 1002),
        ([bytes((0x8B, 0x80, 0, 0, 0, 0))], 1002),
        ([bytes((0x09, 0x80, 0, 0, 0, 0))], 1002),
        ([bytes((0x89, 0xFE, 0, 200)) + bytes(204)], 1002),
        ([sent(0, b"of nothing")], 1002),
        ([sent(TEXT, b"a", fin=False), sent(TEXT, b"b")], 1002),
        ([sent(TEXT, b"x" * (MOST + 1))], 1009),
        ([sent(TEXT, b"x" * MOST, fin=False), sent(0, b"y")], 1009),
        ([bytes((0x81, 0xFF)) + (2**40).to_bytes(8, "big")], 1009),
        ([sent(CLOSE, b"\x03")], 1002),
        ([sent(CLOSE, b"\x03\xed")], 1002),
        ([sent(CLOSE, b"\x03\xe8\xff")], 1007),
        ([sent(TEXT, b"a", fin=False), sent(CLOSE, b"")], 1002),
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
        "half a close code",
        "a close code that is none",
        "a reason that is no text",
        "a close inside a message",
    ],
)
def test_what_breaks_the_protocol_is_refused_with_its_code(pieces: list[bytes], code: int) -> None:
    parser = FrameParser(MOST)
    read_all(parser, *pieces)
    assert parser.has_failed
    assert parser.peer_closed is None
    assert parser.closed_with[0] == code
    assert parser.to_send()[2:4] == code.to_bytes(2, "big")
    assert read_all(parser, sent(TEXT, b"more")) == []


def test_what_came_before_the_fault_still_counts() -> None:
    parser = FrameParser(MOST)
    assert read_all(parser, sent(TEXT, b"good") + sent(TEXT, b"bad", mask=False)) == [(True, b"good")]
    assert parser.has_failed


def test_both_ways_to_close() -> None:
    peers = FrameParser(MOST)
    read_all(peers, sent(CLOSE, b"\x0f\xa0bye") + sent(TEXT, b"not read"))
    assert peers.peer_closed == (4000, "bye")
    assert peers.to_send() == encode_frame(CLOSE, b"\x0f\xa0bye")
    ours = FrameParser(MOST)
    ours.close(4004, "slow")
    assert ours.to_send() == encode_frame(CLOSE, b"\x0f\xa4slow")
    assert not ours.is_empty
    assert read_all(ours, sent(TEXT, b"late") + sent(CLOSE, b"\x0f\xa4")) == [(True, b"late")]
    assert ours.peer_closed == (4004, "")
    peers.close(4004, "too late")
    peers.fail(1002, "too late")
    assert peers.to_send() == b""


@pytest.mark.parametrize("size", [0, 125, 126, 65535, 65536])
def test_what_we_write_is_what_the_library_would_write(size: int) -> None:
    payload = b"x" * size
    assert encode_frame(TEXT, payload) == Frame(Opcode.TEXT, payload).serialize(mask=False)


def test_a_close_carries_its_code_and_as_much_of_the_reason_as_fits() -> None:
    parser = FrameParser(MOST)
    parser.close(4004, "ü" * 500)
    assert parser.to_send() == encode_frame(CLOSE, b"\x0f\xa4" + "ü".encode() * 61)
