"""Names of people: what may be one, which two look alike, and suggestions that sound like pirates."""

from __future__ import annotations

import random
import unicodedata

from app.web.errors import BadRequest

__all__ = ["LONGEST_NAME", "are_confusable", "checked_name", "is_reserved", "skeleton", "suggest"]

LONGEST_NAME = 24
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
    if any(unicodedata.category(letter) in ("Cc", "Cf", "Zl", "Zp") for letter in text.strip()):
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
    return name


def skeleton(name: str) -> str:
    """What a name looks like at a glance: two names with one skeleton are confusable."""
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", name).casefold())
    bare = "".join(letter for letter in folded if not unicodedata.category(letter).startswith("M"))
    text = bare.casefold().translate(_LOOKALIKES)
    text = "".join(letter for letter in text if letter.isalnum())
    for run, single in _RUNS:
        text = text.replace(run, single)
    return text


def are_confusable(one: str, other: str) -> bool:
    """Whether people at one table could take one name for the other."""
    return skeleton(one) == skeleton(other)


def is_reserved(name: str) -> bool:
    """Whether the name looks like something of the game itself."""
    return skeleton(name) in _RESERVED_SKELETONS


def suggest(chance: random.Random) -> str:
    """A name for somebody who has not chosen one."""
    return f"{chance.choice(_FIRST_WORDS.split())} {chance.choice(_SECOND_WORDS.split())}"


_RESERVED_SKELETONS = frozenset(skeleton(word) for word in _RESERVED_WORDS.split())
