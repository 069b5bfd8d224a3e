"""斗地主 against the whole platform: rounds by clicks, by keys, after a reload, two people in a room."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page

from tests.browser.support.chromium import CHROMIUM, DESKTOP, PHONE, opened
from tests.browser.support.doudizhu_player import How, by_clicks, by_keys, play_until
from tests.browser.support.layout import look
from tests.browser.support.patient import patient_halls
from tests.browser.support.player import given, not_by_hand, room_code, saved
from tests.browser.support.seen import each_still, until_count
from tests.support.up import Up

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
]

TALL = (390, 844)
ROUND_WAIT_MS = 120_000
RESULT = ".result .round-result"


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    """One platform for the tests of this file; each brings players of its own."""
    folder = tmp_path_factory.mktemp("ddz")
    with Up(folder / "data", env=patient_halls(folder)) as running:
        yield running


async def sit_with_bots(page: Page) -> None:
    """From the lobby to a dealt hand of 斗地主."""
    await page.wait_for_selector(".hall")
    await page.click(".game-tab[data-game=doudizhu]")
    await page.click(".hall .plain >> nth=0")
    await page.wait_for_selector(".in-hand", timeout=ROUND_WAIT_MS)


async def own_cards(page: Page) -> list[str]:
    """Return the cards of the hand, with the suits the page drew, highest first."""
    return await each_still(page, ".rack .in-hand", "node.dataset.card")


async def to_a_won_round(page: Page, how: How) -> None:
    """Play until a round was won: one that everybody declined is dealt anew, which the page says too."""
    while True:
        await play_until(page, RESULT, how)
        if await each_still(page, ".tally"):
            return
        await page.wait_for_selector(".result-title:has-text('重新发牌')")
        await page.keyboard.press("Enter")
        await page.wait_for_selector(RESULT, state="detached", timeout=ROUND_WAIT_MS)


async def is_explained(page: Page) -> None:
    """Fail unless the result adds up, is audited, and its deal is checked."""
    await page.wait_for_selector("[data-audit=AGREED]", timeout=ROUND_WAIT_MS)
    await page.wait_for_selector("[data-fair=ok]", timeout=ROUND_WAIT_MS)
    points = await each_still(
        page, ".scores tbody td:nth-of-type(1)", "Number(node.textContent.replaceAll(',', ''))"
    )
    assert sum(points) == 0
    stakes = await each_still(page, ".tally-row.stake .tally-value")
    assert len(stakes) == 2
    for line in stakes:
        factors, product = line.split(" = ")
        value = 1
        for factor in factors.split(" × "):
            value *= int(factor)
        assert value == int(product)
        assert value in [abs(one) for one in points]
    assert len(await each_still(page, ".why li")) > 1


@pytest.mark.parametrize(
    ("size", "how"), [(PHONE, by_clicks), (DESKTOP, by_keys)], ids=["by-clicks", "by-keys"]
)
async def test_a_guest_plays_a_whole_round_to_its_explained_result(
    browser: Browser, up: Up, size: tuple[int, int], how: How
) -> None:
    async with opened(browser, up.said.url, size) as page:
        await sit_with_bots(page)
        assert len(await own_cards(page)) == 17
        await to_a_won_round(page, how)
        await is_explained(page)
        await look(page, "ddz-real-result")
        async with page.expect_download() as saving:
            await page.click(".result-foot .plain >> nth=0")
        text = Path(await (await saving.value).path()).read_text("utf-8")
        assert "\nGame: doudizhu\n" in text
        assert not_by_hand(text) == []


async def test_a_reload_in_the_middle_finds_the_same_cards_and_bids(browser: Browser, up: Up) -> None:
    async with opened(browser, up.said.url, TALL) as page:
        await sit_with_bots(page)
        asked = "[data-action=hint], .tally"
        await play_until(page, asked, by_clicks)
        before = await own_cards(page)
        worth = await each_still(page, ".worth")
        await page.reload()
        await page.wait_for_selector(asked, timeout=ROUND_WAIT_MS)
        assert await own_cards(page) == before
        assert await each_still(page, ".worth") == worth
        await play_until(page, RESULT, by_clicks)
        await page.wait_for_selector("[data-fair=ok]", timeout=ROUND_WAIT_MS)


async def test_two_people_and_a_bot_play_in_a_room_with_rules_of_their_own(browser: Browser, up: Up) -> None:
    async with opened(browser, up.said.url, PHONE) as host, opened(browser, up.said.url, TALL) as guest:
        await host.wait_for_selector(".hall")
        await host.click(".big-create")
        await host.click(".game-chips [data-game=doudizhu]")
        await host.click(".preset-chips .chip:has-text('抢地主')")
        await host.click(".round-chips button >> nth=0")
        await host.click(".room-options summary")
        await host.click(".option:has-text('四带二') .switch >> nth=0")
        await host.click(".dialog-buttons .primary")
        await host.wait_for_selector(".places")
        await until_count(host, ".place", 3)
        code = await room_code(host)
        await guest.wait_for_selector(".hall")
        await guest.click(".big-join")
        for digit in code:
            await guest.click(f".keys button:text-is('{digit}')")
        await guest.wait_for_selector(".places")
        await host.click("[data-bot=easy]")
        await host.wait_for_selector(".place-level")
        for page in (host, guest):
            await page.click(".room-buttons .primary")
        for page in (host, guest):
            await page.wait_for_selector(".in-hand", timeout=ROUND_WAIT_MS)
        hands = [set(await own_cards(page)) for page in (host, guest)]
        assert all(len(hand) >= 17 for hand in hands)
        await asyncio.gather(*[play_until(page, ".final", by_clicks) for page in (host, guest)])
        for page in (host, guest):
            await until_count(page, ".rank", 3)
            await page.wait_for_selector("[data-fair=ok]", timeout=ROUND_WAIT_MS)
            # Two, but for a machine so slow that a seat missed the moment; the record says it then too.
            await page.wait_for_selector(f".verdict.fair:has-text('{given(await saved(page))}/3')")
