"""The page against the whole platform: a person plays real rounds through it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page

from tests.browser.support.chromium import CHROMIUM, DESKTOP, PHONE, opened
from tests.browser.support.layout import look
from tests.browser.support.player import ROUND_S_MAX, not_by_hand, play_until
from tests.support.up import Up

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
]

RESULT = ".result .round-result"
ROUND_WAIT_MS = 60_000
"""Audit, settlement and the pause between rounds, on a busy machine."""

WHOLE_ROUND_MS = int(ROUND_S_MAX * 1000)
"""A whole round under 托管, with all its pauses."""


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    """One platform for the tests of this file; each brings players of its own."""
    with Up(tmp_path_factory.mktemp("page") / "data") as running:
        yield running


async def sit_with_bots(page: Page) -> None:
    """From the lobby to a dealt hand."""
    await page.click(".hall .plain >> nth=0")
    await page.wait_for_selector(".hand-card")


async def own_cards(page: Page) -> list[str]:
    """Return the cards of the hand as the page shows them, sorted."""
    cards = await page.eval_on_selector_all(
        ".rack .hand-card", "nodes => nodes.map((node) => node.dataset.card)"
    )
    return sorted(cards)


@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
async def test_a_guest_plays_a_whole_round_and_sees_it_explained_audited_and_fairly_dealt(
    browser: Browser, up: Up, size: tuple[int, int]
) -> None:
    async with opened(browser, up.said.url, size) as page:
        await page.wait_for_selector(".hall")
        assert await page.inner_text(".gold") == "20,000"
        await sit_with_bots(page)
        assert len(await own_cards(page)) in (12, 13, 16, 17, 20, 21)  # 提 of the deal are laid at once
        await look(page, "real-dealt", table=True)
        await play_until(page, RESULT)
        await page.wait_for_selector("[data-audit=AGREED]", timeout=ROUND_WAIT_MS)
        await page.wait_for_selector("[data-fair=ok]", timeout=ROUND_WAIT_MS)
        await page.wait_for_selector(".audit:has-text('已结算')", timeout=ROUND_WAIT_MS)
        await look(page, "real-result")
        assert "1/3" in await page.inner_text(".verdict.fair")
        points = await page.eval_on_selector_all(
            ".scores tbody td:nth-of-type(1)", "nodes => nodes.map((node) => Number(node.textContent))"
        )
        assert len(points) == 3
        assert sum(points) == 0
        async with page.expect_download() as saving:
            await page.click(".result-foot .plain >> nth=0")
        text = Path(await (await saving.value).path()).read_text("utf-8")
        assert text.startswith("Paiju-Record: 1\n")
        assert not_by_hand(text) == []
        await page.click(".result [data-action=ready]")
        await page.wait_for_selector("main.table[data-round='2'] .hand-card", timeout=ROUND_WAIT_MS)


async def test_a_reload_comes_back_to_the_seat_and_the_table_plays_on_when_asked_to(
    browser: Browser, up: Up
) -> None:
    async with opened(browser, up.said.url, DESKTOP) as page:
        await page.wait_for_selector(".hall")
        await sit_with_bots(page)
        await play_until(page, RESULT, answers=2)
        await page.wait_for_selector(".to-discard, [data-action=pass], .result", timeout=ROUND_WAIT_MS)
        before = await own_cards(page)
        melds = await page.locator(".own-melds .meld").count()
        await page.reload()
        await page.wait_for_selector("main.table[data-round='1']")
        await page.wait_for_selector(".to-discard, [data-action=pass], .result", timeout=ROUND_WAIT_MS)
        assert await own_cards(page) == before
        assert await page.locator(".own-melds .meld").count() == melds
        if not await page.locator(RESULT).count():
            await page.click("[data-button=auto]")
        await page.wait_for_selector(RESULT, timeout=WHOLE_ROUND_MS)
        await page.wait_for_selector("[data-fair=ok]", timeout=ROUND_WAIT_MS)


async def test_the_newest_tab_has_the_seat_and_the_other_can_take_it_back(browser: Browser, up: Up) -> None:
    async with opened(browser, up.said.url, PHONE) as page:
        await page.wait_for_selector(".hall")
        await sit_with_bots(page)
        second = await page.context.new_page()
        await second.goto(up.said.url)
        await second.wait_for_selector(".hand-card", timeout=ROUND_WAIT_MS)
        await page.wait_for_selector(".banner:has-text('别处')", timeout=ROUND_WAIT_MS)
        await page.click(".banner-button")
        await page.wait_for_selector(".banner", state="detached", timeout=ROUND_WAIT_MS)
        await second.wait_for_selector(".banner:has-text('别处')", timeout=ROUND_WAIT_MS)
        await play_until(page, RESULT, answers=1)


async def test_friends_meet_in_a_room_by_its_code_talk_and_play_a_match_to_its_end(
    browser: Browser, up: Up
) -> None:
    async with opened(browser, up.said.url, PHONE) as host, opened(browser, up.said.url, PHONE) as guest:
        await host.wait_for_selector(".hall")
        await host.click(".big-create")
        await host.click(".dialog .round-chips button >> nth=0")
        await host.click(".dialog-buttons .primary")
        await host.wait_for_selector(".places")
        code = "".join(
            await host.eval_on_selector_all(".room-code .digit", "nodes => nodes.map((n) => n.textContent)")
        )
        await guest.wait_for_selector(".hall")
        await guest.click(".big-join")
        for digit in code:
            await guest.click(f".keys button:text-is('{digit}')")
        await guest.wait_for_selector(".places")
        await host.click(".bot-levels [data-bot=normal]")
        for page in (host, guest):
            await page.click(".room-buttons .primary")
        for page in (host, guest):
            await page.wait_for_selector(".hand-card", timeout=ROUND_WAIT_MS)
        assert await host.locator(".bar-room").inner_text() == f"房号 {code}"
        await host.click("[data-button=chat]")
        await host.click(".phrase >> nth=0")
        await guest.wait_for_selector(".bubble", timeout=ROUND_WAIT_MS)
        assert await guest.inner_text(".bubble") == "大家好，很高兴见到各位"
        await asyncio.gather(*[play_until(page, ".final") for page in (host, guest)])
        for page in (host, guest):
            assert await page.locator(".rank").count() == 3
            await page.wait_for_selector("[data-fair=ok]", timeout=ROUND_WAIT_MS)
            assert "2/3" in await page.inner_text(".verdict.fair")
            await page.click(".result-foot .primary")
            await page.wait_for_selector(".hall")


async def test_the_page_comes_back_by_itself_after_the_platform_was_killed(
    browser: Browser, tmp_path: Path, free_port: int
) -> None:
    with Up(tmp_path / "data", "--port", str(free_port)) as platform:
        async with opened(browser, platform.said.url, PHONE) as page:
            await page.wait_for_selector(".hall")
            await sit_with_bots(page)
            before = await own_cards(page)
            platform.kill()
            await page.wait_for_selector(".banner")
            platform.start()
            await page.wait_for_selector(".banner", state="detached", timeout=ROUND_WAIT_MS)
            await page.wait_for_selector("main.table[data-round='1'] .hand-card")
            assert set(await own_cards(page)) <= set(before)
            await play_until(page, RESULT)
            await page.wait_for_selector("[data-audit=AGREED]", timeout=ROUND_WAIT_MS)


async def test_sign_in_statistics_and_records_are_there_after_a_match(browser: Browser, up: Up) -> None:
    async with opened(browser, up.said.url, PHONE) as page:
        await page.wait_for_selector(".hall")
        await page.click("[data-button=gift]")
        await page.click(".dialog-buttons .primary:has-text('签到')")
        await page.wait_for_selector(".day.today.done")
        await look(page, "real-sign-in")
        await page.keyboard.press("Escape")
        await page.wait_for_selector(".gold:not(:has-text('20,000'))")
        await page.click(".big-create")
        await page.click(".dialog .round-chips button >> nth=0")
        await page.click(".dialog-buttons .primary")
        await page.click(".bot-levels [data-bot=normal]")
        await page.click(".room-buttons .primary")
        await page.wait_for_selector(".hand-card", timeout=ROUND_WAIT_MS)
        await page.click("[data-button=auto]")
        await page.wait_for_selector(".final", timeout=WHOLE_ROUND_MS)
        await page.wait_for_selector("[data-audit=AGREED]", timeout=ROUND_WAIT_MS)
        await page.click(".result-foot .primary")
        await page.click("[data-button=chart]")
        await page.wait_for_selector(".stat, .nothing")
        for _ in range(50):  # the round is counted when its settlement has come round
            if await page.locator(".stat").count():
                break
            await page.keyboard.press("Escape")
            await page.wait_for_timeout(200)
            await page.click("[data-button=chart]")
            await page.wait_for_selector(".stat, .nothing")
        assert await page.locator(".figure dd").first.inner_text() == "1"
        await look(page, "real-statistics")
        await page.keyboard.press("Escape")
        await page.click("[data-button=list]")
        await page.click(".record-row .plain")
        await page.wait_for_selector(".record-actions li")
        await look(page, "real-record")
        await page.click("[data-button=replay]")
        await page.wait_for_selector(".replay[data-step='0']")
        await page.click("[data-step-by=on]")
        await page.wait_for_selector(".replay[data-step='1']")
        await page.keyboard.press("ArrowRight")
        await page.wait_for_selector(".replay[data-step='2']")
        await look(page, "real-replay", table=True)
        await page.click("[data-step-by=run]")
        await page.wait_for_selector(".replay[data-step='4']")
        await page.click("[data-button=close]")
        await page.wait_for_selector(".hall")
