"""Paths of the data files: next to app/ in a checkout, inside it in an installed wheel."""

from pathlib import Path

_HERE = Path(__file__).resolve().parent


def _find(folder: str) -> Path:
    """Prefer the wheel's copy: an unrelated static/ may happen to lie next to an installed app/."""
    shipped = _HERE / f"_{folder}"
    return shipped if shipped.is_dir() else _HERE.parent / folder


STATIC = _find("static")
TEMPLATES = _find("templates")
MIGRATIONS = _find("migrations")
LOCALES = _HERE / "locales"

__all__ = ["LOCALES", "MIGRATIONS", "STATIC", "TEMPLATES"]
