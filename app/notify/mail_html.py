"""The HTML alternative of e-mails: one template with its own styles, without images, scripts or remote content.

Names and titles are escaped by the template engine.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from app.notify import words as texts
from app.notify.words import Translate
from app.store.people.notice_values import PendingNotice, Recipient

if TYPE_CHECKING:
    from jinja2 import Template

# Colours of static/css/tokens.css. Tables are not needed for one column, and clients that drop styles show plain
# paragraphs and links.
_TEMPLATE = """\
<!doctype html>
<html lang="{{ language }}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{{ title }}</title></head>
<body style="margin:0;padding:24px 12px;background:#f1e6cb;color:#2a1c10;font:17px/1.45 Georgia,serif">
<div style="max-width:34em;margin:0 auto">
{%- for paragraph in paragraphs %}
<p>{{ paragraph }}</p>
{%- endfor %}
{%- for game in games %}
<div style="margin:16px 0;padding:16px;background:#faf3e1;border:1px solid #c7b083;border-radius:8px">
<p style="margin:0;font-size:21px"><strong>{{ game.headline }}</strong></p>
{%- if game.title %}
<p style="margin:4px 0 0">{{ game.title }}</p>
{%- endif %}
{%- if game.details %}
<p style="margin:4px 0 0;color:#5a432c">{{ game.details }}</p>
{%- endif %}
{%- if game.hint %}
<p style="margin:12px 0 0">{{ game.hint }}</p>
{%- endif %}
<p style="margin:16px 0 0"><a href="{{ game.url }}" style="display:inline-block;padding:10px 16px;\
background:#8a3412;color:#fff6e3;border-radius:8px;text-decoration:none">{{ button }}</a></p>
</div>
{%- endfor %}
{%- if big %}
<p style="font:28px/1.2 monospace">{{ big }}</p>
{%- endif %}
{%- for line in footer %}
<p style="margin:8px 0 0;font-size:15px;color:#5a432c">{{ line }}</p>
{%- endfor %}
{%- if stop_url %}
<p style="margin:8px 0 0;font-size:15px"><a href="{{ stop_url }}" style="color:#8a3412">{{ stop }}</a></p>
{%- endif %}
</div>
</body>
</html>
"""


@cache
def _compile_template() -> Template:
    from jinja2 import Environment  # imported late for a faster start: most servers send no mail

    return Environment(autoescape=True).from_string(_TEMPLATE)


def compose_digest_html(
    translate: Translate,
    base_url: str,
    recipient: Recipient,
    pending: Sequence[PendingNotice],
    stop_url: str,
) -> str:
    """Return the HTML of the e-mail about all pending notices, of which it lists the first."""
    language = recipient.language

    def say(source: str, **values: object) -> str:
        return translate(language, source, **values)

    games = [
        {
            "headline": texts.compose_headline(translate, language, item),
            "title": " ".join(item.title.split()),
            "details": texts.compose_details(translate, language, item, recipient.wishes.zone),
            "hint": say(texts.CONFIRM_SEAT_HINT) if item.is_opening else "",
            "url": f"{base_url}/g/{item.game}",
        }
        for item in pending[: texts.MAX_LISTED_NOTICES]
    ]
    more = texts.compose_more_line(translate, recipient, pending, base_url)
    return _compile_template().render(
        language=language,
        title=texts.compose_subject(translate, recipient, pending),
        paragraphs=[say(texts.GREETING, name=recipient.name), say(texts.GAMES_INTRODUCTION)],
        games=games,
        button=say(texts.OPEN_TABLE),
        footer=[*([more] if more else []), texts.compose_zone_line(translate, recipient)],
        stop=say(texts.STOP_MAILS),
        stop_url=stop_url,
    )


def compose_confirmation_html(translate: Translate, language: str, code: str) -> str:
    """Return the HTML of the e-mail with the code that confirms an address."""
    return _compile_template().render(
        language=language,
        title=translate(language, texts.CODE_SUBJECT, code=code),
        paragraphs=[translate(language, texts.CODE_TEXT, code=code)],
        big=code,
        footer=[translate(language, texts.CODE_NOT_REQUESTED)],
    )


def compose_test_html(translate: Translate, language: str) -> str:
    """Return the HTML of the e-mail that a person sends to their own address as a test."""
    return _compile_template().render(
        language=language,
        title=translate(language, texts.TEST_SUBJECT),
        paragraphs=[translate(language, texts.TEST_TEXT)],
    )
