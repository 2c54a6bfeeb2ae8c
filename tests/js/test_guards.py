"""Guards of pages: one piece of work at a time, and the keyboard focus across redrawing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

WORK = """async ({OneAtATime}, fails) => {
  const changes = [];
  let begun = 0;
  let end;
  const guard = OneAtATime(() => changes.push(guard.isBusy));
  const work = () => { begun += 1; return new Promise((done, fail) => { end = fails ? fail : done; }); };
  const first = guard.run(work).then(() => "done", () => "failed");
  await guard.run(work);
  end();
  const outcome = await first;
  const again = guard.run(async () => { begun += 1; });
  await again;
  return {begun, outcome, changes};
}"""

FOCUS = """({keepFocus}, {focused, after}) => {
  const root = document.createElement("div");
  root.tabIndex = -1;
  document.body.append(root);
  const draw = (keys) => root.replaceChildren(...keys.map((key) => {
    const button = document.createElement("button");
    button.dataset.key = key;
    button.disabled = key.endsWith("-");
    if (button.disabled) button.dataset.key = key.slice(0, -1);
    return button;
  }));
  draw(["a", "b", "c"]);
  root.querySelector(`[data-key=${focused}]`).focus();
  keepFocus(root, () => draw(after));
  const now = document.activeElement;
  const found = now === root ? "root" : now.dataset.key ?? "lost";
  root.remove();
  return found;
}"""


@pytest.mark.parametrize("fails", [False, True])
def test_work_is_dropped_while_other_work_is_unfinished(run: Callable[..., Any], fails: bool) -> None:
    result = run("core/one_at_a_time.js", WORK, fails)
    assert result == {
        "begun": 2,
        "outcome": "failed" if fails else "done",
        "changes": [True, False, True, False],
    }


@pytest.mark.parametrize(
    ("focused", "after", "expected"),
    [
        ("b", ["x", "a", "b"], "b"),
        ("c", ["a", "b"], "b"),  # taken away
        ("b", ["a", "b-", "c"], "a"),  # disabled
        ("a", ["b", "c"], "root"),
    ],
)
def test_the_focus_stays_when_a_part_is_redrawn(
    run: Callable[..., Any], focused: str, after: list[str], expected: str
) -> None:
    assert run("core/keep_focus.js", FOCUS, {"focused": focused, "after": after}) == expected


TWICE = """async ({confirmAction}) => {
  const first = confirmAction("Sure?", "Yes");
  const asked = new Promise((done) => setTimeout(done, 100, "asked"));
  const second = await Promise.race([confirmAction("Sure?", "Yes"), asked]);
  const count = document.querySelectorAll("dialog[open]").length;
  document.querySelector("dialog button[value=yes]").click();
  return {first: await first, second, count, left: document.querySelectorAll("dialog").length};
}"""


def test_a_question_is_asked_once_at_a_time(run: Callable[..., Any]) -> None:
    assert run("core/confirm_dialog.js", TWICE) == {"first": True, "second": False, "count": 1, "left": 0}


NEEDED = """async ({loadNeeded}) => {
  let tries = 0, failures = 0;
  const {setTimeout} = window;
  window.setTimeout = (call) => setTimeout(call);
  const load = async () => {
    tries += 1;
    if (tries < 3) throw new TypeError("no connection");
    return "loaded";
  };
  try {
    return {loaded: await loadNeeded(load, () => (failures += 1)), tries, failures};
  } finally { window.setTimeout = setTimeout; }
}"""


def test_what_is_needed_is_loaded_until_it_is_there(run: Callable[..., Any]) -> None:
    assert run("core/load_once.js", NEEDED) == {"loaded": "loaded", "tries": 3, "failures": 1}
