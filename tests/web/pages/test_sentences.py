"""Sentences of the profile and account pages that depend on what is shown there."""

from __future__ import annotations

import re

from tests.web.running_site import running


async def test_profile_and_account_pages_claim_only_what_is_true(sqlite_url: str) -> None:
    async with running(sqlite_url) as site:
        ann, answer = await site.guest("Ann")
        person = answer["person"]["id"]
        own, public = (await ann.get("/me")).text, (await ann.get(f"/players/{person}")).text
        # The public profile leaves out unlisted games, so it must not say that there are none.
        assert "No finished games yet." in own
        assert "No finished games yet." not in public
        assert "No finished games that everyone can see." in public
        rule = "Only games with a result that anyone could watch count here, and first attempts at past deals"
        for page in (own, public):
            assert rule in page
        account = (await ann.get("/account")).text
        # Which channels there are is known only from the settings, which the page loads.
        assert re.search(
            r'data-every-channel><input type="checkbox" name="every_channel"> <span></span>', account
        )
        assert "your devices and your account will be deleted" not in account
        assert "Your name and your devices will be deleted." in account
