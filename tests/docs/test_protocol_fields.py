"""docs/protocol.md and the code name the same fields and codes, in both directions.

Both what clients and what servers send is held against the structs here; that servers keep to it is held
against a running one by test_documented_client.py.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from app.main import create_app
from app.play import frames
from app.play.commands import messages as cmd
from app.play.lobby import build_game_row
from app.play.log.clocks import CLOCK_CLASSES, ClockTerms
from app.play.log.entries import GameRow, GameSummary, SeatRow
from app.play.log.terms import Terms, parse_terms
from app.play.refusals import SENTENCES, Refusal
from app.play.room.subscribers import MAX_REPLAYED_ENTRIES
from app.play.schedule.due import CLOCK_GRACE_MS
from app.rules import RuleError, reasons
from app.rules.core import errors as rule_errors
from app.settings import Settings
from app.web.api.models import NewGame, QuickPlayRequest
from app.web.api.stream import KEEPALIVE_SECONDS, MAX_UNREAD_FRAMES
from app.web.errors import HTTP_ERRORS, Refused, status_of
from app.web.ws import lobby
from app.web.ws.session import HELLO_TIMEOUT_SECONDS, MAX_BAD_FRAMES
from tests.docs.protocol_page import PAGE, examples, section, table_rows, under

ROOT = Path(__file__).resolve().parents[2]
COMMANDS: list[Any] = list(get_args(cmd.Message))
OPTIONS = {"preset": "jamaica", "players": 2}


def tag(struct: Any) -> str:
    return str(msgspec.inspect.type_info(struct).tag)  # type: ignore[attr-defined]


@pytest.mark.parametrize("struct", COMMANDS, ids=tag)
def test_examples_of_a_command_show_exactly_its_fields(struct: Any) -> None:
    shown = {name for example in examples(under(2, tag(struct)), "do") for name in example}
    assert shown == {"do", *struct.__struct_fields__}


def test_the_examples_of_the_lobby_show_every_field_of_its_messages() -> None:
    structs = (lobby.Hello, lobby.SetFilter, lobby.Ping)
    assert {tag(struct) for struct in structs} == set(lobby.lobby_message_names())
    for struct in structs:
        shown = {name for each in examples(section(4), "do") if each["do"] == tag(struct) for name in each}
        assert shown == {"do", *struct.__struct_fields__}


@pytest.mark.parametrize("struct", get_args(frames.GameFrame), ids=tag)
def test_examples_of_a_frame_show_exactly_its_fields(struct: Any) -> None:
    shown = {name for example in examples(under(3, tag(struct)), "t") for name in example}
    assert shown == {"t", *struct.__struct_fields__}


def test_documented_frames_and_frame_structs_match() -> None:
    assert sorted(re.findall(r"^### (\w+)$", section(3), re.M)) == sorted(
        map(tag, get_args(frames.GameFrame))
    )
    first = next(line for line in section(4).splitlines() if line.startswith("Client:"))
    named = re.findall(r"`(\w+)`", first.partition("Server:")[2])
    assert sorted(named) == sorted(map(tag, get_args(frames.LobbyFrame)))


@pytest.mark.parametrize("struct", get_args(frames.LobbyFrame), ids=tag)
def test_the_examples_of_the_lobby_show_every_field_of_its_frames(struct: Any) -> None:
    shown = {name for each in examples(section(4), "t") if each["t"] == tag(struct) for name in each}
    if tag(struct) in ("refused", "bye"):  # as on the game socket
        assert not shown
    else:
        assert shown == {"t", *struct.__struct_fields__}


def test_the_blocks_have_the_documented_fields() -> None:
    table = block("table")
    clock = json.loads(under(5, "clock").split("`")[1])
    (welcome,) = examples(under(3, "welcome"), "t")
    for shown, struct in (
        (table, frames.TableBlock),
        (table["opening"], frames.SealRoundBlock),
        (table["series"], frames.SeriesBlock),
        (table["rated"], frames.RatedBlock),
        *((seat, frames.SeatBlock) for seat in table["seats"]),
        (clock, frames.ClockBlock),
        (welcome["you"], frames.YouInRoom),
    ):
        assert shown.keys() == set(struct.__struct_fields__)
    for example in (*examples(under(3, "state"), "t"), *examples(under(3, "table"), "t")):
        assert example["you"].keys() == set(frames.YourSeat.__struct_fields__)


def block(name: str) -> Any:
    """The JSON example of a block of §5."""
    text = re.search(r"```json\n(.*?)```", under(5, name), re.S)
    assert text is not None
    return json.loads(text[1].replace("{…}", "{}"))


def test_every_field_of_a_block_is_described_in_words() -> None:
    """A field that is only in the example explains nothing."""
    words = under(5, "table").split("```")[2]
    silent = {
        "id",
        "title",
        "locked",
        "visibility",
        "spectators",
        "hints",
        "host",
        "consents",
        "votes",
        "paused",
    }
    silent |= {"chat_closed", "options", "seats"}
    for name in block("table").keys() - silent:
        assert f"`{name}`" in words, name


def test_the_kinds_of_clocks_have_the_documented_fields() -> None:
    shown = [json.loads(each) for each in re.findall(r'`(\{"kind":[^`]*\})`', under(5, "table"))]
    for clock in shown:
        assert parse_terms({"clock": clock})[0].clock.to_json() == clock
    kinds = msgspec.inspect.type_info(ClockTerms).fields[0].type.values  # type: ignore[attr-defined]
    assert {clock["kind"] for clock in shown} == set(kinds) == set(CLOCK_CLASSES)
    assert {name for clock in shown for name in clock} == set(ClockTerms.__struct_fields__)


def reasons_for_programs() -> set[tuple[str, str]]:
    """Code and `why` of every error of the rules that is raised with a key of its own."""
    codes = {each.__name__: each.code for each in RuleError.__subclasses__()}
    found: set[tuple[str, str]] = set()
    for file in (ROOT / "app" / "rules").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or len(node.args) < 2:
                continue
            first = node.args[0]
            if node.func.id in codes and isinstance(first, ast.Constant) and isinstance(first.value, str):
                found.add((codes[node.func.id], first.value))
    return found


def test_every_reason_for_programs_is_documented() -> None:
    text = under(6, "Reasons for programs")
    assert {(row[0].strip("`"), row[1].strip("`")) for row in table_rows(text)} == reasons_for_programs()


def test_idle_and_clock_times_match_the_code() -> None:
    assert "0.3 seconds after the deadline" in PAGE
    assert CLOCK_GRACE_MS == 300
    text = (ROOT / "app" / "serve.py").read_text(encoding="utf-8")
    assert "20 to 30 seconds after the last byte" in PAGE
    assert "ws_ping_interval=20.0" in text, (
        "pinged at the second visit of two an interval, closed at the third"
    )


def test_creating_a_room_takes_the_documented_fields_with_the_documented_defaults() -> None:
    rows = {row[0].strip("`"): row for row in table_rows(under(8, "Creating a room"))}
    assert rows.keys() == NewGame.model_fields.keys()
    assert rows.keys() == {
        *Terms.__struct_encode_fields__,
        "options",
        "password",
        "bots",
        "screen",
        "rated",
    } - {"lock"}
    empty = NewGame(options=OPTIONS)
    for name, row in rows.items():
        if row[1] not in ("–", "none"):
            assert json.loads(row[1].strip("`")) == getattr(empty, name), name


BOUNDS = [
    ("absence", {}, None),
    ("pace", {}, None),
    ("seconds", {"kind": "turn"}, "clock"),
    ("seconds", {"kind": "bank"}, "clock"),
    ("increment", {"kind": "bank", "seconds": 60}, "clock"),
    ("days", {"kind": "days"}, "clock"),
]


@pytest.mark.parametrize(("name", "with_it", "inside"), BOUNDS)
def test_minimum_and_maximum_values_are_the_documented_ones(
    name: str, with_it: dict[str, Any], inside: str | None
) -> None:
    row = next(row for row in table_rows(under(8, "Creating a room")) if row[0] == f"`{inside or name}`")
    found = re.search(rf"`{name}` (\d+) to (\d+)" if inside else r"(\d+) to (\d+)", row[2])
    assert found is not None
    least, greatest = int(found[1]), int(found[2])

    def terms(value: int) -> dict[str, Any]:
        return {"clock": {**with_it, name: value}} if inside else {name: value}

    for value in (least, greatest):
        parse_terms(terms(value))
    for value in (least - 1, greatest + 1):
        with pytest.raises(Refusal):
            parse_terms(terms(value))
    if "or 0" in row[2]:
        parse_terms(terms(0))


def test_quick_play_takes_the_documented_fields() -> None:
    words = next(line for line in section(8).splitlines() if line.startswith("`POST /api/v1/quick`"))
    taken = words.partition("takes")[2].partition("and answers")[0]
    assert set(re.findall(r"`(\w+)`", taken)) - {"jamaica"} == set(QuickPlayRequest.model_fields)


def test_a_row_of_the_lobby_has_the_documented_fields() -> None:
    seat = SeatRow(0, "p", "Ann", "red", None)
    options = {**OPTIONS, "scoundrels": False, "black_magic": False, "card_gain": "retreat"}
    summary = GameSummary(1, 0, "p", None, None, None, None, options, (seat,))
    game = GameRow("g", 1, {}, {}, "", "", "p", 0, summary=summary)
    shown = {name for each in examples(section(4), "t") if each["t"] == "room" for name in each["room"]}
    assert shown | {"locked"} == build_game_row(game).keys() | {"my_turn", "due"}
    assert '`"locked":true`' in section(4)


# -- codes -----------------------------------------------------------------------------------------


STATUS = {"Refused": 400, "NotAllowed": 403, "BadRequest": 422, "Conflict": 409}


def http_codes() -> Iterator[tuple[str, int]]:
    """Yield every code with which app/web refuses something, and its status.

    A code is fixed by the class of the refusal, or is its first argument.
    """
    yield from ((kind.code, kind.status) for kind in Refused.__subclasses__() if "code" in vars(kind))
    for path in sorted((ROOT / "app" / "web").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            called = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            first = node.args[0]
            is_code = isinstance(first, ast.Constant) and isinstance(first.value, str)
            if is_code and called in STATUS:
                yield str(first.value), STATUS[called]  # type: ignore[attr-defined]
    yield from ((code, status) for status, (code, _) in HTTP_ERRORS.items() if status != 400)


def _is_refusal(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, RuleError)


def test_the_codes_that_only_http_uses_are_the_documented_ones() -> None:
    listed = {
        code: int(row[1])
        for row in table_rows(under(8, "Codes that only HTTP uses"))
        for code in re.findall(r"`(\w+)`", row[0])
    }
    of_the_rules = {error.code for error in vars(rule_errors).values() if _is_refusal(error)}
    # bad_notation is of `cartagena picture`, the others of the rules have rows among the refusals of rooms.
    served = {code for code, _ in http_codes()}
    assert listed.keys() == (served | of_the_rules) - set(SENTENCES) - {"bad_notation"}
    for code, status in http_codes():
        if code not in {*SENTENCES, "wrong_code", "too_big"}:
            assert listed[code] == status, code


def test_every_rule_violation_is_listed_with_its_message() -> None:
    rows = table_rows(under(6, "Reasons of the rules"))
    listed = {why.strip("`"): (code.strip("`"), sentence) for code, why, sentence in rows}
    codes = {
        "app.rules.options": "bad_options",
        "app.rules.formats.position_parser": "bad_position",
        "app.rules.formats.record": "bad_record",
    }
    assert listed == {
        each.name: (codes.get(type(each).__module__, "illegal"), each.value) for each in reasons()
    }
    assert len(listed) == len(rows)


def test_the_statuses_of_refusals_are_the_documented_ones() -> None:
    words = next(line for line in section(6).splitlines() if line.startswith("Over HTTP"))
    listed = {
        code: int(status)
        for status, codes in re.findall(r"(\d{3})[^(\d]*\(([^)]*)\)", words)
        for code in re.findall(r"`(\w+)`", codes)
    }
    assert listed == {code: status for code in SENTENCES if (status := status_of(Refusal(code))) != 409}


def test_numbers_in_the_text_match_the_code() -> None:
    assert f"within {HELLO_TIMEOUT_SECONDS} seconds" in PAGE
    assert MAX_BAD_FRAMES == 10
    assert "The tenth such frame" in PAGE
    assert f"at most {MAX_REPLAYED_ENTRIES} log entries" in section(1)
    assert f"every {KEEPALIVE_SECONDS:.0f} seconds" in under(8, "The event stream")
    assert f"leaves {MAX_UNREAD_FRAMES} frames unread" in under(8, "The event stream")


# -- the API ---------------------------------------------------------------------------------------


def test_documented_game_routes_and_registered_routes_match() -> None:
    schema = create_app(Settings()).openapi()["paths"]
    served = {
        path.removeprefix("/api/v1").replace("{game}", "$GAME")
        for path in schema
        if path.startswith(("/api/v1/games", "/api/v1/quick"))
    }
    written = set(re.findall(r"/api/v1((?:/games|/quick)[\w/$-]*)", section(8)))
    assert written == served


def test_the_frames_without_choices_are_named() -> None:
    rule = next(line for line in section(1).splitlines() if line.startswith("3. "))
    for kind in ("state", "events", "table", "welcome", "ack", "refused", "hint"):
        assert f"`{kind}`" in rule
