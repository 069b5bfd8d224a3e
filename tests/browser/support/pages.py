"""Pages beside lobby and table: sizes, a stage, the whole platform, and how to get there."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import pytest
from playwright.async_api import Browser, Page

from tests.browser.support.chromium import opened
from tests.browser.support.layout import look
from tests.browser.support.seen import change
from tests.browser.support.stage import Stage, serve

LYING: Final = (667, 375)
"""A phone on its side."""

UPRIGHT: Final = (390, 844)
"""A phone in the hand."""

DESKTOP: Final = (1440, 900)

SIZES = pytest.mark.parametrize(
    ("size", "language"),
    [(LYING, "zh-CN"), (UPRIGHT, "zh-CN"), (DESKTOP, "zh-CN"), (UPRIGHT, "en")],
    ids=["lying", "upright", "desktop", "upright-english"],
)
"""Every page at every size it promises."""


@asynccontextmanager
async def staged(
    browser: Browser, stage: Stage, size: tuple[int, int], hash_: str = "", **how: Any
) -> AsyncIterator[Page]:
    """Open the page on a stage, at an address like `#wallet`."""
    runner, url = await serve(stage)
    try:
        async with opened(browser, f"{url}/{hash_}", size, steady=True, **how) as page:
            yield page
    finally:
        await stage.close()
        await runner.cleanup()


LANGUAGE = "(chosen) => localStorage.setItem('paiju.language', chosen)"


async def look_everywhere(page: Page, name: str, ready: str) -> None:
    """Look at the open page at every size and in English; `ready` is there once all has been loaded."""
    before = page.viewport_size
    for size in (LYING, DESKTOP, UPRIGHT):
        await page.set_viewport_size({"width": size[0], "height": size[1]})
        await look(page, name)
    for language in ("en", "zh-CN"):
        await change(page, LANGUAGE, language)
        await page.reload()
        await page.wait_for_selector(f"html[lang={language}] {ready}")
        if language == "en":
            await look(page, name)
    if before:
        await page.set_viewport_size(before)


async def go(page: Page, name: str) -> None:
    """From the lobby to a page, as a person goes: the own picture, then its line in the menu."""
    await page.click(".who")
    await page.click(f".pages-menu [data-page={name}]")
    await page.wait_for_selector(f"main.page[data-page={name}]")
