"""Error pages in the reader's language: what happened, and where to go next."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from app.web.errors import Reason, round_to_minutes
from app.web.pages.render import PageRenderer


async def error_page(request: Request, status: int, code: str, retry_after: int, reason: Reason) -> Response:
    """Render an error page. It uses no query, because the store may be what failed."""
    pages: PageRenderer = request.app.state.pages
    words = pages.catalogue_for(request)
    t = words.t
    home = ("/", t("Go to the lobby"))
    again = (str(request.url.path), t("Try again"))
    match status:
        case 403 if code == "banned":
            heading = t("This door is barred")
            sentence = t(
                "The operator of this site has banned you or your network. Only the operator can lift the ban."
            )
            ways = [again]
        case 401 | 403:
            heading = t("This door is barred")
            sentence = t(
                "You are not allowed to open this page. "
                "The table may be private, or you may be using another name here."
            )
            ways = [home, ("/account", t("Go to my account"))]
        case 404 | 405:
            heading = t("Uncharted waters")
            sentence = t(
                "There is nothing at this address. The table may have been closed, or the link may be missing a letter."
            )
            ways = [home, ("/me", t("My games")), ("/rules", t("Rules"))]
        case 429:
            heading = t("Slow down, sailor")
            minutes = round_to_minutes(retry_after)
            sentence = t("Too many requests came from you or your network. Wait a minute and try again.")
            if minutes:
                sentence = t(
                    "Too many requests came from you or your network. Try again in about {n} minutes.",
                    n=minutes,
                )
            ways = [again, home]
        case _ if status < 500:
            heading = t("That did not work")
            sentence = words.reason(*reason) or t(
                "The server did not accept this request. Go back and try another way."
            )
            ways = [home]
        case _:
            heading = t("Man overboard")
            sentence = t(
                "Something went wrong on the server. No accepted move is lost; try again in a moment."
            )
            ways = [again, home]
    return pages.plain_page(
        request, "error.html", status=status, heading=heading, sentence=sentence, code=code, ways=ways
    )
