"""Languages: one gettext catalogue per language, shared by templates and scripts.

English source strings are the keys. Placeholders are written {name} in both, so a sentence that a template and a
script use is one entry with one translation.
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

LANGUAGE_COOKIE = "lang"

# Languages of the rulebooks first, then others.
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

# Norwegian browsers send "no" or "nn" as often as "nb".
LANGUAGE_ALIASES = {"no": "nb", "nn": "nb"}

# In French zero is singular; in the other languages only one is.
ZERO_IS_SINGULAR = frozenset({"fr"})

# Scripts whose sentences are left out of the table page's catalogue. The page loads them through `withWholeCatalogue`
# (i18n.js), which fetches the whole catalogue first.
NON_TABLE_SCRIPTS = (
    "app/web/api/",
    "static/js/pages/",
    "static/js/screen/",
    "static/js/core/account_dialog.js",
    "static/js/core/confirm_dialog.js",
    "static/js/core/embed_dialog.js",
    "static/js/core/friend_button.js",
    "static/js/core/friend_presence.js",
    "static/js/core/install_offer.js",
    "static/js/core/password_prompt.js",
    "static/js/core/percentage_points.js",
    "static/js/core/person_note.js",
    "static/js/core/rating_text.js",
    "static/js/core/refusals.js",
    "static/js/table/before_start.js",
    "static/js/table/confirmed_commands.js",
    "static/js/table/analysis.js",
    "static/js/table/deal_note.js",
    "static/js/table/ending.js",
    "static/js/table/ending_friends.js",
    "static/js/table/ending_ratings.js",
    "static/js/table/explanations.js",
    "static/js/table/hand_layout.js",
    "static/js/table/hint_text.js",
    "static/js/table/host_password.js",
    "static/js/table/identity.js",
    "static/js/table/invite_friends.js",
    "static/js/table/menu.js",
    "static/js/table/shortcuts_dialog.js",
    "static/js/table/lesson_texts.js",
    "static/js/table/option_text.js",
    "static/js/table/verdict.js",
    "static/js/table/pending_choice.js",
    "static/js/table/rematch.js",
    "static/js/table/seating.js",
    "static/js/table/seating_invite.js",
    "static/js/table/seating_head.js",
    "static/js/table/seating_row.js",
    "static/js/table/history_player.js",
    "static/js/table/notification_offer.js",
    "static/js/table/plate_ratings.js",
    "static/js/table/player_dialog.js",
    "static/js/table/why.js",
)

# Where sentences come from that scripts show: their own, and messages of the API.
SCRIPT_SOURCES = ("static/", "app/web/api/")

PLACEHOLDER = re.compile(r"\{(\w+)\}")


def fill(text: str, values: Mapping[str, object]) -> str:
    """Replace the {placeholders}. One without a value stays visible."""
    return PLACEHOLDER.sub(lambda m: str(values.get(m[1], m[0])), text)


@dataclass(frozen=True)
class Catalogue:
    """The translations of one language."""

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
        is_one = n == 1 or (n == 0 and self.code in ZERO_IS_SINGULAR)
        return fill(forms[0 if is_one else 1], {"n": n, **values})

    @cached_property
    def reasons(self) -> Mapping[str, str]:
        """Reason of a rules refusal → its sentence, with the parameters as {placeholders}."""
        return {reason.name: self.singles.get(reason.value, reason.value) for reason in reasons()}

    def reason(self, why: str | None, params: Mapping[str, Param]) -> str | None:
        """Return the sentence of a rules refusal; None if its reason has none."""
        sentence = self.reasons.get(why or "")
        if sentence is None:
            return None
        return fill(sentence, {name: self._format_param(name, value) for name, value in params.items()})

    def _format_param(self, name: str, value: Param) -> str:
        """Return a parameter as text, as refusals.js does."""
        if name not in ("card", "symbol") or not isinstance(value, str):
            return str(value)
        symbol = self.t(value.removesuffix("*"))
        return self.t("dark {symbol}", symbol=symbol) if value.endswith("*") else symbol

    @cached_property
    def table_part(self) -> Catalogue:
        """The smaller catalogue for the table page, without the strings of other pages."""
        return replace(self, script_keys=self.table_keys, is_whole=False)

    @cached_property
    def script_json(self) -> bytes:
        """The strings that scripts use, as JSON."""
        body: dict[str, object] = {"lang": self.code, "zeroIsOne": self.code in ZERO_IS_SINGULAR}
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
    """Read a .po file. It has only a few hundred entries, so compiling it is not worthwhile."""
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
        places = [place for place, _line in message.locations if place.startswith(SCRIPT_SOURCES)]
        if places:
            script.add(key)
        if not all(place.startswith(NON_TABLE_SCRIPTS) for place in places):
            table.add(key)
    return Catalogue(code, singles, plurals, frozenset(script), frozenset(table))


class Languages:
    """The catalogues of a folder, each read on first use."""

    def __init__(self, locales: Path) -> None:
        self._locales = locales
        self._read: dict[str, Catalogue] = {"en": Catalogue("en")}

    def catalogue(self, code: str) -> Catalogue:
        found = self._read.get(code)
        if found is None:
            found = read_catalogue(code, self._locales / code / "LC_MESSAGES" / "messages.po")
            self._read[code] = found
        return found

    def translate(self, language: str, source: str, /, **values: object) -> str:
        """Return a translated sentence outside a page, such as in an e-mail."""
        return self.catalogue(language if language in LANGUAGES else "en").t(source, **values)


def language_of(connection: HTTPConnection) -> str:
    """Return the language of a request: from the query, else the cookie, else Accept-Language."""
    return choose_language(
        connection.query_params.get("lang"),
        connection.cookies.get(LANGUAGE_COOKIE),
        connection.headers.get("accept-language"),
    )


def choose_language(requested: str | None, cookie: str | None, accept: str | None) -> str:
    for code in (requested, cookie):
        if code is not None and code in LANGUAGES:
            return code
    return negotiate_locale(parse_accept_language(accept or ""), list(LANGUAGES), sep="-") or "en"


def parse_accept_language(header: str) -> list[str]:
    """Return the languages of an Accept-Language header, best first."""
    weighed: list[tuple[float, int, str]] = []
    for place, part in enumerate(header[:400].split(",")):
        tag, _, weight = part.strip().partition(";")
        primary = tag.strip().lower().split("-")[0]
        try:
            q = float(weight.partition("=")[2] or 1)
        except ValueError:
            q = 0.0
        if primary and q > 0:
            weighed.append((-q, place, LANGUAGE_ALIASES.get(primary, primary)))
    return [tag for _q, _place, tag in sorted(weighed)]
