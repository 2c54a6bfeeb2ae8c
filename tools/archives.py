"""Unpacking an archive of our own, under every Python we promise."""

from __future__ import annotations

import tarfile
from pathlib import Path

__all__ = ["unpack"]


def unpack(archive: Path, into: Path) -> None:
    """All of it, into a folder that is made.

    Python before 3.11.4 (Debian 12 has 3.11.2) has no filters, newer ones warn where none is named.
    """
    with tarfile.open(archive) as packed:
        packed.extraction_filter = getattr(tarfile, "data_filter", None)
        packed.extractall(into)
