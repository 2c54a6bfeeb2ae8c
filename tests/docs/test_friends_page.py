"""docs/friends.md states the limits and the routes of the code."""

from __future__ import annotations

import re

import pytest

from app.main import create_app
from app.settings import Settings
from app.store.people.friend_games import INVITATION_SECONDS
from app.store.people.friends import MAX_FRIENDS, MAX_OPEN_REQUESTS
from app.store.people.player_notes import MAX_NOTE_CHARS, MAX_NOTES
from app.store.people.retention import FRIEND_REQUEST_DAYS, LAST_SEEN_DAYS
from app.store.tables.friends import player_notes
from app.web.api.friends import MAX_RELATIONS
from app.web.online import LINGER_SECONDS, SWEEP_SECONDS
from app.web.security.limits import Limits
from tests.docs.architecture_page import ROOT

PAGE = (ROOT / "docs" / "friends.md").read_text()
LIMITS = Limits(Settings(), lambda: 0.0)


@pytest.mark.parametrize(
    "sentence",
    [
        f"has no effect for {FRIEND_REQUEST_DAYS} days",
        f"{MAX_FRIENDS} friends, {MAX_OPEN_REQUESTS} requests without an answer",
        f"{LIMITS.friend_requests.rate * 3600:.0f} requests an hour",
        f"{LIMITS.friend_requests_by_address.rate * 3600:.0f} an hour per address",
        f"{LAST_SEEN_DAYS} days after it was stored",
        f"within the last {LINGER_SECONDS} seconds",
        f"offline within {LINGER_SECONDS + SWEEP_SECONDS:.0f} seconds",
        f"at most {MAX_NOTE_CHARS} characters",
        f"at most {MAX_NOTES:,} notes",
        f"for up to {MAX_RELATIONS} players",
    ],
)
def test_numbers_on_the_page_match_the_code(sentence: str) -> None:
    assert sentence in PAGE


def test_other_pages_and_sentences_state_the_same_times() -> None:
    deploy = (ROOT / "docs" / "deploy.md").read_text()
    assert f"| friend requests | – | deleted after {FRIEND_REQUEST_DAYS} days" in deploy
    assert f"was last seen | – | deleted after {LAST_SEEN_DAYS} days |" in deploy
    switches = (ROOT / "templates" / "parts" / "visibility.html").read_text()
    assert f"The time is deleted after {LAST_SEEN_DAYS} days" in switches
    assert "or after a week" in PAGE
    assert INVITATION_SECONDS == 7 * 86_400
    assert player_notes.c.text.type.length == MAX_NOTE_CHARS  # type: ignore[attr-defined]
    field = (ROOT / "static" / "js" / "core" / "person_note.js").read_text()
    assert f"const MAX_CHARS = {MAX_NOTE_CHARS};" in field


def test_every_route_is_listed_with_its_methods() -> None:
    schema = create_app(Settings()).openapi()["paths"]
    served = {
        (method.upper(), path.removeprefix("/api/v1"))
        for path, methods in schema.items()
        for method, operation in methods.items()
        if operation.get("tags") == ["friends"]
    }
    rows = [
        line for line in PAGE.splitlines() if line.startswith(("| `GET", "| `PUT", "| `POST", "| `DELETE"))
    ]
    listed = set()
    for row in rows:
        words = " ".join(re.findall(r"`([^`]*)`", row.split("|")[1]))
        path = re.search(r"/[\w{}/]+", words)
        assert path is not None, row
        listed |= {(method, path[0]) for method in re.findall(r"\b(GET|PUT|POST|DELETE)\b", words)}
    assert listed == served
