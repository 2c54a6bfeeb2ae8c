"""Verification notices every change of a record, except in fields that nothing in the record proves."""

from __future__ import annotations

import dataclasses
from functools import cache

import pytest

from app import rules
from app.rules.formats.record import FORMAT_BY_SCHEME
from tests.rules.tampering import UNVERIFIABLE_FIELDS, Json, rewrite_records, sample_record, tamper


def is_accepted(record: Json, scheme: int | None) -> bool:
    try:
        rules.verify(rules.record_from_json(record), scheme=scheme)
    except rules.BadRecord:
        return False
    return True


@cache
def unnoticed_changes(scheme: int) -> list[tuple[str, str]]:
    """Return (field, change) for each change that verification accepts."""
    return [
        (field, change)
        for field, change, record, *_ in tamper(sample_record(scheme))
        if is_accepted(record, scheme)
    ]


@pytest.mark.parametrize("scheme", FORMAT_BY_SCHEME)
def test_every_change_is_refused_except_in_unverifiable_fields(scheme: int) -> None:
    assert is_accepted(sample_record(scheme), scheme)
    assert [change for change in unnoticed_changes(scheme) if change[0] not in UNVERIFIABLE_FIELDS] == []


def test_every_unverifiable_field_allows_an_unnoticed_change() -> None:
    assert {field for scheme in FORMAT_BY_SCHEME for field, _ in unnoticed_changes(scheme)} >= set(
        UNVERIFIABLE_FIELDS
    )


def test_a_rewritten_record_is_refused() -> None:
    assert [change for _, change, record, *_ in rewrite_records() if is_accepted(record, None)] == []


def test_a_sealed_record_without_seals_is_refused_if_the_scheme_is_known() -> None:
    unsealed = next(rewrite_records()).record
    assert not is_accepted(unsealed, 2)


def test_the_samples_have_every_field_of_a_record() -> None:
    """A new field of records must be added to the samples, so that it is tampered with too."""
    fields = {field.name for field in dataclasses.fields(rules.Record)}
    written = {"actions" if name == "moves" else name for name in fields} - {"winner", "places", "reason"}
    assert written | {"format", "result"} == {
        name for scheme in FORMAT_BY_SCHEME for name in sample_record(scheme)
    }
    void = {field.name for field in dataclasses.fields(rules.VoidRound)}
    assert all(set(voided) == void for voided in sample_record(2)["void_rounds"])
    assert set(sample_record(2)["actions"][0]) == {field.name for field in dataclasses.fields(rules.Move)}
