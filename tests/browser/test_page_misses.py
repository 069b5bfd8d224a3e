"""Who looks away: misses are marked at his seat, 托管 begins after the third, and he comes back at will."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.async_api import Browser

from tests.browser.support.chromium import CHROMIUM, opened
from tests.browser.support.layout import look
from tests.browser.support.seen import until_count
from tests.support.up import Up

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.long,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
]

SCREEN, PHONE = (1280, 800), (390, 844)
TIMING = {"claim_pause_ms": 100, "nonce_ms": 100, "turn_ms": 6_000, "claim_ms": 6_000, "misses": 3}


async def test_misses_are_marked_until_the_table_plays_for_the_seat(browser: Browser, tmp_path: Path) -> None:
    env = {"PAIJU_MATCHMAKING_ROOM_TIMING": json.dumps(TIMING)}
    with Up(tmp_path / "data", env=env) as up:
        async with opened(browser, up.said.url, SCREEN) as page:
            await page.click(".big-create")
            await page.click("[data-chips=game] [data-value=doudizhu]")
            await page.click("[data-button=go]")
            await page.click(".bot-levels [data-bot=normal]")
            await until_count(page, ".place.free", 0)
            await page.click("[data-button=ready]")
            await page.wait_for_selector(".own .state-mark.is-missed")
            await look(page, "missed", table=True)
            await page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
            await look(page, "missed", table=True)
            await page.wait_for_selector(".own .state-mark:has-text('超时 2/3')")
            await page.click(".act.wide:has-text('取消托管')")
            await until_count(page, ".own .state-mark", 0)
