"""Static files under one fingerprint: /static/<hash>/js/… never changes and is kept for ever.

Native modules import each other by relative path, so the fingerprint is a folder in front of
all of them rather than a part of each name: one changed file moves the whole set at once.
Comments are for readers of the repository: they stay there, which makes the table a tenth lighter.
"""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
import re
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from app.web.routing import accepts_gzip

KEPT = "public, max-age=31536000, immutable"
CHECKED = "no-cache"

TYPES = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
    ".json": "application/json",
}
PACKED = frozenset({".js", ".css", ".svg", ".webmanifest", ".json"})
# In scripts only whole lines and whole blocks: what looks like a comment behind code may be part of a text.
COMMENTS = {
    ".js": re.compile(rb"^[ ]*(?://[^\n]*|/\*.*?\*/[ ]*)\n", re.MULTILINE | re.DOTALL),
    ".css": re.compile(rb"[ ]*/\*.*?\*/", re.DOTALL),
}


def without_comments(name: str, body: bytes) -> bytes:
    pattern = COMMENTS.get(Path(name).suffix)
    return pattern.sub(b"", body) if pattern else body


class Assets:
    """The files of static/, read once into memory (they are small) and served from there."""

    def __init__(self, folder: Path) -> None:
        self._bodies: dict[str, tuple[bytes, bytes | None]] = {}
        digest = hashlib.sha256()
        for path in sorted(p for p in folder.rglob("*") if p.is_file()):
            name = path.relative_to(folder).as_posix()
            body = without_comments(name, path.read_bytes())
            digest.update(name.encode() + b"\0" + hashlib.sha256(body).digest())
            packed = gzip.compress(body, 9, mtime=0) if path.suffix in PACKED else None
            self._bodies[name] = (body, packed)
        self.fingerprint = digest.hexdigest()[:12]

    def url(self, name: str) -> str:
        """The address of a file for templates; a name that does not exist is a bug."""
        if name not in self._bodies:
            raise LookupError(f"no static file {name!r}")
        return f"/static/{self.fingerprint}/{name}"

    def answer(self, request: Request, fingerprint: str, name: str) -> Response | None:
        """The file, or None where there is none; an old fingerprint gets the present file."""
        found = self._bodies.get(name)
        if found is None:
            # Written without a fingerprint, as a style sheet or a bookmark may do.
            name, fingerprint = f"{fingerprint}/{name}", ""
            found = self._bodies.get(name)
        if found is None:
            return None
        body, packed = found
        suffix = Path(name).suffix
        kind = TYPES.get(suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"
        kept = fingerprint == self.fingerprint
        headers = {"Cache-Control": KEPT if kept else CHECKED, "Vary": "Accept-Encoding"}
        if packed is not None and accepts_gzip(request):
            return Response(packed, media_type=kind, headers={**headers, "Content-Encoding": "gzip"})
        return Response(body, media_type=kind, headers=headers)
