"""Scripts and styles are served without their comments, and with everything else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from app.web.pages.assets import without_comments

STATIC = Path(__file__).resolve().parents[2] / "static"
SCRIPTS = sorted(path.relative_to(STATIC).as_posix() for path in STATIC.rglob("*.js"))
STYLES = sorted(path.relative_to(STATIC).as_posix() for path in STATIC.rglob("*.css"))


def test_lines_and_blocks_go_and_texts_stay():
    script = b'// why\n/** What.\n * It is. */\nconst a = "https://x"; // kept\n  // gone\nconst b = 2;\n'
    assert without_comments("a.js", script) == b'const a = "https://x"; // kept\nconst b = 2;\n'
    assert without_comments("a.css", b"/* one */\n.a { b: c; /* two */ }\n") == b"\n.a { b: c; }\n"
    assert without_comments("a.svg", b"<!-- kept --><svg/>") == b"<!-- kept --><svg/>"


@pytest.mark.parametrize("name", SCRIPTS)
def test_no_line_of_a_script_is_taken_for_a_comment_that_is_none(name: str):
    """Within a text of several lines (between backticks) a line may begin like a comment."""
    source = (STATIC / name).read_text()
    code = without_comments(name, source.encode()).decode()
    assert code.count("`") % 2 == 0
    for text in re.findall(r"`[^`]*`", code):
        assert text in source, "something was taken out of a text"
    kept = [line for line in code.splitlines() if line.strip()]
    lost = [line.strip() for line in source.splitlines() if line.strip() and line not in kept]
    assert [line for line in lost if not line.startswith(("//", "/*", "*"))] == []


@pytest.mark.parametrize("name", STYLES)
def test_a_style_sheet_loses_no_rule(name: str):
    source = (STATIC / name).read_text()
    code = without_comments(name, source.encode()).decode()
    assert "/*" not in code
    assert code.count("{") == code.count("}") == re.sub(r"/\*.*?\*/", "", source, flags=re.S).count("{")
    assert '"/*' not in source
