"""Every script is type-checked, and nothing bypasses the checker or the linter."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

from tools.js.__main__ import COMMANDS, PACKAGES
from tools.node import node

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "static" / "js"
TAG = re.compile(r"@(?:type|param|returns|property|typedef|template|satisfies) \{")
BLOCK = re.compile(r"/\*\*.*?\*/", re.DOTALL)
COMMENT = re.compile(r"(?m)//.*$|(?s:/\*.*?\*/)")


def checked_by(program: str, *arguments: str) -> list[str]:
    command = [node(), str(PACKAGES / program), *arguments, "--listFilesOnly"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    found = (Path(line) for line in done.stdout.splitlines() if line.endswith(".js"))
    return [path.relative_to(SCRIPTS).as_posix() for path in found]


def types_in(script: str) -> list[str]:
    """Return the type of every JSDoc tag without its description."""
    found = []
    for block in BLOCK.findall(script):
        for tag in TAG.finditer(block):
            depth, end = 1, tag.end()
            while depth and end < len(block):
                depth += {"{": 1, "}": -1}.get(block[end], 0)
                end += 1
            found.append(block[tag.end() : end - 1])
    return found


def test_multi_line_type_is_found() -> None:
    script = "/**\n * @param {{\n *   a: any,\n * }} b not any {c}\n */\nconst d = /** @type {E} */ (f);\n"
    assert types_in(script) == ["{\n *   a: any,\n * }", "E"]


def test_every_script_is_checked_once() -> None:
    assert PACKAGES.is_dir(), "the checker is not installed: `make install` does that"
    checked = [name for command in COMMANDS["types"] for name in checked_by(*command)]
    assert sorted(checked) == sorted(path.relative_to(SCRIPTS).as_posix() for path in SCRIPTS.rglob("*.js"))


def test_the_checker_is_strict() -> None:
    text = re.sub(r"^ *//.*$", "", (ROOT / "tsconfig.json").read_text(), flags=re.MULTILINE)
    assert {"checkJs": True, "strict": True}.items() <= json.loads(text)["compilerOptions"].items()


def test_no_comment_bypasses_the_checks() -> None:
    for path in [*SCRIPTS.rglob("*.js"), *SCRIPTS.rglob("*.ts")]:
        text = path.read_text()
        assert not re.search(r"@ts-|biome-ignore", text), path.name
        types = types_in(text) if path.suffix == ".js" else re.sub(COMMENT, "", text).splitlines()
        assert [each for each in types if re.search(r"\bany\b", each)] == [], path.name
