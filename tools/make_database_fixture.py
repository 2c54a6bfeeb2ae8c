"""Create the database file that every later release must open: `python tools/make_database_fixture.py RELEASE`.

Run it once, in a checkout of that release: what a later release writes is not what users have on their disks. The
games stop in the middle, some of them with a pending choice; `tests/store/test_old_databases.py` plays them on. It
uses only HTTP, like any client of that release.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import secrets
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import httpx

from app.bots import Budget, choose
from app.client.sealing import SealKeeper

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "tests" / "store" / "fixtures"
SECRET = "the-secret-of-a-database-that-only-tests-open"
PASSWORD = "plank, parrot, doubloon"
Json = dict[str, Any]

PRESETS = ("jamaica", "tortuga", "hispaniola", "first-escape", "dungeon", "jungle", "complete")
# Name → options, terms, and the pending choice up to which it is played (else a number of actions).
VARIANTS: dict[str, tuple[Json, Json, str]] = {
    "morgan": ({"preset": "jamaica", "card_gain": "morgan"}, {}, ""),
    "both ways": ({"preset": "tortuga", "card_gain": "both"}, {}, ""),
    "scoundrels": ({"preset": "jamaica", "scoundrels": True}, {}, "discard"),
    "black magic, stack": ({"preset": "dungeon", "black_magic": True}, {}, "stack"),
    "black magic, share": ({"preset": "jungle", "black_magic": True}, {}, "share"),
    "everything": (
        {
            "preset": "complete",
            "card_gain": "split",
            "scoundrels": True,
            "black_magic": True,
            "supply": "deck",
        },
        {},
        "",
    ),
    "a bank of time": (
        {"preset": "jamaica"},
        {"clock": {"kind": "bank", "seconds": 600, "increment": 10}},
        "",
    ),
    "a minute a turn": (
        {"preset": "tortuga"},
        {"clock": {"kind": "turn", "seconds": 60}, "on_timeout": "bot"},
        "",
    ),
    "days": ({"preset": "hispaniola"}, {"clock": {"kind": "days", "days": 3}}, ""),
    "locked": ({"preset": "tortuga"}, {"visibility": "password", "password": "open sesame"}, ""),
    "with hints": ({"preset": "jamaica"}, {"hints": True, "visibility": "unlisted"}, ""),
}
BOTS: dict[str, tuple[Json, list[str]]] = {
    "a cabin boy": ({"preset": "jamaica", "players": 2}, ["cabin-boy"]),
    "two sailors": ({"preset": "tortuga", "players": 3}, ["sailor", "sailor"]),
    "a mate and a captain": ({"preset": "complete", "players": 3, "card_gain": "both"}, ["mate", "captain"]),
}


class Client:
    """One person's browser."""

    def __init__(self, base: str, name: str) -> None:
        self.http = httpx.Client(base_url=f"{base}/api/v1", headers={"Origin": base}, timeout=60)
        self.name = name
        self.keepers: dict[str, SealKeeper] = {}
        self.id = str(self.ask("POST", "/me", {"name": name})["person"]["id"])

    def ask(self, method: str, path: str, body: Json | None = None) -> Json:
        answer = self.http.request(method, path, json=body, headers={"X-Room-Password": "open sesame"})
        if answer.is_error:
            raise RuntimeError(f"{method} {path}: {answer.status_code} {answer.text}")
        found: Json = answer.json()
        return found

    def state(self, game: str) -> Json:
        return self.ask("GET", f"/games/{game}")

    def do(self, game: str, what: str, **fields: Any) -> Json:
        body = {"do": what, "id": secrets.token_hex(8), **fields}
        return self.ask("POST", f"/games/{game}/commands", body)

    def sit(self, game: str) -> None:
        self.keepers[game] = SealKeeper()
        self.do(game, "sit", **self.keepers[game].sit_fields(self.state(game)["table"]))

    def confirm(self, game: str) -> None:
        """Open the seal of the seat, where seats are sealed."""
        state = self.state(game)
        wanted = self.keepers[game].next_command(state["table"], state["you"]["seat"])
        if wanted is not None:
            self.do(game, wanted.pop("do"), **wanted)

    @property
    def cookie(self) -> str:
        return str(self.http.cookies["cartagena"])


class Maker:
    """Creates all games: Anne has an account and sits at every table, Bo is a guest."""

    def __init__(self, base: str) -> None:
        self.anne, self.bo = Client(base, "Anne Bonfire"), Client(base, "Bo Plankwalker")
        made = self.anne.ask("POST", "/account/register", {"password": PASSWORD})
        self.codes: list[str] = made["recovery_codes"]
        asked = {"label": "my bot", "password": PASSWORD}
        self.token = str(self.anne.ask("POST", "/account/tokens", asked)["token"])
        self.chance = Random(2026)
        self.games: dict[str, Json] = {}

    def opened(self, name: str, options: Json, status: str, **terms: Any) -> str:
        body = {"options": {"players": 2, **options}, "title": name, "absence": 0, "pace": 0, **terms}
        game = str(self.anne.ask("POST", "/games", body)["id"])
        self.games[name] = {"id": game, "status": status, "people": []}
        return game

    def began(self, name: str, options: Json, **terms: Any) -> str:
        """Start a game of Anne, with Bo on a seat that bots leave free."""
        game = self.opened(name, options, "running", **terms)
        people = [self.anne, self.bo][: options.get("players", 2) - len(terms.get("bots", ()))]
        for person in people:
            person.sit(game)
            person.do(game, "ready", ready=True)
        self.anne.do(game, "start")
        for person in people:
            person.confirm(game)
        self.games[name]["people"] = [person.name for person in people]
        return game

    def play(self, name: str, actions: int, owed: str = "") -> None:
        """Play this many actions, or until a choice of this kind is pending, or to the end."""
        game = self.games[name]["id"]
        people = {"Anne Bonfire": self.anne, "Bo Plankwalker": self.bo}
        done = 0
        for _ in range(20_000):
            states = {each: people[each].state(game) for each in self.games[name]["people"]}
            if any(state["table"]["status"] != "running" for state in states.values()):
                self.games[name]["status"] = "finished"
                return
            who = next((each for each, state in states.items() if state.get("choices")), None)
            if who is None:
                time.sleep(0.05)  # a bot is thinking
                continue
            legal = [choice["action"] for choice in states[who]["choices"]]
            kinds = {action["type"] for action in legal}
            if done >= actions or owed in kinds:
                assert not owed or owed in kinds, f"{name}: {owed} was never owed"
                return
            people[who].do(
                game, "act", version=states[who]["seq"], action=self.chosen(states[who], legal, owed)
            )
            done += 1
        raise RuntimeError(f"{name} does not end")

    def chosen(self, state: Json, legal: list[Json], owed: str) -> Json:
        before = {"stack": "lantern", "share": "rum"}.get(owed)
        wanted = [action for action in legal if action["type"] == before]
        if wanted:
            return wanted[0]
        gains = [action for action in legal if action["type"] in ("retreat", "morgan")]
        if owed == "discard" and gains:
            return self.chance.choice(gains)  # with many cards in hand, a dark card forces a discard
        budget = Budget(nodes=200)
        return choose(state["view"], legal, [], "sailor", budget, self.chance, seat=state["you"]["seat"])

    def make(self) -> None:
        for preset in PRESETS:
            self.began(preset, {"preset": preset})
            self.play(preset, 17)
        for name, (options, terms, owed) in VARIANTS.items():
            self.began(name, options, **terms)
            self.play(name, 400 if owed else 23, owed)
        for name, (options, bots) in BOTS.items():
            self.began(name, options, bots=bots)
            self.play(name, 8)
        left = self.began("one of three resigned", {"preset": "tortuga", "players": 3}, bots=["sailor"])
        self.play("one of three resigned", 5)
        self.resign(self.bo, left)
        self.began("played to the end", {"preset": "tortuga", "pirates": 4})
        self.play("played to the end", 4000)
        given_up = self.began("given up", {"preset": "jamaica"})
        self.resign(self.bo, given_up)
        self.games["given up"]["status"] = "finished"
        talk = self.games["jamaica"]["id"]
        self.bo.do(talk, "chat", text="Do you take the sloop or shall I?")
        self.take_back(self.began("taken back", {"preset": "tortuga"}))
        self.play("taken back", 9)
        paused = self.began("paused", {"preset": "jamaica"}, clock={"kind": "turn", "seconds": 60})
        self.play("paused", 5)
        for person in (self.anne, self.bo):
            person.do(paused, "consent", to="pause", yes=True)
        waiting = self.opened("not begun, both there", {"preset": "jamaica"}, "open")
        for person in (self.anne, self.bo):
            person.sit(waiting)
        self.games["not begun, both there"]["people"] = [self.anne.name, self.bo.name]
        alone = self.opened("not begun, a free seat", {"preset": "tortuga"}, "open")
        self.anne.sit(alone)
        self.games["not begun, a free seat"]["people"] = [self.anne.name]

    def resign(self, person: Client, game: str) -> None:
        person.do(game, "act", version=person.state(game)["seq"], action={"type": "resign"})

    def take_back(self, game: str) -> None:
        """Take one action and undo it, so that the log contains an undo."""
        for person in (self.anne, self.bo):
            state = person.state(game)
            if state.get("choices"):
                moves = [each["action"] for each in state["choices"] if each["action"]["type"] == "advance"]
                done = person.do(game, "act", version=state["seq"], action=moves[0])
                person.do(game, "undo", version=done["seq"])

    def told(self) -> Json:
        """Return what a test needs to act as these people; their secrets exist in this database only."""
        return {
            "secret": SECRET,
            "account": {
                "name": self.anne.name,
                "password": PASSWORD,
                "token": self.token,
                "recovery_codes": self.codes,
            },
            "people": {each.name: {"id": each.id, "cookie": each.cookie} for each in (self.anne, self.bo)},
            "games": self.games,
            "records": {
                name: self.anne.ask("GET", f"/games/{self.games[name]['id']}/record")
                for name in ("played to the end", "given up")
            },
        }


@contextlib.contextmanager
def served(folder: Path) -> Iterator[str]:
    roomy = ("requests_per_second", "requests_burst", "writes_per_second", "writes_burst")
    settings = {f"CARTAGENA_{name.upper()}": "100000" for name in roomy}
    settings |= {"CARTAGENA_SECRET": SECRET, "CARTAGENA_PORT": "0", "PYTHONPATH": str(ROOT)}
    out = folder / "out.txt"
    with out.open("w") as said:
        command = [sys.executable, "-m", "app.cli", "serve"]
        server = subprocess.Popen(command, cwd=folder, env={**os.environ, **settings}, stdout=said)
    try:
        for _ in range(600):
            address = [word for word in out.read_text().split() if word.startswith("http://")]
            with contextlib.suppress(httpx.TransportError, IndexError):
                if httpx.get(f"{address[0]}/readyz").status_code == 200:
                    break
            time.sleep(0.1)
        yield address[0]
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(60)


def main() -> None:
    release = sys.argv[1]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        with served(folder) as base:
            maker = Maker(base)
            maker.make()
            told = maker.told()
        with contextlib.closing(sqlite3.connect(folder / "cartagena.db")) as database:
            database.execute("VACUUM INTO ?", [str(folder / "small.db")])
        packed = gzip.compress((folder / "small.db").read_bytes(), 9, mtime=0)
    (FOLDER / f"{release}.sqlite.gz").write_bytes(packed)
    (FOLDER / f"{release}.json").write_text(json.dumps(told, separators=(",", ":")) + "\n")
    print(f"{release}: {len(maker.games)} games, {len(packed)} bytes")


if __name__ == "__main__":
    main()
