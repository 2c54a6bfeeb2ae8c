"""Typography and terms of each language.

`typeset` is applied whenever catalogues are written, so that translators need not type no-break spaces.
"""

from __future__ import annotations

import re

__all__ = ["other_words", "typeset"]

_NO_BREAK = "\N{NO-BREAK SPACE}"


def typeset(code: str, text: str) -> str:
    """Return the text with the language's spaces, apostrophes and ellipses."""
    if code == "fr":
        text = re.sub(r"(?<=\S) (?=[;:!?»%])", _NO_BREAK, text)
        text = re.sub("« ", f"«{_NO_BREAK}", text)
    if code in ("fr", "it"):
        text = re.sub(r"(?<=\w)'(?=\w)", "’", text)
    if code in ("fr", "es", "it", "nl"):
        return re.sub(r"(?<=\w)\s…", "…", text)
    return text.replace(" …", f"{_NO_BREAK}…")


# Rejected words with the settled term: the rulebooks' word, or the one that was chosen.
_WORDS: dict[str, tuple[tuple[str, str], ...]] = {
    "en": (
        (r"\b(is|are) in turn\b", "It's {name}'s turn"),
        (r"\bfall(s|ing)? back\b|\bfell back\b", "retreat"),
        (r"\bg(ive|ives|ave|iven|iving) up\b", "resign"),
        (r"\bl(ay|ays|aid) down\b", "discard"),
        (r"\bmaps?\b", "board"),
        (r"\bcompany\b", "other pirates"),
        (r"\bnotices?\b", "notification"),
        (r"\btrial\b", "practice game"),
        (r"\b(some|every|any|no)body\b", "someone, everyone, anyone, no one"),
        (r"\bwhoever\b", "anyone who, the player who"),
    ),
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
        (r"\brast(karte|en)?\b", "Hilfskarte"),
        (r"\bhände\b", "Handkarten"),
    ),
    "fr": (
        (r"\bvogu", "naviguer"),
        (r"joue(r)? votre place", "joue à votre place"),
        (r"(?<!page )\bréessaie\b|\battends\b|\brecharge la\b|\btoi\b", "vous"),
        (r"\b(à|de) le (sloop|départ|but)\b", "au, du"),
        (r"(rangée|mains) ouvertes?\b", "visible"),
    ),
    "es": (
        (r"\bregistros?\b", "historial (log), archivo de partida (record)"),
        (r"\basientos?\b", "puesto"),
        (r"quedarse (una|dos|\{)", "quedarse con"),
        (r"\balivio\b", "carta de ayuda"),
        (r"\b(fila|manos?) abiertas?\b", "a la vista"),
    ),
    "it": (
        (r"\bospita(re)?\b", "organizzatore"),
        (r"\britirat|\britirar", "indietreggiare"),
        (r"\bil caso\b", "il sorteggio"),
        (r"\bsollievo", "carta d’aiuto"),
        (r"\barre(nd|s)", "abbandonare"),
        (r"\bseme\b", "seed"),
        (r"\b(fila|mani) aperte?\b|\bfila aperta\b", "scoperta"),
        (r"\b(da|a) la\b", "dalla, alla"),
    ),
}
_PATTERNS = {
    code: tuple((re.compile(pattern, re.IGNORECASE), better) for pattern, better in words)
    for code, words in _WORDS.items()
}


def other_words(code: str, text: str) -> list[str]:
    """Return the settled terms for rejected words in this text."""
    return [better for pattern, better in _PATTERNS[code] if pattern.search(text)]
