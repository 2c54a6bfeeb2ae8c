"""A real game server for browser tests, and players with real browsers."""

from __future__ import annotations

import os
import random
import re
import secrets
import signal
import socket
import subprocess
import sys
import time
from functools import cached_property
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext, Page, expect

from app.client.sealing import SealKeeper
from tests.browser.context_pool import apply_page_options

ROOT = Path(__file__).resolve().parents[2]

# A short passage with few pirates: a whole game takes seconds, by the same rules.
SHORT: dict[str, Any] = {
    "preset": "tortuga", "players": 2, "board": "random", "passage_boards": 4, "pirates": 4, "actions": 5,
}  # fmt: skip


class GameServer:
    """`cartagena serve` on its own database; it can be killed and restarted."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        environment = {
            **os.environ,
            "CARTAGENA_PORT": str(self.port),
            "CARTAGENA_DATABASE": f"sqlite:///{self.folder / 'house.db'}",
            "CARTAGENA_GUESTS_PER_HOUR": "100000",
            "CARTAGENA_FRAMES_PER_SECOND": "1000",
            "CARTAGENA_FRAMES_BURST": "1000",
            "CARTAGENA_WRITES_PER_SECOND": "1000",
            "CARTAGENA_WRITES_BURST": "1000",
            "CARTAGENA_REQUESTS_PER_SECOND": "1000",
            "CARTAGENA_REQUESTS_BURST": "100000",
            "CARTAGENA_LOG_LEVEL": "warning",
        }
        log = (self.folder / "serve.log").open("ab")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "app.cli", "serve"], cwd=ROOT, env=environment, stdout=log, stderr=log
        )
        log.close()
        until = time.monotonic() + 120  # two busy cores
        while time.monotonic() < until:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return
            except OSError:
                assert self.process.poll() is None, (self.folder / "serve.log").read_text()
                time.sleep(0.1)
        raise AssertionError("the server does not answer")

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        assert self.process is not None
        self.process.send_signal(how)
        self.process.wait(timeout=60)


class Player:
    """One player with a browser context; `api` sends requests with the cookie of the page."""

    def __init__(self, context: BrowserContext, url: str, **page_options: Any) -> None:
        self.url = url
        self.context = context
        self.complaints: list[str] = []
        self.csrf = ""
        self.game = ""
        self.keeper = SealKeeper()
        self._page_options = page_options

    @cached_property
    def page(self) -> Page:
        """The page, opened on first use: many players use only the API."""
        page = apply_page_options(self.context.new_page(), **self._page_options)
        page.on("pageerror", lambda error: self.complaints.append(error.stack or str(error)))
        page.on("console", lambda line: self.complaints.append(line.text) if line.type == "error" else None)
        return page

    # -- through the API ----------------------------------------------------------------------------

    def api(self, method: str, path: str, body: Any = None) -> Any:
        answer = self.context.request.fetch(
            f"{self.url}/api/v1{path}",
            method=method,
            data=body,
            headers={"X-CSRF": self.csrf},
            max_retries=2,  # like a browser, when a keep-alive connection is just being closed
        )
        parsed = answer.json()
        assert answer.ok, parsed
        self.csrf = parsed.get("csrf", self.csrf)
        return parsed

    def introduce(self, name: str) -> None:
        self.api("POST", "/me", {"name": f"{name} {secrets.token_hex(3)}"})

    def register(self) -> str:
        """Turn the guest into an account and return its id."""
        person = self.api("GET", "/me")["person"]
        self.api(
            "POST", "/account/register", {"name": person["name"], "password": "four quiet otters, resting"}
        )
        return str(person["id"])

    def create(self, options: dict[str, Any], **terms: Any) -> str:
        absence = 86_400 if terms.get("rated") else 0  # a rated table needs a time
        self.game = self.api("POST", "/games", {"options": options, "absence": absence, **terms})["id"]
        return self.game

    def command(self, do: str, **fields: Any) -> Any:
        if do == "sit" and "seal" not in fields:
            self.keeper = SealKeeper()
            fields |= self.keeper.sit_fields(self.state()["table"])
        return self.api(
            "POST", f"/games/{self.game}/commands", {"do": do, "id": secrets.token_hex(8), **fields}
        )

    def state(self) -> Any:
        return self.api("GET", f"/games/{self.game}")

    def act(self, action: Any, seq: int | None = None) -> None:
        """Take an action; `seq` is that of the state it was chosen from, if known."""
        version = self.state()["seq"] if seq is None else seq
        self.api(
            "POST", f"/games/{self.game}/act",
            {"id": secrets.token_hex(8), "version": version, "action": action},
        )  # fmt: skip

    def take_seat(self, game: str) -> None:
        self.game = game
        self.command("sit")
        self.command("ready", ready=True)

    def confirm(self) -> None:
        """Confirm the start through the API, as the page does automatically."""
        state = self.state()
        wanted = self.keeper.next_command(state["table"], state["you"]["seat"])
        if wanted is not None:
            self.command(**wanted)

    # -- on the page -------------------------------------------------------------------------------

    def open(self, game: str) -> None:
        self.game = game
        self.page.goto(f"{self.url}/g/{game}")
        expect(self.page.locator("#table[data-phase]")).to_be_visible()

    def seq(self) -> int:
        return int(self.page.locator("#table").get_attribute("data-seq") or -1)

    def is_mine(self) -> bool:
        return self.page.locator("#table").get_attribute("data-mine") == "true"

    def is_over(self) -> bool:
        return self.page.locator("#table").get_attribute("data-phase") in ("finished", "aborted")

    def wait_past(self, seq: int) -> None:
        """Wait until the page shows an entry after `seq`."""
        self.page.wait_for_function(
            "seq => Number(document.getElementById('table').dataset.seq) > seq", arg=seq
        )

    def wait_until_mine(self) -> None:
        self.page.wait_for_function(
            "() => { const {mine, phase} = document.getElementById('table').dataset;"
            " return mine === 'true' || phase === 'finished'; }"
        )

    def colours(self) -> str:
        return self.page.locator(".status-words").inner_text()


def begin(host: Player, *others: Player, options: dict[str, Any], **terms: Any) -> str:
    """Start a game through the API and return its id; the host and the others sit in this order."""
    game = host.create(options, **terms)
    for player in (host, *others):
        player.take_seat(game)
    host.command("start")
    for player in (host, *others):
        player.confirm()
    return game


dice = random.Random(11)


def best_choice(choices: list[Any]) -> Any:
    """Return the longest jump, else the cheapest retreat, with some randomness.

    Simulated on SHORT: 57 to 262 actions a game. Without randomness one game in thirty never ends.
    """

    def along(place: Any) -> float:
        named: dict[Any, float] = {"start": 0, "sloop": 18.5, "goal": 40}
        return named[place] if place in named else float(place)

    def weight(choice: Any) -> tuple[float, float]:
        action = choice["action"]
        kind = action["type"]
        if kind in ("advance", "parrot"):
            return (0, along(action["from"]) - along(choice["to"]) - 3 * dice.random())
        if kind == "retreat":
            back = along(action["from"]) - along(choice["to"])
            return (8 if action["from"] == "goal" else 2, back / choice.get("draws", 0.1) + 3 * dice.random())
        return ({"sail": 1, "morgan": 3, "draw": 4, "end": 5}.get(kind, 9), 0)

    return min(choices, key=weight)


def answer_pending_choice(player: Player, state: Any) -> bool:
    """Answer a pending choice with its first option; return whether there was one."""
    for choice in state.get("choices", []):
        action = choice["action"]
        if action["type"] == "discard":
            seat = state["you"]["seat"]
            hand = state["view"]["players"][seat]["hand"]
            player.act({"type": "discard", "cards": hand[: action["count"]]}, state["seq"])
            return True
        if action["type"] in ("steal", "share", "stack"):
            player.act(action, state["seq"])
            return True
    return False


def move_via_api(player: Player, state: Any = None) -> bool:
    """Take one action through the API; return False if the player has no choices."""
    state = state or player.state()
    if not state.get("choices"):
        return False
    if not answer_pending_choice(player, state):
        player.act(best_choice(state["choices"])["action"], state["seq"])
    return True


def number(text: str) -> int:
    found = re.search(r"\d+", text)
    assert found, text
    return int(found[0])
