"""Suggested names for new guests: a nautical word in their language, and a name.

Except in English the first word is a noun, so that no grammatical agreement is needed.
"""

from __future__ import annotations

import random

_FIRST_WORDS: dict[str, tuple[str, ...]] = {
    language: tuple(words.split())
    for language, words in {
        "en": (
            "Barnacle Brass Briny Copper Coral Crooked Cutlass Drifting Foggy Galley Gilded Grizzled Harbour Jolly "
            "Lantern Lucky Midnight Mooring Pepper Plucky Rigging Rowdy Rusty Salty Silent Spyglass Squall Stormy "
            "Tar Tattered Thunder Tidal Topsail Weathered Whistling Windward"
        ),
        "sv": (
            "Ankare Barkass Bris Båtsman Dyning Fyrljus Förtöjning Havsvik Hamnkatt Kanon Kompass Korall Krita "
            "Kuling Lykta Mesan Märs Orkan Peppar Skeppskatt Skans Storm Tackel Tampen Tjära Topsegel Åska"
        ),
        "nb": (
            "Anker Bris Båtsmann Dønning Fortøyning Fyrlys Havsvik Havnekatt Kanon Kompass Korall Kuling Lanterne "
            "Matros Mesan Orkan Pepper Skipskatt Skanse Storm Takkel Tamp Tjære Toppseil Torden"
        ),
        "nl": (
            "Anker Bries Boegspriet Bootsman Deining Donder Golfslag Havenkat Kanon Kompas Koraal Lantaarn "
            "Marszeil Mist Onweer Orkaan Pekton Peper Scheepskat Schuimkop Steven Storm Takel Touw Vuurtoren Zeewier"
        ),
        "de": (
            "Anker Barkasse Bernstein Bootsmann Brise Donner Flaute Hafenkatze Kanone Kompass Koralle Laterne "
            "Leuchtturm Muschel Nebel Orkan Pfeffer Schiffskatze Seegras Segeltuch Sturm Takelage Teer Toppsegel Woge"
        ),
        "fr": (
            "Ancre Artimon Bourrasque Boussole Brise Cabestan Canon Chaloupe Cordage Corail Embrun Fanal Goudron "
            "Gréement Houle Hunier Lanterne Mistral Mousson Orage Ouragan Phare Poivre Tonnerre Tempête Voilure"
        ),
        "es": (
            "Ancla Aparejo Bauprés Borrasca Brisa Brújula Cabo Cañón Coral Espuma Farol Galerna Huracán Jarcia "
            "Linterna Marea Mesana Niebla Oleaje Pimienta Ráfaga Salitre Tempestad Timón Trueno Velamen"
        ),
        "it": (
            "Albatro Ancora Bonaccia Bompresso Brezza Burrasca Bussola Cannone Catrame Corallo Faro Gomena Lanterna "
            "Libeccio Maestrale Marea Mezzana Nebbia Onda Pepe Salsedine Schiuma Scirocco Tempesta Timone Tuono"
        ),
    }.items()
}
_SECOND_WORDS = {
    "en": tuple(
        (
            "Alba Bellows Bonfire Corsair Crow Dolores Esteban Finch Gannet Heron Ibis Jacinta Kestrel Ledger "
            "Lorenzo Magpie Marisol Morrow Nettle Otter Parsnip Pelican Petrel Quill Ramiro Sable Sculpin Teal "
            "Tobias Urchin Valdez Wharton Ximena Yarrow"
        ).split()
    )
}
# Names that are common in many languages.
_INTERNATIONAL_NAMES = tuple(
    (
        "Alba Amaro Belinda Benito Carmela Corso Dolores Elvira Esteban Fabio Ines Jacinta Jonas Kira Leonora "
        "Lorenzo Malena Marisol Mateo Nadia Nerea Oriana Otto Ramiro Rufus Selma Tobias Ulla Valdez Viktor Ximena"
    ).split()
)


def suggest_name(chance: random.Random, language: str = "en") -> str:
    """Return a random name for a reader of this language."""
    first = _FIRST_WORDS.get(language, _FIRST_WORDS["en"])
    return f"{chance.choice(first)} {chance.choice(_SECOND_WORDS.get(language, _INTERNATIONAL_NAMES))}"
