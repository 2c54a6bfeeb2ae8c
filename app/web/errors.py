"""Refusals of the web layer, and the handlers that turn exceptions into JSON ({"error": {"code", "message"}}) or pages.

Refused
├── IdentityRequired  401  who_are_you      an identity is required
├── NotAllowed        403  (several codes)  this person may not do this
├── NotFound          404  not_found        nothing here for this person
├── BadRequest        422  (several codes)  the request is invalid
├── Conflict          409  (several codes)  it conflicts with the current state
├── TooBig            413  too_big          the request is too large
└── TooMany           429  too_many         rate limit; has `retry_after`

Refusals by the rules of the game also have `why` and `params`.
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
from app.play.refusals import LostRaces, NotAdmitted, Refusal, Unconfirmed, refusal_json
from app.rules.core.errors import Param, RuleError
from app.store.people.player_rows import PlayerGone


class Refused(Exception):
    """The request is refused and nothing has changed. A subclass may define its code and message."""

    status = 400
    code: str
    message: str

    def __init__(self, code: str | None = None, message: str | None = None) -> None:
        self.code = code if code is not None else type(self).code
        self.message = message if message is not None else type(self).message
        super().__init__(self.message)


class IdentityRequired(Refused):
    """An identity is required first."""

    status, code, message = 401, "who_are_you", "Choose a name first."


class NotAllowed(Refused):
    """This person may not do this."""

    status = 403


class NotFound(Refused):
    """There is nothing here, or nothing that this person may know of. Both get the same answer."""

    status, code, message = 404, "not_found", "There is nothing here."

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message=message)


class BadRequest(Refused):
    """The request is invalid."""

    status = 422


class Conflict(Refused):
    """The request conflicts with the current state."""

    status = 409


class TooBig(Refused):
    """The request is too large."""

    status, code, message = 413, "too_big", "That is too big."


class TooMany(Refused):
    """A rate limit is exceeded."""

    status, code = 429, "too_many"

    def __init__(self, retry_after: float, message: str | None = None) -> None:
        super().__init__(message=message or wait_message(retry_after))
        self.retry_after = round_up_seconds(retry_after)


class TooFast(Refusal):
    """A rate limit is exceeded, as a Refusal, which sockets can send too."""

    def __init__(self, retry_after: float) -> None:
        super().__init__("too_fast", wait_message(retry_after))
        self.retry_after = round_up_seconds(retry_after)


def round_up_seconds(wait: float) -> int:
    """Round up for the Retry-After header; never 0."""
    return max(1, ceil(wait))


def round_to_minutes(seconds: float) -> int:
    """Round up to minutes for people: 0 up to a minute, steps of five above ten."""
    if seconds <= 60:
        return 0
    minutes = ceil(seconds / 60)
    return minutes if minutes <= 10 else ceil(minutes / 5) * 5


def wait_message(seconds: float) -> str:
    """Return the message for a client that must wait this long."""
    minutes = round_to_minutes(seconds)
    if not minutes:
        return "You are going too fast. Wait a moment and try again."
    return f"You have done that too often for now. Try again in about {minutes} minutes."


log = logging.getLogger("cartagena.web")

Reason = tuple[str | None, dict[str, Param]]  # why and params
ErrorPage = Callable[[Request, int, str, int, Reason], Awaitable[Response]]

HTTP_ERRORS = {
    400: ("bad_request", "The request could not be read."),
    404: ("not_found", "There is nothing here."),
    405: ("method_not_allowed", "That cannot be done here."),
    406: ("not_acceptable", "This is not available in the requested format."),
    408: ("too_slow", "The request did not arrive in time."),
    413: ("too_big", "That is too big."),
    415: ("wrong_type", "This content type is not supported."),
    500: ("server_fault", "Something went wrong on our side. Nothing you did is lost; try again."),
    503: ("try_again", "The server is busy. Try again in a moment."),
}


# HTTP status by code of a Refusal or RuleError. Codes that start with `bad_` are 422; all others are 409.
_STATUS_BY_CODE = {
    "no_session": 401,
    "banned": 403,
    "blocked": 403,
    "not_host": 403,
    "sit_to_begin": 403,
    "account_required": 403,
    "too_fast": 429,
    "chat_too_fast": 429,
    "hint_too_fast": 429,
    "mute_too_fast": 429,
    "password_too_fast": 429,
    "try_again": 503,
}


def _route_of(request: Request) -> str:
    """Return the route for the log. Never the path, which may contain a one-time code."""
    return f"{request.method} {getattr(request.scope.get('route'), 'path', 'none')}"


def status_of(refusal: Refusal | RuleError) -> int:
    """Return the HTTP status of a refusal. Use 503 only when the store fails: proxies avoid a worker that sends it."""
    if isinstance(refusal, NotAdmitted):
        return 403
    if isinstance(refusal, LostRaces):
        return 409
    return 422 if refusal.code.startswith("bad_") else _STATUS_BY_CODE.get(refusal.code, 409)


def error_response(status: int, code: str, message: str, reason: Reason = (None, {})) -> JSONResponse:
    """Return a refusal in the JSON format that all of them share."""
    return JSONResponse({"error": refusal_json(code, message, *reason)}, status_code=status)


def wants_page(request: Request) -> bool:
    """Return whether the client is a person's browser, not a script or program."""
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
    """Return an error page for a browser (rendered by `app.state.error_page`, if set), otherwise JSON."""
    page: ErrorPage | None = getattr(request.app.state, "error_page", None)
    response: Response = error_response(status, code, message, reason)
    if page is not None and wants_page(request):
        try:
            response = await page(request, status, code, retry_after, reason)
        except Exception:  # uvicorn's own response would have no message and no security headers
            log.exception("rendering the error page failed", extra={"fields": {"path": _route_of(request)}})
    if retry_after:
        response.headers["Retry-After"] = str(retry_after)
    return response


async def refused_response(request: Request, problem: Refused) -> Response:
    """Return the response to a request that the guard or a route refused."""
    wait = problem.retry_after if isinstance(problem, TooMany) else 0
    response = await respond(request, problem.status, problem.code, problem.message, wait)
    return _with_refusal_headers(response, problem)


def refused_json(problem: Refused) -> Response:
    """Return the response as JSON, without reading the request."""
    return _with_refusal_headers(error_response(problem.status, problem.code, problem.message), problem)


def _with_refusal_headers(response: Response, problem: Refused) -> Response:
    if isinstance(problem, TooMany):
        response.headers["Retry-After"] = str(problem.retry_after)
    if problem.status == 401:
        response.headers["WWW-Authenticate"] = "Bearer"
    return response


def install_error_handlers(app: FastAPI) -> None:
    """Install the exception handlers of the app."""

    async def on_web_refusal(request: Request, problem: Exception) -> Response:
        assert isinstance(problem, Refused)
        return await refused_response(request, problem)

    async def on_game_refusal(request: Request, problem: Exception) -> Response:
        assert isinstance(problem, Refusal | RuleError)
        wait = problem.retry_after if isinstance(problem, TooFast) else 0
        reason = (problem.why, problem.params)
        return await respond(request, status_of(problem), problem.code, problem.message, wait, reason)

    async def on_unknown_rules(request: Request, problem: Exception) -> Response:
        sentence = "This table needs a newer server than this one; try again later."
        return await on_web_refusal(request, Conflict("unknown_rules", sentence))

    async def on_outage(request: Request, problem: Exception) -> Response:
        log.warning(
            "the store did not respond",
            extra={"fields": {"path": _route_of(request), "why": str(problem.__cause__)}},
        )
        if request.method not in ("GET", "HEAD"):
            unknown = Unconfirmed()  # the write may have succeeded before the store stopped responding
            return await respond(request, 503, unknown.code, unknown.message, 2, (unknown.why, {}))
        return await respond(request, 503, *HTTP_ERRORS[503], retry_after=2)

    async def on_player_gone(request: Request, problem: Exception) -> Response:
        return await on_web_refusal(request, IdentityRequired())

    async def on_client_disconnect(request: Request, problem: Exception) -> Response:
        return Response(status_code=499)  # the client disconnected during its request and receives nothing

    async def on_http_exception(request: Request, problem: Exception) -> Response:
        assert isinstance(problem, HTTPException)
        fallback = (HTTPStatus(problem.status_code).phrase.lower().replace(" ", "_"), "That cannot be done.")
        code, message = HTTP_ERRORS.get(problem.status_code, fallback)
        # Unreadable and invalid bodies get the same status.
        status = 422 if problem.status_code == 400 else problem.status_code
        response = await respond(request, status, code, message)
        response.headers.update(problem.headers or {})
        return response

    async def on_invalid_request(request: Request, problem: Exception) -> Response:
        assert isinstance(problem, RequestValidationError)
        first = problem.errors()[0]
        # Only the location and pydantic's message, never the value, which may be a password.
        place = ".".join(
            str(step) for step in first["loc"] if step not in ("body", "query", "path", "header")
        )
        return await respond(request, 422, "bad_request", f"{place or 'The request'}: {first['msg']}.")

    async def on_fault(request: Request, problem: Exception) -> Response:
        log.error("fault", exc_info=problem, extra={"fields": {"path": _route_of(request)}})
        return await respond(request, 500, *HTTP_ERRORS[500])

    app.add_exception_handler(Refused, on_web_refusal)
    app.add_exception_handler(RuleError, on_game_refusal)
    app.add_exception_handler(Refusal, on_game_refusal)
    app.add_exception_handler(UnknownRules, on_unknown_rules)
    app.add_exception_handler(StoreUnavailable, on_outage)
    app.add_exception_handler(PlayerGone, on_player_gone)
    app.add_exception_handler(ClientDisconnect, on_client_disconnect)
    app.add_exception_handler(HTTPException, on_http_exception)
    app.add_exception_handler(RequestValidationError, on_invalid_request)
    app.add_exception_handler(Exception, on_fault)
