"""Where the files beside the code are: in a checkout next to app/, in an installed wheel inside it."""

from pathlib import Path

_HERE = Path(__file__).resolve().parent


def _find(folder: str) -> Path:
    """The wheel's copy wins: an installed app/ may by chance have a neighbour called static/."""
    shipped = _HERE / f"_{folder}"
    return shipped if shipped.is_dir() else _HERE.parent / folder


STATIC = _find("static")
TEMPLATES = _find("templates")
MIGRATIONS = _find("migrations")
LOCALES = _HERE / "locales"

__all__ = ["LOCALES", "MIGRATIONS", "STATIC", "TEMPLATES"]
