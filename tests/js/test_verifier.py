"""The browser's verifier and the server's, each with code of its own, judge every tampered record alike."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from app import rules
from app.rules.formats.record import FORMATS
from app.web.pages.replay import steps_of
from tests.rules.tampering import Json, Tampered, rewritten, sample, tampered

# Each case is a sample with one value replaced: {base, path, value, scheme, index}. The answer of the server that
# plays its moves is the text at `index`; null: it refuses the record.
CHECK = """async ({checkRecord}, {samples, cases, plays}) => {
  const {Refused} = await import("/static/js/core/api.js");
  const replaced = (whole, [first, ...rest], value) => {
    const copy = Array.isArray(whole) ? [...whole] : {...whole};
    copy[first] = rest.length ? replaced(copy[first], rest, value) : value;
    return copy;
  };
  const verdicts = [];
  for (const {base, path, value, scheme, index} of cases) {
    const record = path.length ? replaced(samples[base], path, value) : value ?? samples[base];
    const playThrough = async () => {
      if (index === null) throw new Refused(422, "bad_record", "");
      return JSON.parse(plays[index]);
    };
    const ways = {playThrough, scheme, note: (holds) => holds, remark: () => {}};
    try {
      verdicts.push(await checkRecord(record, ways));
    } catch {
      verdicts.push(false); // as the page does: it is not a whole record
    }
  }
  return verdicts;
}"""


def verdict(record: Json, scheme: int | None) -> bool:
    try:
        rules.verify(rules.record_from_json(record), scheme=scheme)
    except rules.BadRecord:
        return False
    return True


def play(record: Json) -> str | None:
    """What the page needs of the answer to `POST /replay/steps`; None: the record is refused."""
    try:
        played = steps_of(rules.record_from_json(record), None, everything=True)
    except rules.BadRecord:
        return None
    return json.dumps(
        {"view": played["view"], "steps": [{"events": step["events"]} for step in played["steps"]]}
    )


Case = tuple[int, int | None, Tampered]
"""The scheme of the sample, the scheme that the verifiers are told, and the change."""


def check(run: Callable[..., Any], cases: list[Case]) -> list[tuple[Tampered, bool, bool]]:
    """Of each case the server's verdict and the browser's."""
    plays: dict[str, int] = {}
    given: list[Json] = []
    for base, scheme, case in cases:
        played = play(case.record)
        index = None if played is None else plays.setdefault(played, len(plays))
        value = case.value if case.path else case.record
        given.append({"base": base, "path": case.path, "value": value, "scheme": scheme, "index": index})
    samples = {base: sample(base) for base in FORMATS}
    verdicts = run("pages/verifier.js", CHECK, {"samples": samples, "cases": given, "plays": list(plays)})
    return [
        (case, verdict(case.record, scheme), found)
        for (_, scheme, case), found in zip(cases, verdicts, strict=True)
    ]


def test_both_verifiers_judge_every_change_of_a_field_alike(run: Callable[..., Any]) -> None:
    cases: list[Case] = [(scheme, scheme, Tampered("", "untouched", sample(scheme))) for scheme in FORMATS]
    for scheme in FORMATS:
        cases += [(scheme, scheme, case) for case in tampered(sample(scheme)) if case.path]
    found = check(run, cases)
    assert [case[:2] for case, server, browser in found if server is not browser] == []
    assert [browser for case, _, browser in found if case.change == "untouched"] == [True] * len(FORMATS)


def test_both_verifiers_refuse_what_was_rewritten(run: Callable[..., Any]) -> None:
    cases: list[Case] = [(2, None, case) for case in rewritten()]
    found = check(run, [*cases, (2, 2, next(rewritten()))])
    assert [(case.change, server, browser) for case, server, browser in found if server or browser] == []


def test_a_record_without_seals_is_not_the_sealed_game_that_this_browser_kept(
    run: Callable[..., Any],
) -> None:
    """It has the browser's own number in it: what is missing are the seals that the browser was shown."""
    compare = """({sitting, compared}, {table, unsealed}) => {
      const {seal} = sitting("tampered", table);
      const {nonces} = JSON.parse(localStorage.getItem("cartagena.chance.tampered"));
      unsealed.nonces[0] = nonces[seal];
      const found = compared(unsealed, "tampered");
      localStorage.removeItem("cartagena.chance.tampered");
      return found;
    }"""
    unsealed = next(rewritten()).record
    table = {"commitment": unsealed["commitment"], "scheme": 2}
    assert run("core/sealing.js", compare, {"table": table, "unsealed": unsealed}) == "other"
