"""List the names that other programs, stored data and operators rely on, as JSON: `python tools/external_names.py`.

Run in a checkout of any release since 0.1.0; tests/test_stable_names.py compares the list with that of 0.1.0. Classes,
functions and modules may be renamed freely: names are found by what they are, not by what they are called.
"""

from __future__ import annotations

import ast
import importlib
import json
import pkgutil
import sys
from collections.abc import Iterable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]


def external_names() -> dict[str, list[str]]:
    """Return the names by category. A name occurs as often as it is defined: both sockets have a `hello`."""
    for package in ("app.play", "app.store", "app.web"):
        for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
            importlib.import_module(module.name)
    names = {
        "settings": _setting_names(),
        "database": _column_names(),
        "client messages": _message_names("do"),
        "server frames": _message_names("t"),
        "log entries": set(_entry_names()),
    }
    return {category: sorted(found) for category, found in names.items()}


def _setting_names() -> Iterator[str]:
    module: Any = importlib.import_module("app.settings")
    (prefix,) = {value for value in vars(module).values() if isinstance(value, str) and value.endswith("_")}
    return (f"{prefix}{setting.name.upper()}" for setting in fields(module.Settings))


def _column_names() -> set[str]:
    from sqlalchemy import MetaData

    modules = [module for name, module in sys.modules.items() if name.startswith("app.store")]
    found = [value for module in modules for value in vars(module).values() if isinstance(value, MetaData)]
    return {
        f"{table.name}.{column.name}"
        for data in found
        for table in data.tables.values()
        for column in table.columns
    }


def _message_names(tag_field: str) -> Iterator[str]:
    """Yield every field of every message with this tag field, with the fields of the objects in it."""
    import msgspec

    for message in _leaf_classes(msgspec.Struct):
        if message.__struct_config__.tag_field == tag_field:
            tag = str(message.__struct_config__.tag)
            yield tag
            yield from (f"{tag}.{name}" for name in _field_names(msgspec.inspect.type_info(message)))


def _leaf_classes(parent: Any) -> Iterator[Any]:
    for child in parent.__subclasses__():
        yield from _leaf_classes(child) if child.__subclasses__() else (child,)


def _field_names(kind: Any) -> Iterator[str]:
    """Yield the names of an object's fields, dotted where they are nested."""
    inner = [*getattr(kind, "types", ()), *getattr(kind, "item_types", ())]
    inner += [getattr(kind, name) for name in ("item_type", "value_type") if hasattr(kind, name)]
    for other in inner:
        yield from _field_names(other)
    for field in getattr(kind, "fields", ()):
        yield field.encode_name
        yield from (f"{field.encode_name}.{name}" for name in _field_names(field.type))


def _entry_names() -> Iterator[str]:
    """Yield the kinds of log entries and, for each, the fields that folding reads; then fields that others read.

    The functions that fold an entry are found in dictionaries from kind to function. Those of actions are the rest.
    """
    others = set()
    for file in sorted((ROOT / "app" / "play").rglob("*.py")):
        tree = ast.parse(file.read_text())
        others |= {name for receiver, name in _keys_read(tree) if receiver.endswith("body")}
        if file.name.startswith("fold"):
            yield from _fold_names(tree)
    yield from (f"*.{name}" for name in others)


def _fold_names(tree: ast.Module) -> Iterator[str]:
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    folds: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            folds |= {
                str(key.value): value.id
                for key, value in zip(node.keys, node.values, strict=True)
                if isinstance(key, ast.Constant) and isinstance(value, ast.Name) and value.id in functions
            }
    mapped = {kind: _reachable(function, functions) for kind, function in folds.items()}
    rest = functions.keys() - set().union(*mapped.values())
    for kind, names in {**mapped, "action": rest}.items():
        yield kind
        yield from {f"{kind}.{key}" for name in names for _, key in _keys_read(functions[name])}


def _reachable(name: str, functions: dict[str, ast.FunctionDef]) -> set[str]:
    found = {name}
    for node in ast.walk(functions[name]):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in functions:
            found |= _reachable(node.func.id, functions)
    return found


def _keys_read(tree: ast.AST) -> Iterable[tuple[str, str]]:
    """Yield the receiver and the key of `x["key"]`, `x.get("key")` and `"key" in x`."""
    for node in ast.walk(tree):
        match node:
            case ast.Subscript(receiver, ast.Constant(str(key))):
                yield ast.unparse(receiver), key
            case ast.Call(ast.Attribute(receiver, "get"), [ast.Constant(str(key)), *_]):
                yield ast.unparse(receiver), key
            case ast.Compare(ast.Constant(str(key)), [ast.In()], [receiver]):
                yield ast.unparse(receiver), key


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    json.dump(external_names(), sys.stdout, indent=1)
    print()
