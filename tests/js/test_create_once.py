"""Creating a table once: idempotency keys, and buttons that are disabled while busy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

KEYS = """async ({createOnce}, answers) => {
  document.head.innerHTML = '<meta name="csrf" content="c">';
  const keys = [];
  const really = window.fetch;
  window.fetch = async (url, {headers}) => {
    keys.push(headers["Idempotency-Key"]);
    const status = answers[keys.length - 1];
    if (status === 0) throw new TypeError("offline");
    return new Response(JSON.stringify(status < 300 ? {id: "g"} : {error: {code: "try_again"}}), {status});
  };
  try {
    for (const _ of answers) await createOnce("/games", {players: 2}).catch(() => {});
    await createOnce("/games", {players: 3}).catch(() => {});
  } finally { window.fetch = really; }
  return keys;
}"""

PRESSES = """async ({withBusyButton}, fails) => {
  const button = document.createElement("button");
  let begun = 0;
  let end;
  const work = () => { begun += 1; return new Promise((done, fail) => { end = fails ? fail : done; }); };
  const first = withBusyButton(button, work).catch(() => {});
  await withBusyButton(button, work);
  const during = button.disabled;
  end();
  await first;
  return {begun, during, after: button.disabled};
}"""


def test_unanswered_request_is_repeated_with_the_same_key(run: Callable[..., Any]) -> None:
    cut, trouble, made, refused, last, other = run("core/create_once.js", KEYS, [0, 503, 201, 409, 409])
    assert cut == trouble == made, "one request, sent three times"
    assert len({made, refused, last, other}) == 4


OLD_WORKER = """async ({createOnce}, known) => {
  document.head.innerHTML = '<meta name="csrf" content="c">';
  const requests = [];
  const really = window.fetch;
  window.fetch = async (url, {body, headers}) => {
    const given = JSON.parse(body);
    requests.push([given, headers["Idempotency-Key"]]);
    const unknown = Object.keys(given).find((name) => !known.includes(name));
    const message = `The request: ${unknown} is not a field of this request.`;
    return unknown
      ? new Response(JSON.stringify({error: {code: "bad_request", message}}), {status: 422})
      : new Response(JSON.stringify({id: "g"}), {status: 201});
  };
  try {
    const made = await createOnce("/quick", {preset: "jamaica", any_seats: true, any_preset: true}).catch(() => null);
    return {made, requests};
  } finally { window.fetch = really; }
}"""


def test_a_field_that_an_older_worker_refuses_is_left_out(run: Callable[..., Any]) -> None:
    result = run("core/create_once.js", OLD_WORKER, ["preset"])
    assert result["made"] == {"id": "g"}
    assert [given for given, _ in result["requests"]] == [
        {"preset": "jamaica", "any_seats": True, "any_preset": True},
        {"preset": "jamaica", "any_preset": True},
        {"preset": "jamaica"},
    ]
    assert len({key for _, key in result["requests"]}) == 1
    refused = run("core/create_once.js", OLD_WORKER, [])
    assert refused["made"] is None, "it knew the other fields"
    assert len(refused["requests"]) == 1


@pytest.mark.parametrize("fails", [False, True])
def test_button_stays_disabled_unless_the_work_fails(run: Callable[..., Any], fails: bool) -> None:
    result = run("core/create_once.js", PRESSES, fails)
    assert result == {"begun": 1, "during": True, "after": not fails}
