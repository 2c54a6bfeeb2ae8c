"""Work of the server, measured in function calls and therefore independent of timing."""

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
    """Counts calls of functions that process connections."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and any(part in frame.f_code.co_filename for part in _WIRE):
            self.calls += 1


@contextmanager
def counted_work() -> Iterator[Work]:
    """Count work in this thread, which is also the server's; the client must not use the same code."""
    work = Work()
    sys.setprofile(work)
    try:
        yield work
    finally:
        sys.setprofile(None)
