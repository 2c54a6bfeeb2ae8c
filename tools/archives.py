"""Unpack our own archives under every supported Python."""

from __future__ import annotations

import tarfile
from pathlib import Path

__all__ = ["unpack"]


def unpack(archive: Path, into: Path) -> None:
    """Extract everything into `into`, which is created.

    Python before 3.11.4 (Debian 12 has 3.11.2) has no extraction filters; newer ones warn if none is named.
    """
    with tarfile.open(archive) as packed:
        packed.extraction_filter = getattr(tarfile, "data_filter", None)
        packed.extractall(into)
