"""Models of the JSON API, and its OpenAPI description, which is built once in a thread."""

from __future__ import annotations

import gzip
from typing import Annotated, Any, Literal

import orjson
from fastapi import FastAPI
from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError
from starlette.requests import Request
from starlette.responses import Response

from app.web.routing import Router, respond_gzipped
from app.web.site import site_of


class Body(BaseModel):
    """A request body. Unknown fields are refused, so that typing errors are noticed."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)

    @model_validator(mode="before")
    @classmethod
    def _refuse_unknown_field(cls, values: Any) -> Any:
        """Stop at the first unknown field. pydantic would create an error for each of thousands."""
        if isinstance(values, dict):
            unknown = next((name for name in values if name not in cls.model_fields), None)
            if unknown is not None:
                raise PydanticCustomError(
                    "extra_forbidden", "{field} is not a field of this request", {"field": unknown[:40]}
                )
        return values


class NewGame(Body):
    """A new table. `options` as in docs/interchange.md (at least preset and players); other fields are its terms."""

    options: dict[str, Any] = Field(examples=[{"preset": "tortuga", "players": 3}])
    title: Annotated[str, Field(max_length=60)] = ""
    visibility: Literal["open", "unlisted", "password"] = "open"
    password: Annotated[str, Field(min_length=1, max_length=100)] | None = None
    spectators: bool = True
    clock: dict[str, Any] = Field(default={"kind": "none"}, examples=[{"kind": "turn", "seconds": 60}])
    on_timeout: Literal["default", "bot"] = "default"
    absence: Annotated[int, Field(ge=0, le=86_400)] = 120
    hints: bool = False
    pace: Annotated[int, Field(ge=0, le=10_000)] = 800
    bot_level: str = "sailor"
    bots: Annotated[list[str], Field(max_length=4)] = Field(default=[], examples=[["sailor", "mate"]])
    screen: bool = False
    """Created from a big screen: no host until someone sits down; it starts when all seated players are ready."""
    rated: bool = False
    """The game counts for ratings: no hints, and everyone who sits down needs an account."""


class CreatedGame(BaseModel):
    """A table's id, which is also its link `/g/{id}`, and what a client must keep before it sends a seal."""

    id: str
    commitment: str
    scheme: int
    ended: list[str] = Field(default=[], description="Tables that were ended because of `make_room`.")


class QuickPlayRequest(Body):
    """The kind of table to find, and to create if there is none."""

    preset: str = "jamaica"
    seats: Annotated[int, Field(ge=2, le=5)] = 3
    any_preset: bool = False
    any_seats: bool = False
    rated: bool = False


class QuickPlayTable(BaseModel):
    """The table to sit at; `found` is false if it is new."""

    id: str
    found: bool
    commitment: str
    scheme: int


class GameAction(Body):
    """A game action, as on the socket."""

    id: Annotated[str, Field(min_length=8, max_length=40, pattern=r"^[A-Za-z0-9_-]+$")]
    version: Annotated[int, Field(ge=0, le=2**53)]
    action: dict[str, Any] = Field(examples=[{"type": "end"}])


class CommandAccepted(BaseModel):
    """The command is on disk. `seq` is its position in the log; for chat, the line number."""

    ack: str
    seq: int
    commitment: str | None = None
    """After sitting down: the table's commitment."""


class GameList(BaseModel):
    """Tables as the lobby shows them."""

    games: list[dict[str, Any]]


class ErrorDetail(BaseModel):
    code: str
    message: str
    why: str | None = None
    params: dict[str, str | int] | None = None


class Error(BaseModel):
    """A refusal: nothing has changed. Refusals by the rules have `why` and `params`; refused actions have `state`."""

    error: ErrorDetail
    state: dict[str, Any] | None = None


def error_responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the error responses of a route for OpenAPI.

    The schema is a reference. With the model itself, FastAPI would build a validator per route and status, nearly four
    hundred of them, which takes a tenth of a second at every start.
    """
    refusal = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}}
    return dict.fromkeys((*statuses, 422, 429, 503), refusal)


def describe_errors(schemas: dict[str, Any]) -> None:
    """Add the schemas that `responses` refers to to an OpenAPI description."""
    schema = Error.model_json_schema(mode="serialization", ref_template="#/components/schemas/{model}")
    schemas |= {**schema.pop("$defs"), "Error": schema}


router = Router(include_in_schema=False)


@router.get("/api/v1/openapi.json")
async def openapi_json(request: Request) -> Response:
    """Return the OpenAPI description. Building it takes half a second, so the bytes are cached."""
    app = request.app
    if app.state.openapi_json is None:
        app.state.openapi_json = await site_of(request).offload.run(_build_description, app)
    plain, gzipped = app.state.openapi_json
    return respond_gzipped(request, plain, gzipped, "application/json")


def _build_description(app: FastAPI) -> tuple[bytes, bytes]:
    plain = orjson.dumps(app.openapi())
    return plain, gzip.compress(plain, 9, mtime=0)
