"""API routes for contact settings: a confirmed e-mail address and a webhook."""

from __future__ import annotations

import secrets
from typing import Annotated, Any, Literal

from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from app.notify import words as texts
from app.notify.mail import BadAddress, MailFailed, validate_address
from app.notify.mail_html import compose_confirmation_html, compose_test_html
from app.notify.outbound import BadUrl, Congested
from app.notify.webhook import WebhookFailed, validate_url
from app.store.people.notices import NoticeSettings
from app.store.people.outbox import OutboxStore
from app.web.api.models import Body, error_responses
from app.web.api.push import Endpoint, Language, TimeZone, find_zone, wishes_json
from app.web.auth.identity import KnownPerson
from app.web.auth.passwords import new_code, normalise_code
from app.web.errors import BadRequest, NotAllowed, NotFound, Refused
from app.web.notice_loops import make_push_sender
from app.web.pages.render import Pages
from app.web.routing import Router
from app.web.security.buckets import Attempt
from app.web.site import Site, site_of

router = Router(tags=["notices"], responses=error_responses(401, 403, 404, 413, 422))
CODE_TTL_SECONDS = 86_400


class MailNotSent(Refused):
    """The mail server refused the message. Not 503, which proxies take as a sign of a broken worker."""

    status, code, message = 424, "mail_failed", "The e-mail could not be sent. Try again later."


class ContactSettings(Body):
    """An e-mail address and a webhook, or null. A new address is sent a confirmation code."""

    email: Annotated[str, Field(max_length=300)] | None = None
    webhook: Annotated[str, Field(max_length=600)] | None = None
    webhook_form: Literal["plain", "discord"] = "plain"
    language: Language | None = None
    zone: TimeZone | None = None


class ChannelTest(Body):
    """The channel to test: the webhook, the confirmed e-mail address, or the browser with this push endpoint."""

    channel: Literal["webhook", "mail", "push"] = "webhook"
    endpoint: Endpoint | None = None


class ConfirmationCode(Body):
    """The code from the e-mail."""

    code: Annotated[str, Field(max_length=100)]


@router.get("/api/v1/me/notices")
async def notices(request: Request, person: KnownPerson) -> dict[str, Any]:
    """Return how the current person receives notices."""
    return await _notices_json(site_of(request), person.id)


@router.put("/api/v1/me/notices")
async def set_notices(request: Request, body: ContactSettings, person: KnownPerson) -> dict[str, Any]:
    """Change how the current person receives notices. A new e-mail address is used only after confirmation."""
    site = site_of(request)
    site.limits.take_write(person.id)
    old = await site.notices.read_settings(person.id)
    webhook, key = None, None
    if body.webhook is not None:
        if not site.settings.calls_webhooks:
            raise _no_webhooks()
        try:
            webhook = validate_url(body.webhook, allow_private=site.settings.webhook_private)
        except BadUrl as problem:
            raise BadRequest("bad_webhook", str(problem)) from None
        key = old.webhook_key if old.webhook == webhook else secrets.token_urlsafe(24)
    email, code = None, None
    if body.email is not None:
        if not site.mailer.is_configured:
            raise NotAllowed("no_mail", "This server does not send e-mail.")
        try:
            email = validate_address(body.email)
        except BadAddress:
            raise BadRequest("bad_email", "That is not an e-mail address.") from None
        # Saving again asks for another code, but a change of the webhook keeps the one in the mailbox valid.
        is_webhook_changed = (old.webhook, old.webhook_form) != (webhook, body.webhook_form)
        if old.email != email or not (old.is_confirmed or is_webhook_changed):
            code = new_code(2)
    if code is not None and email is not None:
        # Limited by person, recipient and network, so that nobody can flood a stranger's mailbox.
        limits = site.limits
        Attempt(
            (limits.mails, person.id, 1.0),
            (limits.mails, email, 1.0),
            (limits.mails_by_address, limits.key_of(request), 1.0),
        )
        language = body.language or old.language
        subject, text = texts.compose_confirmation_mail(site.words, language, code)
        html = compose_confirmation_html(site.words, language, code)
        try:
            await site.mailer.send(email, subject, text, html)
        except MailFailed:
            raise MailNotSent from None
    await site.notices.save_contact_settings(
        person.id,
        email=email,
        confirm=normalise_code(code) if code else None,
        webhook=webhook,
        webhook_key=key,
        webhook_form=body.webhook_form,
        language=body.language,
        zone=find_zone(body.zone),
        now=site.now(),
    )
    return await _notices_json(site, person.id)


@router.post("/api/v1/me/notices/confirm")
async def confirm(request: Request, body: ConfirmationCode, person: KnownPerson) -> dict[str, Any]:
    """Confirm the e-mail address with the code that was sent to it."""
    site = site_of(request)
    with site.limits.take_code(site.limits.key_of(request), (site.limits.confirmations, person.id, 1.0)):
        if not await site.notices.confirm_email(
            person.id, normalise_code(body.code), site.now(), site.now() - CODE_TTL_SECONDS
        ):
            raise BadRequest("wrong_code", "That code is wrong or has expired. Request a new one.")
    return await _notices_json(site, person.id)


@router.post("/api/v1/me/notices/test")
async def send_test(request: Request, person: KnownPerson, body: ChannelTest | None = None) -> dict[str, Any]:
    """Send a test on one channel. Return whether it succeeded, but not the response."""
    test = body or ChannelTest()
    site = site_of(request)
    site.limits.notice_tests.take(person.id)
    notice = await site.notices.read_settings(person.id)
    if test.channel == "mail":
        return await _test_mail(request, notice)
    if test.channel == "push":
        return await _test_push(site, person.id, test.endpoint)
    if not site.settings.calls_webhooks:
        raise _no_webhooks()
    if notice.webhook is None or notice.webhook_key is None:
        raise BadRequest("no_webhook", "Set a webhook first.")
    payload: dict[str, Any] = {"event": "test", "at": site.now() * 1000, "player": person.id}
    payload |= {"games": [], "more": 0}
    if notice.webhook_form == "discord":
        text = site.words(notice.language, texts.TEST_TEXT)
        payload = {"content": text, "allowed_mentions": {"parse": []}}
    try:
        await site.webhooks.call(notice.webhook, notice.webhook_key, payload, site.now(), owner=person.id)
    except Congested:
        return {"outcome": "unreachable"}
    except WebhookFailed as problem:
        # An unknown host and a private address get the same answer, so that it cannot be used to map our network.
        reason = str(problem)
        return {"outcome": reason if reason.startswith("answered") else "unreachable"}
    return {"outcome": "sent"}


def _no_webhooks() -> NotAllowed:
    return NotAllowed("no_webhooks", "This server does not call webhooks.")


async def _test_mail(request: Request, notice: NoticeSettings) -> dict[str, Any]:
    site = site_of(request)
    if notice.email is None or not notice.is_confirmed or not site.mailer.is_configured:
        raise BadRequest("no_email", "Confirm an e-mail address first.")
    Attempt(
        (site.limits.mails, notice.email, 1.0),
        (site.limits.mails_by_address, site.limits.key_of(request), 1.0),
    )
    subject, text = texts.compose_test_mail(site.words, notice.language)
    try:
        await site.mailer.send(notice.email, subject, text, compose_test_html(site.words, notice.language))
    except MailFailed:
        raise MailNotSent from None
    return {"outcome": "sent"}


async def _test_push(site: Site, player: str, endpoint: str | None) -> dict[str, Any]:
    recipient = await OutboxStore(site.notices.database).read_recipient(player, site.now())
    browsers = recipient.browsers if recipient is not None and site.settings.push else ()
    browser = next((each for each in browsers if each.endpoint == endpoint), None)
    if recipient is None or browser is None:
        raise BadRequest("no_push_here", "Turn on notifications on this device first.")
    return {"outcome": await make_push_sender(site, site.webhooks.outbound).send_test(recipient, browser)}


@router.get("/stop/{token}", include_in_schema=False)
async def stop_page(request: Request, pages: Pages, token: str) -> Response:
    """Show a page with one button. Fetching the link alone, as mail scanners do, changes nothing."""
    if not token.isascii() or not token.replace("-", "").replace("_", "").isalnum() or len(token) > 64:
        raise NotFound
    return await _stop_page(request, pages, stopped=False)


@router.post("/stop/{token}", include_in_schema=False)
async def stop(request: Request, pages: Pages, token: str) -> Response:
    """Stop e-mails to the owner of this token. The answer is the same for any token."""
    await site_of(request).notices.stop_mails(token)
    return await _stop_page(request, pages, stopped=True)


async def _stop_page(request: Request, pages: Pages, *, stopped: bool) -> Response:
    answer = await pages.page(request, "stop.html", stopped=stopped)
    answer.headers["Referrer-Policy"] = "no-referrer"  # the address is a secret
    return answer


async def _notices_json(site: Site, player: str) -> dict[str, Any]:
    notice = await site.notices.read_settings(player)
    return {
        "email": notice.email,
        "email_confirmed": notice.is_confirmed,
        "webhook": notice.webhook,
        "webhook_key": notice.webhook_key,
        "webhook_failures": notice.webhook_failures,
        "webhook_form": notice.webhook_form,
        "language": notice.language,
        "wishes": wishes_json(notice.wishes),
        "push": site.settings.push,
        "mail": site.mailer.is_configured,
        "webhooks": site.settings.calls_webhooks,
    }
