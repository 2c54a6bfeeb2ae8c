"""Session floods: the number of sessions per person is bounded."""

from __future__ import annotations

from tests.web.running_site import running

PASSWORD = "plank, parrot, doubloon"


async def test_repeated_log_ins_keep_a_bounded_number_of_sessions(
    database_url: str,
) -> None:
    async with running(database_url, sessions_per_person=3) as site:
        first, _ = await site.guest("Anne Bonfire")
        await first.post("/api/v1/account/register", json={"password": PASSWORD})
        told: list[str] = []
        site.site.publish_signed_out = lambda key, how: told.append(key)
        for seconds in range(6):
            site.pass_time(1 + seconds)
            answer = await site.browser().post(
                "/api/v1/account/login", json={"name": "Anne Bonfire", "password": PASSWORD}
            )
            assert answer.status_code == 200, answer.text
        last = site.clients[-1]
        assert len((await last.get("/api/v1/me/devices")).json()["devices"]) == 3
        assert len(set(told)) == 4, "sockets of those that ended are closed"
        assert (await first.get("/api/v1/me")).json()["person"] is None, "the oldest ended first"
