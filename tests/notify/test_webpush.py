"""Encryption and signatures of web push: the RFC's own example, and a browser of the tests' own that decrypts."""

from __future__ import annotations

import json

import pytest
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric import ec

from app.notify.webpush import (
    LONGEST,
    BadKeys,
    VapidKey,
    authorization,
    checked_keys,
    decoded,
    encoded,
    encrypt,
    new_keys,
    topic,
)
from tests.notify.push_service import Browser, checked_authorization, private_key

# RFC 8291, section 5 and appendix A
PLAIN = b"When I grow up, I want to be a watermelon"
SENDER = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
RECEIVER = "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"
RECEIVER_PUBLIC = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
AUTH = "BTBZMqHH6r4Tts7J_aSIgg"
SALT = "DGv6ra1nlYgDCS1FRnbzlw"
BODY = (
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27ml"
    "mlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPT"
    "pK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
)


def test_the_example_of_rfc_8291_is_written_to_the_byte() -> None:
    assert encrypt(PLAIN, RECEIVER_PUBLIC, AUTH, private=private_key(SENDER), salt=decoded(SALT)) == decoded(
        BODY
    )


def test_the_example_of_rfc_8291_is_read_by_the_tests_own_browser() -> None:
    browser = Browser(private_key(RECEIVER), decoded(AUTH))
    assert browser.p256dh == RECEIVER_PUBLIC
    assert browser.decrypt(decoded(BODY)) == PLAIN


def test_a_message_is_read_by_its_browser_and_by_no_other() -> None:
    browser, other = Browser(), Browser()
    body = encrypt(b'{"t":"turn"}', browser.p256dh, browser.auth_text)
    assert browser.decrypt(body) == b'{"t":"turn"}'
    assert encrypt(b'{"t":"turn"}', browser.p256dh, browser.auth_text) != body, "fresh key and salt"
    with pytest.raises(InvalidTag):
        other.decrypt(body)


def test_a_message_that_no_push_service_takes_is_not_made() -> None:
    browser = Browser()
    assert len(encrypt(b"x" * LONGEST, browser.p256dh, browser.auth_text)) <= 4096
    with pytest.raises(ValueError, match="too long"):
        encrypt(b"x" * (LONGEST + 1), browser.p256dh, browser.auth_text)


@pytest.mark.parametrize(
    ("p256dh", "auth"),
    [
        ("", AUTH),
        (RECEIVER_PUBLIC, ""),
        (RECEIVER_PUBLIC, AUTH[:-4]),
        (RECEIVER_PUBLIC[:-4], AUTH),
        (encoded(b"\x04" + b"\x01" * 64), AUTH),  # not a point of the curve
        (encoded(b"\x00" * 65), AUTH),
        ("!" * 87, AUTH),
    ],
)
def test_what_are_no_keys_is_refused(p256dh: str, auth: str) -> None:
    with pytest.raises(BadKeys):
        checked_keys(p256dh, auth)


def test_who_we_are_is_signed_for_one_push_service_and_half_a_day() -> None:
    private, public = new_keys()
    key = VapidKey(1, private, public)
    header = authorization(key, "https://push.example:8443/some/secret?x=1", "https://play.example", 1000)
    claims = checked_authorization(header)
    assert claims == {
        "aud": "https://push.example:8443",
        "exp": 1000 + 12 * 3600,
        "sub": "https://play.example",
    }
    assert "secret" not in json.dumps(claims)


def test_keys_are_made_anew_each_time_and_belong_together() -> None:
    (private, public), (other, _) = new_keys(), new_keys()
    assert private != other
    point = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), decoded(public))
    assert private_key(private).public_key() == point


def test_a_topic_names_no_game_and_is_one_subscriptions() -> None:
    game = "abcdefghijkmnpqrstuv"
    topics = {topic(each, who) for each in (game, "another") for who in ("one", "two")}
    assert len(topics) == 4
    for each in topics:
        assert len(each) == 32
        assert each.replace("-", "").replace("_", "").isalnum()
        assert game not in each
    assert topic(game, "one") == topic(game, "one")
