"""Sentences that live in Python: the option catalogue's and the forms', shown to people in their language."""

from __future__ import annotations

from collections.abc import Iterator

from app.notify.words import SENTENCES
from app.rules.catalogue import CATALOGUE, PRESETS
from app.rules.core.errors import reasons
from app.web.pages.forms import CHOICE_WORDS, GROUPS
from app.web.pages.lessons import LESSONS

__all__ = ["server_sentences"]


def server_sentences() -> Iterator[tuple[str, str]]:
    """Every sentence with the file it comes from."""
    for spec in CATALOGUE:
        yield spec.label, "app/rules/catalogue.py"
        yield spec.sentence, "app/rules/catalogue.py"
        for _value, sentence in spec.choices:
            yield sentence, "app/rules/catalogue.py"
        if spec.excludes:
            yield spec.excludes, "app/rules/catalogue.py"
    for preset in PRESETS.values():
        yield preset.title, "app/rules/catalogue.py"
        yield preset.sentence, "app/rules/catalogue.py"
    for reason in reasons():
        yield reason.value, f"{type(reason).__module__.replace('.', '/')}.py"
    for word in CHOICE_WORDS.values():
        yield word, "app/web/pages/forms.py"
    for heading, _names in GROUPS:
        yield heading, "app/web/pages/forms.py"
    yield "online", "app/web/pages/forms.py"
    for sentence in SENTENCES:
        yield sentence, "app/notify/words.py"
    for lesson in LESSONS:
        for sentence in lesson.sentences():
            yield sentence, "app/web/pages/lessons.py"
