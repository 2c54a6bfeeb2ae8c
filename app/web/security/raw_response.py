"""Plain-text responses for connections and requests that never reach the app."""

from __future__ import annotations

from http import HTTPStatus

SECURITY_HEADERS = {
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
}


def raw_response(status: int, sentence: str, retry_after: int = 0) -> bytes:
    """Return a complete HTTP/1.1 response that closes the connection."""
    headers = {
        "content-type": "text/plain; charset=utf-8",
        "content-length": str(len(sentence.encode())),
        "connection": "close",
        **SECURITY_HEADERS,
    }
    if retry_after:
        headers["retry-after"] = str(retry_after)
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\n{lines}\r\n{sentence}".encode()
