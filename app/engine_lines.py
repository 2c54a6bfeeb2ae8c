"""Line protocol of `cartagena engine`: one JSON request in, one JSON answer out."""

from __future__ import annotations

from collections.abc import Callable
from typing import BinaryIO

import orjson

from app import rules
from app.rules import Json

MAX_LINE_BYTES = 4 * 1024 * 1024
"""Longer lines are refused. The longest valid request, `choose` with the events of a whole game, is far shorter."""


class RequestError(Exception):
    """The line is not a valid request: `bad_json` or `bad_request`."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def serve_lines(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer every line until end of input. Each answer is flushed before the next line is read."""
    while line := requests.readline(MAX_LINE_BYTES + 1):
        if len(line) > MAX_LINE_BYTES and not line.endswith(b"\n"):
            _skip_line(requests)
            answer = _error("bad_request", f"The line is longer than {MAX_LINE_BYTES} bytes.")
        else:
            answer = answer_line(line)
        answers.write(answer)
        answers.flush()


def _skip_line(requests: BinaryIO) -> None:
    while (rest := requests.readline(MAX_LINE_BYTES)) and not rest.endswith(b"\n"):
        continue


def _error(code: str, message: str) -> bytes:
    return orjson.dumps({"error": {"code": code, "message": message}}) + b"\n"


def answer_line(line: bytes) -> bytes:
    try:
        try:
            request = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            raise RequestError("bad_json", f"The line is not one JSON value: {error}.") from None
        return orjson.dumps(_answer(request)) + b"\n"
    except (RequestError, rules.RuleError) as refusal:
        return _error(refusal.code, refusal.message)


def _answer(request: object) -> Json:
    if not isinstance(request, dict):
        raise RequestError("bad_request", 'A request is an object with the field "do".')
    do = request.get("do")
    if not isinstance(do, str) or do not in _REQUESTS:
        raise RequestError("bad_request", f'The field "do" is one of {", ".join(_REQUESTS)}.')
    for names, answer in _REQUESTS[do]:
        if request.keys() == {"do", *names}:
            return answer(*[request[name] for name in names])
    forms = ", or ".join(", ".join(("do", *names)) for names, _ in _REQUESTS[do])
    raise RequestError("bad_request", f'A request "{do}" has exactly these fields: {forms}.')


def _new(options: object, seed: object) -> Json:
    parsed = rules.parse_options(options)
    return {"position": rules.position_to_json(rules.new_game(parsed, rules.check_seed(seed)))}


def _legal(position: object) -> Json:
    parsed = rules.position_from_json(position)
    return {
        "actions": [
            {"seat": seat, "action": rules.action_to_json(action)}
            for seat, action in rules.legal_for_all(parsed)
        ]
    }


def _parse_seat(value: object, position: rules.Position) -> int:
    if type(value) is not int or not 0 <= value < position.options.players:
        raise rules.BadSeat(
            "no_such_seat",
            "The seats at this table are numbered from 0 to {n}.",
            n=position.options.players - 1,
        )
    return value


def _apply(position: object, seat: object, action: object) -> Json:
    before = rules.position_from_json(position)
    acting = _parse_seat(seat, before)
    after, events = rules.apply(before, acting, rules.action_from_json(action))
    return {
        "position": rules.position_to_json(after),
        "events": [rules.event_to_json(event) for event in events],
    }


def _view(position: object, seat: object) -> Json:
    parsed = rules.position_from_json(position)
    return {"view": rules.view(parsed, None if seat is None else _parse_seat(seat, parsed))}


def _choose_on_position(position: object, seat: object, bot: object) -> Json:
    from app.bots.engine_choose import choose_from_position  # few clients need bots
    from app.bots.levels import LEVELS, is_level

    parsed = rules.position_from_json(position)
    acting = _parse_seat(seat, parsed)
    if not isinstance(bot, str) or not is_level(bot):
        raise RequestError("bad_request", f'The field "bot" is one of {", ".join(LEVELS)}.')
    return {"action": choose_from_position(parsed, acting, bot)}


def _choose_on_view(view: Json, seat: int, actions: list[Json], history: list[Json]) -> Json:
    from app.bots.engine_choose import choose_from_view  # validates all four

    return {"action": choose_from_view(view, seat, actions, history)}


_REQUESTS: dict[str, tuple[tuple[tuple[str, ...], Callable[..., Json]], ...]] = {
    "new": ((("options", "seed"), _new),),
    "legal": ((("position",), _legal),),
    "apply": ((("position", "seat", "action"), _apply),),
    "view": ((("position", "seat"), _view),),
    "choose": (
        (("position", "seat", "bot"), _choose_on_position),
        (("view", "seat", "actions", "history"), _choose_on_view),
    ),
}
