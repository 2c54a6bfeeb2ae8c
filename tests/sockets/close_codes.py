"""The close codes of this server. Tests compare them with docs/protocol.md and provoke each of them."""

from __future__ import annotations

__all__ = ["CLOSE_CODES"]

CLOSE_CODES: dict[int, str] = {
    1000: "normal",
    1002: "protocol error",
    1007: "not UTF-8",
    1008: "policy",
    1009: "frame too big",
    1011: "server fault, or silence",
    4000: "resume",
    4001: "reload",
    4002: "bad messages",
    4003: "not admitted",
    4004: "slow",
    4005: "too fast",
    4006: "unknown rules",
    4007: "silent",
    4008: "signed out",
    4009: "too many",
    4010: "closed",
}
