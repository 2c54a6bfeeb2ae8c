"""The form for a new table, made from the option catalogue, and its check before anything is sent."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from app.rules.catalogue import CATALOGUE, PRESETS, OptionSpec, Preset
from app.rules.core.cards import SYMBOLS
from app.rules.core.errors import BadOptions, Param
from app.rules.options import CONFLICTS, Options, parse_options
from app.web.i18n import Catalogue
from app.web.pages.render import Pages, json_object
from app.web.routing import Router

router = Router(include_in_schema=False)

Conflicting = tuple[tuple[str, ...], str, dict[str, Param]]
"""Options that do not go together, why not, and what about."""

# The catalogue gives each value a sentence; a form also needs a word to put on the button.
CHOICE_WORDS: dict[tuple[str, str], str] = {
    ("symbols", "classic"): "Classic",
    ("symbols", "escape"): "Escape",
    ("hands", "hidden"): "Hidden",
    ("hands", "open"): "Open",
    ("supply", "deck"): "Deck",
    ("supply", "row"): "Open row",
    ("scenario", "passage"): "Passage",
    ("scenario", "jungle"): "Jungle",
    ("scenario", "complete"): "Complete",
    ("board", "printed"): "Printed",
    ("board", "random"): "Mixed",
    ("relief", "rest"): "Any time",
    ("relief", "start"): "At the start",
    ("relief", "none"): "None",
    ("card_gain", "retreat"): "Retreat",
    ("card_gain", "morgan"): "Morgan",
    ("card_gain", "both"): "Both",
    ("card_gain", "split"): "Split",
}

# Which options stand together; the names are headings of the form.
GROUPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("The route", ("scenario", "passage_boards", "jungle_boards", "board", "symbols", "pirates")),
    ("The cards", ("hands", "supply", "row_size", "copies", "card_gain")),
    ("The turn", ("actions", "min_actions", "relief", "first")),
    ("Modules", ("scoundrels", "black_magic")),
)


@dataclass(frozen=True)
class FormChoice:
    value: str
    word: str
    sentence: str


@dataclass(frozen=True)
class FormOption:
    """One option as the form shows it, already in the reader's language."""

    name: str
    kind: str
    label: str
    sentence: str
    choices: tuple[FormChoice, ...]
    low: int
    high: int
    excludes: str
    range: str


@dataclass(frozen=True)
class PresetCard:
    name: str
    title: str
    year_words: str
    sentence: str
    facts: tuple[tuple[str, str], ...]
    values: dict[str, Any]
    art: tuple[str, ...]


def form_option(spec: OptionSpec, words: Catalogue) -> FormOption:
    t = words.t
    choices = tuple(
        FormChoice(value, t(CHOICE_WORDS[spec.name, value]), t(sentence))
        for value, sentence in spec.choices
        if (spec.name, value) in CHOICE_WORDS
    )
    return FormOption(
        spec.name,
        spec.kind,
        t(spec.label),
        t(spec.sentence),
        choices,
        spec.low,
        spec.high,
        t(spec.excludes) if spec.excludes else "",
        f"{spec.low}–{spec.high}" if spec.kind == "number" else "",
    )


def form_options(words: Catalogue) -> dict[str, FormOption]:
    return {spec.name: form_option(spec, words) for spec in CATALOGUE if spec.name != "preset"}


def groups(words: Catalogue) -> list[tuple[str, tuple[str, ...]]]:
    return [(words.t(heading), names) for heading, names in GROUPS]


def preset_cards(words: Catalogue) -> list[PresetCard]:
    return [preset_card(preset, words) for preset in PRESETS.values()]


def preset_card(preset: Preset, words: Catalogue) -> PresetCard:
    t = words.t
    shown = ("hands", "supply", "scenario", "symbols", "relief")
    options = form_options(words)
    facts = [
        (options[name].label, choice.word)
        for name in shown
        for choice in options[name].choices
        if choice.value == preset.values[name]
    ]
    year = t("online") if preset.year == "online" else preset.year
    return PresetCard(
        preset.name,
        t(preset.title),
        year,
        t(preset.sentence),
        tuple(facts),
        dict(preset.values),
        SYMBOLS[str(preset.values["symbols"])],
    )


def conflicts_of(given: dict[str, Any]) -> list[Conflicting]:
    """Every combination in these options that the rules refuse, and why; empty when all is well."""
    try:
        parse_options(given)
    except BadOptions as problem:
        known = {**PRESETS.get(str(given.get("preset")), PRESETS["jamaica"]).values, **given}
        met: list[Conflicting] = []
        with suppress(TypeError):  # an option that there is not
            candidate = Options(**known)
            met = [(each.options, each.why.name, {}) for each in CONFLICTS if each.is_met(candidate)]
        return met or [((), problem.why, problem.params)]
    return []


@router.post("/new/check")
async def check(request: Request, pages: Pages) -> Response:
    """Say before the click what does not go together: the same rules that decide when the table is made."""
    body = await request.body()
    words = pages.catalogue_for(request)
    given = json_object(body, limit=4096)
    found = conflicts_of(given)
    return JSONResponse(
        {
            "conflicts": [
                {"options": list(names), "sentence": words.reason(why, of)} for names, why, of in found
            ]
        }
    )
