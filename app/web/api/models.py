"""What the JSON API takes and gives, and its OpenAPI description: made once, off the loop, for whoever asks."""

from __future__ import annotations

import gzip
from typing import Annotated, Any, Literal

import orjson
from fastapi import FastAPI
from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError
from starlette.requests import Request
from starlette.responses import Response

from app.web.routing import Router, accepts_gzip
from app.web.site import site_of


class Body(BaseModel):
    """A request's body: unknown fields are refused, so that a slip is seen at once."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)

    @model_validator(mode="before")
    @classmethod
    def _refuse_unknown_field(cls, given: Any) -> Any:
        """Stop at the first unknown field; pydantic would make an error of each of thousands."""
        if isinstance(given, dict):
            unknown = next((name for name in given if name not in cls.model_fields), None)
            if unknown is not None:
                raise PydanticCustomError(
                    "extra_forbidden", "{field} is not a field of this request", {"field": unknown[:40]}
                )
        return given


class NewGame(Body):
    """A new table. `options` as docs/interchange.md (preset and players at least); the rest are its terms."""

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
    """Opened from a big screen: nobody is its host until somebody sits, and it begins when all who sit are ready."""


class Created(BaseModel):
    """The id of a table: also its link, `/g/{id}`; and what a client keeps before it sends a seal there."""

    id: str
    commitment: str
    scheme: int
    ended: list[str] = Field(default=[], description="Tables that were ended to make room (`make_room`).")


class Quick(Body):
    """What kind of table somebody wants to sit at."""

    preset: str = "jamaica"
    seats: Annotated[int, Field(ge=2, le=5)] = 3


class QuickAnswer(BaseModel):
    """Where to sit; `found` false: a new table was opened."""

    id: str
    found: bool
    commitment: str
    scheme: int


class Act(Body):
    """A game action, as on the socket."""

    id: Annotated[str, Field(min_length=8, max_length=40, pattern=r"^[A-Za-z0-9_-]+$")]
    version: Annotated[int, Field(ge=0, le=2**53)]
    action: dict[str, Any] = Field(examples=[{"type": "end"}])


class Done(BaseModel):
    """The command is on disk: `seq` is its place in the log (for chat the number of the line)."""

    ack: str
    seq: int
    commitment: str | None = None
    """After sitting down: that of the table."""


class Rows(BaseModel):
    """Tables as the lobby shows them."""

    games: list[dict[str, Any]]


class _Problem(BaseModel):
    code: str
    message: str
    why: str | None = None
    params: dict[str, str | int] | None = None


class Error(BaseModel):
    """A refusal: nothing has changed. `why` and `params` where the rules refused, `state` for game actions."""

    error: _Problem
    state: dict[str, Any] | None = None


def responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The refusals a route may answer.

    By reference: with the model itself FastAPI builds a validator a route and status, nearly four hundred of
    them, a tenth of a second of every start, for documentation that is hardly ever asked for.
    """
    refusal = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}}
    return dict.fromkeys((*statuses, 422, 429, 503), refusal)


def describe_errors(schemas: dict[str, Any]) -> None:
    """Enters what `responses` refers to among the schemas of an OpenAPI description."""
    whole = Error.model_json_schema(mode="serialization", ref_template="#/components/schemas/{model}")
    schemas |= {**whole.pop("$defs"), "Error": whole}


router = Router(include_in_schema=False)


@router.get("/api/v1/openapi.json")
async def description(request: Request) -> Response:
    """The same bytes for everybody; walking all routes and models takes half a second."""
    app = request.app
    if app.state.description is None:
        app.state.description = await site_of(request).offload.run(_both_forms, app)
    plain, packed = app.state.description
    headers = {"Vary": "Accept-Encoding"}
    if accepts_gzip(request):
        headers["Content-Encoding"] = "gzip"
        return Response(packed, media_type="application/json", headers=headers)
    return Response(plain, media_type="application/json", headers=headers)


def _both_forms(app: FastAPI) -> tuple[bytes, bytes]:
    plain = orjson.dumps(app.openapi())
    return plain, gzip.compress(plain, 9, mtime=0)
