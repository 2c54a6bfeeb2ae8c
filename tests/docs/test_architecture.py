"""docs/architecture.md matches the code: its files, the path of an action, and its claims about single places."""

from __future__ import annotations

import asyncio
import importlib
import os
import re
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from app.play import names, sync
from app.play.log import reading
from app.web import maintenance
from app.web.ws.transport import framing, protocol
from tests.docs.architecture_page import PAGE, ROOT, named, paths, rows, section
from tests.sockets.client import Client, Clients
from tests.sockets.running_server import in_process

APP = ROOT / "app"
ACTION_STEPS = [
    (cells[0].strip("`"), cells[1]) for cells in rows(section("One action, from click to picture"))
]
STEP_SYMBOLS = [(file, name) for file, said in ACTION_STEPS for name in re.findall(r"^`([\w.]+)`", said)]


def files(folder: str, *ends: str) -> Iterator[tuple[str, str]]:
    """Yield every file below a folder with one of these suffixes, and its text."""
    for file in sorted((ROOT / folder).rglob("*")):
        if file.suffix in ends:
            yield str(file.relative_to(ROOT)), file.read_text(encoding="utf-8")


def files_matching(pattern: str, folder: str, *ends: str) -> set[str]:
    """Return the files that match the pattern."""
    return {name for name, text in files(folder, *ends) if re.search(pattern, text)}


# -- what it names ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(set(paths(PAGE))))
def test_every_named_file_and_folder_exists(name: str) -> None:
    assert list(ROOT.glob(name)) if "*" in name else (ROOT / name).exists()


def test_every_link_target_exists() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", PAGE):
        assert (ROOT / "docs" / target).exists(), target


def test_every_folder_of_the_code_is_on_the_map() -> None:
    packages = {str(file.parent.relative_to(ROOT)) for file in APP.rglob("__init__.py")} - {"app"}
    scripts = {
        str(folder.relative_to(ROOT)) for folder in (ROOT / "static" / "js").iterdir() if folder.is_dir()
    }
    mapped = {name.rstrip("/") for cells in rows(section("The map")) for name in named(cells[0])}
    assert {each for each in mapped if each.startswith(("app/", "static/js/"))} == packages | scripts


# -- one action ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("file", "name"), STEP_SYMBOLS, ids=[file for file, _ in STEP_SYMBOLS])
def test_every_step_of_an_action_names_existing_symbols(file: str, name: str) -> None:
    if file.endswith(".py"):
        found: Any = importlib.import_module(file.removesuffix(".py").replace("/", "."))
        for part in name.split("."):
            found = getattr(found, part)
    else:
        text = (ROOT / file).read_text(encoding="utf-8")
        assert re.search(rf"\b(function|const) {name}\b|\b{name}\(", text)


def test_every_listed_step_names_a_symbol() -> None:
    assert [file for file, _ in STEP_SYMBOLS] == [file for file, _ in ACTION_STEPS]


@contextmanager
def record_entered_files() -> Iterator[list[str]]:
    """Record the files of app/ whose functions this thread calls, in the order of their first call."""
    seen: dict[str, None] = {}
    inside = f"{APP}{os.sep}"

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(inside):
            seen.setdefault(str(Path(frame.f_code.co_filename).relative_to(ROOT)))

    order: list[str] = []
    sys.setprofile(note)
    try:
        yield order
    finally:
        sys.setprofile(None)
        order += seen


async def _moves(ann: Client, bo: Client, times: int) -> list[list[str]]:
    traces = []
    for _ in range(times):
        actor = ann if ann.choices else bo
        move, seq = actor.choices[0]["action"], actor.seq + 1
        with record_entered_files() as order:
            await actor.act(move)
            await asyncio.gather(ann.reaches(seq), bo.reaches(seq))
        traces.append(order)
    return traces


async def _traces(sqlite_url: str, **settings: Any) -> list[list[str]]:
    """Return the files that each of eight actions entered, restricted to those common to all.

    Background work (a timer, presence) does not appear in every action.
    """
    async with in_process(sqlite_url) as server:
        clients = Clients(server)
        try:
            ann, bo = await clients.game(2, **settings)
            traces = await _moves(ann, bo, 8)
        finally:
            await clients.close()
    always = set.intersection(*map(set, traces))
    return [
        [file for file in trace if file in always and not file.startswith(("app/rules/", "app/client/"))]
        for trace in traces
    ]


PYTHON_STEPS = [file for file, _ in ACTION_STEPS if file.endswith(".py")]


async def test_action_passes_exactly_the_listed_files_in_order(sqlite_url: str) -> None:
    passed = await _traces(sqlite_url)
    assert PYTHON_STEPS in passed, "\n".join(passed[-1])


async def test_action_with_a_clock_also_passes_the_files_named_for_it(
    sqlite_url: str,
) -> None:
    passed = await _traces(sqlite_url, clock={"kind": "turn", "seconds": 60})
    beside = section("One action, from click to picture").split("Where a clock runs")[1].split(". ")[0]
    assert set(passed[-1]) == {*PYTHON_STEPS, *paths(beside)}


# -- one owner for each job ------------------------------------------------------------------------


def test_elements_are_created_in_one_script() -> None:
    making = r"createElement|innerHTML|insertAdjacentHTML|outerHTML"
    assert files_matching(making, "static/js", ".js") == {"static/js/core/dom.js"}
    assert "Elements are made in `static/js/core/dom.js` only" in PAGE


def test_only_events_of_an_action_are_encoded_by_hand() -> None:
    assert files_matching(r'"t": ?"[a-z]', "app", ".py") == {"app/play/room/audience_frames.py"}
    assert files_matching(r"class \w+\(\w*Frame\b[^)]*tag=|class \w+\([^)]*tag=", "app/play", ".py") <= {
        "app/play/frames.py",
        "app/play/commands/messages.py",
    }


def test_exceptions_become_http_responses_in_one_file() -> None:
    assert files_matching(r"add_exception_handler|exception_handler\(", "app", ".py") == {"app/web/errors.py"}
    assert files_matching(r"frames\.Refused\(|\bRefused\(id=", "app", ".py") == {"app/web/ws/session.py"}


def test_colours_are_defined_in_one_stylesheet() -> None:
    colour = r"#[0-9a-fA-F]{3,8}\b(?!\))|\brgba?\(|\bhsla?\("
    assert files_matching(colour, "static/css", ".css") == {"static/css/tokens.css"}
    assert not files_matching(colour, "static/js", ".js")
    assert files_matching(r"font-family: (?!var)", "static/css", ".css") == {"static/css/tokens.css"}


def test_pure_scripts_do_not_use_the_dom() -> None:
    pure = paths(section("The browser").split("without a page")[0])
    assert pure
    for name in pure:
        assert not re.search(r"\b(document|window|localStorage)\b", (ROOT / name).read_text()), name


def test_the_engine_names_no_module() -> None:
    modules = {file.stem for file in (APP / "rules" / "modules").glob("*") if not file.name.startswith("_")}
    text = (APP / "rules" / "core" / "engine.py").read_text()
    assert "app.rules.modules" not in text
    assert not [name for name in modules - {"basic", "complete"} if re.search(rf"\b{name}", text)]


def test_nothing_is_loaded_from_another_host() -> None:
    foreign = r"""(src|href)=["'](https?:)?//|@import(?! \{)|from ["']https?:"""
    assert not files_matching(foreign, "templates", ".html")
    assert not files_matching(foreign, "static/js", ".js")
    assert not files_matching(r"url\(['\"]?https?:|@import", "static/css", ".css")


@pytest.mark.parametrize(
    ("said", "value", "meant"),
    [
        ("Every 1.5 seconds the heads of all loaded rooms", sync.COMPARE_HEADS_INTERVAL_MS, 1500),
        ("keeps them for two minutes", names.NAME_TTL_MS, 120_000),
        ("in slices of 64 entries", reading.ENTRIES_PER_SLICE, 64),
        ("which every worker reads every two seconds", maintenance._OPERATOR_POLL_SECONDS, 2.0),
        ("fed half a kilobyte at a time", framing.SLICE_BYTES, 512),
        ("one socket has 64 such frames", protocol.MAX_FRAMES_PER_ITERATION, 64),
        ("is cut off ten seconds later", protocol.CLOSE_TIMEOUT_SECONDS, 10.0),
    ],
)
def test_stated_numbers_match_the_code(said: str, value: float, meant: float) -> None:
    assert said in PAGE
    assert value == meant


def test_sqlite_commit_settings_match_the_page() -> None:
    text = (APP / "store" / "games" / "sqlite_writer.py").read_text()
    assert "BEGIN IMMEDIATE" in text
    assert files_matching(r"synchronous ?= ?FULL", "app/store", ".py")


def test_writers_resolve_conflicts_as_documented() -> None:
    writers = files_matching(r"ON CONFLICT DO NOTHING", "app/store/games", ".py")
    assert "app/store/games/sqlite_writer.py" in writers
    assert "app/store/games/postgres_writer.py" not in writers
    assert files_matching(r"UniqueViolationError", "app/store/games", ".py") == {
        "app/store/games/postgres_writer.py"
    }


def test_settings_are_below_the_layers_that_import_them() -> None:
    importing = files_matching(r"from app\.(settings|paths) import", "app", ".py")
    layers = {name.split("/")[1] for name in importing if name.count("/") > 1}
    assert {"notify", "web"} <= layers <= {"notify", "store", "bus", "web"}


def test_a_rooms_lock_is_released_in_one_place() -> None:
    assert files_matching(r"lock\.release\(\)", "app/play", ".py") == {"app/play/room/submit.py"}
    assert (APP / "play" / "room" / "submit.py").read_text().count("lock.release()") == 1


# -- what it is built with -------------------------------------------------------------------------


def _distributions(wanted: list[str]) -> set[str]:
    return {re.split(r"[\[<>=;, ]", each)[0] for each in wanted}


def test_every_dependency_has_a_stated_reason() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    text = section("What we use and why")
    documented = {name for cells in rows(text) for name in named(cells[0])}
    assert documented == _distributions(project["dependencies"])
    development = re.search(r"^For development: (.*)$", text, re.MULTILINE)
    measuring = re.search(r"^For `make bench`[^:]*: (.*)$", text, re.MULTILINE)
    assert development is not None
    assert measuring is not None
    extras = project["optional-dependencies"]
    assert set(named(development[1])) == _distributions(extras["dev"])
    assert _distributions(extras["bench"]) <= set(named(measuring[1]))


def test_the_glossary_is_short() -> None:
    assert 18 <= len([line for line in section("Glossary").splitlines() if line.startswith("- **")]) <= 22
