"""Floods from one attacker against a server with default limits: what each costs the server and other clients.

    python -m tools.floods                     this checkout
    python -m tools.floods --checkout ../old   another one, under this Python

Prints a table: CPU seconds of the server, the longest wait of another client's socket, the growth of the server's
memory, what the kernel still buffers for the attacker, and the fate of the attacker's connection.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil

from tools.fuzz.socket_client import CLOSE, PING, frame

ROOT = Path(__file__).resolve().parents[1]
HELLO = frame(b'{"do":"ping","n":0}')  # valid in every protocol version
PONG = b"\x8a\x80\x00\x00\x00\x00"
GET = b"GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n"
MB = 1_000_000


class Victim:
    """A server process with one honest socket that pings ten times a second."""

    def __init__(self, port: int, process: psutil.Process) -> None:
        self.port = port
        self._process = process
        self.longest = 0.0
        self._is_over = threading.Event()
        self._asking = threading.Thread(target=self._ask, daemon=True)
        self._asking.start()

    def connect(self, receive_buffer: int = 0) -> socket.socket:
        peer = socket.socket()
        if receive_buffer:
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        peer.settimeout(30)
        peer.connect(("127.0.0.1", self.port))
        return peer

    def open_socket(self, receive_buffer: int = 0) -> socket.socket:
        peer = self.connect(receive_buffer)
        key = base64.b64encode(os.urandom(16)).decode()
        peer.sendall(
            f"GET /ws/lobby HTTP/1.1\r\nHost: here\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        said = b""
        while not said.endswith(b"\r\n\r\n"):
            said += peer.recv(1)
        peer.sendall(HELLO)
        return peer

    def _ask(self) -> None:
        peer = self.open_socket()
        while not self._is_over.wait(0.25):
            began = time.monotonic()
            peer.sendall(frame(b'{"do":"ping","n":1}'))
            while b'"pong"' not in peer.recv(65536):
                pass
            self.longest = max(self.longest, time.monotonic() - began)

    def cpu(self) -> float:
        times = self._process.cpu_times()
        return times.user + times.system

    def memory(self) -> int:
        return int(self._process.memory_info().rss)

    def unsent(self) -> int:
        """Return the bytes that the kernel buffers for this server's peers."""
        lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        return sum(
            int(each[4].split(":")[0], 16) for each in lines if int(each[1].split(":")[1], 16) == self.port
        )

    def end(self) -> None:
        self._is_over.set()
        self._asking.join(60)


def push(peer: socket.socket, data: bytes, seconds: float = 20.0) -> str:
    """Send as much as possible within the time; return what happened to the connection."""
    peer.settimeout(2)
    sent, until = 0, time.monotonic() + seconds
    try:
        while sent < len(data) and time.monotonic() < until:
            with contextlib.suppress(TimeoutError):
                sent += peer.send(data[sent : sent + 262_144])
    except OSError:
        return f"cut off after {sent / MB:.1f} MB"
    return f"{sent / MB:.1f} MB taken"


def is_there(peer: socket.socket) -> bool:
    """Return whether the server still keeps this connection; reads and discards its data."""
    peer.settimeout(0.5)
    try:
        while peer.recv(65536):
            pass
    except TimeoutError:
        return True
    except OSError:
        pass
    return False


def pongs(victim: Victim) -> str:
    return push(victim.open_socket(), PONG * MB)


def after_a_bad_frame(victim: Victim) -> str:
    peer = victim.open_socket()
    peer.sendall(frame(b"x", 5))
    return push(peer, b"\x81\x85" * (45 * MB))


def empty_pieces(victim: Victim) -> str:
    peer = victim.open_socket()
    peer.sendall(frame(b"{", final=False))
    return push(peer, b"\x00\x80\x00\x00\x00\x00" * MB)


def shed(victim: Victim) -> str:
    peer = victim.open_socket(4096)
    push(peer, frame(b"." * 125, PING) * 200_000, 10)
    push(peer, frame(b"\x03\xe8", CLOSE), 2)
    time.sleep(15)
    return f"{victim.unsent() / MB:.1f} MB unread in the kernel 15 s later"


def stray_byte(victim: Victim) -> str:
    peer = victim.connect()
    peer.sendall(GET[:-2] + b"Content-Length: 5\r\n\r\n")
    peer.recv(65536)
    peer.sendall(b"x")
    time.sleep(80)
    return "still there 80 s later" if is_there(peer) else "closed by the server within 80 s"


def unread_answers(victim: Victim) -> str:
    peer = victim.connect(4096)
    for _ in range(40):
        push(peer, b"GET /api/v1/openapi.json HTTP/1.1\r\nHost: here\r\n\r\n", 2)
        time.sleep(0.05)
    return f"{victim.unsent() / MB:.1f} MB unread in the kernel"


def pipelined(victim: Victim) -> str:
    peer = victim.connect()
    reading: list[int] = []

    def read() -> None:
        with contextlib.suppress(OSError):
            while piece := peer.recv(1_000_000):
                reading.append(piece.count(b"HTTP/1.1 "))

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    told = push(peer, GET * (250_000 // len(GET)))
    reader.join(20)
    return f"{told}, {sum(reading)} answers"


def connections(victim: Victim) -> str:
    held = 0
    peers = []
    for _ in range(1500):
        with contextlib.suppress(OSError):
            peers.append(victim.connect())
    time.sleep(1)
    for peer in peers:
        peer.settimeout(0.001)
        try:
            peer.recv(100)
        except TimeoutError:
            held += 1
        except OSError:
            pass
        peer.close()
    return f"{held} of 1500 held"


ATTACKS: dict[str, Callable[[Victim], str]] = {
    "6 MB of empty pongs": pongs,
    "90 MB after a bad frame": after_a_bad_frame,
    "6 MB of empty pieces of a message": empty_pieces,
    "pings whose pongs are not read, then a close": shed,
    "a GET, its answer, one byte of a body": stray_byte,
    "40 answers that are not read": unread_answers,
    "250 KB of pipelined requests": pipelined,
    "1500 connections of one address": connections,
}


@contextlib.contextmanager
def serving(checkout: Path) -> Iterator[Victim]:
    """Run `cartagena serve` of a checkout with its default limits on a temporary database."""
    with tempfile.TemporaryDirectory(prefix="cartagena-floods-") as folder, socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = int(found.getsockname()[1])
        found.close()
        command = [sys.executable, "-m", "app.cli", "serve", "--port", str(port)]
        with (Path(folder) / "log").open("wb") as log:
            process = subprocess.Popen(
                [*command, "--database", f"sqlite:///{folder}/game.db"], cwd=checkout, stdout=log, stderr=log
            )
        try:
            for _ in range(600):
                time.sleep(0.1)
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 5):
                    break
            time.sleep(2)
            yield Victim(port, psutil.Process(process.pid))
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--checkout", type=Path, default=ROOT)
    parser.add_argument("--only", default="", help="a part of an attack's name")
    arguments = parser.parse_args()
    print("| attack | CPU s | longest wait of another s | memory MB | outcome |\n|---|---|---|---|---|")
    for name, attack in ATTACKS.items():
        if arguments.only not in name:
            continue
        with serving(arguments.checkout.resolve()) as victim:
            time.sleep(1)
            cpu, memory, victim.longest = victim.cpu(), victim.memory(), 0.0
            outcome = attack(victim)
            time.sleep(1)
            grown = (victim.memory() - memory) / MB
            print(
                f"| {name} | {victim.cpu() - cpu:.1f} | {victim.longest:.2f} | {grown:+.0f} | {outcome} |",
                flush=True,
            )
            victim.end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
