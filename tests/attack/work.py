"""How much the server did, in calls of its own functions: a bound on work that no clock can blur."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

_WIRE = (
    "/app/web/ws/transport/",
    "/app/web/ws/session",
    "/app/web/security/http_protocol",
    "/websockets/",
    "/uvicorn/",
)


class Work:
    """Calls of functions in the code that reads connections."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and any(part in frame.f_code.co_filename for part in _WIRE):
            self.calls += 1


@contextmanager
def counted_work() -> Iterator[Work]:
    """Of this thread, which is the server's too: let the client use none of the same code."""
    work = Work()
    sys.setprofile(work)
    try:
        yield work
    finally:
        sys.setprofile(None)
