"""The wallet on the real platform: every entry in plain words, and every settlement leads to its round."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.async_api import Browser, Page

from tests.browser.support.chromium import CHROMIUM, opened
from tests.browser.support.layout import look
from tests.browser.support.pages import DESKTOP, UPRIGHT, look_everywhere
from tests.browser.support.patient import quick_halls
from tests.browser.support.seen import change, each, each_still, until, until_is
from tests.support.up import Up

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
]

ROUNDS = 3
FIGURE = "Number(node.textContent.replaceAll(',', '').replace('−', '-'))"
RIGHT = "Math.round(node.getBoundingClientRect().right)"
WELCOME = ["welcome", "welcome"]
"""Gold and room cards."""
MATCH_MS = 120_000
"""A whole match that plays itself, on a busy machine."""


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    """One platform for the tests of this file; each brings players of its own."""
    folder = tmp_path_factory.mktemp("wallet")
    with Up(folder / "data", env=quick_halls(folder, ROUNDS)) as running:
        yield running


async def play_a_match(page: Page) -> None:
    """Let the table play a short match for coins to its end; come back to the lobby."""
    await page.wait_for_selector(".hall")
    await page.click(".hall .plain >> nth=0")
    await page.wait_for_selector(".final", timeout=MATCH_MS)
    await page.wait_for_selector("[data-audit=AGREED]", timeout=MATCH_MS)
    await page.click(".result-foot .primary")
    await page.wait_for_selector(".hall")


async def kinds(page: Page) -> list[str]:
    """Return the kinds of the entries shown, newest first."""
    found: list[str] = await each(page, ".entry", "node.dataset.kind")
    return found


def is_whole(seen: list[str]) -> bool:
    """Return whether these are the entries of a first match; a round that moved nothing has none."""
    moved = seen.count("settlement")
    return 0 < moved <= ROUNDS and seen == ["stake_close", *["settlement"] * moved, "stake_open", *WELCOME]


async def test_every_entry_of_a_match_is_told_and_leads_to_its_round_explained(
    browser: Browser, up: Up
) -> None:
    async with opened(browser, up.said.url, UPRIGHT) as page:
        await play_a_match(page)
        await page.click(".gold")
        await page.wait_for_selector("main.page[data-page=wallet]")
        await until(lambda: kinds(page), is_whole, within_ms=MATCH_MS)
        await look_everywhere(page, "page-wallet", ".entry")
        # What the rounds brought is what came home beside the buy-in.
        sums = await each_still(page, ".entry[data-kind=settlement] .entry-sums b", FIGURE)
        out, home = [
            (await each_still(page, f".entry[data-kind={kind}] .entry-sums b", FIGURE))[0]
            for kind in ("stake_open", "stake_close")
        ]
        assert sum(sums) == home - out
        await page.click(".entry[data-kind=settlement] .entry-link >> nth=0")
        await page.wait_for_selector(".panel[data-panel=money][data-state=settled]")
        await page.wait_for_selector(".verdicts [data-audit=AGREED]")
        await page.wait_for_selector(".verdicts [data-fair=ok]")
        await until(lambda: each(page, ".why-lines li"), len)
        nets = await each_still(page, ".figures .me [data-col=net]", FIGURE)
        assert nets == [sums[0]]
        assert sum(await each_still(page, ".figures [data-col=coins]", FIGURE)) == 0
        # Each figure stands below the word that says what it is.
        words = await each_still(page, ".figures thead th", RIGHT)
        for row in range(3):
            assert await each_still(page, f".figures tbody tr:nth-child({row + 1}) > *", RIGHT) == words
        await look_everywhere(page, "page-round", "[data-fair=ok]")
        await page.go_back()
        await until(lambda: kinds(page), is_whole)
        await page.click(".entry[data-kind=stake_open] .entry-link")
        await until(lambda: each(page, ".match-round"), lambda rows: len(list(rows)) == ROUNDS)
        await look_everywhere(page, "page-match", ".match-round")


async def test_a_round_is_explained_on_a_device_that_never_saw_it(browser: Browser, up: Up) -> None:
    async with opened(browser, up.said.url, UPRIGHT) as page:
        await play_a_match(page)
        await change(page, "localStorage.removeItem('paiju.rounds')")
        await page.click(".gold")
        await page.click(".entry[data-kind=settlement] .entry-link >> nth=0")
        await page.wait_for_selector(".round-outcome")
        await until(lambda: each(page, ".why-lines li"), len)
        await page.wait_for_selector(".verdicts .fair:has-text('没有存在这台设备上')")


async def test_entries_are_filtered_by_currency(browser: Browser, up: Up) -> None:
    async with opened(browser, f"{up.said.url.rstrip('/')}/#wallet", DESKTOP) as page:
        await until_is(lambda: kinds(page), WELCOME)
        await page.click("[data-chips=currency] [data-value=gem]")
        await page.wait_for_selector(".nothing:has-text('宝石')")
        await page.click("[data-chips=currency] [data-value=gold]")
        await until_is(lambda: kinds(page), ["welcome"])


async def test_coins_at_a_table_are_shown_with_the_way_back_to_it(browser: Browser, up: Up) -> None:
    async with opened(browser, f"{up.said.url.rstrip('/')}/#wallet/round/never%2F1", UPRIGHT) as page:
        await page.wait_for_selector("[data-gone]")
        await look(page, "page-round-gone")
