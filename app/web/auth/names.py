"""Names of people: what may be one, which two look alike, and suggestions that sound like pirates."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Mapping
from functools import cache

from app.store.people.players import Name
from app.web.auth.name_scripts import is_ignorable, is_moderate, lookalikes
from app.web.errors import BadRequest

__all__ = [
    "LONGEST_NAME",
    "bare",
    "checked_name",
    "is_reserved",
    "login",
    "named",
    "skeleton",
    "skeletons",
    "suggest",
]

LONGEST_NAME = 24
_LONGEST_SKELETON = 96  # as the store has room for; a letter of Korean is up to seven strokes of others
_EXTRA = frozenset(" -'’._")
_MARKS_IN_A_ROW = 2  # more are stacked to smear over the lines above and below

# Letters of other scripts, and digits, that a reader takes for a Latin letter at a glance.
_LOOKALIKES = str.maketrans(
    {
        **dict(zip("авеѕіјкмнорсԁтухһԛԝьгпӏ", "abesijkmhopcdtyxhqwbrnl", strict=True)),
        **dict(zip("αβεικνορτυχγηωϲϳ", "abeiknoptuxynwcj", strict=True)),
        **dict(zip("0135", "oles", strict=True)),
        **dict(zip("ıłøđħŧʟɢɪɴʀʏꞌ", "iloðhtlginry'", strict=True)),
        **dict(zip("աոսօցհղ", "wnuoghn", strict=True)),
        "|": "l",
        "ß": "ss",
        "æ": "ae",
        "œ": "oe",
        "ð": "d",
    }
)
# Capitals of other scripts that look like Latin ones where their small letters do not.
_CAPITALS = str.maketrans("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧАВЕЅІЈКМНОРСТУХҮԜԚՍՕՏԼ", "ABEZHIKMNOPTYXABESIJKMHOPCTYXYWQUOSL")
# Pairs that run together in most fonts; and `i`, which differs from `l` only by its dot.
_RUNS = (("rn", "m"), ("vv", "w"), ("cl", "d"), ("i", "l"))

_RESERVED_WORDS = (
    "admin administrator moderator operator server system root cartagena somebody nobody anybody everyone "
    "spectator spectators host guest bot player deleted null undefined red blue yellow green violet"
)

_FIRST_WORDS = (
    "Barnacle Brass Briny Copper Coral Crooked Cutlass Drifting Foggy Galley Gilded Grizzled Harbour Jolly "
    "Lantern Lucky Midnight Mooring Pepper Plucky Rigging Rowdy Rusty Salty Silent Spyglass Squall Stormy "
    "Tar Tattered Thunder Tidal Topsail Weathered Whistling Windward"
)
_SECOND_WORDS = (
    "Alba Bellows Bonfire Corsair Crow Dolores Esteban Finch Gannet Heron Ibis Jacinta Kestrel Ledger "
    "Lorenzo Magpie Marisol Morrow Nettle Otter Parsnip Pelican Petrel Quill Ramiro Sable Sculpin Teal "
    "Tobias Urchin Valdez Wharton Ximena Yarrow"
)


def checked_name(text: str) -> str:
    """The name as it is kept (spaces collapsed, composed); raises BadRequest with the reason."""
    if any(
        unicodedata.category(letter) in ("Cc", "Cf", "Zl", "Zp") or is_ignorable(letter)
        for letter in text.strip()
    ):
        raise BadRequest("name_hidden", "A name may not hold invisible, control or direction characters.")
    name = " ".join(unicodedata.normalize("NFC", text).split())
    if not name:
        raise BadRequest("name_empty", "A name needs at least one letter.")
    if len(name) > LONGEST_NAME or len(unicodedata.normalize("NFKC", name)) > LONGEST_NAME:
        raise BadRequest("name_long", f"A name has at most {LONGEST_NAME} characters.")
    marks = 0
    for letter in unicodedata.normalize("NFD", name):
        category = unicodedata.category(letter)
        marks = marks + 1 if category.startswith("M") else 0
        if marks > _MARKS_IN_A_ROW or not (category[0] in "LM" or category == "Nd" or letter in _EXTRA):
            raise BadRequest("name_characters", "A name is made of letters, digits, spaces and - ' . _ only.")
    if not any(unicodedata.category(letter)[0] in "LN" for letter in name) or not skeleton(name):
        raise BadRequest("name_empty", "A name needs at least one letter.")
    if is_reserved(name):
        raise BadRequest("name_reserved", "That name could be taken for a part of the game. Choose another.")
    if not is_moderate(name):
        raise BadRequest("name_scripts", "A name may not mix letters of different alphabets.")
    return name


def skeleton(name: str) -> str:
    """What a name looks like at a glance: two names with one skeleton are confusable."""
    return _shape(name, _all_lookalikes())


def named(text: str) -> Name:
    """A name with what the store finds it by."""
    return Name(text, login(text), skeleton(text), skeletons(text))


def skeletons(name: str) -> tuple[str, ...]:
    """Every skeleton that this name could be taken by, its own first.

    Capitals may look like other letters than the small ones do (Greek eta is H and n), and a name that was
    taken before Unicode's table was used here stands under the skeleton of then, which is its log-in.
    """
    capitals = name.translate(_CAPITALS)
    return tuple(dict.fromkeys((skeleton(name), login(name), skeleton(capitals))))


def login(name: str) -> str:
    """What an account logs in by. It never changes: with another table somebody could not log in any more."""
    return _shape(name, _LOOKALIKES)


def bare(text: str) -> str:
    """Folded to one case and composed letters to plain ones; accents are gone."""
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    return "".join(letter for letter in folded if not unicodedata.category(letter).startswith("M")).casefold()


def _shape(name: str, lookalikes: Mapping[int, str | int | None]) -> str:
    text = "".join(letter for letter in bare(name).translate(lookalikes) if letter.isalnum())
    for run, single in _RUNS:
        text = text.replace(run, single)
    return text[:_LONGEST_SKELETON]


@cache
def _all_lookalikes() -> dict[int, str]:
    """Our own short list goes first: it knows what a small letter's capital looks like."""
    table = {**{ord(letter): shown for letter, shown in lookalikes().items()}, **_LOOKALIKES}
    # What a letter looks like may look like something else again.
    return {
        **{code: str(shown).translate(table).translate(table) for code, shown in table.items()},
        **_LOOKALIKES,
    }


def is_reserved(name: str) -> bool:
    """Whether the name looks like something of the game itself."""
    return not _RESERVED_SKELETONS.isdisjoint(skeletons(name))


def suggest(chance: random.Random) -> str:
    """A name for somebody who has not chosen one."""
    return f"{chance.choice(_FIRST_WORDS.split())} {chance.choice(_SECOND_WORDS.split())}"


_RESERVED_SKELETONS = frozenset(skeleton(word) for word in _RESERVED_WORDS.split())
