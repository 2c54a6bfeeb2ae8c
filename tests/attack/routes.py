"""The routes of an app, read from the app itself, so that tests find routes without a row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fastapi import FastAPI


def routes(app: FastAPI) -> Iterator[tuple[str, str]]:
    """Return every (method, path), with "WS" for sockets."""

    def walk(found: Any) -> Iterator[Any]:
        for route in found:
            inner = getattr(route, "original_router", None)
            yield from walk(inner.routes) if inner is not None else (route,)

    for route in walk(app.routes):
        for method in sorted((getattr(route, "methods", None) or {"WS"}) - {"HEAD"}):
            yield method, route.path
