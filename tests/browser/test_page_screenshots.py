"""The page at the sizes it promises: nothing covered, nothing too small, every screen, from fixed seeds."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from playwright.async_api import Browser, Page

from tests.browser.support import crowded, pages
from tests.browser.support.chromium import DESKTOP, PHONE, UPRIGHT, opened
from tests.browser.support.layout import look
from tests.browser.support.pages import LYING
from tests.browser.support.seen import box, change, each_still, still, until_count
from tests.browser.support.stage import ME, Stage, serve

pytestmark = pytest.mark.browser

SIZES = pytest.mark.parametrize(
    ("size", "language"),
    [(PHONE, "zh-CN"), (DESKTOP, "zh-CN"), (UPRIGHT, "zh-CN"), (PHONE, "en")],
    ids=["phone", "desktop", "upright", "phone-english"],
)


@asynccontextmanager
async def staged(browser: Browser, size: tuple[int, int], language: str) -> AsyncIterator[tuple[Page, Stage]]:
    """Open the lobby of a stage."""
    stage = Stage(seed=5, pace_s=0.0, rounds=1)
    runner, url = await serve(stage)
    try:
        async with opened(browser, url, size, chosen=language, steady=True) as page:
            await page.wait_for_selector(".hall")
            yield page, stage
    finally:
        await stage.close()
        await runner.cleanup()


@SIZES
async def test_lobby_and_its_dialogs_fit(browser: Browser, size: tuple[int, int], language: str) -> None:
    async with staged(browser, size, language) as (page, stage):
        await look(page, "lobby")
        for opener, inside in (
            (".who", ".pages-menu"),
            ("[data-button=gift]", ".days"),
            ("[data-button=chart]", ".stat"),
            ("[data-button=gear]", ".choice"),
            (".big-join", ".keypad"),
            (".big-create", ".chips"),
        ):
            await page.click(opener)
            await page.wait_for_selector(f".dialog {inside}")
            await look(page, inside.strip("."))
            if inside != ".chips":
                await page.keyboard.press("Escape")
                await page.wait_for_selector(".dialog", state="detached")
        await page.click(".room-options summary")
        await look(page, "options")
        await page.click(".dialog-buttons .primary")
        await page.wait_for_selector(".places")
        await look(page, "room")
        await page.click(".room-buttons .plain >> nth=-1")
        stage.waits = True
        await page.click(".big-match")
        await page.wait_for_selector(".wait")
        await look(page, "waiting")


@pytest.mark.parametrize("measure", [crowded.melds_and_rivers, crowded.cards_in_hand, crowded.choices])
@SIZES
async def test_the_most_crowded_tables_fit(
    browser: Browser, size: tuple[int, int], language: str, measure: Callable[[Any], float]
) -> None:
    async with staged(browser, size, language) as (page, stage):
        stage.show_view(crowded.table_view("0-crowded", ME, measure))
        await page.reload()
        await page.wait_for_selector(".hand-card")
        await look(page, f"crowded-{measure.__name__}", table=True)
        if await each_still(page, "[aria-expanded=false]"):
            await page.click("[data-action=chi]")
            await page.wait_for_selector(".chi-way")
            await look(page, f"eating-{measure.__name__}")
            ways = await still(
                page,
                "() => [...document.querySelectorAll('.chi-way')].map((node) => node.getBoundingClientRect())"
                ".filter((box) => box.left < 0 || box.right > innerWidth || box.top < 0).length",
            )
            assert ways == 0


PAGES = {
    "wallet": ".entry",
    "halls": ".hall-row",
    "profile": ".avatars",
    "security": "[data-key]",
}
"""Pages by address, with what is there once all has been loaded."""


@pytest.mark.parametrize("size", [LYING, pages.UPRIGHT, pages.DESKTOP], ids=["lying", "upright", "desktop"])
async def test_the_pages_fit(browser: Browser, size: tuple[int, int]) -> None:
    async with pages.staged(browser, Stage().with_pages(), size) as page:
        await page.wait_for_selector(".hall")
        for name, ready in PAGES.items():
            await change(page, "(name) => { location.hash = name; }", name)
            await page.wait_for_selector(f"main.page[data-page={name}] {ready}")
            await look(page, f"page-{name}-full")
        await change(page, "(name) => { location.hash = name; }", "wallet")
        await until_count(page, ".entry", 40)
        for more in (80, 120):
            await page.click(".more")
            await until_count(page, ".entry", more)
        await page.wait_for_selector(".more", state="detached")


@SIZES
async def test_menu_rules_chat_and_result_fit(browser: Browser, size: tuple[int, int], language: str) -> None:
    async with staged(browser, size, language) as (page, _):
        await page.click(".big-bots")
        await page.wait_for_selector(".hand-card")
        await page.click("[data-button=menu]")
        await page.wait_for_selector(".menu")
        await look(page, "menu")
        await page.click(".menu-item >> nth=0")
        await page.wait_for_selector(".rules-text")
        await look(page, "rules")
        await page.keyboard.press("Escape")
        await page.click("[data-button=chat]")
        await page.wait_for_selector(".phrase")
        await look(page, "chat")
        await page.keyboard.press("Escape")
        await page.click("[data-button=auto]")
        await page.wait_for_selector("[data-audit=AGREED]")
        await page.wait_for_selector("[data-fair=ok]")
        for at in range(len(await each_still(page, ".result summary"))):
            await page.click(f".result summary >> nth={at}")
        await look(page, "result")
        foot = await box(page.locator(".result-foot"))
        assert foot["y"] + foot["height"] <= size[1], "the buttons below the result are on the screen"
