"""Error pages that help: what happened, in the reader's language, and where to go from here."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from app.web.errors import Reason, about_minutes
from app.web.pages.render import PageRenderer


async def error_page(request: Request, status: int, code: str, retry_after: int, reason: Reason) -> Response:
    """Draws the page for people; never asks the store, which may be what failed."""
    pages: PageRenderer = request.app.state.pages
    words = pages.catalogue_for(request)
    t = words.t
    home = ("/", t("To the lobby"))
    again = (str(request.url.path), t("Try again"))
    match status:
        case 403 if code == "banned":
            heading = t("This door is barred")
            sentence = t(
                "The operator of this site has shut you or your network out. Only the operator can lift that."
            )
            ways = [again]
        case 401 | 403:
            heading = t("This door is barred")
            sentence = t(
                "You may not open this page. Perhaps the table is not for you, or here you are somebody else."
            )
            ways = [home, ("/account", t("Who am I?"))]
        case 404 | 405:
            heading = t("Uncharted waters")
            sentence = t(
                "There is nothing at this address. The table may be closed, or the link lost a letter."
            )
            ways = [home, ("/me", t("My games")), ("/rules", t("Rules"))]
        case 429:
            heading = t("Slow down, sailor")
            minutes = about_minutes(retry_after)
            sentence = t("Too many requests came from you or your network. Wait a minute, then go on.")
            if minutes:
                sentence = t(
                    "Too many requests came from you or your network. Go on in about {n} minutes.", n=minutes
                )
            ways = [again, home]
        case _ if status < 500:
            heading = t("That did not work")
            sentence = words.reason(*reason) or t(
                "The server did not accept this request. Go back and try it another way."
            )
            ways = [home]
        case _:
            heading = t("Man overboard")
            sentence = t("Something broke on the server. No accepted move is lost; try again in a moment.")
            ways = [again, home]
    return pages.plain_page(
        request, "error.html", status=status, heading=heading, sentence=sentence, code=code, ways=ways
    )
