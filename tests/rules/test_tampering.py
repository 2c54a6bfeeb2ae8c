"""No part of a record can be changed unnoticed, except what shows nothing of chance or play."""

from __future__ import annotations

import dataclasses
from functools import cache

import pytest

from app import rules
from app.rules.formats.record import FORMATS
from tests.rules.tampering import NO_EVIDENCE, Json, rewritten, sample, tampered


def is_accepted(record: Json, scheme: int | None) -> bool:
    try:
        rules.verify(rules.record_from_json(record), scheme=scheme)
    except rules.BadRecord:
        return False
    return True


@cache
def unnoticed_changes(scheme: int) -> list[tuple[str, str]]:
    """The field and the kind of each change that is accepted."""
    return [
        (field, change)
        for field, change, record, *_ in tampered(sample(scheme))
        if is_accepted(record, scheme)
    ]


@pytest.mark.parametrize("scheme", FORMATS)
def test_every_change_is_refused_except_in_fields_without_evidence(scheme: int) -> None:
    assert is_accepted(sample(scheme), scheme)
    assert [each for each in unnoticed_changes(scheme) if each[0] not in NO_EVIDENCE] == []


def test_every_field_without_evidence_is_one_in_which_a_change_goes_unnoticed() -> None:
    assert {field for scheme in FORMATS for field, _ in unnoticed_changes(scheme)} >= set(NO_EVIDENCE)


def test_a_record_that_was_rewritten_is_refused() -> None:
    assert [change for _, change, record, *_ in rewritten() if is_accepted(record, None)] == []


def test_a_sealed_record_without_its_seals_is_refused_where_its_table_is_known() -> None:
    unsealed = next(rewritten()).record
    assert not is_accepted(unsealed, 2)


def test_the_samples_have_every_field_of_a_record() -> None:
    """A new field of a record must be added to the samples, and is then tampered with like the others."""
    fields = {field.name for field in dataclasses.fields(rules.Record)}
    written = {"actions" if name == "moves" else name for name in fields} - {"winner", "places", "reason"}
    assert written | {"format", "result"} == {name for scheme in FORMATS for name in sample(scheme)}
    void = {field.name for field in dataclasses.fields(rules.VoidRound)}
    assert all(set(voided) == void for voided in sample(2)["void_rounds"])
    assert set(sample(2)["actions"][0]) == {field.name for field in dataclasses.fields(rules.Move)}
