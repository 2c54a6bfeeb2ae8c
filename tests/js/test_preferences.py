"""Preferences of the table page, which several tabs share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

# Another tab stores its changes after this one has loaded the preferences; then this tab changes each of its own.
CHANGE = """async ({setPref}, stored) => {
  const {rememberReadLine} = await import("/static/js/table/read_chat.js");
  const {countBotGame} = await import("/static/js/table/first_games.js");
  const {rememberHandLayout} = await import("/static/js/table/hand_layout.js");
  const key = "cartagena.table";
  localStorage.setItem(key, JSON.stringify(stored));
  try {
    setPref("tab", "chat");
    const afterSet = JSON.parse(localStorage.getItem(key));
    localStorage.setItem(key, JSON.stringify({...stored, sound: true}));
    rememberReadLine({table: {id: "second"}, you: {seat: 1}, chatLines: [{n: 4}]});
    countBotGame("own");
    rememberHandLayout("own", true);
    return [afterSet, JSON.parse(localStorage.getItem(key))];
  } finally {
    for (const name of ["chatRead", "firstGames", "hands", "lessons"]) setPref(name, []);
    setPref("tab", "log");
    setPref("sound", false);
    localStorage.removeItem(key);
  }
}"""


def test_change_keeps_what_another_tab_has_stored(run: Callable[..., Any]) -> None:
    stored = {"chatRead": [["first.0", 12]], "firstGames": ["other"], "hands": ["other"], "lessons": ["rum"]}
    after_set, after_all = run("table/preferences.js", CHANGE, stored)
    assert {name: after_set[name] for name in stored} == stored
    assert after_set["tab"] == "chat"
    assert {name: after_all[name] for name in [*stored, "sound"]} == {
        "chatRead": [["first.0", 12], ["second.1", 4]],
        "firstGames": ["other", "own"],
        "hands": ["other", "own"],
        "lessons": ["rum"],
        "sound": True,
    }
