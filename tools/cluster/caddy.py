"""The public site's proxy in front of local workers: Debian's Caddy with this repository's Caddyfile."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from tools import debian
from tools.services import processes
from tools.services.processes import ServiceError

__all__ = ["CADDYFILE", "Caddy", "caddy_program", "listed"]

CADDYFILE = Path(__file__).resolve().parents[2] / "Caddyfile"
START_SECONDS = 60.0


def caddy_program() -> str:
    try:
        return debian.program("caddy", wanted_for="the cluster's proxy")
    except debian.Missing as missing:
        raise ServiceError(str(missing)) from None


def listed(workers: Sequence[str]) -> str:
    """Return the contents of UPSTREAMS for workers at these addresses (host:port); only ready workers get requests."""
    return f"to {' '.join(workers)}\nhealth_uri /readyz\nhealth_interval 1s\nhealth_timeout 5s\n"


class Caddy:
    """A Caddy started by `start()` or `with`. `port` 0: any free port; `tls`: https://localhost, self-signed."""

    def __init__(self, upstreams: str, *, port: int = 0, tls: bool = False) -> None:
        self._upstreams = upstreams
        self._reserved: socket.socket | None = None
        self._tls = tls
        self._process: subprocess.Popen[bytes] | None = None
        self.folder = Path(tempfile.mkdtemp(prefix="cartagena-caddy-"))
        self.log = self.folder / "caddy.log"
        self.port = port

    @property
    def base(self) -> str:
        return f"https://localhost:{self.port}" if self._tls else f"http://127.0.0.1:{self.port}"

    @property
    def authority(self) -> Path:
        """Path of the root certificate of Caddy's own authority, with TLS."""
        return self.folder / "data/caddy/pki/authorities/local/root.crt"

    def environment(self) -> dict[str, str]:
        """Return Caddy's environment: address, ports and a folder for its files."""
        return {
            **os.environ,
            "SITE_ADDRESS": "https://localhost" if self._tls else f"http://:{self.port}",
            "SITE_BIND": "127.0.0.1",
            "HTTP_PORT": str(processes.free_port() if self._tls else self.port),
            "HTTPS_PORT": str(self.port if self._tls else processes.free_port()),
            "UPSTREAMS": str(self.folder / "upstreams"),
            "XDG_DATA_HOME": str(self.folder / "data"),
            "XDG_CONFIG_HOME": str(self.folder / "config"),
            "HOME": str(self.folder),
        }

    def start(self) -> Caddy:
        command = [caddy_program(), "run", "--config", str(CADDYFILE), "--adapter", "caddyfile"]
        (self.folder / "upstreams").write_text(self._upstreams)
        try:
            self._reserve()
            self._process = processes.start(
                command, self.log, ends_on=signal.SIGTERM, environment=self.environment()
            )
            if not processes.wait_until(self._listens, self._process, START_SECONDS):
                raise ServiceError(f"Caddy did not start; it said:\n{processes.tail(self.log)}")
        except BaseException:
            self.stop()
            raise
        return self

    def _reserve(self) -> None:
        """Reserve the port without listening on it: two Caddies would share it and split the requests."""
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", self.port))
            except OSError as taken:
                raise ServiceError(f"the proxy cannot listen on port {self.port}: {taken.strerror}") from None
            self.port = int(probe.getsockname()[1])
        self._reserved = socket.socket()
        self._reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        self._reserved.bind(("127.0.0.1", self.port))

    def stop(self) -> None:
        if self._process is not None:
            processes.stop(self._process, signal.SIGTERM)
            self._process = None
        if self._reserved is not None:
            self._reserved.close()
            self._reserved = None
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> Caddy:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _listens(self) -> bool:
        """Return whether it accepts connections; with TLS, also whether it has its certificate."""
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=5) as link:
            if self._tls:
                anyone = ssl.create_default_context()
                anyone.check_hostname, anyone.verify_mode = False, ssl.CERT_NONE
                anyone.wrap_socket(link, server_hostname="localhost").close()
            return True
        return False
