"""A stake that does not reach for another round, at the page: who owns it fills it up, or ends the match."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page

from services.matchmaking.settings import HALLS
from tests.browser.support.chromium import CHROMIUM, DESKTOP, PHONE, opened
from tests.browser.support.layout import look
from tests.browser.support.seen import attribute, until, until_count
from tests.support.up import Up

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
]

ROUND_MS = 120_000
"""A round under 托管, its audit and its settlement, on a busy machine."""

OWN = ".topup-stake[data-short=own]"


def hasty_halls(folder: Path) -> dict[str, str]:
    """Return the setting for halls where who wins nothing is short at once: 3000 brought, 2990 needed."""
    data = json.loads(HALLS.read_text(encoding="utf-8"))
    timing = {"claim_pause_ms": 60, "between_ms": 1_500, "seat_ms": 600_000, "turn_ms": 60_000}
    novice = {"minimum": 2_970, "fee": 20, "rounds": 32, "timing": timing}
    data["levels"] = [data["levels"][0] | novice]
    path = folder / "halls.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    return {"PAIJU_MATCHMAKING_HALLS_FILE": str(path)}


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    """One platform for the tests of this file; each brings players of its own."""
    folder = tmp_path_factory.mktemp("short")
    with Up(folder / "data", env=hasty_halls(folder)) as running:
        yield running


async def until_short(page: Page) -> None:
    """Sit down with bots and let the table play until the own stake is short."""
    await page.wait_for_selector(".hall")
    await page.click(".hall .plain >> nth=0")
    await page.wait_for_selector(".hand-card", timeout=ROUND_MS)
    await page.click("[data-button=auto]")
    await page.wait_for_selector(OWN, timeout=4 * ROUND_MS)


async def test_who_fills_up_his_stake_plays_on(browser: Browser, up: Up) -> None:
    async with opened(browser, up.said.url, PHONE) as page:
        await until_short(page)
        await until(lambda: page.inner_text(OWN), lambda words: "钱包里有 17,000 金币" in words)
        await until(lambda: page.inner_text(".audit"), lambda words: "每人台费 20" in words)
        await look(page, "topup-stake-phone")
        at = await attribute(page.locator("main.table"), "data-round")
        await page.click("[data-action=add-top]")
        await until_count(page, ".topup-stake", 0)
        await page.wait_for_selector(f"main.table[data-round='{int(at) + 1}']", timeout=ROUND_MS)


async def test_who_declines_ends_the_match(browser: Browser, up: Up) -> None:
    async with opened(browser, up.said.url, DESKTOP, chosen="en") as page:
        await until_short(page)
        await until(lambda: page.inner_text(OWN), lambda words: "17,000 gold in your wallet" in words)
        await look(page, "topup-stake-desktop")
        await page.click("[data-action=decline-stake]")
        await page.wait_for_selector("main.table[data-phase=finished]", timeout=ROUND_MS)
        await until_count(page, ".topup-stake", 0)
        await until(lambda: page.inner_text(".result"), lambda words: "stake" in words.lower())
