"""The mahjong tables against the whole platform: a person plays real rounds with bots through the page."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page

from tests.browser.support.chromium import CHROMIUM, opened
from tests.browser.support.layout import look
from tests.browser.support.mahjong_layout import SIZES, table_fits
from tests.browser.support.mahjong_player import play_until
from tests.browser.support.patient import patient_halls
from tests.browser.support.player import not_by_hand
from tests.browser.support.seen import each_still
from tests.support.up import Up

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
]

RESULT = ".result .round-result"
STANDS = f".to-discard, {RESULT}"
"""Where the table waits for this person alone, and nothing changes by itself."""

WAIT_MS = 120_000
"""Audit, settlement and the pause between rounds, on a busy machine."""

GAMES = ["paohuzi", "kawuxing", "qinghunpeng"]


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    """One platform with both games open."""
    folder = tmp_path_factory.mktemp("mahjong")
    env = {"PAIJU_TABLE_GAMES": json.dumps(GAMES), **patient_halls(folder)}
    with Up(folder / "data", env=env) as up:
        yield up


async def sit_with_bots(page: Page, game: str) -> None:
    """From the lobby to a dealt hand."""
    await page.wait_for_selector(".hall")
    await page.click(f"[data-game={game}]")
    await page.click(".hall .plain >> nth=0")
    await page.wait_for_selector(".hand-tile, [data-piao]", timeout=WAIT_MS)


async def own_tiles(page: Page) -> list[str]:
    """Return the tiles of the hand and the own melds as the page shows them."""
    tiles = await each_still(page, ".rack .hand-tile", "node.dataset.card")
    melds = await each_still(page, ".own-melds .meld", "node.dataset.meld")
    return [*sorted(tiles), *melds]


@pytest.mark.parametrize(
    ("game", "size"), [("kawuxing", SIZES["upright"]), ("qinghunpeng", SIZES["lying"])], ids=GAMES[1:]
)
async def test_a_guest_plays_a_whole_round_with_a_reload_and_looks_at_it_again(
    browser: Browser, up: Up, game: str, size: tuple[int, int]
) -> None:
    seats = 3 if game == "kawuxing" else 4
    async with opened(browser, up.said.url, size) as page:
        await sit_with_bots(page, game)
        await play_until(page, RESULT, answers=2)
        await play_until(page, STANDS)
        before = await own_tiles(page)
        await page.reload()
        await page.wait_for_selector(f"main.table[data-game={game}][data-round='1'] .rack")
        await page.wait_for_selector(STANDS, timeout=WAIT_MS)
        assert await own_tiles(page) == before
        await table_fits(page, unless=RESULT)
        await play_until(page, RESULT)
        await page.wait_for_selector("[data-audit=AGREED]", timeout=WAIT_MS)
        await page.wait_for_selector("[data-fair=ok]", timeout=WAIT_MS)
        await page.wait_for_selector(".audit:has-text('已结算')", timeout=WAIT_MS)
        await look(page, f"real-{game}-result")
        await page.wait_for_selector(f".verdict.fair:has-text('1/{seats}')")
        points = await each_still(
            page, ".scores tbody td:nth-of-type(1)", "Number(node.textContent.replaceAll(',', ''))"
        )
        assert len(points) == seats
        assert sum(points) == 0
        async with page.expect_download() as saving:
            await page.click(".result-foot .plain >> nth=0")
        text = Path(await (await saving.value).path()).read_text("utf-8")
        assert f"\nGame: {game}\n" in text
        assert not_by_hand(text) == []
        await page.click(".result-foot .plain >> nth=1")
        await page.click("[data-button=menu]")
        await page.click(".menu-item:has-text('大厅')")
        await page.click("[data-button=list]")
        await page.click(".record-row .plain")
        await page.wait_for_selector(".record-actions li")
        await look(page, f"real-{game}-record")
        await page.click("[data-button=replay]")
        await page.wait_for_selector(f".replay[data-game={game}][data-step='0']")
        for _ in range(12):
            await page.keyboard.press("ArrowRight")
        await page.wait_for_selector(".replay[data-step='12']")
        await page.wait_for_selector(".replay .hand-tile")
        # The way through a replay takes this much of the height; the table beside it is as large as ever.
        await page.set_viewport_size({"width": size[0], "height": size[1] + 56})
        await table_fits(page)
        await look(page, f"real-{game}-replay")
