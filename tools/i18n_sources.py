"""Translatable sentences in Python code: the option catalogue, refusals, clocks, notices and lessons."""

from __future__ import annotations

from collections.abc import Iterator

from app.notify.words import SENTENCES
from app.play.log.clocks import CLOCK_CLASSES
from app.rules.catalogue import CATALOGUE, PRESETS
from app.rules.core.errors import reasons
from app.web.api.deal import TOO_MANY_TRIES
from app.web.pages.lessons import LESSONS

__all__ = ["server_sentences"]


def server_sentences() -> Iterator[tuple[str, str]]:
    """Yield every sentence with its source file."""
    for spec in CATALOGUE:
        words = [spec.label, spec.sentence, spec.group, spec.excludes]
        if spec.name != "preset":  # its choices are the presets
            words += [word for choice in spec.choices for word in (choice.word, choice.sentence)]
        yield from ((word, "app/rules/catalogue.py") for word in words if word)
    for preset in PRESETS.values():
        yield preset.title, "app/rules/catalogue.py"
        yield preset.sentence, "app/rules/catalogue.py"
    for reason in reasons():
        yield reason.value, f"{type(reason).__module__.replace('.', '/')}.py"
    for clock in CLOCK_CLASSES.values():
        words = [clock.label, clock.sentence, *(field.label for field in clock.fields)]
        yield from ((word, "app/play/log/clocks.py") for word in words)
    for sentence in SENTENCES:
        yield sentence, "app/notify/words.py"
    yield TOO_MANY_TRIES, "app/web/api/deal.py"
    for lesson in LESSONS:
        for sentence in lesson.sentences():
            yield sentence, "app/web/pages/lessons.py"
