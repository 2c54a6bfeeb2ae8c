"""Names of people: what may be one, which two look alike, and suggestions that sound like pirates.

Scripts are as UTS #39 wants them for identifiers: "moderately restrictive", one system of digits.
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

# UAX #31, table 5. Others are of scholars or of few (Cherokee, Lisu, Coptic …), and some of them are Latin
# to the eye from one end to the other.
RECOMMENDED = frozenset(
    "Arabic Armenian Bengali Bopomofo Cyrillic Devanagari Ethiopic Georgian Greek Gujarati Gurmukhi Han Hangul "
    "Hebrew Hiragana Kannada Katakana Khmer Lao Latin Malayalam Myanmar Oriya Sinhala Tamil Telugu Thaana Thai "
    "Tibetan".split()
)
# Written together as a matter of course (UTS #39, "highly restrictive").
_TOGETHER = (
    frozenset(("Latin", "Han", "Hiragana", "Katakana")),
    frozenset(("Latin", "Han", "Bopomofo")),
    frozenset(("Latin", "Han", "Hangul")),
)
_ANYWHERE = frozenset(("Common", "Inherited"))
_NOT_WITH_LATIN = frozenset(("Cyrillic", "Greek"))

# Default_Ignorable_Code_Point: shown as nothing at all, whatever their category says.
_IGNORABLE = (
    (0x00AD, 0x00AD), (0x034F, 0x034F), (0x061C, 0x061C), (0x115F, 0x1160), (0x17B4, 0x17B5),
    (0x180B, 0x180F), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164),
    (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
)  # fmt: skip


def is_ignorable(letter: str) -> bool:
    """Whether a reader sees nothing of it."""
    return letter > "\x7f" and any(first <= ord(letter) <= last for first, last in _IGNORABLE)


def is_moderate(name: str) -> bool:
    """Whether one script, or two that nobody mixes up, make the whole name; and one system of digits."""
    if name.isascii():
        return True
    scripts = {script for script in map(_script, filter(_counts, name)) if script not in _ANYWHERE}
    digits = {ord(letter) - unicodedata.decimal(letter) for letter in name if letter.isdecimal()}
    if len(digits) > 1 or not scripts <= RECOMMENDED:
        return False
    others = scripts - {"Latin"}
    if len(scripts) <= 1 or any(scripts <= together for together in _TOGETHER):
        return True
    return len(others) == 1 and not others & _NOT_WITH_LATIN


def lookalikes() -> dict[str, str]:
    """Letters beyond ASCII, and the letters they look like."""
    found: dict[str, str] = _tables()["lookalikes"]
    return found


def _counts(letter: str) -> bool:
    return unicodedata.category(letter)[0] in "LMN"


def _script(letter: str) -> str:
    starts, ends, scripts = _ranges()
    place = bisect_right(starts, ord(letter)) - 1
    return scripts[place] if place >= 0 and ord(letter) <= ends[place] else "Unknown"


@cache
def _ranges() -> tuple[list[int], list[int], list[str]]:
    found = sorted(
        (first, last, script) for script, ranges in _tables()["scripts"].items() for first, last in ranges
    )
    starts, ends, scripts = zip(*found, strict=True)
    return list(starts), list(ends), list(scripts)


@cache
def _tables() -> Any:
    return json.loads((resources.files("app.web.auth") / "lookalikes.json").read_text(encoding="utf-8"))


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
    "server system root somebody nobody anybody everyone "
    "spectator spectators host guest bot player deleted null undefined red blue yellow green violet"
)

# Words of those who run a site, in the languages of this one. They are refused as words of a longer name too:
# "Site Operator" would be believed as easily as "Operator".
_ROLE_WORDS = (
    "admin admins administrator administrators administrador administrateur amministratore sysadmin sysop webmaster "
    "mod mods moderator moderators moderador moderateur moderatore operator operators operador operateur operatore "
    "betreiber beheerder support soporte helpdesk staff official officiel oficial ufficiale offiziell cartagena"
)
# What stands beside them in a name that is written in one word, as SiteAdmin or TheCartagenaTeam.
_COMPANY_WORDS = "the site game server web help desk service team crew root system online real"
# Unmistakable also where other letters are stuck to them.
_ROLE_AFFIXES = "admin moderator cartagena"
_STYLED_DECOMPOSITIONS = ("<font>", "<super>", "<sub>", "<circle>", "<square>")
_ORDINALS = frozenset("ªº")  # superscripts by their decomposition; "Mª José" is an ordinary name
_SMALL_CAPITAL = re.compile(r"LATIN LETTER SMALL CAPITAL ([A-Z])")
_WORDS = re.compile(r"[^\W\d_]+")
_INNER_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")


def is_styled(letter: str) -> bool:
    """Return whether a letter is a small capital, superscript or mathematical form of an ordinary one.

    Most small capitals have no decomposition, so Unicode's normal forms and UTS #39 keep them apart from the letters
    that they look like.
    """
    if letter.isascii() or letter in _ORDINALS:
        return False
    if unicodedata.decomposition(letter).startswith(_STYLED_DECOMPOSITIONS):
        return True
    return "SMALL CAPITAL" in unicodedata.name(letter, "") or "\u1d00" <= letter <= "\u1dbf"


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
    if any(map(is_styled, name)):
        raise BadRequest(
            "name_styled",
            "Use ordinary letters: a name may not contain small capitals or other styled letters.",
        )
    if is_official(name):
        raise BadRequest(
            "name_official", "That name could be taken for someone who runs this site. Choose another."
        )
    if is_reserved(name):
        raise BadRequest("name_reserved", "That name could be taken for a part of the game. Choose another.")
    if not is_moderate(name):
        raise BadRequest("name_scripts", "A name may not mix letters of different alphabets.")
    return name


@lru_cache(maxsize=1024)
def skeleton(name: str) -> str:
    """What a name looks like at a glance: two names with one skeleton are confusable."""
    return _shape(name, _all_lookalikes())


def named(text: str) -> Name:
    """A name with what the store finds it by."""
    return Name(text, login(text), skeleton(text), skeletons(text))


@lru_cache(maxsize=512)  # a name is looked at again and again while it is being taken
def skeletons(name: str) -> tuple[str, ...]:
    """Every skeleton that this name could be taken by, its own first.

    Capitals may look like other letters than the small ones do (Greek eta is H and n), and a name that was
    taken before Unicode's table was used here stands under the skeleton of then, which is its log-in.
    """
    capitals = name.translate(_CAPITALS)
    return tuple(dict.fromkeys((skeleton(name), login(name), skeleton(capitals))))


@lru_cache(maxsize=512)
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
    table = {
        **{ord(letter): shown for letter, shown in lookalikes().items()},
        **_small_capitals(),
        **_LOOKALIKES,
    }
    # What a letter looks like may look like something else again.
    return {
        **{code: str(shown).translate(table).translate(table) for code, shown in table.items()},
        **_LOOKALIKES,
    }


def _small_capitals() -> dict[int, str]:
    """Return the ordinary letter of each small capital; for skeletons of names that were chosen before today's rule."""
    found = {
        code: _SMALL_CAPITAL.fullmatch(unicodedata.name(chr(code), ""))
        for first, last in ((0x0250, 0x02B0), (0x1D00, 0x1D80), (0xA720, 0xA800))
        for code in range(first, last)
    }
    return {code: match[1].lower() for code, match in found.items() if match is not None}


def is_official(name: str) -> bool:
    """Return whether a name claims a role at this site, as a word of its own or run together with others."""
    words = [word for part in _WORDS.findall(name) for word in _INNER_CAPITAL.split(part)]
    shapes = {shape for word in (name, *words) for shape in skeletons(word)}
    return any(
        shape in _ROLE_SKELETONS
        or shape.startswith(_AFFIX_SKELETONS)
        or shape.endswith(_AFFIX_SKELETONS)
        or _OFFICIAL_RUN.fullmatch(shape)
        for shape in shapes
    )


def is_reserved(name: str) -> bool:
    """Whether the name looks like something of the game itself."""
    return not _RESERVED_SKELETONS.isdisjoint(skeletons(name))


_RESERVED_SKELETONS = frozenset(skeleton(word) for word in _RESERVED_WORDS.split())
_ROLE_SKELETONS = frozenset(skeleton(word) for word in _ROLE_WORDS.split())
_AFFIX_SKELETONS = tuple(skeleton(word) for word in _ROLE_AFFIXES.split())
_OFFICIAL_RUN = re.compile(
    "(?:{company})*(?:{roles})(?:{company}|{roles}|[0-9])*".format(
        company="|".join(sorted({skeleton(word) for word in _COMPANY_WORDS.split()}, key=len, reverse=True)),
        roles="|".join(sorted(_ROLE_SKELETONS, key=len, reverse=True)),
    )
)
