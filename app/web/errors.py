"""Refusals of the web layer, and how every exception becomes a response: {"error": {"code", "message"}}, or a page.

Refused
├── NobodyKnown    401  who_are_you      an identity is needed first
├── NotAllowed     403  (several codes)  this person may not do this
├── NotFound       404  not_found        nothing here for this person
├── BadRequest     422  (several codes)  the request itself is wrong
├── Conflict       409  (several codes)  it collides with what is there
├── TooBig         413  too_big          the request is larger than anything that is wanted
└── TooMany        429  too_many         slower, please; carries retry_after

What the rules refused has `why` and `params` as well.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from math import ceil

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from app.play.engines import UnknownRules
from app.play.ports import StoreUnavailable
from app.play.refusals import NotAdmitted, Raced, Refusal, Unconfirmed, refusal_json
from app.rules.core.errors import Param, RuleError
from app.store.people.player_rows import PlayerGone


class Refused(Exception):
    """The request is refused; nothing has changed."""

    status = 400

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class NobodyKnown(Refused):
    """An identity is needed first."""

    status = 401

    def __init__(self) -> None:
        super().__init__("who_are_you", "Choose a name first.")


class NotAllowed(Refused):
    """This person may not do this."""

    status = 403


class NotFound(Refused):
    """There is nothing here, or nothing this person may know of: the same answer for both."""

    status = 404

    def __init__(self, message: str = "There is nothing here.") -> None:
        super().__init__("not_found", message)


class BadRequest(Refused):
    """The request itself is wrong."""

    status = 422


class Conflict(Refused):
    """The request collides with what is already there."""

    status = 409


class TooBig(Refused):
    """The request is larger than anything that is wanted."""

    status = 413

    def __init__(self) -> None:
        super().__init__("too_big", "That is too big.")


class TooMany(Refused):
    """Slower, please."""

    status = 429

    def __init__(self, retry_after: float, message: str | None = None) -> None:
        super().__init__("too_many", message or waiting_sentence(retry_after))
        self.retry_after = whole_seconds(retry_after)


class TooFast(Refusal):
    """The same in the words of rooms, which sockets hear as well."""

    def __init__(self, retry_after: float) -> None:
        super().__init__("too_fast", waiting_sentence(retry_after))
        self.retry_after = whole_seconds(retry_after)


def whole_seconds(wait: float) -> int:
    """For the header Retry-After: never too early, never 0."""
    return max(1, ceil(wait))


def about_minutes(seconds: float) -> int:
    """How long that is in words: 0 is a moment; more than ten minutes are told in fives."""
    if seconds <= 60:
        return 0
    minutes = ceil(seconds / 60)
    return minutes if minutes <= 10 else ceil(minutes / 5) * 5


def waiting_sentence(seconds: float) -> str:
    """What somebody is told who has to wait so long."""
    minutes = about_minutes(seconds)
    if not minutes:
        return "That was too much at once. Wait a moment and try again."
    return f"That was too much for now. Try again in about {minutes} minutes."


log = logging.getLogger("cartagena.web")

Reason = tuple[str | None, dict[str, Param]]  # why and params
ErrorPage = Callable[[Request, int, str, int, Reason], Awaitable[Response]]

HTTP_ERRORS = {
    400: ("bad_request", "The request could not be read."),
    404: ("not_found", "There is nothing here."),
    405: ("method_not_allowed", "That cannot be done here."),
    406: ("not_acceptable", "This cannot be given in the form asked for."),
    408: ("too_slow", "The request did not arrive in time."),
    413: ("too_big", "That is too big."),
    415: ("wrong_type", "The content type is not one that is understood here."),
    500: ("server_fault", "Something went wrong on our side. Nothing you did is lost; try again."),
    503: ("try_again", "The server is busy. Try again in a moment."),
}


# Refusals of rooms and of the rules by their code. Not here: `bad_…`, which is 422, and conflicts with the present
# table, which are 409.
_STATUS = {
    "no_session": 401,
    "banned": 403,
    "blocked": 403,
    "not_host": 403,
    "sit_to_begin": 403,
    "too_fast": 429,
    "chat_too_fast": 429,
    "hint_too_fast": 429,
    "mute_too_fast": 429,
    "password_too_fast": 429,
    "try_again": 503,
}


def _route(request: Request) -> str:
    """The route, never the path: an address may hold a one-time code."""
    return f"{request.method} {getattr(request.scope.get('route'), 'path', 'none')}"


def status_of(refusal: Refusal | RuleError) -> int:
    """The HTTP status of a refusal. 503 only where the store did not answer: a proxy avoids who says it."""
    if isinstance(refusal, NotAdmitted):
        return 403
    if isinstance(refusal, Raced):
        return 409
    return 422 if refusal.code.startswith("bad_") else _STATUS.get(refusal.code, 409)


def error_response(status: int, code: str, message: str, reason: Reason = (None, {})) -> JSONResponse:
    """The one shape of a refusal over HTTP."""
    return JSONResponse({"error": refusal_json(code, message, *reason)}, status_code=status)


def wants_page(request: Request) -> bool:
    """Whether a person in a browser is looking, rather than a script or a program."""
    if request.url.path.startswith(("/api/", "/static/", "/lang/", "/metrics", "/healthz", "/readyz")):
        return False
    return "text/html" in request.headers.get("accept", "")


async def respond(
    request: Request,
    status: int,
    code: str,
    message: str,
    retry_after: int = 0,
    reason: Reason = (None, {}),
) -> Response:
    """Return a page where a person reads (`app.state.error_page`, when set, draws it), else JSON."""
    page: ErrorPage | None = getattr(request.app.state, "error_page", None)
    given: Response = error_response(status, code, message, reason)
    if page is not None and wants_page(request):
        try:
            given = await page(request, status, code, retry_after, reason)
        except Exception:  # uvicorn would answer without a sentence and without security headers
            log.exception("the error page failed", extra={"fields": {"path": _route(request)}})
    if retry_after:
        given.headers["Retry-After"] = str(retry_after)
    return given


async def refused_response(request: Request, problem: Refused) -> Response:
    """Return the response to a request that the guard or a route refused."""
    wait = problem.retry_after if isinstance(problem, TooMany) else 0
    given = await respond(request, problem.status, problem.code, problem.message, wait)
    return _with_refusal_headers(given, problem)


def refused_json(problem: Refused) -> Response:
    """The same as JSON, whatever was asked for; nothing of the request is read."""
    return _with_refusal_headers(error_response(problem.status, problem.code, problem.message), problem)


def _with_refusal_headers(given: Response, problem: Refused) -> Response:
    if isinstance(problem, TooMany):
        given.headers["Retry-After"] = str(problem.retry_after)
    if problem.status == 401:
        given.headers["WWW-Authenticate"] = "Bearer"
    return given


def install_error_handlers(app: FastAPI) -> None:
    """Gives the app its handlers."""

    async def on_refused(request: Request, problem: Exception) -> Response:
        assert isinstance(problem, Refused)
        return await refused_response(request, problem)

    async def on_refusal(request: Request, problem: Exception) -> Response:
        assert isinstance(problem, Refusal | RuleError)
        wait = problem.retry_after if isinstance(problem, TooFast) else 0
        reason = (problem.why, problem.params)
        return await respond(request, status_of(problem), problem.code, problem.message, wait, reason)

    async def on_unknown_rules(request: Request, problem: Exception) -> Response:
        sentence = "This table needs a newer server than this one; try again in a while."
        return await on_refused(request, Conflict("unknown_rules", sentence))

    async def on_outage(request: Request, problem: Exception) -> Response:
        log.warning(
            "the store did not answer",
            extra={"fields": {"path": _route(request), "why": str(problem.__cause__)}},
        )
        if request.method not in ("GET", "HEAD"):
            unknown = Unconfirmed()  # what was to be written may have been, before the store fell silent
            return await respond(request, 503, unknown.code, unknown.message, 2, (unknown.why, {}))
        return await respond(request, 503, *HTTP_ERRORS[503], retry_after=2)

    async def on_player_gone(request: Request, problem: Exception) -> Response:
        return await on_refused(request, NobodyKnown())

    async def on_gone(request: Request, problem: Exception) -> Response:
        return Response(status_code=499)  # hung up in the middle of its request: nobody is there to be told

    async def on_http(request: Request, problem: Exception) -> Response:
        assert isinstance(problem, HTTPException)
        fallback = (HTTPStatus(problem.status_code).phrase.lower().replace(" ", "_"), "That cannot be done.")
        code, message = HTTP_ERRORS.get(problem.status_code, fallback)
        # A body that cannot be read and one that says the wrong thing are one kind of mistake here.
        status = 422 if problem.status_code == 400 else problem.status_code
        given = await respond(request, status, code, message)
        given.headers.update(problem.headers or {})
        return given

    async def on_invalid(request: Request, problem: Exception) -> Response:
        assert isinstance(problem, RequestValidationError)
        first = problem.errors()[0]
        # The place and pydantic's own words only: never the value, which may be a password.
        place = ".".join(
            str(step) for step in first["loc"] if step not in ("body", "query", "path", "header")
        )
        return await respond(request, 422, "bad_request", f"{place or 'The request'}: {first['msg']}.")

    async def on_fault(request: Request, problem: Exception) -> Response:
        log.error("fault", exc_info=problem, extra={"fields": {"path": _route(request)}})
        return await respond(request, 500, *HTTP_ERRORS[500])

    app.add_exception_handler(Refused, on_refused)
    app.add_exception_handler(RuleError, on_refusal)
    app.add_exception_handler(Refusal, on_refusal)
    app.add_exception_handler(UnknownRules, on_unknown_rules)
    app.add_exception_handler(StoreUnavailable, on_outage)
    app.add_exception_handler(PlayerGone, on_player_gone)
    app.add_exception_handler(ClientDisconnect, on_gone)
    app.add_exception_handler(HTTPException, on_http)
    app.add_exception_handler(RequestValidationError, on_invalid)
    app.add_exception_handler(Exception, on_fault)
