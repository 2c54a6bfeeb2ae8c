"""The form for a new table, generated from the option catalogue, and its validation while it is filled in."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from app.rules.catalogue import CATALOGUE, PRESETS
from app.rules.core.errors import BadOptions, Param
from app.rules.options import CONFLICTS, Options, parse_options
from app.web.pages.render import Pages, json_object
from app.web.routing import Router

router = Router(include_in_schema=False)

OptionConflict = tuple[tuple[str, ...], str, dict[str, Param]]
"""Conflicting options, the reason, and its parameters."""

OPTION_SPECS = {spec.name: spec for spec in CATALOGUE if spec.name != "preset"}

_group_headings = dict.fromkeys(spec.group for spec in CATALOGUE if spec.group)
OPTION_GROUPS = {
    heading: [spec for spec in CATALOGUE if spec.group == heading] for heading in _group_headings
}
"""The headings of the form and the options under each."""


def find_conflicts(options: dict[str, Any]) -> list[OptionConflict]:
    """Return every combination of these options that the rules refuse, with the reason."""
    try:
        parse_options(options)
    except BadOptions as problem:
        known = {**PRESETS.get(str(options.get("preset")), PRESETS["jamaica"]).values, **options}
        met: list[OptionConflict] = []
        with suppress(TypeError):  # an unknown option
            candidate = Options(**known)
            met = [(rule.options, rule.why.name, {}) for rule in CONFLICTS if rule.applies_to(candidate)]
        return met or [((), problem.why, problem.params)]
    return []


@router.post("/new/check")
async def check_options(request: Request, pages: Pages) -> Response:
    """Return the conflicts of the chosen options, by the same rules as when the table is created."""
    body = await request.body()
    words = pages.catalogue_for(request)
    options = json_object(body, limit=4096)
    found = find_conflicts(options)
    return JSONResponse(
        {
            "conflicts": [
                {"options": list(names), "sentence": words.reason(why, of)} for names, why, of in found
            ]
        }
    )
