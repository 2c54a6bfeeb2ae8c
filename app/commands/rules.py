"""`cartagena rules`: the option catalogue, for people or as JSON."""

from __future__ import annotations

import argparse

import orjson

from app import rules
from app.commands.files import guarded

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="as JSON")


@guarded
def run(asked: argparse.Namespace) -> None:
    if asked.json:
        print(orjson.dumps(rules.catalogue_to_json(), option=orjson.OPT_INDENT_2).decode())
        return
    for spec in rules.CATALOGUE:
        print(f"{spec.name}: {spec.range_text()}\n    {spec.sentence}")
        for value, sentence in spec.choices:
            print(f"      {value}: {sentence}")
        if spec.excludes:
            print(f"    {spec.excludes}")
    print("\nRefused together:")
    for conflict in rules.CONFLICTS:
        print(f"    {conflict.why.value}")
