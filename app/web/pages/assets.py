"""Static files under one fingerprint: /static/<hash>/js/… never changes, so clients cache it forever.

ES modules import each other by relative path. Therefore the fingerprint is a folder for all files and not a part of
each name; one changed file changes it for all. Comments are removed, which makes the table page a tenth smaller.

A page that was open during an update goes on with its old fingerprint. It gets the current files, unless its modules
cannot work with the current ones: then the first module that it loads on demand reloads the page.
"""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
import re
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from app.web.errors import NotFound
from app.web.routing import respond_gzipped

IMMUTABLE_CACHE_CONTROL = "public, max-age=31536000, immutable"
REVALIDATE_CACHE_CONTROL = "no-cache"

MEDIA_TYPES = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
    ".json": "application/json",
}
UNSERVED_SUFFIXES = frozenset({".ts"})  # type declarations, for the checker only
# Of releases whose modules have other names or exports than the current ones: 0.1.0.
INCOMPATIBLE_FINGERPRINTS = frozenset({"9d213fca7d70"})
# The importing page waits for the reload instead of going on with a module that lacks what it needs.
RELOAD_MODULE = b"location.reload();\nawait new Promise(() => {});\n"
GZIPPED_SUFFIXES = frozenset({".js", ".css", ".svg", ".webmanifest", ".json"})
# In scripts only comments on lines of their own, and casts: after code, "//" may be part of a string.
COMMENT_PATTERNS = {
    ".js": re.compile(
        rb"^[ ]*(?://[^\n]*|/\*(?:[^*]|\*(?!/))*\*/[ ]*)\n|/\*\* @(?:type|returns) [^\n]*?\*/ ?", re.MULTILINE
    ),
    ".css": re.compile(rb"[ ]*/\*.*?\*/", re.DOTALL),
}


def strip_comments(name: str, body: bytes) -> bytes:
    pattern = COMMENT_PATTERNS.get(Path(name).suffix)
    return pattern.sub(b"", body) if pattern else body


class Assets:
    """The files of static/, which are small, read once into memory."""

    def __init__(self, folder: Path) -> None:
        self._bodies: dict[str, tuple[bytes, bytes | None]] = {}
        digest = hashlib.sha256()
        for path in sorted(p for p in folder.rglob("*") if p.is_file() and p.suffix not in UNSERVED_SUFFIXES):
            name = path.relative_to(folder).as_posix()
            body = strip_comments(name, path.read_bytes())
            digest.update(name.encode() + b"\0" + hashlib.sha256(body).digest())
            gzipped = gzip.compress(body, 9, mtime=0) if path.suffix in GZIPPED_SUFFIXES else None
            self._bodies[name] = (body, gzipped)
        self.fingerprint = digest.hexdigest()[:12]

    def url(self, name: str) -> str:
        """Return the URL of a file, for templates. Raise LookupError if it does not exist."""
        if name not in self._bodies:
            raise LookupError(f"no static file {name!r}")
        return f"/static/{self.fingerprint}/{name}"

    def respond(self, request: Request, fingerprint: str, name: str) -> Response:
        """Return a file. An old fingerprint gets the current file or RELOAD_MODULE. Raise NotFound."""
        suffix = Path(name).suffix
        if suffix == ".js" and fingerprint in INCOMPATIBLE_FINGERPRINTS:
            return respond_gzipped(
                request, RELOAD_MODULE, None, MEDIA_TYPES[suffix], REVALIDATE_CACHE_CONTROL
            )
        found = self._bodies.get(name)
        if found is None:
            # An address without a fingerprint, as in a style sheet or a bookmark.
            name, fingerprint = f"{fingerprint}/{name}", ""
            found = self._bodies.get(name)
        if found is None:
            raise NotFound
        kind = MEDIA_TYPES.get(suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"
        return respond_gzipped(
            request,
            *found,
            kind,
            IMMUTABLE_CACHE_CONTROL if fingerprint == self.fingerprint else REVALIDATE_CACHE_CONTROL,
        )
