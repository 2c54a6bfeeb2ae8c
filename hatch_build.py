"""Hatch build hook: put static files, templates and migrations into the wheel, where app/paths.py finds them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FOLDERS_IN_WHEEL = {"static": "app/_static", "templates": "app/_templates", "migrations": "app/_migrations"}
EXCLUDED_SUFFIXES = {".pyc", ".ts"}


class IncludeFolders(BuildHookInterface[Any]):
    """Add the folders to real wheels only: an editable install reads them from the checkout."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version != "standard":
            return
        for folder, inside in FOLDERS_IN_WHEEL.items():
            source = Path(self.root, folder)
            if not source.is_dir():
                raise FileNotFoundError(f"the wheel needs the folder {folder}/, which this checkout lacks")
            for file in source.rglob("*"):
                if file.is_file() and file.suffix not in EXCLUDED_SUFFIXES:
                    build_data["force_include"][str(file)] = f"{inside}/{file.relative_to(source)}"
