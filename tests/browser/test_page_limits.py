"""The page of limits on the real platform: age, own limits, self-exclusion asked twice, and what follows."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.async_api import Browser, Page

from tests.browser.support.chromium import CHROMIUM, opened
from tests.browser.support.layout import look
from tests.browser.support.pages import DESKTOP, UPRIGHT, go, look_everywhere
from tests.browser.support.patient import quick_halls
from tests.browser.support.seen import each, until, until_count, until_is
from tests.support.up import Up

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
]

TODAY = "[data-panel=today]"
AGE = "[data-panel=age]"
OWN = "[data-panel=own]"
EXCLUDE = "[data-panel=exclude]"


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    """One platform for the tests of this file; each brings players of its own."""
    folder = tmp_path_factory.mktemp("limits")
    with Up(folder / "data", env=quick_halls(folder)) as running:
        yield running


def at(up: Up) -> str:
    """Return the address of the page."""
    return up.said.url.rstrip("/") + "/#limits"


async def set_limits(page: Page, minutes: str, loss: str) -> None:
    await page.fill(f"{OWN} [data-field=minutes]", minutes)
    await page.fill(f"{OWN} [data-field=loss]", loss)
    await page.click(f"{OWN} .primary")


async def test_a_minor_says_his_age_once_and_sees_when_he_may_play(browser: Browser, up: Up) -> None:
    async with opened(browser, up.said.url, UPRIGHT) as page:
        await page.wait_for_selector(".hall")
        await go(page, "limits")
        await page.wait_for_selector(f"{TODAY} [data-may=yes]")
        await page.click(f"{AGE} [data-value='2']")
        await page.click(f"{AGE} .confirm .plain")
        await until_count(page, f"{AGE} .confirm", 0)
        await page.click(f"{AGE} [data-value='2']")
        await page.click(f"{AGE} .confirm .primary")
        await page.wait_for_selector(f"{AGE} [data-band='2']")
        await until_count(page, f"{AGE} .chip", 0)
        await until_count(page, f"{TODAY} [data-window]", 7)
        await look_everywhere(page, "page-limits-minor", f"{TODAY} [data-window]")


async def test_tighter_counts_at_once_and_looser_waits(browser: Browser, up: Up) -> None:
    async with opened(browser, at(up), UPRIGHT) as page:
        await set_limits(page, "60", "5000")
        await page.wait_for_selector(".toast.good")
        minutes = f"{TODAY} [data-fact=left] dd"
        await until_is(lambda: each(page, minutes), ["60 分钟"])
        await set_limits(page, "30", "")
        await until_is(lambda: each(page, minutes), ["30 分钟"])
        await page.wait_for_selector(f"{OWN} [data-next=loss]")
        await until_is(lambda: each(page, f"{TODAY} [data-fact='left.loss'] dd"), ["5,000 金币"])
        await page.fill(f"{OWN} [data-field=minutes]", "5")
        await page.wait_for_selector(f"{OWN} .page-field.bad")
        await until_is(lambda: each(page, f"{OWN} .primary", "node.disabled"), [True])
        await page.reload()
        await page.wait_for_selector(f"{OWN} [data-next=loss]")
        fields = f"{OWN} [data-field]"
        await until_is(lambda: each(page, fields, "node.value"), ["30", "5000"])
        await look_everywhere(page, "page-limits", f"{OWN} [data-next=loss]")


async def test_an_exclusion_is_confirmed_twice_and_keeps_its_player_from_the_halls(
    browser: Browser, up: Up
) -> None:
    async with opened(browser, at(up), DESKTOP) as page:
        await page.click(f"{EXCLUDE} [data-value='30']")
        await page.click(f"{EXCLUDE} [data-button=exclude]")
        await page.wait_for_selector(f"{EXCLUDE} .confirm")
        await look(page, "page-limits-first")
        await page.click(f"{EXCLUDE} .confirm .danger")
        # The first yes does nothing but ask again.
        await until(lambda: each(page, f"{EXCLUDE} .confirm p"), lambda words: "客服" in "".join(words))
        await until_count(page, f"{EXCLUDE} [data-excluded]", 0)
        await look(page, "page-limits-second")
        await page.click(f"{EXCLUDE} .confirm .danger")
        await page.wait_for_selector(f"{EXCLUDE} [data-excluded]")
        await page.wait_for_selector(f"{TODAY} [data-may=no]")
        await look(page, "page-limits-excluded")
        await page.reload()
        await page.wait_for_selector(f"{EXCLUDE} [data-excluded]")
        # No shorter one is to be had: what is offered makes it longer.
        await until_is(lambda: each(page, f"{EXCLUDE} [data-button=exclude]"), ["延长…"])
        await page.goto(up.said.url)
        await until(lambda: each(page, ".hall-closed"), lambda words: "自我禁玩" in "".join(words))
        await until_count(page, ".hall-buttons", 0)
