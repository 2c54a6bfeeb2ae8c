"""Limits on connections: per address and per process; socket options of the listener."""

from __future__ import annotations

import resource
import socket
from typing import Any

import pytest

from app.serve import _listen
from app.settings import Settings
from app.web.security.connections import Connections, ConnectionSlot, max_connections, raise_file_limit


class PeerTransport:
    """A transport with a peer address."""

    def __init__(self, address: str) -> None:
        self._address = address

    def get_extra_info(self, name: str) -> Any:
        return (self._address, 1234) if name == "peername" else None


def admit(connections: Connections, address: str) -> tuple[ConnectionSlot | None, bytes]:
    return connections.try_admit(PeerTransport(address))  # type: ignore[arg-type]


def test_connections_are_limited_per_address() -> None:
    connections = Connections(2, 100)
    first, _ = admit(connections, "203.0.113.5")
    second, _ = admit(connections, "::ffff:203.0.113.5")
    assert first is not None
    assert second is not None
    none, answer = admit(connections, "203.0.113.5")
    assert none is None
    assert answer.startswith(b"HTTP/1.1 429 ")
    assert admit(connections, "203.0.113.6")[0] is not None
    first.release()
    first.release()
    assert len(connections) == 2
    assert admit(connections, "203.0.113.5")[0] is not None
    assert admit(connections, "203.0.113.5")[0] is None
    for address in ("2001:db8::1", "2001:db8::2"):
        assert admit(connections, address)[0] is not None
    assert admit(connections, "2001:db8::3")[0] is None, "a /64 counts as one address"


def test_a_full_server_answers_429_and_not_503() -> None:
    """A proxy takes 503 as a broken worker and avoids it, and any client can open connections."""
    connections = Connections(None, 3)
    places = [admit(connections, "203.0.113.5")[0] for _ in range(3)]
    assert all(places)
    none, answer = admit(connections, "203.0.113.6")
    assert none is None
    assert answer.startswith(b"HTTP/1.1 429 ")
    assert b"retry-after: 60\r\n" in answer
    assert b"x-content-type-options: nosniff\r\n" in answer
    assert answer.endswith(b"This server is full. Try again in a minute.")


def test_one_address_cannot_fill_a_process_with_few_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1024, 1024))
    connections = Connections.from_settings(Settings())
    held = [admit(connections, "203.0.113.5")[0] for _ in range(950)]
    assert held[383] is not None
    assert held[-1] is None
    assert admit(connections, "203.0.113.6")[0] is not None


def test_addresses_are_not_counted_behind_proxies() -> None:
    direct, behind = (
        Connections.from_settings(Settings()),
        Connections.from_settings(Settings(trusted_hops=1)),
    )
    for connections, is_bounded in ((direct, True), (behind, False)):
        for _ in range(1000):
            assert admit(connections, "203.0.113.5")[0] is not None
        assert (admit(connections, "203.0.113.5")[0] is None) is is_bounded


@pytest.mark.parametrize(("files", "connections"), [(100, 50), (512, 256), (1024, 768), (20_000, 19_744)])
def test_some_files_are_reserved(monkeypatch: pytest.MonkeyPatch, files: int, connections: int) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (files, files))
    assert max_connections() == connections


def test_the_file_limit_is_raised_to_the_hard_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "setrlimit", lambda _, limits: taken.append(limits))
    for soft, hard in (
        (1024, 4096),
        (1024, resource.RLIM_INFINITY),
        (4096, 4096),
        (resource.RLIM_INFINITY, -1),
    ):
        monkeypatch.setattr(resource, "getrlimit", lambda _, both=(soft, hard): both)
        raise_file_limit()
    assert taken == [(4096, 4096), (131_072, resource.RLIM_INFINITY)]


def test_the_kernel_buffers_little_for_a_peer_that_does_not_read() -> None:
    with _listen(Settings(port=0)) as listener:
        listener.listen()
        with socket.create_connection(listener.getsockname()):
            accepted, _ = listener.accept()
            with accepted:
                assert accepted.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF) <= 262_144
                assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == 60_000
