"""斗地主 against the whole platform: rounds by clicks, by keys, after a reload, two people in a room."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.async_api import Browser, Error, Page

from tests.browser.support.chromium import CHROMIUM, DESKTOP, PHONE, opened
from tests.browser.support.layout import look
from tests.browser.support.player import ROUND_S_MAX, click, not_by_hand
from tests.support.up import Up

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
]

TALL = (390, 844)
ROUND_WAIT_MS = 60_000
RESULT = ".result .round-result"


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    """One platform for the tests of this file; each brings players of its own."""
    with Up(tmp_path_factory.mktemp("ddz") / "data") as running:
        yield running


async def sit_with_bots(page: Page) -> None:
    """From the lobby to a dealt hand of 斗地主."""
    await page.wait_for_selector(".hall")
    await page.click(".game-tab[data-game=doudizhu]")
    await page.click(".hall .plain >> nth=0")
    await page.wait_for_selector(".in-hand", timeout=ROUND_WAIT_MS)


async def own_cards(page: Page) -> list[str]:
    """Return the cards of the hand, with the suits the page drew, highest first."""
    cards: list[str] = await page.eval_on_selector_all(
        ".rack .in-hand", "nodes => nodes.map((node) => node.dataset.card)"
    )
    return cards


async def by_clicks(page: Page) -> None:
    """Answer one question with the mouse: bid high, take a hint, else pass."""
    for action in ("bid-3", "rob", "call", "double-2"):
        if await click(page, f"[data-action={action}]"):
            return
    if await page.locator("[data-action=hint]").count():
        await click(page, "[data-action=hint]")
        if await page.locator(".in-hand.chosen").count():
            await click(page, "[data-action=play]:not([aria-disabled])")
    else:
        await click(page, "[data-action=pass]")


async def by_keys(page: Page) -> None:
    """Answer one question with the keyboard alone."""
    if await page.locator("[data-action=bid-3]").count():
        await page.keyboard.press(str(await page.locator(".act-row .act").count()))  # 3 is the last button
    elif await page.locator("[data-action=hint]").count():
        await page.keyboard.press("h")
        await page.wait_for_timeout(60)
        await page.keyboard.press("Enter")
    elif await page.locator("[data-action=pass]").count():
        await page.keyboard.press(" ")


async def play_until(page: Page, selector: str, how: Callable[[Page], Awaitable[None]]) -> None:
    """Answer what is asked until the selector is there.

    Raises:
        AssertionError: It did not come within `ROUND_S_MAX`.
    """
    until = time.monotonic() + ROUND_S_MAX
    while time.monotonic() < until:
        if await page.locator(selector).count():
            return
        with suppress(Error):  # the table may go on while a button is looked at
            await how(page)
        await page.wait_for_timeout(60)
    raise AssertionError(f"{selector} did not come")


async def to_a_won_round(page: Page, how: Callable[[Page], Awaitable[None]]) -> None:
    """Play until a round was won: one that everybody declined is dealt anew, which the page says too."""
    while True:
        await play_until(page, RESULT, how)
        if await page.locator(".tally").count():
            return
        assert "重新发牌" in await page.inner_text(".result-title")
        await page.keyboard.press("Enter")
        await page.wait_for_selector(RESULT, state="detached", timeout=ROUND_WAIT_MS)


async def is_explained(page: Page) -> None:
    """Fail unless the result adds up, is audited, and its deal is checked."""
    await page.wait_for_selector("[data-audit=AGREED]", timeout=ROUND_WAIT_MS)
    await page.wait_for_selector("[data-fair=ok]", timeout=ROUND_WAIT_MS)
    points = await page.eval_on_selector_all(
        ".scores tbody td:nth-of-type(1)", "nodes => nodes.map((node) => Number(node.textContent))"
    )
    assert sum(points) == 0
    stakes = await page.eval_on_selector_all(
        ".tally-row.stake .tally-value", "nodes => nodes.map((node) => node.textContent)"
    )
    assert len(stakes) == 2
    for line in stakes:
        factors, product = line.split(" = ")
        value = 1
        for factor in factors.split(" × "):
            value *= int(factor)
        assert value == int(product)
        assert value in [abs(one) for one in points]
    assert await page.locator(".why li").count() > 1


@pytest.mark.parametrize(
    ("size", "how"), [(PHONE, by_clicks), (DESKTOP, by_keys)], ids=["by-clicks", "by-keys"]
)
async def test_a_guest_plays_a_whole_round_to_its_explained_result(
    browser: Browser, up: Up, size: tuple[int, int], how: Callable[[Page], Awaitable[None]]
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
        worth = await page.inner_text(".worth")
        await page.reload()
        await page.wait_for_selector(asked, timeout=ROUND_WAIT_MS)
        assert await own_cards(page) == before
        assert await page.inner_text(".worth") == worth
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
        assert await host.locator(".place").count() == 3
        code = "".join(
            await host.eval_on_selector_all(".room-code .digit", "nodes => nodes.map((n) => n.textContent)")
        )
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
            assert await page.locator(".rank").count() == 3
            await page.wait_for_selector("[data-fair=ok]", timeout=ROUND_WAIT_MS)
            assert "2/3" in await page.inner_text(".verdict.fair")
