"""Parsing and writing frames: the fast path for a whole text, the library for everything else."""

from __future__ import annotations

import random

import pytest
from websockets.frames import Frame, Opcode

from app.web.ws.transport.framing import SLICE_BYTES, FrameParser, encode_frame, parse_whole_text

MAX_BYTES = 4096
TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


def client_frame(opcode: int, payload: bytes, *, fin: bool = True, mask: bool = True) -> bytes:
    """Return a frame as written by a client of the websockets library."""
    return Frame(Opcode(opcode), payload, fin).serialize(mask=mask)


def read_all(parser: FrameParser, *pieces: bytes) -> list[tuple[bool, bytes]]:
    messages = []
    for piece in pieces:
        parser.hold(piece)
        while parser.held:
            messages += [message for message in parser.read_slice() if message is not None]
    return messages


@pytest.mark.parametrize("size", [0, 1, 5, 124, 125, 126, 127, 1000, MAX_BYTES])
def test_a_whole_text_is_parsed_in_one_piece_and_in_several(size: int) -> None:
    text = bytes(random.Random(size).randbytes(size))
    frame = client_frame(TEXT, text)
    assert parse_whole_text(frame, MAX_BYTES) == (text if size else None)
    assert read_all(FrameParser(MAX_BYTES), frame) == [(True, text)]
    parser = FrameParser(MAX_BYTES)
    assert read_all(parser, *(frame[at : at + 1] for at in range(len(frame)))) == [(True, text)]
    assert parser.is_idle


@pytest.mark.parametrize(
    "odd",
    [
        client_frame(TEXT, b"one") + client_frame(TEXT, b"two"),
        client_frame(TEXT, b"one")[:-1],
        client_frame(TEXT, b"one", fin=False),
        client_frame(TEXT, b"one", mask=False),
        client_frame(BINARY, b"one"),
        client_frame(PING, b"one"),
        client_frame(TEXT, b"x" * (MAX_BYTES + 1)),
        bytes((0xC1, 0x83)) + client_frame(TEXT, b"one")[2:],
        bytes((0x81, 0xFF)) + (3).to_bytes(8, "big") + b"....one",
        b"\x81",
        b"",
    ],
    ids=(
        "two frames,half a frame,a piece,not masked,binary,a ping,too long,compressed,a length of eight bytes"
        ",half a head,nothing"
    ).split(","),
)
def test_parse_whole_text_rejects_everything_else(odd: bytes) -> None:
    assert parse_whole_text(odd, MAX_BYTES) is None


def test_several_frames_in_one_piece_are_parsed_one_by_one() -> None:
    parser = FrameParser(MAX_BYTES)
    pieces = (
        client_frame(TEXT, b"one")
        + client_frame(PING, b"?")
        + client_frame(BINARY, b"two")
        + client_frame(TEXT, b"x" * 300)
    )
    assert read_all(parser, pieces) == [(True, b"one"), (False, b"two"), (True, b"x" * 300)]
    assert parser.take_output() == encode_frame(PONG, b"?")
    assert parser.is_idle


def test_a_control_frame_may_interrupt_a_fragmented_message() -> None:
    pieces = [
        client_frame(TEXT, b"a", fin=False),
        client_frame(PING, b"p"),
        client_frame(0, b"b", fin=False),
        client_frame(0, b"c"),
    ]
    parser = FrameParser(MAX_BYTES)
    assert read_all(parser, *pieces[:3]) == []
    assert not parser.is_idle, "a message is incomplete"
    assert read_all(parser, pieces[3]) == [(True, b"abc")]
    assert parser.is_idle


def test_a_parser_with_only_a_frame_head_is_not_idle() -> None:
    """The library removes a complete head from its buffer, so an empty buffer does not mean that it is idle."""
    for frame in (client_frame(PONG, b""), client_frame(TEXT, b"later"), client_frame(TEXT, b"x" * 300)):
        for at in range(1, len(frame)):
            parser = FrameParser(MAX_BYTES)
            read_all(parser, frame[:at])
            assert not parser.is_idle, at
            read_all(parser, frame[at:])
            assert parser.is_idle, at


def test_an_overlong_length_is_accepted_and_the_parser_stays_busy() -> None:
    parser = FrameParser(MAX_BYTES)
    mask = b"\x00\x00\x00\x00"
    assert read_all(parser, b"\x81\xfe\x00\x02" + mask + b"hi") == [(True, b"hi")]
    assert not parser.is_idle, "conservative: it cannot be distinguished from an incomplete frame"
    assert read_all(parser, client_frame(TEXT, b"and on")) == [(True, b"and on")]


def test_only_one_slice_is_parsed_at_a_time() -> None:
    parser = FrameParser(MAX_BYTES)
    pong = client_frame(PONG, b"")
    parser.hold(pong * 10_000)
    frames = 0
    for turn in range(1, 4):
        frames += len(list(parser.read_slice()))
        assert frames == turn * SLICE_BYTES // len(pong)
    assert parser.held


@pytest.mark.parametrize(
    ("pieces", "code"),
    [
        ([client_frame(TEXT, b"bare", mask=False)], 1002),
        ([bytes((0xC1, 0x80, 0, 0, 0, 0))], 1002),
        ([bytes((0x83, 0x80, 0, 0, 0, 0))], 1002),
        ([bytes((0x8B, 0x80, 0, 0, 0, 0))], 1002),
        ([bytes((0x09, 0x80, 0, 0, 0, 0))], 1002),
        ([bytes((0x89, 0xFE, 0, 200)) + bytes(204)], 1002),
        ([client_frame(0, b"of nothing")], 1002),
        ([client_frame(TEXT, b"a", fin=False), client_frame(TEXT, b"b")], 1002),
        ([client_frame(TEXT, b"x" * (MAX_BYTES + 1))], 1009),
        ([client_frame(TEXT, b"x" * MAX_BYTES, fin=False), client_frame(0, b"y")], 1009),
        ([bytes((0x81, 0xFF)) + (2**40).to_bytes(8, "big")], 1009),
        ([client_frame(CLOSE, b"\x03")], 1002),
        ([client_frame(CLOSE, b"\x03\xed")], 1002),
        ([client_frame(CLOSE, b"\x03\xe8\xff")], 1007),
        ([client_frame(TEXT, b"a", fin=False), client_frame(CLOSE, b"")], 1002),
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
def test_a_protocol_violation_is_refused_with_its_code(pieces: list[bytes], code: int) -> None:
    parser = FrameParser(MAX_BYTES)
    read_all(parser, *pieces)
    assert parser.ending is not None
    assert (parser.ending.is_fault, parser.ending.code) == (True, code)
    assert parser.take_output()[2:4] == code.to_bytes(2, "big")
    assert read_all(parser, client_frame(TEXT, b"more")) == []


def test_messages_before_a_violation_are_delivered() -> None:
    parser = FrameParser(MAX_BYTES)
    assert read_all(parser, client_frame(TEXT, b"good") + client_frame(TEXT, b"bad", mask=False)) == [
        (True, b"good")
    ]
    assert parser.ending is not None
    assert parser.ending.is_fault


def test_closing_by_us_and_by_the_peer() -> None:
    peers = FrameParser(MAX_BYTES)
    read_all(peers, client_frame(CLOSE, b"\x0f\xa0bye") + client_frame(TEXT, b"not read"))
    assert peers.ending == (False, 4000, "bye")
    assert peers.take_output() == encode_frame(CLOSE, b"\x0f\xa0bye")
    ours = FrameParser(MAX_BYTES)
    ours.close(4004, "slow")
    assert ours.take_output() == encode_frame(CLOSE, b"\x0f\xa4slow")
    assert not ours.is_idle
    assert read_all(ours, client_frame(TEXT, b"late") + client_frame(CLOSE, b"\x0f\xa4")) == [(True, b"late")]
    assert ours.ending == (False, 4004, "")
    peers.close(4004, "too late")
    peers.fail(1002, "too late")
    assert peers.take_output() == b""


@pytest.mark.parametrize("size", [0, 125, 126, 65535, 65536])
def test_our_frames_equal_those_of_the_library(size: int) -> None:
    payload = b"x" * size
    assert encode_frame(TEXT, payload) == Frame(Opcode.TEXT, payload).serialize(mask=False)


def test_a_close_frame_truncates_a_long_reason() -> None:
    parser = FrameParser(MAX_BYTES)
    parser.close(4004, "ü" * 500)
    assert parser.take_output() == encode_frame(CLOSE, b"\x0f\xa4" + "ü".encode() * 61)
