"""The halls on the real platform: what they cost, why one is closed, which one fits, and relief."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.async_api import Browser, Page

from tests.browser.support.chromium import CHROMIUM, opened
from tests.browser.support.layout import look
from tests.browser.support.pages import DESKTOP, UPRIGHT, go, look_everywhere
from tests.browser.support.patient import patient_halls
from tests.browser.support.seen import each, each_still, until, until_is
from tests.support.up import Up

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
]

RELIEF = {"PAIJU_ECONOMY_RELIEF_BELOW": "30000", "PAIJU_ECONOMY_RELIEF_GOLD": "4000"}
"""So that everybody is poor: one starts with 20,000."""


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    """One platform for the tests of this file; each brings players of its own."""
    folder = tmp_path_factory.mktemp("halls")
    with Up(folder / "data", env={**patient_halls(folder), **RELIEF}) as running:
        yield running


def at(up: Up) -> str:
    """Return the address of the page."""
    return up.said.url.rstrip("/") + "/#halls"


async def reasons(page: Page) -> list[str]:
    """Return why halls are closed, in their order."""
    found: list[str] = await each(page, ".hall-why", "node.dataset.reason")
    return found


async def test_every_hall_says_what_it_costs_and_a_closed_one_why_and_which_fits(
    browser: Browser, up: Up
) -> None:
    async with opened(browser, at(up), UPRIGHT) as page:
        await until_is(lambda: page.inner_text(".purse-gold"), "20,000")
        await until(lambda: reasons(page), lambda found: "COINS_TOO_FEW" in found)
        figures = await each_still(page, ".hall-row", "node.querySelectorAll('dd').length")
        assert set(figures) == {5}
        await look_everywhere(page, "page-halls", ".hall-why")
        await page.click("[data-chips=game] [data-value=doudizhu]")
        await page.wait_for_selector("[data-hall^='doudizhu/']")
        assert await each_still(page, "[data-hall^='paohuzi/']") == []


async def test_a_hall_that_fits_is_one_touch_away(browser: Browser, up: Up) -> None:
    async with opened(browser, at(up), DESKTOP) as page:
        await until(lambda: reasons(page), lambda found: "COINS_TOO_FEW" in found)
        await page.click("[data-button=fits] >> nth=0")
        await page.wait_for_selector("[data-strip=ticket], main.table")


async def test_quick_join_waits_for_people_and_can_be_called_off_on_the_page(
    browser: Browser, up: Up
) -> None:
    async with opened(browser, at(up), UPRIGHT) as page:
        await page.click("[data-button=quick]")
        await page.wait_for_selector("[data-strip=ticket]")
        await look(page, "page-halls-waiting")
        await page.click("[data-strip=ticket] button")
        await page.wait_for_selector("[data-strip=ticket]", state="detached")


async def test_bots_are_played_from_the_page_and_the_table_takes_its_place(browser: Browser, up: Up) -> None:
    async with opened(browser, up.said.url, UPRIGHT) as page:
        await page.wait_for_selector(".hall")
        await go(page, "halls")
        await page.click("[data-button=bots] >> nth=0")
        await page.wait_for_selector("main.table .hand-card")
        await until_is(lambda: page.evaluate("location.hash"), "")
        # The wallet says what lies at the table, and leads back to it.
        await page.click("[data-button=menu]")
        await page.click(".menu-item:text-is('我的')")
        await page.click(".pages-menu [data-page=wallet]")
        await page.wait_for_selector(".stake[data-match] .primary")
        await look(page, "page-wallet-at-table")
        await page.click(".stake[data-match] .primary")
        await page.wait_for_selector("main.table .hand-card")


async def test_relief_is_given_as_often_as_the_day_allows(browser: Browser, up: Up) -> None:
    async with opened(browser, at(up), UPRIGHT) as page:
        await page.wait_for_selector("[data-panel=relief]")
        await look(page, "page-relief")
        await page.click("[data-button=relief]")
        await until_is(lambda: page.inner_text(".purse-gold"), "24,000")
