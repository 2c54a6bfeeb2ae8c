"""Encryption and authorization of web push: the example of the RFC, and a test browser that decrypts."""

from __future__ import annotations

import json

import pytest
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric import ec

from app.notify.webpush import (
    MAX_MESSAGE_BYTES,
    BadKeys,
    decode_base64url,
    encrypt,
    make_authorization,
    make_topic,
    validate_keys,
)
from app.store.people.vapid import VapidKey, encode_base64url, generate_key_pair
from tests.notify.push_service import Browser, check_authorization, private_key

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


def test_rfc_8291_example_is_encrypted_byte_for_byte() -> None:
    assert encrypt(
        PLAIN, RECEIVER_PUBLIC, AUTH, private=private_key(SENDER), salt=decode_base64url(SALT)
    ) == decode_base64url(BODY)


def test_rfc_8291_example_is_decrypted_by_the_test_browser() -> None:
    browser = Browser(private_key(RECEIVER), decode_base64url(AUTH))
    assert browser.p256dh == RECEIVER_PUBLIC
    assert browser.decrypt(decode_base64url(BODY)) == PLAIN


def test_message_can_be_decrypted_only_by_its_browser() -> None:
    browser, other = Browser(), Browser()
    body = encrypt(b'{"t":"turn"}', browser.p256dh, browser.auth_text)
    assert browser.decrypt(body) == b'{"t":"turn"}'
    assert encrypt(b'{"t":"turn"}', browser.p256dh, browser.auth_text) != body, "new key and salt"
    with pytest.raises(InvalidTag):
        other.decrypt(body)


def test_message_that_is_too_long_is_rejected() -> None:
    browser = Browser()
    assert len(encrypt(b"x" * MAX_MESSAGE_BYTES, browser.p256dh, browser.auth_text)) <= 4096
    with pytest.raises(ValueError, match="too long"):
        encrypt(b"x" * (MAX_MESSAGE_BYTES + 1), browser.p256dh, browser.auth_text)


@pytest.mark.parametrize(
    ("p256dh", "auth"),
    [
        ("", AUTH),
        (RECEIVER_PUBLIC, ""),
        (RECEIVER_PUBLIC, AUTH[:-4]),
        (RECEIVER_PUBLIC[:-4], AUTH),
        (encode_base64url(b"\x04" + b"\x01" * 64), AUTH),  # not a point of the curve
        (encode_base64url(b"\x00" * 65), AUTH),
        ("!" * 87, AUTH),
    ],
)
def test_invalid_keys_are_rejected(p256dh: str, auth: str) -> None:
    with pytest.raises(BadKeys):
        validate_keys(p256dh, auth)


def test_authorization_is_valid_for_one_push_service_and_half_a_day() -> None:
    private, public = generate_key_pair()
    key = VapidKey(1, private, public)
    header = make_authorization(
        key, "https://push.example:8443/some/secret?x=1", "https://play.example", 1000
    )
    claims = check_authorization(header)
    assert claims == {
        "aud": "https://push.example:8443",
        "exp": 1000 + 12 * 3600,
        "sub": "https://play.example",
    }
    assert "secret" not in json.dumps(claims)


def test_generated_keys_are_new_and_match() -> None:
    (private, public), (other, _) = generate_key_pair(), generate_key_pair()
    assert private != other
    point = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), decode_base64url(public))
    assert private_key(private).public_key() == point


def test_topic_hides_the_game_and_differs_by_subscription() -> None:
    game = "abcdefghijkmnpqrstuv"
    topics = {make_topic(each, who) for each in (game, "another") for who in ("one", "two")}
    assert len(topics) == 4
    for each in topics:
        assert len(each) == 32
        assert each.replace("-", "").replace("_", "").isalnum()
        assert game not in each
    assert make_topic(game, "one") == make_topic(game, "one")
