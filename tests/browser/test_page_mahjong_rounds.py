"""Whole rounds of mahjong by clicks on the real engine, without pauses, until what is wanted has happened."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from playwright.async_api import Browser, Page

from tests.browser.support.chromium import opened
from tests.browser.support.mahjong_layout import SIZES, table_fits
from tests.browser.support.mahjong_player import play_until
from tests.browser.support.seen import attribute, each_still, still
from tests.browser.support.stage import Stage, serve

pytestmark = pytest.mark.browser

RESULT = ".result .round-result"
ROUNDS_MAX = 12


@asynccontextmanager
async def match(browser: Browser, game: str, size: tuple[int, int]) -> AsyncIterator[Page]:
    """Sit at a table of a game, with bots, from the lobby."""
    stage = Stage(seed=7, pace_s=0.0, rounds=ROUNDS_MAX)
    runner, url = await serve(stage)
    try:
        async with opened(browser, url, size, steady=True) as page:
            await page.click(f"[data-game={game}]")
            await page.click(".hall .plain >> nth=0")
            yield page
    finally:
        await stage.close()
        await runner.cleanup()


async def next_round(page: Page, now: int) -> None:
    """Leave the result of a round."""
    await page.click(".result [data-action=ready]")
    await page.wait_for_selector(f"main.table[data-round='{now + 1}']")


async def test_a_player_reveals_and_goes_on_to_the_end_of_the_round(browser: Browser) -> None:
    async with match(browser, "kawuxing", SIZES["upright"]) as page:
        for now in range(1, ROUNDS_MAX + 1):
            await play_until(page, f".rack.is-revealed, {RESULT}")
            if await each_still(page, ".rack.is-revealed, .own .mark-liang"):
                break
            await page.wait_for_selector(RESULT)
            await next_round(page, now)
        else:
            raise AssertionError("no hand became ready")
        await page.wait_for_selector(f".own .mark-liang, {RESULT}")
        await table_fits(page, unless=RESULT)
        await play_until(page, RESULT)
        await page.wait_for_selector("[data-fair=ok]")
        assert len(await each_still(page, ".own .mark-liang")) == 1


async def test_a_player_eats_by_choosing_and_the_meld_lies_before_him(browser: Browser) -> None:
    async with match(browser, "qinghunpeng", SIZES["small"]) as page:
        for now in range(1, ROUNDS_MAX + 1):
            await play_until(page, f".own-melds .kind-chi, {RESULT}", claims=("chi",))
            if await each_still(page, ".own-melds .kind-chi"):
                break
            await next_round(page, now)
        else:
            raise AssertionError("nothing was eaten")
        meld = page.locator(".own-melds .kind-chi").first
        low = (await attribute(meld, "data-meld")).split(":")[1]
        first = await still(page, "document.querySelector('.own-melds .kind-chi').innerHTML")
        for by in range(3):
            assert first.count(f"face-{low[0]}{int(low[1]) + by}") == 1
        assert first.count("turned") == 1
        await play_until(page, RESULT)
        await page.wait_for_selector("[data-fair=ok]")
