"""A second, slow and obvious set of the rules, written from the rules page alone, to check the first.

It works on the JSON of the interchange format itself, lists every action by trying it, and copies a
whole position for every step. It shares no line with ``app.rules`` and must never import it.
"""

from .check import check_position
from .legal import everybodys_actions, legal
from .notes import COVERED
from .options import full_options
from .play import apply, play
from .refusal import Refusal
from .setup import new
from .view import seen_by, view

__all__ = [
    "COVERED",
    "Refusal",
    "apply",
    "check_position",
    "everybodys_actions",
    "full_options",
    "legal",
    "new",
    "play",
    "seen_by",
    "view",
]
