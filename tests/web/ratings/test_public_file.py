"""The public file recomputes, names nobody, and is paid for by its client; the commands for the ratings."""

from __future__ import annotations

import asyncio
import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update

from app.cli import main
from app.ratings.model import INITIAL
from app.ratings.public_file import PublicFileError, verify_lines
from app.store.ratings.settings import RatingSettings
from app.store.tables.ratings import rating_cursor, rating_settings, ratings
from tests.databases import begin
from tests.web.ratings.rated_site import RatedSite, plant_history
from tests.web.running_site import running


async def test_the_public_file_recomputes_and_names_nobody(rated: RatedSite) -> None:
    people = await plant_history(rated)
    reader = rated.site.browser("203.0.113.96")
    lines = await rated.download(reader)
    header, *found, trailer = lines
    assert header["format"] == "cartagena-ratings/1"
    assert trailer == {"games": 16, "complete": True}
    assert [line["game"] for line in found] == [*(f"g{n}" for n in range(8)), *(f"h{n}" for n in range(4)),
                                                "t0", "t1", "t2", None]  # fmt: skip
    assert [line["void"] for line in found[12:15]] == [None, "timed_out_again", "timed_out_again"]
    text = json.dumps(lines)
    assert not any(person in text for person in people)
    assert len({seat["person"] for line in found for seat in line["seats"]}) == 4
    verified = verify_lines(json.dumps(line).encode() for line in lines)
    assert (verified.games, verified.void) == (16, 2)


async def test_a_file_with_figures_of_another_model_is_not_complete(rated: RatedSite) -> None:
    await plant_history(rated)
    await rated.write(update(rating_cursor).values(model=0))
    lines = await rated.download(rated.site.browser("203.0.113.97"))
    assert lines[-1] == {"games": 16, "complete": False}


async def test_withheld_people_have_no_id_and_everyone_else_still_recomputes(rated: RatedSite) -> None:
    people = await plant_history(rated)
    await rated.site.site.rating_settings.save(people[1], RatingSettings(is_withheld=True))
    reader = rated.site.browser("203.0.113.95")
    lines = await rated.download(reader)
    of_bo = [line for line in lines[1:-1] if any(seat.get("withheld") for seat in line["seats"])]
    assert len(of_bo) == 11
    assert all(line["game"] is None for line in of_bo)
    hidden = next(seat for seat in of_bo[0]["seats"] if seat.get("withheld"))
    assert hidden == {"withheld": True, "rank": 2, "mu": INITIAL.mu, "sigma": INITIAL.sigma}
    assert len({seat.get("person") for line in lines[1:-1] for seat in line["seats"]} - {None}) == 3
    assert verify_lines(json.dumps(line).encode() for line in lines).games == 16


async def test_an_erased_person_keeps_an_opaque_id_and_a_withheld_one_stays_withheld(
    rated: RatedSite,
) -> None:
    people = await plant_history(rated)
    reader = rated.site.browser("203.0.113.94")
    before = await rated.download(reader)
    await rated.site.site.data.erase([people[0]], 1)
    rated.site.site.limits.exports.give_back("203.0.113.94", 1000)
    after = await rated.download(reader)
    assert after[1:] == before[1:]
    await rated.site.site.rating_settings.save(people[1], RatingSettings(is_withheld=True))
    await rated.site.site.data.erase([people[1]], 1)
    assert verify_lines(json.dumps(line).encode() for line in await rated.download(reader)).games == 16
    async with begin(rated.database) as run:
        assert (await run.execute(select(rating_settings.c.is_withheld))).scalars().all() == [True]


@pytest.mark.parametrize(
    ("tamper", "says"),
    [
        (lambda lines: lines[3]["seats"][0].update(mu=30.0), "Game 3 (g2): "),
        (lambda lines: lines[3]["seats"][1].update(rank=1), "Game 3 (g2): "),
        (lambda lines: lines[7].update(weight=1.0), "Game 7 (g6): the weight is 0.25"),
        (lambda lines: lines[14].update(void=None), "Game 14 (t1): the weight is 0 (void: timed_out_again)"),
        (lambda lines: lines.pop(2), "Game 2 (g2): "),
        (lambda lines: lines.insert(2, lines[2]), "Game 3 (g1): "),
        (lambda lines: lines.pop(), "The file is cut off. Download it again."),
        (lambda lines: lines.pop(-2), "The file says that it has 16 games, not 15."),
        (lambda lines: lines[-1].update(complete=False), "The ratings changed while the file was made."),
        (lambda lines: lines[0].update(model=99), "version 99 of the model"),
        (lambda lines: lines[0].update(format="x"), "This is not a file of ratings"),
        (lambda lines: lines[5].pop("pool"), "Game 5 (g4) cannot be read (KeyError)."),
    ],
)
async def test_a_changed_file_does_not_recompute(rated: RatedSite, tamper: Any, says: str) -> None:
    await plant_history(rated)
    lines = await rated.download(rated.site.browser("203.0.113.93"))
    tamper(lines)
    with pytest.raises(PublicFileError) as problem:
        verify_lines(json.dumps(line).encode() for line in lines)
    assert says in str(problem.value)


async def test_downloads_are_paid_for_by_their_client(rated: RatedSite) -> None:
    reader = rated.site.browser("203.0.113.92")
    limits = rated.site.site.limits
    limits.exports.take("203.0.113.92", limits.exports.burst)
    assert (await reader.get("/api/v1/ratings/export")).status_code == 429
    assert (await rated.download(rated.site.browser("203.0.113.91")))[-1]["complete"] is True


# -- the command line --------------------------------------------------------------------------------


async def test_the_commands_check_rebuild_and_verify(
    database_url: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "ratings.jsonl.gz"
    async with running(database_url) as site:
        await site.app.state.maintenance.stop()
        rated = RatedSite(site)
        await plant_history(rated)
        answer = await site.browser("203.0.113.90").get("/api/v1/ratings/export")
        file.write_bytes(answer.content)
        await site.site.people.database.execute_write(ratings.update().values(mu=1.0))

    async def run(*words: str) -> tuple[int, str]:
        capsys.readouterr()
        code = await asyncio.to_thread(main, ["ratings", *words])
        found = capsys.readouterr()
        return code, found.out + found.err

    code, text = await run("check", "--database", database_url)
    assert code == 1
    assert "0 games, 7 ratings and 0 rows without a game differ." in text
    code, text = await run("rebuild", "--database", database_url)
    assert (code, "17 games were counted." in text) == (0, True)
    code, text = await run("check", "--database", database_url)
    assert (code, "All ratings are right." in text) == (0, True)
    code, text = await run("verify", str(file))
    assert (code, text) == (
        0,
        "16 games were recomputed, 2 of them without effect; 4 ratings follow from them.\n",
    )
    plain = tmp_path / "plain.jsonl"
    plain.write_bytes(gzip.decompress(file.read_bytes()).replace(b'"rank":1', b'"rank":2', 1))
    code, text = await run("verify", str(plain))
    assert code == 1
    assert text.startswith("cartagena: Game 1 (g0): ")
