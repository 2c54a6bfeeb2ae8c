"""docs/architecture.md is true: its files are there, an action goes where it says, and who does what alone does it."""

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
from app.web.ws.transport import framing, uvicorn
from tests.docs.architecture_page import PAGE, ROOT, named, paths, rows, section
from tests.sockets.client import Client, Clients
from tests.sockets.running_server import in_process

APP = ROOT / "app"
CORRIDOR = [(cells[0].strip("`"), cells[1]) for cells in rows(section("One action, from click to picture"))]
STOPS = [(file, name) for file, said in CORRIDOR for name in re.findall(r"^`([\w.]+)`", said)]


def files(folder: str, *ends: str) -> Iterator[tuple[str, str]]:
    """Every file below a folder with one of these endings, and its text."""
    for file in sorted((ROOT / folder).rglob("*")):
        if file.suffix in ends:
            yield str(file.relative_to(ROOT)), file.read_text(encoding="utf-8")


def where(pattern: str, folder: str, *ends: str) -> set[str]:
    """The files in which it stands."""
    return {name for name, text in files(folder, *ends) if re.search(pattern, text)}


# -- what it names ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(set(paths(PAGE))))
def test_every_file_and_folder_it_names_is_there(name: str) -> None:
    assert list(ROOT.glob(name)) if "*" in name else (ROOT / name).exists()


def test_every_link_leads_to_a_page() -> None:
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


@pytest.mark.parametrize(("file", "name"), STOPS, ids=[file for file, _ in STOPS])
def test_each_stop_of_an_action_has_what_is_named(file: str, name: str) -> None:
    if file.endswith(".py"):
        found: Any = importlib.import_module(file.removesuffix(".py").replace("/", "."))
        for part in name.split("."):
            found = getattr(found, part)
    else:
        text = (ROOT / file).read_text(encoding="utf-8")
        assert re.search(rf"\b(function|const) {name}\b|\b{name}\(", text)


def test_every_stop_names_what_it_does() -> None:
    assert [file for file, _ in STOPS] == [file for file, _ in CORRIDOR]


@contextmanager
def entered() -> Iterator[list[str]]:
    """The files of app/ whose functions are called meanwhile in this thread, in the order of their first call."""
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
        with entered() as order:
            await actor.act(move)
            await asyncio.gather(ann.reaches(seq), bo.reaches(seq))
        traces.append(order)
    return traces


async def _traces(sqlite_url: str, **wishes: Any) -> list[list[str]]:
    """Of eight actions the files that each entered; only those that all of them did.

    What comes by on its own (a timer, presence) does not come by every time, nor at the same point.
    """
    async with in_process(sqlite_url) as server:
        clients = Clients(server)
        try:
            ann, bo = await clients.game(2, **wishes)
            traces = await _moves(ann, bo, 8)
        finally:
            await clients.close()
    always = set.intersection(*map(set, traces))
    return [
        [file for file in trace if file in always and not file.startswith(("app/rules/", "app/client/"))]
        for trace in traces
    ]


TOLD = [file for file, _ in CORRIDOR if file.endswith(".py")]


async def test_an_action_passes_the_files_of_the_list_in_their_order_and_no_others(sqlite_url: str) -> None:
    passed = await _traces(sqlite_url)
    assert TOLD in passed, "\n".join(passed[-1])


async def test_where_a_clock_runs_an_action_passes_the_files_that_are_named_for_it_as_well(
    sqlite_url: str,
) -> None:
    passed = await _traces(sqlite_url, clock={"kind": "turn", "seconds": 60})
    beside = section("One action, from click to picture").split("Where a clock runs")[1].split(". ")[0]
    assert set(passed[-1]) == {*TOLD, *paths(beside)}


# -- who does what, and nobody else ----------------------------------------------------------------


def test_elements_are_made_in_one_script() -> None:
    making = r"createElement|innerHTML|insertAdjacentHTML|outerHTML"
    assert where(making, "static/js", ".js") == {"static/js/core/dom.js"}
    assert "Elements are made in `static/js/core/dom.js` only" in PAGE


def test_only_the_events_of_an_action_are_written_as_bytes() -> None:
    assert where(r'"t": ?"[a-z]', "app", ".py") == {"app/play/room/broadcast.py"}
    assert where(r"class \w+\(\w*Frame\b[^)]*tag=|class \w+\([^)]*tag=", "app/play", ".py") <= {
        "app/play/frames.py",
        "app/play/commands/messages.py",
    }


def test_exceptions_become_http_answers_in_one_file() -> None:
    assert where(r"add_exception_handler|exception_handler\(", "app", ".py") == {"app/web/errors.py"}
    assert where(r"frames\.Refused\(|\bRefused\(id=", "app", ".py") == {"app/web/ws/session.py"}


def test_colours_are_named_in_one_stylesheet() -> None:
    colour = r"#[0-9a-fA-F]{3,8}\b(?!\))|\brgba?\(|\bhsla?\("
    assert where(colour, "static/css", ".css") == {"static/css/tokens.css"}
    assert not where(colour, "static/js", ".js")
    assert where(r"font-family: (?!var)", "static/css", ".css") == {"static/css/tokens.css"}


def test_pure_scripts_know_no_page() -> None:
    pure = paths(section("The browser").split("without a page")[0])
    assert pure
    for name in pure:
        assert not re.search(r"\b(document|window|localStorage)\b", (ROOT / name).read_text()), name


def test_the_engine_names_no_module() -> None:
    modules = {file.stem for file in (APP / "rules" / "modules").glob("*") if not file.name.startswith("_")}
    text = (APP / "rules" / "core" / "engine.py").read_text()
    assert "app.rules.modules" not in text
    assert not [name for name in modules - {"basic", "complete"} if re.search(rf"\b{name}", text)]


def test_nothing_comes_from_another_host() -> None:
    foreign = r"""(src|href)=["'](https?:)?//|@import|from ["']https?:"""
    assert not where(foreign, "templates", ".html")
    assert not where(foreign, "static/js", ".js")
    assert not where(r"url\(['\"]?https?:|@import", "static/css", ".css")


@pytest.mark.parametrize(
    ("said", "value", "meant"),
    [
        ("Every 1.5 seconds the heads of all loaded rooms", sync.HEADS_EVERY, 1500),
        ("keeps them for two minutes", names.LIFE, 120_000),
        ("in slices of 64 entries", reading.SLICE, 64),
        ("which every worker reads every two seconds", maintenance._OPERATOR_SECONDS, 2.0),
        ("fed half a kilobyte at a time", framing.SLICE, 512),
        ("one socket has 64 such frames", uvicorn.TURN_FRAMES, 64),
        ("is cut off ten seconds later", uvicorn.CLOSE_SECONDS, 10.0),
    ],
)
def test_its_numbers_are_those_of_the_code(said: str, value: float, meant: float) -> None:
    assert said in PAGE
    assert value == meant


def test_sqlite_commits_as_it_says() -> None:
    text = (APP / "store" / "games" / "sqlite_writer.py").read_text()
    assert "BEGIN IMMEDIATE" in text
    assert where(r"synchronous ?= ?FULL", "app/store", ".py")


def test_the_writers_write_as_it_says() -> None:
    writers = where(r"ON CONFLICT DO NOTHING", "app/store/games", ".py")
    assert "app/store/games/sqlite_writer.py" in writers
    assert "app/store/games/postgres_writer.py" not in writers
    assert where(r"UniqueViolationError", "app/store/games", ".py") == {"app/store/games/postgres_writer.py"}


def test_settings_lie_below_the_layers_that_import_them() -> None:
    importing = where(r"from app\.(settings|paths) import", "app", ".py")
    layers = {name.split("/")[1] for name in importing if name.count("/") > 1}
    assert {"notify", "web"} <= layers <= {"notify", "store", "bus", "web"}


def test_a_rooms_lock_is_released_in_one_place() -> None:
    assert where(r"lock\.release\(\)", "app/play", ".py") == {"app/play/room/room.py"}
    assert (APP / "play" / "room" / "room.py").read_text().count("lock.release()") == 1


# -- what it is built with -------------------------------------------------------------------------


def _distributions(wanted: list[str]) -> set[str]:
    return {re.split(r"[\[<>=;, ]", each)[0] for each in wanted}


def test_every_dependency_is_there_for_a_reason() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    text = section("What we use and why")
    told = {name for cells in rows(text) for name in named(cells[0])}
    assert told == _distributions(project["dependencies"])
    development = re.search(r"^For development: (.*)$", text, re.MULTILINE)
    measuring = re.search(r"^For `make bench`[^:]*: (.*)$", text, re.MULTILINE)
    assert development is not None
    assert measuring is not None
    extras = project["optional-dependencies"]
    assert set(named(development[1])) == _distributions(extras["dev"])
    assert _distributions(extras["bench"]) <= set(named(measuring[1]))


def test_the_glossary_is_short() -> None:
    assert 18 <= len([line for line in section("Glossary").splitlines() if line.startswith("- **")]) <= 22
