"""What opens over a mahjong table, and its results, at the sizes they promise."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.async_api import Browser

from tests.browser.support import mahjong_positions as positions
from tests.browser.support.layout import look
from tests.browser.support.mahjong_layout import SIZES, look_at_table
from tests.browser.support.mahjong_stage import shown
from tests.browser.support.seen import still

pytestmark = pytest.mark.browser

LOOKS = pytest.mark.parametrize(
    ("size", "language"),
    [
        (SIZES["desktop"], "zh-CN"),
        (SIZES["upright"], "en"),
        (SIZES["small"], "zh-CN"),
        (SIZES["lying"], "en"),
    ],
    ids=["desktop", "upright-english", "small", "lying-english"],
)

RESULTS: dict[str, Callable[[], positions.Found]] = {
    "kawuxing-two": positions.kawuxing_two_winners,
    "kawuxing-horses": positions.kawuxing_horses,
    "kawuxing-drawn": positions.kawuxing_drawn,
    "kawuxing-unready": positions.kawuxing_drawn_unready,
    "qinghunpeng-won": positions.qinghunpeng_won,
}


@LOOKS
async def test_choices_leave_the_hand_free(browser: Browser, size: tuple[int, int], language: str) -> None:
    async with shown(browser, positions.kawuxing_reveal(), size, language) as stage:
        await stage.page.click("[data-action=liang]")
        await stage.page.click(".reveal-way >> nth=0")
        await stage.page.wait_for_selector("[data-action=reveal]:not([disabled])")
        await look_at_table(stage.page, "kawuxing-reveal", open_choice=True)
        await stage.show(positions.kawuxing_kongs())
        await stage.page.click("[data-action=gang]")
        await stage.page.wait_for_selector(".chooser .way")
        await look_at_table(stage.page, "kawuxing-kongs", open_choice=True)
        await stage.show(positions.qinghunpeng_claim())
        await stage.page.click("[data-action=chi]")
        await stage.page.wait_for_selector(".chooser .way")
        await look_at_table(stage.page, "qinghunpeng-eating", open_choice=True)


@LOOKS
async def test_results_fit(browser: Browser, size: tuple[int, int], language: str) -> None:
    async with shown(browser, positions.kawuxing_own_turn(), size, language) as stage:
        for name, find in RESULTS.items():
            await stage.show(find())
            await stage.page.wait_for_selector(".result .payments, .result .ready-hands")
            await look(stage.page, name)
            out = await still(
                stage.page,
                "() => [...document.querySelectorAll('.result .tile')]"
                ".map((node) => node.getBoundingClientRect())"
                ".filter((box) => box.left < 0 || box.right > innerWidth).length",
            )
            assert out == 0, "a tile of the result runs off the screen"
