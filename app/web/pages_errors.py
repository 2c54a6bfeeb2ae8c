"""Error pages that help: what happened, in the reader's language, and where to go from here."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from app.web.pages_render import PageRenderer

__all__ = ["error_page"]


async def error_page(request: Request, status: int, code: str, message: str) -> Response:
    """Draws the page for people; never asks the store, which may be what failed."""
    pages: PageRenderer = request.app.state.pages
    t = pages.catalogue_for(request).t
    home = ("/", t("To the lobby"))
    again = (str(request.url.path), t("Try again"))
    match status:
        case 401 | 403:
            heading, sentence = t("This door is barred"), t("You may not open this page. Perhaps you are somebody else on this device, or the table is not for you.")
            ways = [home, ("/account", t("Who am I?"))]
        case 404 | 405:
            heading, sentence = t("Uncharted waters"), t("There is nothing at this address. A table that was closed is gone too; a link may have lost its last letters on the way.")
            ways = [home, ("/me", t("My games")), ("/rules", t("Rules"))]
        case 429:
            heading, sentence = t("Slow down, sailor"), t("Too many requests came from you or your network. Wait a minute, then go on.")
            ways = [again, home]
        case _ if status < 500:
            heading, sentence = t("That did not work"), t("The server did not accept this request. Go back and try it another way.")
            ways = [home]
        case _:
            heading, sentence = t("Man overboard"), t("Something broke on the server. No accepted move is lost; try again in a moment.")
            ways = [again, home]
    return pages.plain_page(
        request, "error.html", status=status, heading=heading, sentence=sentence, code=code, ways=ways
    )
