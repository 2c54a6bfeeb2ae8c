"""Names: which are allowed, which are confusable, which are suggested."""

from __future__ import annotations

import asyncio
import random

import pytest

from app.web.auth.names import MAX_NAME_LENGTH, login_key, make_name, skeletons, validate_name
from app.web.auth.suggestions import suggest_name
from app.web.errors import BadRequest
from app.web.i18n import LANGUAGES
from tests.web.running_site import code_of, running


@pytest.mark.parametrize(
    "name",
    [
        "Ann",
        "Łukasz",
        "O'Malley",
        "Jean-Luc",
        "José María",
        "Ωμέγα",
        "Борис",
        "Čeněk",
        "Nguyễn Văn Tèo",
        "שרה",
        "محمد",
        "สมชาย",
        "अनन्या",
        "김민수",
        "さくら太郎 Tomo",
        "ジョン",
        "李 Bruce",
        "Ann שרה",
        "李小龍",
        "Ann 2",
        "ångström",
        "a.b_c",
        "Mª José",
        "Hawaiʻi",
        "Ɓala",
        "Badminton Bob",
        "Falstaff",
        "Supporter",
        "Modi",
        "Modest",
        "Cooper",
        "Admiral",
        "Red Beard",
        "Team Rocket",
    ],
)
def test_an_ordinary_name_is_stored_as_typed(name: str) -> None:
    assert validate_name(name) == name


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("", "name_empty"),
        ("   ", "name_empty"),
        ("-.-", "name_empty"),
        ("x" * (MAX_NAME_LENGTH + 1), "name_long"),
        ("ﷺ" * 10, "name_long"),  # one character that decomposes into eighteen
        ("Ann\u202eeinnA", "name_hidden"),
        ("Ann\u2066x", "name_hidden"),
        ("Ann\u200bBo", "name_hidden"),
        ("Ann\u200dBo", "name_hidden"),
        ("Ann\u00adBo", "name_hidden"),
        ("Ann\ufeffBo", "name_hidden"),
        ("Ann\x00", "name_hidden"),
        ("Ann\nBo", "name_hidden"),
        ("Ann\u2028Bo", "name_hidden"),
        ("<b>Ann</b>", "name_characters"),
        ("Ann\U0001f480", "name_characters"),
        ("A\u0336\u0336\u0336nn", "name_characters"),
        ("Ann\ue000", "name_characters"),
        ("ⓐⓝⓝ", "name_characters"),
        # Invisible, although some are letters or marks by category
        ("\u3164", "name_hidden"),
        ("\u115f\u1160", "name_hidden"),
        ("Ann\uffa0", "name_hidden"),
        ("Ann\ufe0f", "name_hidden"),
        ("A\u034fnn", "name_hidden"),
        ("Ann\U000e0101", "name_hidden"),
        ("Ann\u180b", "name_hidden"),
        ("\u17b4", "name_hidden"),
        # Scripts: confusingly mixed, or entirely Latin-looking
        ("Ωmega", "name_scripts"),
        ("Mаry", "name_scripts"),  # Cyrillic a
        ("Борωс", "name_scripts"),  # Cyrillic and Greek
        ("สมאב", "name_scripts"),
        ("ᎪᏞᏞᎪ", "name_scripts"),  # Cherokee
        ("ꓠꓳꓮ", "name_scripts"),  # Lisu
        ("ⲞⲒⲒⲔ", "name_scripts"),  # Coptic
        ("Ann 1٣", "name_scripts"),  # two systems of digits
        # Look-alikes without a decomposition, or with one that only describes style
        ("ʙob", "name_styled"),
        ("ᴀɴɴ", "name_styled"),
        ("ꜱara", "name_styled"),
        ("ᵇob", "name_styled"),
        ("𝐁ob", "name_styled"),
        ("𝒜nn", "name_styled"),
        ("Bₐb", "name_styled"),
        # Titles of people who run a site, in any combination
        ("Аdmin", "name_official"),
        ("Site Operator", "name_official"),
        ("Cartagena Team", "name_official"),
        ("CartagenaTeam", "name_official"),
        ("siteoperator", "name_official"),
        ("The Real Adm1n", "name_official"),
        ("Bob Moderator", "name_official"),
        ("adminbob", "name_official"),
        ("S.u.p.p.o.r.t", "name_official"),
        ("Operator7", "name_official"),
        ("Staff", "name_official"),
        ("Modérateur", "name_official"),
        ("Betreiber", "name_official"),
        ("someone", "name_reserved"),
        ("somebody", "name_reserved"),
        ("S.e.r.v.e.r", "name_reserved"),
    ],
)
def test_a_misleading_or_empty_name_is_refused(name: str, code: str) -> None:
    with pytest.raises(BadRequest) as refusal:
        validate_name(name)
    assert refusal.value.code == code
    assert refusal.value.message.endswith(".")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ann", "ANN"),
        ("Ann", "Аnn"),  # Cyrillic A
        ("Anna", "Аппа"),
        ("paul", "pauI"),
        ("paul", "pau1"),
        ("Olaf", "0laf"),
        ("Ann", "Änn"),
        ("Ann", "A n n"),
        ("Ann", "Ａｎｎ"),  # full width
        ("modern", "modem"),
        ("Tina", "Τina"),  # Greek tau
        ("coco", "сосо"),  # all Cyrillic
        ("NOH", "ΝΟΗ"),  # all Greek, as capitals
        ("MOXH", "МОХН"),
        ("Oslo", "Օѕӏօ"),
        ("ססס", "ooo"),
        ("William", "VViIIiam"),
    ],
)
def test_names_that_look_alike_are_confusable(one: str, other: str) -> None:
    assert set(skeletons(one)) & set(skeletons(other))


@pytest.mark.parametrize(
    ("one", "other"), [("Ann", "Anne"), ("Bo", "Bob"), ("李小龍", "李小虎"), ("Ann 2", "Ann 3")]
)
def test_names_that_look_different_are_not_confusable(one: str, other: str) -> None:
    assert set(skeletons(one)).isdisjoint(skeletons(other))


def test_the_skeleton_of_any_name_fits_into_its_column() -> None:
    for name in ("꿹" * 24, "뙗" * 24, "ßﬁ" * 8):
        validate_name(name)
        assert 0 < len(make_name(name).skeleton) <= 96
        assert len(make_name(name).login) <= 96


def test_log_in_keys_have_not_changed() -> None:
    """With other keys, existing accounts could no longer log in."""
    names = ["Anne Bonfire", "Борис", "Ωμέγα", "김", "李小龍", "Łukasz", "Nguyễn"]
    keys = [
        "annebonflre",
        "\u0431op\u0438c",
        "w\u03bceya",
        "\u1100\u1175\u11b7",
        "李小龍",
        "lukasz",
        "nguyen",
    ]
    assert [login_key(name) for name in names] == keys


@pytest.mark.parametrize("language", [*LANGUAGES, "xx"])
def test_every_suggestion_is_a_valid_name(language: str) -> None:
    chance = random.Random(7)
    names = {suggest_name(chance, language) for _ in range(2000)}
    assert len(names) > 500
    assert [name for name in names if validate_name(name) != name] == []


async def test_a_guest_gets_a_name_in_their_language(sqlite_url: str) -> None:
    async with running(sqlite_url) as site:
        spaniard = site.browser(**{"accept-language": "es-ES,es;q=0.9"})
        told = (await spaniard.get("/api/v1/me")).json()["suggested"]
        assert {suggest_name(random.Random(seed), "es").split()[0] for seed in range(2000)} >= {
            told.split()[0]
        }
        english = {word for seed in range(2000) for word in suggest_name(random.Random(seed), "en").split()}
        assert not english.issuperset(told.split()), "the languages may share one word"


async def test_a_look_alike_of_a_guest_name_is_refused_until_the_guest_expires(
    database_url: str,
) -> None:
    async with running(database_url) as site:
        await site.guest("Anne Bonfire")
        second = site.browser("203.0.113.9")
        assert code_of(await second.post("/api/v1/me", json={"name": "anne-b0nfire"})) == "name_taken"
        site.pass_time(3600)
        assert (await second.post("/api/v1/me", json={"name": "Anne Bonfire"})).status_code == 200


async def test_a_changed_name_applies_to_the_next_request(database_url: str) -> None:
    async with running(database_url) as site:
        browser, told = await site.guest("Anne Bonfire")
        answer = await browser.post("/api/v1/me", json={"name": "Mary Morrow"})
        assert answer.json()["person"] == {**told["person"], "name": "Mary Morrow"}
        assert (await browser.get("/api/v1/me")).json()["person"]["name"] == "Mary Morrow"
        assert code_of(await browser.post("/api/v1/me", json={"name": "\u202e"})) == "name_hidden"
        assert (await browser.get("/api/v1/me")).json()["person"]["name"] == "Mary Morrow"


async def test_suggestions_are_never_taken_names(sqlite_url: str) -> None:
    async with running(sqlite_url, guests_per_hour=1000) as site:
        names = [(await site.guest())[1]["person"]["name"] for _ in range(60)]
        assert len(set(names)) == 60


async def test_only_one_of_five_concurrent_requests_gets_a_name(database_url: str) -> None:
    async with running(database_url) as site:
        browsers = [site.browser(f"203.0.113.{n}") for n in range(5)]
        wanted = ["Anne Bonfire", "anne bonfire", "Anne-Bonfire", "Anne  Bonfire", "ANNE B0NFIRE"]
        answers = await asyncio.gather(
            *(
                browser.post("/api/v1/me", json={"name": name})
                for browser, name in zip(browsers, wanted, strict=True)
            )
        )
        assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409, 409]


def test_no_suggestion_claims_a_role() -> None:
    chance = random.Random(7)
    for language in LANGUAGES:
        for _ in range(300):
            name = suggest_name(chance, language)
            assert validate_name(name) == name


async def test_an_account_with_a_formerly_valid_name_still_logs_in(sqlite_url: str) -> None:
    """Such names were allowed once; their log-in keys have not changed."""
    async with running(sqlite_url) as site:
        for number, name in enumerate(("ʙob", "Site Operator", "Cartagena Team")):
            password = await site.site.passwords.hash("plank, parrot, doubloon", ("here",))
            await site.site.accounts.register(
                None, make_name(name), password, (f"CODE{number}",), site.site.now()
            )
            browser = site.browser(f"203.0.113.{number}")
            answer = await browser.post(
                "/api/v1/account/login", json={"name": name, "password": "plank, parrot, doubloon"}
            )
            assert answer.status_code == 200, answer.text
            assert answer.json()["person"]["name"] == name
            answer = await browser.post("/api/v1/me", json={"name": name})
            assert answer.status_code == 200, "keeping the name is not a change"


async def test_a_look_alike_of_an_old_name_in_small_capitals_is_refused(sqlite_url: str) -> None:
    async with running(sqlite_url) as site:
        old = make_name("ʙob")
        assert old.skeleton == make_name("Bob").skeleton
        password = await site.site.passwords.hash("plank, parrot, doubloon", ("here",))
        await site.site.accounts.register(None, old, password, ("CODE",), site.site.now())
        answer = await site.browser().post("/api/v1/me", json={"name": "Bob"})
        assert (answer.status_code, code_of(answer)) == (409, "name_taken")
