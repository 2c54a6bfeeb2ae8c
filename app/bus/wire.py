"""What goes over the wire between workers: single news, which every release reads, and packets to one worker."""

from __future__ import annotations

from typing import Any

import msgspec

from app.play.log.entries import ChatLine, Entry
from app.play.ports import News


class Holdings(msgspec.Struct, frozen=True, gc=False):
    """What a worker wants news of."""

    taken: list[str] = []
    let_go: list[str] = []
    is_all: bool = False  # what was said before is void: `taken` is everything
    asks: bool = False  # whoever hears this tells all of its own


class Packet(msgspec.Struct, frozen=True, gc=False):
    """Everything that one worker has to say to another, or of itself to all, at one time."""

    worker: str
    news: list[News] = []
    holdings: Holdings | None = None


class _Said(msgspec.Struct, frozen=True):
    """News whose body is not read yet: its type depends on the kind."""

    kind: str
    about: str
    worker: str
    body: msgspec.Raw
    public: bytes = b""


class _Sealed(msgspec.Struct, frozen=True):
    """A packet of such news."""

    worker: str
    news: list[_Said] = []
    holdings: Holdings | None = None


_encoder = msgspec.msgpack.Encoder()
_news = msgspec.msgpack.Decoder(_Said)
_packets = msgspec.msgpack.Decoder(_Sealed)
_anything = msgspec.msgpack.Decoder()
_bodies: dict[str, msgspec.msgpack.Decoder[Any]] = {
    "entry": msgspec.msgpack.Decoder(Entry),
    "chat": msgspec.msgpack.Decoder(ChatLine),
}
encode = _encoder.encode


def decode(data: bytes) -> News:
    """One piece of news. Raises MsgspecError."""
    return _typed(_news.decode(data))


def decode_packet(data: bytes) -> Packet:
    """A packet, its news with their types. Raises MsgspecError."""
    packet = _packets.decode(data)
    return Packet(packet.worker, [_typed(said) for said in packet.news], packet.holdings)


def _typed(said: _Said) -> News:
    body = _bodies.get(said.kind, _anything).decode(said.body)
    return News(said.kind, said.about, said.worker, body, said.public)
