"""Create app/web/auth/lookalikes.json: which letters look alike, and the script of each, for checking names.

The source is Unicode's data (confusables.txt of UTS #39 and Scripts.txt) in the package
confusable-homoglyphs. The server does not need the package, whose tables are twenty times as large as what a
name can contain. Run it where the package is installed, then run the tests:

    python -m tools.make_lookalikes
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

from app.web.auth.names import RECOMMENDED_SCRIPTS, fold_letters

TARGET = Path(__file__).parents[1] / "app/web/auth/lookalikes.json"


def pairs(given: dict[str, list[dict[str, str]]]) -> dict[str, list[str]]:
    """Return letters that look alike, without direction marks."""
    alike: dict[str, list[str]] = {}
    for one, others in given.items():
        for other in others:
            left, right = one.replace("\u200e", ""), other["c"].replace("\u200e", "")
            alike.setdefault(left, []).append(right)
            alike.setdefault(right, []).append(left)
    return alike


def prototypes(alike: dict[str, list[str]]) -> Iterator[tuple[str, str]]:
    """Yield each letter with the representative of its look-alikes.

    The package does not say which letter of a pair is the prototype. In confusables.txt each letter has one, so the
    pairs form stars; a sequence that looks like one letter ("rn" like "m") is always a centre.
    """
    seen: set[str] = set()
    for first in alike:
        if first in seen:
            continue
        group, new = {first}, [first]
        while new:
            for other in alike.get(new.pop(), ()):
                if other not in group:
                    group.add(other)
                    new.append(other)
        seen |= group
        centre = min(group, key=lambda text: (len(text) == 1, not text.isascii(), not text.islower(), text))
        for letter in group - {centre}:
            yield letter, centre


def lookalikes(alike: dict[str, list[str]]) -> dict[str, str]:
    """Return letters after `fold_letters` with what they look like, also after `fold_letters`."""
    found: dict[str, str] = {}
    for letter, centre in prototypes(alike):
        if len(letter) != 1 or letter.isascii() or fold_letters(letter) != letter:
            continue
        looks = "".join(each for each in fold_letters(centre) if each.isalnum())
        if looks and looks != letter:
            found[letter] = looks
    return found


def scripts(categories: dict[str, list[list[int]]]) -> dict[str, list[list[int]]]:
    """Return the code point ranges of the letters and marks of each recommended script."""
    aliases = [str(alias).replace("_", " ").title() for alias in categories["iso_15924_aliases"]]
    found: dict[str, list[list[int]]] = {}
    for first, last, alias, _ in sorted(categories["code_points_ranges"]):
        if aliases[alias] not in RECOMMENDED_SCRIPTS | {"Common", "Inherited"}:
            continue
        letters = [code for code in range(first, last + 1) if unicodedata.category(chr(code))[0] in "LMN"]
        if not letters:
            continue
        ranges = found.setdefault(aliases[alias], [])
        if ranges and ranges[-1][1] + 1 == letters[0]:
            ranges[-1][1] = letters[-1]
        else:
            ranges.append([letters[0], letters[-1]])
    return found


def main() -> None:
    package = resources.files("confusable_homoglyphs")
    alike = json.loads((package / "confusables.json").read_text(encoding="utf-8"))
    categories = json.loads((package / "categories.json").read_text(encoding="utf-8"))
    made = {
        "from": "Unicode confusables.txt (UTS #39) and Scripts.txt, by tools/make_lookalikes.py",
        "scripts": scripts(categories),
        "lookalikes": dict(sorted(lookalikes(pairs(alike)).items())),
    }
    TARGET.write_text(json.dumps(made, ensure_ascii=False, indent=None, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
