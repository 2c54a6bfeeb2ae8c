"""Scripts and styles are served without comments and otherwise unchanged."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from app.web.pages.assets import Assets, strip_comments

STATIC = Path(__file__).resolve().parents[2] / "static"
SCRIPTS = sorted(path.relative_to(STATIC).as_posix() for path in STATIC.rglob("*.js"))
STYLES = sorted(path.relative_to(STATIC).as_posix() for path in STATIC.rglob("*.css"))
CAST = re.compile(r"/\*\* @(?:type|returns) [^\n]*?\*/ ?")


def test_types_are_not_served():
    assets = Assets(STATIC)
    assert assets.url("js/core/dom.js")
    with pytest.raises(LookupError):
        assets.url("js/core/types.d.ts")


def test_casts_are_stripped_and_parentheses_kept():
    script = b"const a = /** @type {A} */ (b), c = /** @type {C | null} */ (/** @type {unknown} */ (d));\n"
    assert strip_comments("a.js", script) == b"const a = (b), c = ((d));\n"


def test_whole_line_comments_are_stripped_and_strings_kept():
    script = b'// why\n/** What.\n * It is. */\nconst a = "https://x"; // kept\n  // gone\nconst b = 2;\n'
    assert strip_comments("a.js", script) == b'const a = "https://x"; // kept\nconst b = 2;\n'
    assert strip_comments("a.css", b"/* one */\n.a { b: c; /* two */ }\n") == b"\n.a { b: c; }\n"
    assert strip_comments("a.svg", b"<!-- kept --><svg/>") == b"<!-- kept --><svg/>"


@pytest.mark.parametrize("name", SCRIPTS)
def test_only_comments_are_stripped_from_scripts(name: str):
    """A line of a template literal may look like a comment."""
    source = (STATIC / name).read_text()
    code = strip_comments(name, source.encode()).decode()
    assert code.count("`") % 2 == 0
    for text in re.findall(r"`[^`]*`", code):
        assert text in source, "a template literal was changed"
    kept = [line for line in code.splitlines() if line.strip()]
    without_casts = CAST.sub("", source)
    lost = [line.strip() for line in without_casts.splitlines() if line.strip() and line not in kept]
    assert [line for line in lost if not line.startswith(("//", "/*", "*"))] == []


@pytest.mark.parametrize("name", SCRIPTS)
def test_no_string_looks_like_a_cast(name: str):
    for line in (STATIC / name).read_text().splitlines():
        for cast in CAST.finditer(line):
            before = line[: cast.start()]
            assert not any(before.count(quote) % 2 for quote in "\"'`"), line


@pytest.mark.parametrize("name", STYLES)
def test_style_sheet_keeps_all_rules(name: str):
    source = (STATIC / name).read_text()
    code = strip_comments(name, source.encode()).decode()
    assert "/*" not in code
    assert code.count("{") == code.count("}") == re.sub(r"/\*.*?\*/", "", source, flags=re.S).count("{")
    assert '"/*' not in source
