"""Two server processes on one PostgreSQL and one Redis: a game across them, a worker killed, Redis away."""

from __future__ import annotations

from pathlib import Path

from tests.sockets.harbour import own_process
from tests.sockets.sailor import Crew, Sailor, play_out
from tools.services import RedisServer


def at(crew: Crew, sailor: Sailor, server: Crew) -> Sailor:
    """The same person, connected to another worker."""
    twin = crew.twin(sailor)
    twin.server = server.server
    return twin


async def test_a_game_across_two_workers_survives_the_loss_of_redis_and_of_a_worker(
    postgres_url: str, tmp_path: Path
) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    with RedisServer() as redis:
        async with (
            own_process(postgres_url, tmp_path / "one", redis=redis.url) as one,
            own_process(postgres_url, tmp_path / "two", redis=redis.url) as two,
        ):
            crew, others = Crew(one), Crew(two)
            ann, bo = await crew.game(2, "tortuga")
            await bo.leave()
            far_bo = await at(crew, bo, others).join(ann.game)
            watcher = await (await others.sailor()).join(ann.game)
            await ann.until(lambda: ann.of("presence")[-1]["seats"] == [True, True])
            await play_out([ann, far_bo], actions=12)
            await watcher.reaches(ann.seq)
            assert watcher.view is not None

            redis.pause()  # the heads show what the bus does not tell
            await play_out([ann, far_bo], actions=4)
            redis.start(redis.port)

            await one.kill()
            await ann.is_closed()
            far_ann = await at(crew, ann, others).join(ann.game)
            await play_out([far_ann, far_bo], actions=6)
            assert far_ann.seq == far_bo.seq
            numbers = [m["seq"] for m in far_bo.log if m["t"] in ("events", "table")]
            assert numbers == sorted(set(numbers))
            await crew.close()
            await others.close()
        assert "Traceback" not in two.said()
