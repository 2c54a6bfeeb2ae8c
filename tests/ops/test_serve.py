"""`cartagena serve` as a process: start, invalid settings, refused sockets, graceful stop."""

from __future__ import annotations

import json
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from tests.ops.processes import UNFORKED_COMMAND, fetch_body, running_server, status


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server with the usual settings, for tests that leave it running; each has its own people."""
    with running_server(tmp_path_factory.mktemp("usual")) as server:
        yield server.address()
        server.stop()
        assert "Traceback" not in server.errors


def _room(base: str, name: str = "Anne Bonfire") -> tuple[str, str]:
    """Return a new guest's cookie and room; names are unique per server."""
    with httpx.Client(base_url=base, headers={"origin": base}) as browser:
        browser.post("/api/v1/me", json={"name": name}).raise_for_status()
        made = browser.post("/api/v1/games", json={"options": {"preset": "tortuga", "players": 2}})
        assert made.status_code == 201, made.text
        body = made.json()
        return f"cartagena={browser.cookies['cartagena']}", str(body.get("id") or body["game"])


def _socket(base: str, path: str, cookie: str, origin: str | None = None) -> ClientConnection:
    headers = {"Cookie": cookie}
    if origin is not None:
        headers["Origin"] = origin
    return connect(base.replace("http", "ws") + path, additional_headers=headers, compression=None)


def _until(frames: ClientConnection, kind: str) -> dict[str, Any]:
    while True:
        message: dict[str, Any] = json.loads(frames.recv(timeout=30))
        if message["t"] == kind:
            return message


def _close_code(frames: ClientConnection) -> int:
    """Read until the server closes the socket; return the close code."""
    with pytest.raises(ConnectionClosed) as closed:
        _read_on(frames)
    assert closed.value.rcvd is not None
    return closed.value.rcvd.code


def _read_on(frames: ClientConnection) -> None:
    while True:
        frames.recv(timeout=30)


def test_server_prints_its_address_serves_a_page_and_stops_cleanly(tmp_path: Path) -> None:
    with running_server(tmp_path, command=UNFORKED_COMMAND) as server:
        base = server.address()
        assert base in server.output
        assert "<html" in fetch_body(base, accept="text/html")
        assert json.loads(fetch_body(f"{base}/healthz"))["status"] == "ok"
        assert (tmp_path / "cartagena.db").exists()
        server.stop()
        assert "Traceback" not in server.errors


def test_peer_sending_an_endless_request_head_is_disconnected(base: str) -> None:
    port = int(base.rsplit(":", 1)[1])
    with socket.create_connection(("127.0.0.1", port)) as greedy:
        greedy.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nX-Long: ")
        with suppress(OSError):
            for _ in range(200):
                greedy.sendall(b"x" * 4096)
        greedy.settimeout(30)
        with suppress(ConnectionResetError):
            assert b"400" in greedy.recv(4096)
    assert status(f"{base}/healthz") == 200


def test_long_body_is_not_mistaken_for_a_head(base: str) -> None:
    """A record of three hundred moves is longer than a head may be, and comes in one piece or two."""
    with httpx.Client(base_url=base) as client:
        for size in (10_000, 40_000, 150_000, 600_000):
            answer = client.post("/replay/steps", json={"record": "x" * size})
            assert answer.json()["error"]["code"] == "bad_record", size


def test_ctrl_c_stops_the_server_cleanly(tmp_path: Path) -> None:
    with running_server(tmp_path) as server:
        server.address()
        assert server.stop(signal.SIGINT) == 0
        assert "Traceback" not in server.errors


def test_stop_asks_sockets_to_resume_and_the_game_survives(tmp_path: Path) -> None:
    with running_server(tmp_path) as server:
        base = server.address()
        cookie, room = _room(base)
        with (
            _socket(base, f"/ws/game/{room}", cookie, base) as table,
            _socket(base, "/ws/lobby", cookie) as lobby,
        ):
            for frames in (table, lobby):
                frames.send(json.dumps({"do": "hello", "v": 2}))
                _until(frames, "welcome")
            table.send(json.dumps({"do": "sit", "id": "sit-00001", "seal": "0" * 64}))
            _until(table, "table")
            began = time.monotonic()
            server.process.send_signal(signal.SIGTERM)
            for frames in (table, lobby):
                assert _close_code(frames) == 4000
        server.process.wait(30)
        assert time.monotonic() - began < 20
        assert "Traceback" not in server.errors
    with running_server(tmp_path) as server:
        base = server.address()
        state = httpx.get(f"{base}/api/v1/games/{room}", headers={"cookie": cookie}).json()
        assert [seat["name"] for seat in state["table"]["seats"]] == ["Anne Bonfire", None]
        assert state["you"]["seat"] == 0, "the cookie is good after a restart"
        server.stop()


def test_a_resume_code_puts_a_second_device_on_the_same_seat_and_both_are_live(base: str) -> None:
    cookie, room = _room(base, "Two Devices")
    headers = {"cookie": cookie, "origin": base}
    made = httpx.post(f"{base}/api/v1/resume-codes", json={"room": room}, headers=headers).json()
    with httpx.Client(base_url=base, headers={"origin": base}) as phone:
        assert phone.post("/api/v1/resume", json={"code": made["code"]}).json()["room"] == room
        second = f"cartagena={phone.cookies['cartagena']}"
    assert second != cookie
    with (
        _socket(base, f"/ws/game/{room}", cookie) as one,
        _socket(base, f"/ws/game/{room}", second) as two,
    ):
        for frames in (one, two):
            frames.send(json.dumps({"do": "hello", "v": 2}))
            _until(frames, "welcome")
        one.send(json.dumps({"do": "sit", "id": "sit-00001", "seal": "0" * 64}))
        for frames in (one, two):
            table_frame = _until(frames, "table")
            assert (table_frame["kind"], table_frame["you"]["seat"]) == ("seated", 0)
        two.send(json.dumps({"do": "ready", "id": "ready-001", "ready": True}))
        for frames in (one, two):
            assert _until(frames, "table")["kind"] == "ready"


def test_socket_from_a_foreign_origin_is_refused(base: str) -> None:
    cookie, room = _room(base, "Honest Page")
    for origin in ("https://evil.example", "null", base.replace("127.0.0.1", "localhost")):
        for path in (f"/ws/game/{room}", "/ws/lobby"):
            with pytest.raises(InvalidStatus) as refused, _socket(base, path, cookie, origin):
                raise AssertionError("a foreign page has a socket")
            assert refused.value.response.status_code == 403


def test_a_frame_that_is_too_big_closes_the_socket_with_1009(base: str) -> None:
    cookie, room = _room(base, "Long Tongue")
    with _socket(base, f"/ws/game/{room}", cookie) as frames:
        frames.send(json.dumps({"do": "hello", "v": 2}))
        _until(frames, "welcome")
        frames.send(json.dumps({"do": "chat", "id": "chat-0001", "text": "x" * 5000}))
        assert _close_code(frames) == 1009


def test_logging_out_everywhere_closes_open_sockets(base: str) -> None:
    cookie, room = _room(base, "Many Doors")
    with _socket(base, f"/ws/game/{room}", cookie) as frames:
        frames.send(json.dumps({"do": "hello", "v": 2}))
        _until(frames, "welcome")
        answer = httpx.post(
            f"{base}/api/v1/account/logout-everywhere", headers={"cookie": cookie, "origin": base}
        )
        assert answer.status_code == 200, answer.text
        assert _close_code(frames) == 4008


def test_sockets_of_one_address_are_limited_with_a_code(tmp_path: Path) -> None:
    with running_server(tmp_path, "--sockets-per-address", "2") as server:
        base = server.address()
        cookie, _ = _room(base)
        first, second, third = (_socket(base, "/ws/lobby", cookie) for _ in range(3))
        with first, second, third:
            assert _close_code(third) == 4009


@pytest.mark.parametrize(
    ("flags", "environment", "code", "sentence"),
    [
        (("--host", "0.0.0.0"), {}, 2, "CARTAGENA_SECRET is the default"),
        ((), {"CARTAGENA_WORKERS": "3"}, 2, "requires PostgreSQL"),
        (
            ("--workers", "2"),
            {"CARTAGENA_DATABASE": "postgresql://nobody@127.0.0.1:1/none"},
            2,
            "CARTAGENA_WORKERS above 1 requires Redis",
        ),
        ((), {"CARTAGENA_PROT": "1"}, 2, "CARTAGENA_PROT is not a setting"),
        (
            (),
            {"CARTAGENA_DATABASE": "postgresql://nobody@127.0.0.1:1/none"},
            1,
            "cannot use the database",
        ),
    ],
)
def test_invalid_setting_is_reported_in_one_sentence_and_prevents_the_start(
    tmp_path: Path, flags: tuple[str, ...], environment: dict[str, str], code: int, sentence: str
) -> None:
    with running_server(tmp_path, *flags, **environment) as server:
        assert server.process.wait(60) == code
        assert sentence in server.errors
        assert "Traceback" not in server.errors


def test_second_server_on_one_sqlite_file_is_refused_until_the_first_ends(tmp_path: Path) -> None:
    (tmp_path / "second").mkdir()
    file = f"sqlite:///{tmp_path / 'cartagena.db'}"
    with running_server(tmp_path, CARTAGENA_DATABASE=file) as first:
        base = first.address()
        quick = {"CARTAGENA_DATABASE": file, "CARTAGENA_STOP_SECONDS": "0"}
        with running_server(tmp_path / "second", **quick) as second:
            assert second.process.wait(60) == 1
            assert "another server is using this SQLite file" in second.errors
            assert "PostgreSQL and Redis" in second.errors
            assert "Traceback" not in second.errors
        assert status(f"{base}/readyz") == 200
        first.stop(signal.SIGKILL)
    with running_server(tmp_path / "second", CARTAGENA_DATABASE=file) as third:
        third.address()


def test_port_in_use_is_reported_in_one_sentence(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        with running_server(tmp_path, command=UNFORKED_COMMAND, CARTAGENA_PORT=port) as server:
            assert server.process.wait(60) == 1
            assert f"cannot listen on 127.0.0.1:{port}" in server.errors


def test_worker_processes_share_players_and_rooms_and_stop_together(
    tmp_path: Path, new_postgres_url: str, redis_url: str
) -> None:
    plain = new_postgres_url.replace("+asyncpg", "")
    settings = {"CARTAGENA_DATABASE": plain, "CARTAGENA_REDIS": redis_url}
    with running_server(tmp_path, "--workers", "2", command=UNFORKED_COMMAND, **settings) as server:
        base = server.address()
        cookie, room = _room(base)
        for _ in range(6):  # each connection may meet another process
            state = httpx.get(
                f"{base}/api/v1/games/{room}", headers={"cookie": cookie, "connection": "close"}
            )
            assert state.status_code == 200
        assert status(f"{base}/readyz") == 200
        assert server.stop() == 0
        assert "Traceback" not in server.errors


def test_log_of_a_session_contains_no_secret(tmp_path: Path) -> None:
    with running_server(tmp_path, "--log-level", "debug", "--log-format", "json") as server:
        base = server.address()
        cookie, _ = _room(base)
        with httpx.Client(base_url=base, headers={"cookie": cookie, "origin": base}) as browser:
            browser.post("/api/v1/account/register", json={"password": "plank, parrot, doubloon"})
            code = httpx.post(f"{base}/api/v1/resume", json={"code": "AAAA-BBBB-CCCC"})
            assert code.status_code == 404
            httpx.get(f"{base}/resume/AAAA-BBBB-CCCC")
        server.stop()
        for secret in (
            "doubloon",
            "AAAA-BBBB",
            "AAAABBBB",
            cookie.removeprefix("cartagena=").split(".")[0],
            "server_seed",
        ):
            assert secret not in server.errors, secret
        for line in server.errors.splitlines():
            json.loads(line)
