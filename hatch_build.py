"""Puts static files, templates and migrations inside the wheel, where app/paths.py looks for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SHIPPED = {"static": "app/_static", "templates": "app/_templates", "migrations": "app/_migrations"}


class ShipFolders(BuildHookInterface[Any]):
    """Only in a real wheel: an editable install reads the checkout, and a copy beside it would go stale."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version != "standard":
            return
        for folder, inside in SHIPPED.items():
            source = Path(self.root, folder)
            if not source.is_dir():
                raise FileNotFoundError(
                    f"the wheel needs the folder {folder}/, which is not in this checkout"
                )
            build_data["force_include"][str(source)] = inside
