"""Find every sentence of templates, scripts and the option catalogue, and keep the .po files in step.

`python -m tools.i18n_extract` rewrites the catalogues (new sentences empty, unused ones gone);
`--check` only says what is missing or unused and fails if anything is.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po, write_po
from jinja2 import Environment, nodes

from app.paths import LOCALES, STATIC, TEMPLATES
from app.web import pages
from app.web.i18n import LANGUAGES
from tools.i18n_house import other_words, typeset
from tools.i18n_sources import server_sentences

__all__ = ["Found", "find_all", "problems", "update"]

PAGES = Path(pages.__file__).parent
PICTURES = PAGES.parent / "pictures"

LITERAL = r"""("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\$]|\\.)*`)"""
CALL = re.compile(r"(?<![\w.$])(t|N_)\(\s*" + LITERAL)
PLURAL_CALL = re.compile(r"(?<![\w.$])tn\(\s*" + LITERAL + r"\s*,\s*" + LITERAL)
ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)")


Translated = str | list[str] | tuple[str, ...] | None


@dataclass(frozen=True, order=True)
class Found:
    """One sentence to translate and a file that uses it."""

    one: str
    many: str
    place: str


def find_all() -> list[Found]:
    """Every sentence of the product."""
    found = [*from_templates(TEMPLATES), *from_scripts(STATIC / "js")]
    found += [*from_python(PAGES), *from_python(PICTURES)]
    found += [Found(sentence, "", place) for sentence, place in server_sentences()]
    return sorted(set(found))


def from_templates(folder: Path) -> Iterator[Found]:
    parser = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    for path in sorted(folder.rglob("*.html")):
        place = f"templates/{path.relative_to(folder).as_posix()}"
        for call in parser.parse(path.read_text()).find_all(nodes.Call):
            if not isinstance(call.node, nodes.Name) or call.node.name not in ("t", "tn"):
                continue
            texts = [arg.value for arg in call.args if isinstance(arg, nodes.Const)]
            if call.node.name == "tn":
                yield Found(str(texts[0]), str(texts[1]), place)
            elif texts:
                yield Found(str(texts[0]), "", place)


def from_scripts(folder: Path) -> Iterator[Found]:
    for path in sorted(folder.rglob("*.js")):
        place = f"static/js/{path.relative_to(folder).as_posix()}"
        if place == "static/js/core/i18n.js":  # its comments show how t() is called
            continue
        text = path.read_text()
        for match in CALL.finditer(text):
            yield Found(unquoted(match[2]), "", place)
        for match in PLURAL_CALL.finditer(text):
            yield Found(unquoted(match[1]), unquoted(match[2]), place)


def from_python(folder: Path) -> Iterator[Found]:
    """Sentences that pages and pictures say by themselves: t("…"), words.t("…"), words.tn("…", "…", n)."""
    for path in sorted(folder.glob("*.py")):
        for call in ast.walk(ast.parse(path.read_text())):
            if not isinstance(call, ast.Call) or not call.args or not isinstance(call.args[0], ast.Constant):
                continue
            name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
            texts = [arg.value for arg in call.args[:2] if isinstance(arg, ast.Constant)]
            if name == "tn":
                yield Found(str(texts[0]), str(texts[1]), f"app/web/{folder.name}/{path.name}")
            elif name == "t" and isinstance(texts[0], str):
                yield Found(texts[0], "", f"app/web/{folder.name}/{path.name}")


def unquoted(literal: str) -> str:
    plain = {"n": "\n", "t": "\t"}

    def one(match: re.Match[str]) -> str:
        code = match[1]
        if len(code) == 5:
            return chr(int(code[1:], 16))
        return plain.get(code, code)

    return ESCAPE.sub(one, literal[1:-1])


def read(code: str) -> Catalog:
    path = po_path(code)
    if not path.exists():
        return Catalog(locale=code)
    with path.open("rb") as file:
        return read_po(file, locale=code)


def po_path(code: str) -> Path:
    return LOCALES / code / "LC_MESSAGES" / "messages.po"


def fresh_catalogue(code: str, found: list[Found]) -> Catalog:
    """The catalogue as the sources want it, with the translations that already exist."""
    old = read(code)
    new = Catalog(
        locale=code,
        project="Cartagena",
        version="1",
        charset="utf-8",
        fuzzy=False,
        header_comment=f"# Cartagena in {LANGUAGES[code]}; kept by python -m tools.i18n_extract",
    )
    places: dict[tuple[str, str], list[str]] = {}
    for each in found:
        places.setdefault((each.one, each.many), []).append(each.place)
    for (one, many), where in sorted(places.items()):
        known = old.get((one, many) if many else one)
        is_known = known is not None and isinstance(known.string, str) is not bool(
            many
        )  # else it gained a plural
        text = in_house_style(code, known.string) if known is not None and is_known else None
        locations: list[tuple[str, int | None]] = [(place, None) for place in where]
        new.add((one, many) if many else one, text or None, locations=locations)  # type: ignore[arg-type]
    return new


def in_house_style(code: str, text: Translated) -> Translated:
    if text is None or isinstance(text, str):
        return typeset(code, text or "")
    return tuple(typeset(code, each) for each in text)


def update() -> None:
    found = find_all()
    for code in LANGUAGES:
        if code == "en":
            continue
        new = fresh_catalogue(code, found)
        path = po_path(code)
        path.parent.mkdir(parents=True, exist_ok=True)
        now, new.creation_date = new.creation_date, read(code).creation_date
        if not path.exists() or rendered(new) != path.read_bytes():  # a new date alone is no change
            new.creation_date = now
            path.write_bytes(rendered(new))


def rendered(catalogue: Catalog) -> bytes:
    file = BytesIO()
    write_po(file, catalogue, width=0, include_lineno=False, sort_output=True, omit_header=False)
    return file.getvalue()


def problems() -> list[str]:
    """What is missing, unused or broken, one line each; empty when all is well."""
    found = find_all()
    wanted = {(each.one, each.many) for each in found}
    scripted = {(each.one, each.many) for each in found if each.place.startswith("static/")}
    lines: list[str] = []
    for one, many in sorted(wanted):
        words = sorted({*other_words("en", one), *other_words("en", many)})
        lines += [f"en: the word for it here is “{word}”: {one}" for word in words]
    for code in LANGUAGES:
        if code == "en":
            continue
        present: set[tuple[str, str]] = set()
        for message in read(code):
            if not message.id:
                continue
            forms = message.id if isinstance(message.id, (list, tuple)) else (message.id, "")
            key = (str(forms[0]), str(forms[1]))
            texts = message.string if isinstance(message.string, (list, tuple)) else (message.string,)
            present.add(key)
            if key not in wanted:
                lines.append(f"{code}: unused: {key[0]}")
            elif (key in scripted) != any(place.startswith("static/") for place, _ in message.locations):
                lines.append(f"{code}: its place has changed, run python -m tools.i18n_extract: {key[0]}")
            elif not all(texts) or (key[1] and len(texts) < 2):
                lines.append(f"{code}: not translated: {key[0]}")
            elif any(holes(str(text)) - holes(key[0] + key[1]) for text in texts):
                lines.append(f"{code}: unknown placeholder: {key[0]}")
            elif not key[1] and holes(str(texts[0])) != holes(key[0]):
                lines.append(f"{code}: placeholder lost: {key[0]}")
            elif in_house_style(code, message.string) != message.string:
                lines.append(f"{code}: its spaces have changed, run python -m tools.i18n_extract: {key[0]}")
            else:
                better = {word for text in texts for word in other_words(code, str(text))}
                lines += [f"{code}: the word for it here is “{word}”: {texts[0]}" for word in sorted(better)]
        lines += [f"{code}: missing: {one}" for one, many in sorted(wanted - present)]
    return lines


def holes(text: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", text))


def main(arguments: list[str]) -> int:
    if "--check" not in arguments:
        update()
    lines = problems()
    for line in lines:
        sys.stdout.write(line + "\n")
    return 1 if lines and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
