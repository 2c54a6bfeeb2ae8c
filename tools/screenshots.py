"""Take the pictures of docs/screenshots from a temporary server (`python tools/screenshots.py`)."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from app.client.sealing import SealKeeper  # noqa: E402 - the checkout must be on the path first
from tools.find_chromium import FLAGS, find_for_playwright  # noqa: E402 - the checkout must be on the path first

FOLDER = ROOT / "docs" / "screenshots"
Theme = Literal["light", "dark"]
# Name, size and theme of each round; phones use the dark theme.
ROUNDS: tuple[tuple[str, int, int, Theme], ...] = (
    ("wide", 1280, 800, "light"),
    ("wide-dark", 1280, 800, "dark"),
    ("phone-dark", 390, 844, "dark"),
    ("phone", 390, 844, "light"),
    ("phone-lying", 844, 390, "light"),
)
# Most pages are taken wide and on the phone; these in every round.
EVERYWHERE = ("lobby", "table")
ONLY_THE_TABLE = ("phone", "phone-lying")


@contextmanager
def server() -> Iterator[str]:
    """Run `cartagena serve` on a new database; yield its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ,
            "CARTAGENA_PORT": str(port),
            "CARTAGENA_DATABASE": f"sqlite:///{folder}/pictures.db",
            "CARTAGENA_LOG_LEVEL": "warning",
            "CARTAGENA_WRITES_BURST": "5000",
            "CARTAGENA_REQUESTS_BURST": "50000",
        }
        process = subprocess.Popen([sys.executable, "-m", "app.cli", "serve"], cwd=ROOT, env=environment)
        try:
            wait_for(port, process)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=30)


def wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    for _ in range(300):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=0.2).close()
            return
        except OSError:
            if process.poll() is not None:
                raise SystemExit("the server did not start") from None
            time.sleep(0.1)
    raise SystemExit("the server does not answer")


class Person:
    """A player beside the pages, so that they have something to show."""

    def __init__(self, browser: Browser, url: str, name: str, **context: Any) -> None:
        self.url = url
        self.context: BrowserContext = browser.new_context(reduced_motion="reduce", **context)
        self.page: Page = self.context.new_page()
        self.csrf = ""
        self.keeper = SealKeeper()
        self.ask("POST", "/me", {"name": name})

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        answer = self.context.request.fetch(
            f"{self.url}/api/v1{path}", method=method, data=body, headers={"X-CSRF": self.csrf}
        )
        parsed = answer.json()
        if not answer.ok:
            raise SystemExit(f"{path}: {parsed}")
        self.csrf = parsed.get("csrf", self.csrf)
        return parsed

    def command(self, game: str, do: str, **fields: Any) -> None:
        self.ask("POST", f"/games/{game}/commands", {"do": do, "id": secrets.token_hex(8), **fields})

    def table(self, options: dict[str, Any], **terms: Any) -> str:
        game = str(self.ask("POST", "/games", {"options": options, **terms})["id"])
        self.keeper = SealKeeper()
        self.command(game, "sit", **self.keeper.sit_fields(self.ask("GET", f"/games/{game}")["table"]))
        return game

    def begin(self, options: dict[str, Any], bots: list[str]) -> str:
        game = self.table(options, bots=bots, pace=0)
        self.command(game, "ready", ready=True)
        self.command(game, "start")
        state = self.ask("GET", f"/games/{game}")
        wanted = self.keeper.next_command(state["table"], state["you"]["seat"])
        if wanted is not None:
            self.command(game, **wanted)
        return game

    def play(self, game: str, turns: int) -> None:
        """Play a few turns in a simple way: the longest jump, else the shortest retreat."""
        ends = 0
        deadline = time.monotonic() + 60
        while ends < turns and time.monotonic() < deadline:
            state = self.ask("GET", f"/games/{game}")
            choices = state.get("choices", [])
            if state["table"]["status"] != "running":
                return
            if not choices:
                time.sleep(0.1)
                continue
            hand = state["view"]["players"][state["you"]["seat"]]["hand"]
            saving = [each for each in choices if each["action"]["type"] != "advance"]
            # a full hand makes a better picture
            action = min(saving if len(hand) < 5 and saving else choices, key=worth)["action"]
            ends += action["type"] == "end"
            move = {"id": secrets.token_hex(8), "version": state["seq"], "action": action}
            self.ask("POST", f"/games/{game}/act", move)

    def wait_for_turn(self, game: str) -> None:
        for _ in range(200):
            if self.ask("GET", f"/games/{game}").get("choices"):
                return
            time.sleep(0.1)


def along(place: int | str) -> int:
    """Return how far along the route a space is, accurately enough for a picture."""
    return place if isinstance(place, int) else {"start": 0, "sloop": 18}.get(place, 99)


def worth(choice: Any) -> tuple[int, int]:
    order = {"advance": 0, "retreat": 1, "draw": 2, "end": 3}
    action = choice["action"]
    return order.get(action["type"], 4), along(action.get("from", 0)) - along(choice.get("to", 0))


def pictures(browser: Browser, url: str) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    guests = (
        ("Marisol", "Tobias"),
        ("Ximena", "Ramiro"),
        ("Jacinta", "Esteban"),
        ("Lucía", "Gaspar"),
        ("Inés", "Bruno"),
    )
    for (name, width, height, theme), (guest, other) in zip(ROUNDS, guests, strict=True):
        view = {"width": width, "height": height}
        ann = Person(browser, url, guest, viewport=view, color_scheme=theme)
        host = Person(browser, url, other)
        host.table({"preset": "tortuga", "players": 4}, title="The Drunken Parrot")
        host.table({"preset": "complete", "players": 3, "scoundrels": True}, title="Slow and by letter",
                   clock={"kind": "days", "days": 2})  # fmt: skip
        preset = "complete" if name == "phone-lying" else "jamaica" if name == "phone" else "tortuga"
        game = ann.begin({"preset": preset, "players": 3}, ["sailor", "mate"])
        ann.play(game, 6)
        ann.wait_for_turn(game)
        shots = {
            "lobby": "/",
            "new": "/new",
            "table": f"/g/{game}",
            "rules": "/rules",
            "magic": "/rules/black-magic",
            "tutorial": "/tutorial",
            "replay": f"/g/{game}/replay?step=12",
            "fairness": f"/g/{game}/fairness",
        }
        for shot, path in shots.items():
            if name == "wide-dark" and shot not in EVERYWHERE:
                continue
            if name in ONLY_THE_TABLE and shot != "table":
                continue
            ann.page.goto(f"{url}{path}")
            ann.page.wait_for_function("document.fonts.status === 'loaded'")
            ann.page.wait_for_timeout(1500)  # for the socket and the last drawing
            if shot == "table" and name == "wide":  # all legal moves are shown before the click
                ann.page.locator(".hand-card.playable, .place.is-source").last.click()
                ann.page.mouse.move(5, 5)
            ann.page.screenshot(path=FOLDER / f"{shot}-{name}.png")
        ann.context.close()
        host.context.close()


def main() -> None:
    with server() as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_for_playwright(), args=list(FLAGS))
        pictures(browser, url)
        browser.close()


if __name__ == "__main__":
    main()
