"""Messages between workers: single news, which every release understands, and packets for one worker."""

from __future__ import annotations

from typing import Any

import msgspec

from app.play.log.entries import ChatLine, Entry
from app.play.ports import News


class TopicAnnouncement(msgspec.Struct, frozen=True, gc=False):
    """Topics that a worker follows."""

    taken: list[str] = []  # newly followed
    let_go: list[str] = []  # no longer followed
    is_all: bool = False  # `taken` replaces everything announced before
    asks: bool = False  # the receiver is to announce all of its topics


class Packet(msgspec.Struct, frozen=True, gc=False):
    """A batch of news from one worker to another, or its announcement to all."""

    worker: str
    news: list[News] = []
    holdings: TopicAnnouncement | None = None


class _RawNews(msgspec.Struct, frozen=True):
    """News with an undecoded body, whose type depends on the kind."""

    kind: str
    about: str
    worker: str
    body: msgspec.Raw
    public: bytes = b""


class _RawPacket(msgspec.Struct, frozen=True):
    """A packet of news with undecoded bodies."""

    worker: str
    news: list[_RawNews] = []
    holdings: TopicAnnouncement | None = None


_encoder = msgspec.msgpack.Encoder()
_news_decoder = msgspec.msgpack.Decoder(_RawNews)
_packet_decoder = msgspec.msgpack.Decoder(_RawPacket)
_default_body_decoder = msgspec.msgpack.Decoder()
_body_decoders: dict[str, msgspec.msgpack.Decoder[Any]] = {
    "entry": msgspec.msgpack.Decoder(Entry),
    "chat": msgspec.msgpack.Decoder(ChatLine),
}
encode = _encoder.encode


def decode(data: bytes) -> News:
    """Return one piece of news. Raise MsgspecError."""
    return _decode_body(_news_decoder.decode(data))


def decode_packet(data: bytes) -> Packet:
    """Return a packet with decoded bodies. Raise MsgspecError."""
    packet = _packet_decoder.decode(data)
    return Packet(packet.worker, [_decode_body(raw) for raw in packet.news], packet.holdings)


def _decode_body(raw: _RawNews) -> News:
    body = _body_decoders.get(raw.kind, _default_body_decoder).decode(raw.body)
    return News(raw.kind, raw.about, raw.worker, body, raw.public)
