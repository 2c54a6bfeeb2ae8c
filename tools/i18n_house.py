"""How each language is set here, and which of two words for one thing is the house's.

`typeset` is applied whenever the catalogues are written, so that nobody has to type a no-break space.
"""

from __future__ import annotations

import re

__all__ = ["other_words", "typeset"]

_NO_BREAK = "\N{NO-BREAK SPACE}"


def typeset(code: str, text: str) -> str:
    """The text with the language's own spaces, apostrophes and dots."""
    if code == "fr":
        text = re.sub(r"(?<=\S) (?=[;:!?»%])", _NO_BREAK, text)
        text = re.sub("« ", f"«{_NO_BREAK}", text)
    if code in ("fr", "it"):
        text = re.sub(r"(?<=\w)'(?=\w)", "’", text)
    if code in ("fr", "es", "it", "nl"):
        return re.sub(r"(?<=\w)\s…", "…", text)
    return text.replace(" …", f"{_NO_BREAK}…")


# The rulebooks' word, or the one that was settled on, beside those that have stood for the same thing.
_WORDS: dict[str, tuple[tuple[str, str], ...]] = {
    "sv": (
        (r"är i tur", "står på tur"),
        (r"återtåg|tillbakadrag|dra(r)? sig tillbaka", "flytta bakåt"),
        (r"\blättnad", "hjälpkort"),
        (r"\bparti(er)?\b", "spel"),
        (r"\{\w+\}s\b", "… hos {name}"),
    ),
    "nb": (
        (r"\bslupen\b|\bslup\b", "sluppen"),
        (r"\bfelt(et|er|ene)?\b", "rute"),
        (r"er i tur\b", "det er {name} sin tur"),
        (r"\blettelse", "hjelpekort"),
        (r"retrett|tilbaketrekning|trekke(r)? seg tilbake", "flytt bakover"),
        (r"\bparti(er|et|ene)?\b", "spill"),
    ),
    "nl": (
        (r"\bvak(ken)?\b", "veld"),
        (r"(?<!schat)kist", "schatkist"),
        (r"\bverlichting\b", "noodkaart"),
        (r"het hele scenario|hele ontsnapping", "compleet"),
        (r"\bpartij(en)?\b", "spel"),
    ),
    "de": (
        (r"\b\w*tafeln?\b", "Spielplanteil"),
        (r"\bmaat\b", "Steuermann"),
        (r"\b(dieses|ein neues) spiel\b", "Partie"),
        (r"zu gesellschaft", "zu anderen Piraten"),
        (r"spielt (gerade )?deinen platz", "spielt für dich"),
    ),
    "fr": (
        (r"\bvogu", "naviguer"),
        (r"joue(r)? votre place", "joue à votre place"),
        (r"(?<!page )\bréessaie\b|\battends\b|\brecharge la\b|\btoi\b", "vous"),
        (r"\b(à|de) le (sloop|départ|but)\b", "au, du"),
    ),
    "es": (
        (r"\bregistros?\b", "historial (log), archivo de partida (record)"),
        (r"\basientos?\b", "puesto"),
        (r"quedarse (una|dos|\{)", "quedarse con"),
    ),
    "it": (
        (r"\bospita(re)?\b", "organizzatore"),
        (r"\britirat|\britirar", "indietreggiare"),
        (r"\bil caso\b", "il sorteggio"),
        (r"\bsollievo", "carta d’aiuto"),
        (r"\b(da|a) la\b", "dalla, alla"),
    ),
}
_PATTERNS = {
    code: tuple((re.compile(pattern, re.IGNORECASE), better) for pattern, better in words)
    for code, words in _WORDS.items()
}


def other_words(code: str, text: str) -> list[str]:
    """The house's words for what this text calls otherwise."""
    return [better for pattern, better in _PATTERNS[code] if pattern.search(text)]
