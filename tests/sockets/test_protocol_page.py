"""docs/protocol.md and the code have the same messages, refusal codes, close codes, kinds and fields."""

from __future__ import annotations

import re
from pathlib import Path

import orjson

from app.play.commands import messages as cmd
from app.play.commands.messages import list_message_names
from app.play.join import PROTOCOL_VERSION
from app.play.log.fold import _FOLDS
from app.play.log.terms import BOT_LEVELS, CHAT_PRESETS, COLOURS
from app.play.refusals import SENTENCES
from app.web.ws.lobby import lobby_message_names
from tests.sockets.close_codes import CLOSE_CODES

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "protocol.md").read_text()
SOURCES = "\n".join(
    path.read_text() for folder in ("app/play", "app/web") for path in sorted((ROOT / folder).rglob("*.py"))
)


def section(number: int) -> str:
    return PAGE.split(f"\n## {number}. ", 1)[1].split("\n## ", 1)[0]


def headings(number: int) -> set[str]:
    return set(re.findall(r"^### (\w+)$", section(number), re.M))


def test_the_page_has_an_example_of_every_message_a_client_may_send() -> None:
    assert headings(2) == set(list_message_names())
    for example in re.findall(r'^\{"do":.*\}$', section(2), re.M):
        cmd.decode(example)


def test_no_frame_is_written_by_hand_except_one() -> None:
    """All others are structs of app/play/frames.py, which tests/docs compares with the page."""
    assert re.findall(r'"t": ?"(\w+)"', SOURCES) == ["events"]


def test_the_page_names_the_lobbys_messages() -> None:
    for name in lobby_message_names():
        assert f'{{"do":"{name}"' in section(4)


def test_the_page_and_the_code_have_the_same_refusal_codes() -> None:
    assert set(re.findall(r"^\| `(\w+)` \|", section(6).split("### Reasons")[0], re.M)) == set(SENTENCES)


def test_the_page_and_the_code_have_the_same_close_codes() -> None:
    rows = re.findall(r"^\| (\d{4}) \| ([^|]+?) \|", section(7), re.M)
    assert {int(code): name for code, name in rows} == CLOSE_CODES


def test_the_page_names_every_kind_of_entry_colour_level_and_preset() -> None:
    listed = section(3).split("`kind` is one of ")[1].split("; `seat`")[0]
    assert set(re.findall(r"`(\w+)`", listed)) == set({*_FOLDS, "action"}) - {"action", "hint"}
    for word in (*COLOURS, *BOT_LEVELS, *CHAT_PRESETS):
        assert f"`{word}`" in section(2)
    assert PAGE.startswith(f"# The wire protocol, version {PROTOCOL_VERSION}\n")


def test_every_example_with_no_ellipsis_is_json() -> None:
    blocks = re.findall(r"```json\n(.*?)```", PAGE, re.S)
    count = 0
    for block in blocks:
        for line in block.splitlines():
            if line.startswith("{") and line.endswith("}") and "…" not in line:
                orjson.loads(line)
                count += 1
    assert count > 30
