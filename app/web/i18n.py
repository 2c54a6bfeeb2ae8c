"""Languages: one gettext catalogue a language, read once, for templates and scripts alike.

English source strings are the keys. Placeholders are written {name} in both worlds, so a
sentence used by a template and by a script is one entry with one translation.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from babel.core import negotiate_locale
from babel.messages.pofile import read_po
from starlette.requests import HTTPConnection

from app.rules import reasons
from app.rules.core.errors import Param

COOKIE = "lang"

# The order is that of the rulebooks' own languages first, then the neighbours'.
LANGUAGES: Mapping[str, str] = {
    "en": "English",
    "sv": "Svenska",
    "nb": "Norsk bokmål",
    "nl": "Nederlands",
    "de": "Deutsch",
    "fr": "Français",
    "es": "Español",
    "it": "Italiano",
}

# Browsers of Norwegians say "no" or "nn" as often as "nb".
ALIASES = {"no": "nb", "nn": "nb"}

# In French zero is singular; everywhere else here only one is.
ZERO_IS_ONE = frozenset({"fr"})

# The table's catalogue goes without what these scripts say; whoever loads one asks for the whole (`rare` in i18n.js).
NOT_AT_TABLE = (
    "static/js/pages/",
    "static/js/screen/",
    "static/js/core/embed_snippet.js",
    "static/js/core/install.js",
    "static/js/core/password_door.js",
    "static/js/core/refusals.js",
    "static/js/table/deal.js",
    "static/js/table/ending.js",
    "static/js/table/hand_layout.js",
    "static/js/table/host_password.js",
    "static/js/table/joining.js",
    "static/js/table/keys.js",
    "static/js/table/option_text.js",
    "static/js/table/owed.js",
    "static/js/table/rematch.js",
    "static/js/table/seating.js",
    "static/js/table/story.js",
    "static/js/table/tell_me.js",
    "static/js/table/towards.js",
)

HOLE = re.compile(r"\{(\w+)\}")


def fill(text: str, values: Mapping[str, object]) -> str:
    """Put the values into the {holes}; a hole without a value stays visible."""
    return HOLE.sub(lambda m: str(values.get(m[1], m[0])), text)


@dataclass(frozen=True)
class Catalogue:
    """The sentences of one language."""

    code: str
    singles: Mapping[str, str] = field(default_factory=dict)
    plurals: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    script_keys: frozenset[str] = frozenset()
    table_keys: frozenset[str] = frozenset()
    is_whole: bool = True

    def t(self, source: str, **values: object) -> str:
        return fill(self.singles.get(source, source), values)

    def tn(self, one: str, many: str, n: int, **values: object) -> str:
        forms = self.plurals.get(one, (one, many))
        is_one = n == 1 or (n == 0 and self.code in ZERO_IS_ONE)
        return fill(forms[0 if is_one else 1], {"n": n, **values})

    @cached_property
    def reasons(self) -> Mapping[str, str]:
        """Why the rules refuse something → its sentence, whose {holes} are its parameters."""
        return {reason.name: self.singles.get(reason.value, reason.value) for reason in reasons()}

    def reason(self, why: str | None, params: Mapping[str, Param]) -> str | None:
        """The sentence of a refusal of the rules; None where it has no reason that people are told."""
        sentence = self.reasons.get(why or "")
        if sentence is None:
            return None
        return fill(sentence, {name: self._said(name, value) for name, value in params.items()})

    def _said(self, name: str, value: Param) -> str:
        """A parameter in words; refusals.js says it alike."""
        if name not in ("card", "symbol") or not isinstance(value, str):
            return str(value)
        symbol = self.t(value.removesuffix("*"))
        return self.t("dark {symbol}", symbol=symbol) if value.endswith("*") else symbol

    @cached_property
    def at_table(self) -> Catalogue:
        """The same for the table alone, which must be light: without the sentences of the other pages."""
        return replace(self, script_keys=self.table_keys, is_whole=False)

    @cached_property
    def script_json(self) -> bytes:
        """What the scripts of a page need of it, and no sentence more."""
        body: dict[str, object] = {"lang": self.code, "zeroIsOne": self.code in ZERO_IS_ONE}
        body["singles"] = {k: v for k, v in self.singles.items() if k in self.script_keys}
        body["plurals"] = {k: v for k, v in self.plurals.items() if k in self.script_keys}
        if self.is_whole:
            body["reasons"] = self.reasons
        return json.dumps(body, ensure_ascii=False, sort_keys=True).encode()

    @cached_property
    def script_gzip(self) -> bytes:
        return gzip.compress(self.script_json, 9, mtime=0)

    @cached_property
    def script_hash(self) -> str:
        return hashlib.sha256(self.script_json).hexdigest()[:12]


def read_catalogue(code: str, po: Path) -> Catalogue:
    """Read a .po file as it is: a few hundred entries need no compiling."""
    singles: dict[str, str] = {}
    plurals: dict[str, tuple[str, str]] = {}
    script: set[str] = set()
    table: set[str] = set()
    with po.open("rb") as file:
        entries = read_po(file, locale=code)
    for message in entries:
        if not message.id or message.fuzzy:
            continue
        if isinstance(message.id, (list, tuple)):
            key = message.id[0]
            forms = message.string
            if isinstance(forms, (list, tuple)) and len(forms) >= 2 and all(forms):
                plurals[key] = (str(forms[0]), str(forms[1]))
        else:
            key = message.id
            if message.string:
                singles[key] = str(message.string)
        places = [place for place, _line in message.locations if place.startswith("static/")]
        if places:
            script.add(key)
        if not all(place.startswith(NOT_AT_TABLE) for place in places):
            table.add(key)
    return Catalogue(code, singles, plurals, frozenset(script), frozenset(table))


class Languages:
    """All catalogues of a folder, read when first asked for."""

    def __init__(self, locales: Path) -> None:
        self._locales = locales
        self._read: dict[str, Catalogue] = {"en": Catalogue("en")}

    def catalogue(self, code: str) -> Catalogue:
        found = self._read.get(code)
        if found is None:
            found = read_catalogue(code, self._locales / code / "LC_MESSAGES" / "messages.po")
            self._read[code] = found
        return found

    def say(self, language: str, source: str, /, **values: object) -> str:
        """A sentence for somebody who is not looking at a page, as in an e-mail."""
        return self.catalogue(language if language in LANGUAGES else "en").t(source, **values)


def language_of(connection: HTTPConnection) -> str:
    """The language of whoever asks: what the link says, else the cookie, else the browser."""
    return choose(
        connection.query_params.get("lang"),
        connection.cookies.get(COOKIE),
        connection.headers.get("accept-language"),
    )


def choose(wished: str | None, cookie: str | None, accept: str | None) -> str:
    for code in (wished, cookie):
        if code is not None and code in LANGUAGES:
            return code
    return negotiate_locale(accepted(accept or ""), list(LANGUAGES), sep="-") or "en"


def accepted(header: str) -> list[str]:
    """The languages of an Accept-Language header, best first."""
    weighed: list[tuple[float, int, str]] = []
    for place, part in enumerate(header[:400].split(",")):
        tag, _, weight = part.strip().partition(";")
        primary = tag.strip().lower().split("-")[0]
        try:
            q = float(weight.partition("=")[2] or 1)
        except ValueError:
            q = 0.0
        if primary and q > 0:
            weighed.append((-q, place, ALIASES.get(primary, primary)))
    return [tag for _q, _place, tag in sorted(weighed)]
