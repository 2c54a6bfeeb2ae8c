"""Adding an option takes one OptionSpec and one field of Options, tried on a copy of the sources."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NEW_SPECS = """\
    OptionSpec(
        "tide",
        "choice",
        "Tide",
        "When the sloop sails.",
        ROUTE_GROUP,
        "late",
        (Choice("late", "Late", "At the end."), Choice("early", "Early", "Before the end.")),
    ),
    OptionSpec("ghosts", "flag", "Ghosts", "Pirates come back.", MODULES_GROUP, False),
"""
NEW_FIELDS = "    tide: str\n    ghosts: bool\n"
CHECK_SCRIPT = """
from app.play.lobby import list_variants
from app.rules import catalogue_to_json, options_to_json, parse_options
from app.rules.catalogue import PRESETS
from app.rules.core.errors import BadOptions
from app.web.pages.forms import OPTION_GROUPS, OPTION_SPECS
from tools.i18n_sources import server_sentences

plain = parse_options({"preset": "tortuga", "players": 3})
assert (plain.tide, plain.ghosts) == ("late", False)
changed = options_to_json(parse_options({"preset": "jungle", "players": 2, "tide": "early", "ghosts": True}))
assert (changed["tide"], changed["ghosts"]) == ("early", True)
assert all(preset.values["tide"] == "late" for preset in PRESETS.values())
try:
    parse_options({"preset": "jungle", "players": 2, "tide": "never"})
except BadOptions as problem:
    assert problem.params == {"option": "tide", "options": "late, early"}
else:
    raise AssertionError("a value that there is not")
assert [each["name"] for each in catalogue_to_json()["options"]][-2:] == ["tide", "ghosts"]
assert OPTION_GROUPS["The route"][-1] is OPTION_SPECS["tide"] and OPTION_GROUPS["Modules"][-1] is OPTION_SPECS["ghosts"]
assert list_variants(changed) == ["ghosts"]
words = {sentence for sentence, _ in server_sentences()}
assert words >= {"Tide", "When the sloop sails.", "Late", "Before the end.", "Ghosts"}
"""


def insert_before(text: str, before: str, lines: str) -> str:
    assert text.count(before) == 1
    return text.replace(before, lines + before)


def test_adding_an_option_takes_two_places_and_reaches_every_list(tmp_path: Path) -> None:
    for folder in ("app", "tools"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for folder in ("templates", "static"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    catalogue, options = tmp_path / "app/rules/catalogue.py", tmp_path / "app/rules/options.py"
    catalogue.write_text(insert_before(catalogue.read_text(), ")\n\n_FIRST_EDITION: dict", NEW_SPECS))
    options.write_text(insert_before(options.read_text(), "\n    @property\n    def has_sloop", NEW_FIELDS))
    run = subprocess.run([sys.executable, "-c", CHECK_SCRIPT], cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
