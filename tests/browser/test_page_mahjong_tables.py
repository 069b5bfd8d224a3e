"""The mahjong tables at the sizes they promise, in positions from real rounds: nothing is covered."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.async_api import Browser

from tests.browser.support import mahjong_positions as positions
from tests.browser.support.mahjong_layout import SIZES, look_at_table, table_fits
from tests.browser.support.mahjong_stage import shown
from tests.browser.support.seen import each_still

pytestmark = pytest.mark.browser

LOOKS = pytest.mark.parametrize(
    ("size", "language"),
    [*[(size, "zh-CN") for size in SIZES.values()], (SIZES["upright"], "en"), (SIZES["lying"], "en")],
    ids=[*SIZES, "upright-english", "lying-english"],
)

TABLES: dict[str, Callable[[], positions.Found]] = {
    "kawuxing-turn": positions.kawuxing_own_turn,
    "kawuxing-crowded": positions.kawuxing_crowded,
    "kawuxing-claim": positions.kawuxing_claim,
    "kawuxing-piao": positions.kawuxing_piao,
    "qinghunpeng-turn": positions.qinghunpeng_own_turn,
    "qinghunpeng-crowded": positions.qinghunpeng_crowded,
    "qinghunpeng-claim": positions.qinghunpeng_claim,
}


@LOOKS
async def test_the_most_crowded_tables_fit(browser: Browser, size: tuple[int, int], language: str) -> None:
    async with shown(browser, positions.kawuxing_own_turn(), size, language) as stage:
        for name, find in TABLES.items():
            await stage.show(find())
            await look_at_table(stage.page, name)


async def test_a_watched_table_shows_backs_and_what_is_revealed(browser: Browser) -> None:
    found = positions.kawuxing_watched()
    async with shown(browser, found, SIZES["lying"]) as stage:
        page = stage.page
        await table_fits(page)
        assert await each_still(page, ".hand-tile") == []
        at = next(seat for seat, seen in enumerate(found.view.revealed) if seen is not None)
        seen = found.view.as_json()["revealed"][at]
        own = "section.rack .hand.of-other"
        place = own if at == 0 else f".seat.{('', 'right', 'left')[at]} .open-hand"
        for tile in seen["tiles"]:
            assert await each_still(page, f"{place} .face-{tile}")
        assert len(await each_still(page, f"{place} .back")) == seen["hidden"]
        assert len(await each_still(page, f"{own} .tile")) == found.view.counts[0]
