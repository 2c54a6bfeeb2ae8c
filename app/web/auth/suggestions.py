"""Names for those who have not chosen one: a word of the sea in their own language, and a name.

The first is a noun in every language but English, so that nothing has to agree with anything.
"""

from __future__ import annotations

import random

_FIRST: dict[str, tuple[str, ...]] = {
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
_SECOND = {
    "en": tuple(
        (
            "Alba Bellows Bonfire Corsair Crow Dolores Esteban Finch Gannet Heron Ibis Jacinta Kestrel Ledger "
            "Lorenzo Magpie Marisol Morrow Nettle Otter Parsnip Pelican Petrel Quill Ramiro Sable Sculpin Teal "
            "Tobias Urchin Valdez Wharton Ximena Yarrow"
        ).split()
    )
}
# Names that are at home in every port.
_NAMES = tuple(
    (
        "Alba Amaro Belinda Benito Carmela Corso Dolores Elvira Esteban Fabio Ines Jacinta Jonas Kira Leonora "
        "Lorenzo Malena Marisol Mateo Nadia Nerea Oriana Otto Ramiro Rufus Selma Tobias Ulla Valdez Viktor Ximena"
    ).split()
)


def suggest(chance: random.Random, language: str = "en") -> str:
    """A name for somebody who reads this language."""
    first = _FIRST.get(language, _FIRST["en"])
    return f"{chance.choice(first)} {chance.choice(_SECOND.get(language, _NAMES))}"
