"""Names of people: which are allowed, and which look alike.

Scripts follow the "moderately restrictive" profile of UTS #39, with a single system of digits.
"""

from __future__ import annotations

import json
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib import resources
from typing import Any

from app.store.people.players import Name
from app.web.errors import BadRequest

# UAX #31, table 5. Other scripts are historic or rare (Cherokee, Lisu, Coptic …), and some look entirely Latin.
RECOMMENDED_SCRIPTS = frozenset(
    "Arabic Armenian Bengali Bopomofo Cyrillic Devanagari Ethiopic Georgian Greek Gujarati Gurmukhi Han Hangul "
    "Hebrew Hiragana Kannada Katakana Khmer Lao Latin Malayalam Myanmar Oriya Sinhala Tamil Telugu Thaana Thai "
    "Tibetan".split()
)
# Scripts that are commonly mixed (UTS #39, "highly restrictive").
_COMPATIBLE_SCRIPTS = (
    frozenset(("Latin", "Han", "Hiragana", "Katakana")),
    frozenset(("Latin", "Han", "Bopomofo")),
    frozenset(("Latin", "Han", "Hangul")),
)
_NEUTRAL_SCRIPTS = frozenset(("Common", "Inherited"))
_CONFUSABLE_WITH_LATIN = frozenset(("Cyrillic", "Greek"))

# Default_Ignorable_Code_Point: invisible, whatever their category.
_IGNORABLE_RANGES = (
    (0x00AD, 0x00AD), (0x034F, 0x034F), (0x061C, 0x061C), (0x115F, 0x1160), (0x17B4, 0x17B5),
    (0x180B, 0x180F), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164),
    (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
)  # fmt: skip


def is_ignorable(letter: str) -> bool:
    """Return whether the character is invisible."""
    return letter > "\x7f" and any(first <= ord(letter) <= last for first, last in _IGNORABLE_RANGES)


def has_safe_scripts(name: str) -> bool:
    """Return whether the name uses one script, or scripts that are commonly mixed, and one system of digits."""
    if name.isascii():
        return True
    scripts = {
        script for script in map(_script_of, filter(_has_script, name)) if script not in _NEUTRAL_SCRIPTS
    }
    digits = {ord(letter) - unicodedata.decimal(letter) for letter in name if letter.isdecimal()}
    if len(digits) > 1 or not scripts <= RECOMMENDED_SCRIPTS:
        return False
    others = scripts - {"Latin"}
    if len(scripts) <= 1 or any(scripts <= together for together in _COMPATIBLE_SCRIPTS):
        return True
    return len(others) == 1 and not others & _CONFUSABLE_WITH_LATIN


def lookalikes() -> dict[str, str]:
    """Return non-ASCII letters and the letters they look like."""
    found: dict[str, str] = _unicode_tables()["lookalikes"]
    return found


def _has_script(letter: str) -> bool:
    return unicodedata.category(letter)[0] in "LMN"


def _script_of(letter: str) -> str:
    starts, ends, scripts = _script_ranges()
    place = bisect_right(starts, ord(letter)) - 1
    return scripts[place] if place >= 0 and ord(letter) <= ends[place] else "Unknown"


@cache
def _script_ranges() -> tuple[list[int], list[int], list[str]]:
    found = sorted(
        (first, last, script)
        for script, ranges in _unicode_tables()["scripts"].items()
        for first, last in ranges
    )
    starts, ends, scripts = zip(*found, strict=True)
    return list(starts), list(ends), list(scripts)


@cache
def _unicode_tables() -> Any:
    return json.loads((resources.files("app.web.auth") / "lookalikes.json").read_text(encoding="utf-8"))


MAX_NAME_LENGTH = 24
_MAX_SKELETON_LENGTH = 96  # the width of the column; a Korean syllable can become seven letters
_ALLOWED_PUNCTUATION = frozenset(" -'’._")
_MAX_CONSECUTIVE_MARKS = 2  # more would smear over the lines above and below

# Letters of other scripts, and digits, that look like a Latin letter at a glance.
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
# Capitals of other scripts that look Latin although their small letters do not.
_LOOKALIKE_CAPITALS = str.maketrans(
    "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧАВЕЅІЈКМНОРСТУХҮԜԚՍՕՏԼ", "ABEZHIKMNOPTYXABESIJKMHOPCTYXYWQUOSL"
)
# Pairs that merge visually in most fonts; and `i`, which differs from `l` only by its dot.
_CONFUSABLE_RUNS = (("rn", "m"), ("vv", "w"), ("cl", "d"), ("i", "l"))

_RESERVED_WORDS = (
    "server system root someone somebody nobody anybody everyone "
    "spectator spectators host guest bot player deleted null undefined red blue yellow green violet"
)

# Titles of people who run a site, in the languages of this one. They are refused within longer names as well:
# "Site Operator" is as credible as "Operator".
_ROLE_WORDS = (
    "admin admins administrator administrators administrador administrateur amministratore sysadmin sysop webmaster "
    "mod mods moderator moderators moderador moderateur moderatore operator operators operador operateur operatore "
    "betreiber beheerder support soporte helpdesk staff official officiel oficial ufficiale offiziell cartagena"
)
# Words that accompany them in compound names, such as SiteAdmin or TheCartagenaTeam.
_ROLE_COMPANION_WORDS = "the site game server web help desk service team crew root system online real"
# Recognisable even with other letters attached.
_ROLE_AFFIXES = "admin moderator cartagena"
_STYLED_DECOMPOSITIONS = ("<font>", "<super>", "<sub>", "<circle>", "<square>")
_ORDINALS = frozenset("ªº")  # superscripts by their decomposition; "Mª José" is an ordinary name
_SMALL_CAPITAL = re.compile(r"LATIN LETTER SMALL CAPITAL ([A-Z])")
_WORD_PATTERN = re.compile(r"[^\W\d_]+")
_INNER_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")


def is_styled(letter: str) -> bool:
    """Return whether a letter is a small capital, superscript or mathematical form of an ordinary one.

    Most small capitals have no decomposition, so neither Unicode's normal forms nor UTS #39 map them to the letters
    that they look like.
    """
    if letter.isascii() or letter in _ORDINALS:
        return False
    if unicodedata.decomposition(letter).startswith(_STYLED_DECOMPOSITIONS):
        return True
    return "SMALL CAPITAL" in unicodedata.name(letter, "") or "\u1d00" <= letter <= "\u1dbf"


def validate_name(text: str) -> str:
    """Return the name as it is stored (NFC, spaces collapsed). Raise BadRequest if it is not allowed."""
    if any(
        unicodedata.category(letter) in ("Cc", "Cf", "Zl", "Zp") or is_ignorable(letter)
        for letter in text.strip()
    ):
        raise BadRequest("name_hidden", "A name may not contain invisible, control or direction characters.")
    name = " ".join(unicodedata.normalize("NFC", text).split())
    if not name:
        raise BadRequest("name_empty", "A name needs at least one letter.")
    if len(name) > MAX_NAME_LENGTH or len(unicodedata.normalize("NFKC", name)) > MAX_NAME_LENGTH:
        raise BadRequest("name_long", f"A name may have at most {MAX_NAME_LENGTH} characters.")
    marks = 0
    for letter in unicodedata.normalize("NFD", name):
        category = unicodedata.category(letter)
        marks = marks + 1 if category.startswith("M") else 0
        if marks > _MAX_CONSECUTIVE_MARKS or not (
            category[0] in "LM" or category == "Nd" or letter in _ALLOWED_PUNCTUATION
        ):
            raise BadRequest(
                "name_characters",
                "A name may contain only letters, digits, spaces, hyphens, apostrophes, full stops and underscores.",
            )
    if not any(unicodedata.category(letter)[0] in "LN" for letter in name) or not skeleton(name):
        raise BadRequest("name_empty", "A name needs at least one letter.")
    if any(map(is_styled, name)):
        raise BadRequest(
            "name_styled",
            "Use ordinary letters: a name may not contain small capitals or other styled letters.",
        )
    if is_official(name):
        raise BadRequest(
            "name_official", "That name could be mistaken for someone who runs this site. Choose another."
        )
    if is_reserved(name):
        raise BadRequest(
            "name_reserved", "That name could be mistaken for a part of the game. Choose another."
        )
    if not has_safe_scripts(name):
        raise BadRequest("name_scripts", "A name may not mix letters from different alphabets.")
    return name


@lru_cache(maxsize=1024)
def skeleton(name: str) -> str:
    """Return what a name looks like at a glance. Two names with the same skeleton are confusable."""
    return _skeleton_with(name, _all_lookalikes())


def make_name(text: str) -> Name:
    """Return a name with the keys by which the store finds it."""
    return Name(text, login_key(text), skeleton(text), skeletons(text))


@lru_cache(maxsize=512)  # called several times while a name is being chosen
def skeletons(name: str) -> tuple[str, ...]:
    """Return every skeleton under which this name may be stored, its own first.

    Capitals may look like other letters than the small ones (Greek eta: H and n). Names chosen before Unicode's table
    was used are stored under their log-in key.
    """
    capitals = name.translate(_LOOKALIKE_CAPITALS)
    return tuple(dict.fromkeys((skeleton(name), login_key(name), skeleton(capitals))))


@lru_cache(maxsize=512)
def login_key(name: str) -> str:
    """Return the key by which an account logs in. Its table must never change, or people could no longer log in."""
    return _skeleton_with(name, _LOOKALIKES)


def fold_letters(text: str) -> str:
    """Return the text case-folded, compatibility-decomposed and without accents."""
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    return "".join(letter for letter in folded if not unicodedata.category(letter).startswith("M")).casefold()


def _skeleton_with(name: str, lookalikes: Mapping[int, str | int | None]) -> str:
    text = "".join(letter for letter in fold_letters(name).translate(lookalikes) if letter.isalnum())
    for run, single in _CONFUSABLE_RUNS:
        text = text.replace(run, single)
    return text[:_MAX_SKELETON_LENGTH]


@cache
def _all_lookalikes() -> dict[int, str]:
    """Return all look-alikes. Our own short list has priority, because it considers the look of capitals."""
    table = {
        **{ord(letter): shown for letter, shown in lookalikes().items()},
        **_small_capitals(),
        **_LOOKALIKES,
    }
    # A look-alike may have a look-alike of its own.
    return {
        **{code: str(shown).translate(table).translate(table) for code, shown in table.items()},
        **_LOOKALIKES,
    }


def _small_capitals() -> dict[int, str]:
    """Return the ordinary letter of each small capital, for names chosen before these were refused."""
    found = {
        code: _SMALL_CAPITAL.fullmatch(unicodedata.name(chr(code), ""))
        for first, last in ((0x0250, 0x02B0), (0x1D00, 0x1D80), (0xA720, 0xA800))
        for code in range(first, last)
    }
    return {code: match[1].lower() for code, match in found.items() if match is not None}


def is_official(name: str) -> bool:
    """Return whether a name claims a role at this site, as a separate word or within a compound."""
    words = [word for part in _WORD_PATTERN.findall(name) for word in _INNER_CAPITAL.split(part)]
    shapes = {shape for word in (name, *words) for shape in skeletons(word)}
    return any(
        shape in _ROLE_SKELETONS
        or shape.startswith(_AFFIX_SKELETONS)
        or shape.endswith(_AFFIX_SKELETONS)
        or _OFFICIAL_RUN.fullmatch(shape)
        for shape in shapes
    )


def is_reserved(name: str) -> bool:
    """Return whether the name looks like a term of the game itself."""
    return not _RESERVED_SKELETONS.isdisjoint(skeletons(name))


_RESERVED_SKELETONS = frozenset(skeleton(word) for word in _RESERVED_WORDS.split())
_ROLE_SKELETONS = frozenset(skeleton(word) for word in _ROLE_WORDS.split())
_AFFIX_SKELETONS = tuple(skeleton(word) for word in _ROLE_AFFIXES.split())
_OFFICIAL_RUN = re.compile(
    "(?:{company})*(?:{roles})(?:{company}|{roles}|[0-9])*".format(
        company="|".join(
            sorted({skeleton(word) for word in _ROLE_COMPANION_WORDS.split()}, key=len, reverse=True)
        ),
        roles="|".join(sorted(_ROLE_SKELETONS, key=len, reverse=True)),
    )
)
