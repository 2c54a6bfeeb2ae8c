"""Fixtures that run single modules of static/js in Chromium, served by a small file server."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

ROOT = Path(__file__).resolve().parents[2]


class SilentFileHandler(SimpleHTTPRequestHandler):
    """Serve the files of the repository without logging requests."""

    extensions_map = {**SimpleHTTPRequestHandler.extensions_map, ".js": "text/javascript"}  # noqa: RUF012

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture(scope="session")
def static_url() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(SilentFileHandler, directory=str(ROOT)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(scope="session")
def blank(browser: Browser, static_url: str) -> Iterator[Page]:
    page = browser.new_page()
    page.goto(f"{static_url}/static/icons/favicon.svg")
    page.goto(f"{static_url}/tests/js/blank.html")
    yield page
    page.close()


@pytest.fixture
def run(blank: Page) -> Callable[..., Any]:
    """Return run(file, function, given), which calls "(module, given) => …" with the module and a value."""

    def evaluate(file: str, function: str, given: Any = None) -> Any:
        # JSON text is twenty times faster than Playwright's serialisation of large objects.
        script = f"async (given) => ({function})(await import('/static/js/{file}'), JSON.parse(given))"
        return blank.evaluate(script, json.dumps(given))

    return evaluate
