"""What I want to hear when I am away: an e-mail address that I proved to be mine, a webhook."""

from __future__ import annotations

import secrets
from typing import Annotated, Any, Literal

from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from app.notify import words as texts
from app.notify.mail import BadAddress, MailFailed, checked_address
from app.notify.outbound import Congested
from app.notify.ports import Wishes
from app.notify.webhook import BadWebhook, WebhookFailed, checked_url
from app.store.people.notices import Notice
from app.web.api.models import Body, responses
from app.web.api.push import Language, shown
from app.web.auth.identity import KnownPerson
from app.web.auth.passwords import new_code, plain_code
from app.web.errors import BadRequest, NotAllowed, NotFound, Refused
from app.web.pages.render import Pages
from app.web.routing import Router
from app.web.security.buckets import Attempt
from app.web.site import Site, site_of

router = Router(tags=["notices"], responses=responses(401, 403, 404, 413, 422))
CODE_SECONDS = 86_400


class MailNotSent(Refused):
    """The mail server did not take it. Not 503: by that the proxy knows a server that is sick itself."""

    status = 424

    def __init__(self) -> None:
        super().__init__("mail_failed", "The e-mail could not be sent. Try again later.")


class Wanted(Body):
    """Both may be null; an address that is new is sent a code first."""

    email: Annotated[str, Field(max_length=300)] | None = None
    webhook: Annotated[str, Field(max_length=600)] | None = None
    webhook_form: Literal["plain", "discord"] = "plain"
    language: Language | None = None


class Code(Body):
    """The code that came by e-mail."""

    code: Annotated[str, Field(max_length=100)]


@router.get("/api/v1/me/notices")
async def notices(request: Request, person: KnownPerson) -> dict[str, Any]:
    """How I am told that it is my turn."""
    site = site_of(request)
    return _shown(site, await site.notices.notice(person.id))


@router.put("/api/v1/me/notices")
async def set_notices(request: Request, body: Wanted, person: KnownPerson) -> dict[str, Any]:
    """Changes it. A new e-mail address counts only once its code was typed in."""
    site = site_of(request)
    site.limits.take_write(person.id)
    old = await site.notices.notice(person.id)
    email, code = None, None
    if body.email is not None:
        if not site.mailer.is_open:
            raise NotAllowed("no_mail", "This server sends no e-mail.")
        try:
            email = checked_address(body.email)
        except BadAddress:
            raise BadRequest("bad_email", "That is not an e-mail address.") from None
        if old is None or old.email != email or not old.is_confirmed:
            code = new_code(2)
    webhook, key = None, None
    if body.webhook is not None:
        if not site.settings.calls_webhooks:
            raise NotAllowed("no_webhooks", "This server calls no webhooks.")
        try:
            webhook = checked_url(body.webhook, private=site.settings.webhook_private)
        except BadWebhook as problem:
            raise BadRequest("bad_webhook", str(problem)) from None
        key = old.webhook_key if old and old.webhook == webhook else secrets.token_urlsafe(24)
    if code is not None and email is not None:
        # Strangers' mailboxes are guarded by the one who asks and by the address asked for.
        limits = site.limits
        Attempt(
            (limits.mails, person.id, 1.0),
            (limits.mails, email, 1.0),
            (limits.mails_by_address, limits.key_of(request), 1.0),
        )
        language = body.language or (old.language if old else "en")
        subject, text = texts.confirmation(site.words, language, code)
        try:
            await site.mailer.send(email, subject, text)
        except MailFailed:
            raise MailNotSent from None
    await site.notices.set_notice(
        person.id,
        email=email,
        confirm=plain_code(code) if code else None,
        webhook=webhook,
        webhook_key=key,
        webhook_form=body.webhook_form,
        language=body.language,
        now=site.now(),
    )
    return _shown(site, await site.notices.notice(person.id))


@router.post("/api/v1/me/notices/confirm")
async def confirm(request: Request, body: Code, person: KnownPerson) -> dict[str, Any]:
    """The code that came by e-mail proves the address."""
    site = site_of(request)
    with site.limits.code(site.limits.key_of(request), (site.limits.confirmations, person.id, 1.0)):
        if not await site.notices.confirm(
            person.id, plain_code(body.code), site.now(), site.now() - CODE_SECONDS
        ):
            raise BadRequest("wrong_code", "That code does not fit or is too old. Have a new one sent.")
    return _shown(site, await site.notices.notice(person.id))


@router.post("/api/v1/me/notices/test")
async def test_webhook(request: Request, person: KnownPerson) -> dict[str, Any]:
    """Calls my webhook once; says whether it answered well, not what."""
    site = site_of(request)
    site.limits.mails.take(person.id)
    notice = await site.notices.notice(person.id)
    if notice is None or notice.webhook is None or notice.webhook_key is None:
        raise BadRequest("no_webhook", "Set a webhook first.")
    payload: dict[str, Any] = {"event": "test", "at": site.now() * 1000, "player": person.id, "games": []}
    if notice.webhook_form == "discord":
        payload = {"content": "Cartagena", "allowed_mentions": {"parse": []}}
    try:
        await site.webhooks.call(notice.webhook, notice.webhook_key, payload, site.now(), owner=person.id)
    except Congested:
        return {"outcome": "unreachable"}
    except WebhookFailed as problem:
        # "unknown host" and "private address" read alike, so that nobody maps our network with it.
        reason = str(problem)
        return {"outcome": reason if reason.startswith("answered") else "unreachable"}
    return {"outcome": "sent"}


@router.get("/stop/{token}", include_in_schema=False)
async def stop_page(request: Request, pages: Pages, token: str) -> Response:
    """A page with one button: fetching a link alone (a mail scanner does) changes nothing."""
    if not token.isascii() or not token.replace("-", "").replace("_", "").isalnum() or len(token) > 64:
        raise NotFound
    return await _stop_page(request, pages, stopped=False)


@router.post("/stop/{token}", include_in_schema=False)
async def stop(request: Request, pages: Pages, token: str) -> Response:
    """Ends the e-mails of whoever has this token, which can do nothing else; one answer for any."""
    await site_of(request).notices.stop(token)
    return await _stop_page(request, pages, stopped=True)


async def _stop_page(request: Request, pages: Pages, *, stopped: bool) -> Response:
    answer = await pages.page(request, "stop.html", stopped=stopped)
    answer.headers["Referrer-Policy"] = "no-referrer"  # the address is the key
    return answer


def _shown(site: Site, notice: Notice | None) -> dict[str, Any]:
    return {
        "email": notice.email if notice else None,
        "email_confirmed": bool(notice and notice.is_confirmed),
        "webhook": notice.webhook if notice else None,
        "webhook_key": notice.webhook_key if notice else None,
        "webhook_failures": notice.webhook_failures if notice else 0,
        "webhook_form": notice.webhook_form if notice else "plain",
        "language": notice.language if notice else "en",
        "wishes": shown(notice.wishes if notice else Wishes()),
        "push": site.settings.push,
        "mail": site.mailer.is_open,
        "webhooks": site.settings.calls_webhooks,
    }
