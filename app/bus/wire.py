"""What goes over the wire between workers: single news, which every release reads, and packets to one worker."""

from __future__ import annotations

import msgspec

from app.play.log.entries import ChatLine, Entry
from app.play.ports import News

_BODIES: dict[str, type] = {"entry": Entry, "chat": ChatLine}


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


_encoder = msgspec.msgpack.Encoder()
_news = msgspec.msgpack.Decoder(News)
_packets = msgspec.msgpack.Decoder(Packet)
encode = _encoder.encode


def decode(data: bytes) -> News:
    """One piece of news. Raises MsgspecError."""
    return _typed(_news.decode(data))


def decode_packet(data: bytes) -> tuple[Packet, list[News]]:
    """A packet, and its news with their types. Raises MsgspecError."""
    packet = _packets.decode(data)
    return packet, [_typed(news) for news in packet.news]


def _typed(news: News) -> News:
    kind = _BODIES.get(news.kind)
    if kind is None:
        return news
    return News(news.kind, news.about, news.worker, msgspec.convert(news.body, kind))
