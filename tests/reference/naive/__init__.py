"""Reference implementation of the rules: slow, obvious, and written from the rules page alone.

It works on the JSON of positions, lists actions by trying them, and copies the whole position for every action. It
shares no code with ``app.rules`` and must never import it.
"""

from .check import check_position
from .coverage import COVERED
from .legal import all_legal_actions, legal
from .options import full_options
from .play import apply, play
from .refusal import Refusal
from .setup import new
from .view import view, view_for

__all__ = [
    "COVERED",
    "Refusal",
    "all_legal_actions",
    "apply",
    "check_position",
    "full_options",
    "legal",
    "new",
    "play",
    "view",
    "view_for",
]
