"""A program with a token whose owner sits at a running table, for requests that pass authorisation."""

from __future__ import annotations

import secrets
from collections.abc import Mapping

import httpx

from app.client.sealing import SealKeeper

__all__ = ["a_program"]


def a_program(base: str) -> tuple[dict[str, str], dict[str, str]]:
    """Return its headers and the values of path parameters."""
    with httpx.Client(base_url=base, headers={"Origin": base}, timeout=60) as owner:
        owner.post("/api/v1/me", json={})
        secret = {"password": "plank, parrot, doubloon"}
        owner.post("/api/v1/account/register", json=secret)
        token = owner.post("/api/v1/account/tokens", json={"label": "fuzz", **secret}).json()["token"]
        options = {"preset": "jamaica", "players": 2, "first": 0}
        made = owner.post("/api/v1/games", json={"options": options, "hints": True}).json()
        game, keepers = made["id"], (SealKeeper(), SealKeeper())
        with httpx.Client(base_url=base, headers={"Origin": base}, timeout=60) as other:
            person = other.post("/api/v1/me", json={}).json()["person"]["id"]
            for client, keeper in zip((owner, other), keepers, strict=True):
                for body in ({"do": "sit", **keeper.sit_fields(made)}, {"do": "ready", "ready": True}):
                    _done(client, game, body)
            _done(owner, game, {"do": "start"})
            for client, keeper in zip((owner, other), keepers, strict=True):
                state = client.get(f"/api/v1/games/{game}").json()
                _done(client, game, keeper.next_command(state["table"], state["you"]["seat"]) or {})
    return {"Authorization": f"Bearer {token}"}, {"game": game, "player": person}


def _done(client: httpx.Client, game: str, body: Mapping[str, object]) -> None:
    answer = client.post(f"/api/v1/games/{game}/commands", json={**body, "id": secrets.token_urlsafe(9)})
    assert answer.status_code == 200, answer.text
