"""The page at a mahjong table that stands as it was found; answers are kept, not played."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from playwright.async_api import Browser, Page

from tests.browser.support.chromium import opened
from tests.browser.support.mahjong_positions import Found, table_view
from tests.browser.support.stage import ME, Stage, serve


class Shown:
    """A page and the stage behind it."""

    def __init__(self, page: Page, stage: Stage) -> None:
        self.page = page
        self._stage = stage

    async def heard(self) -> list[str]:
        """Return the answers that the page has sent so far."""
        return await self._stage.heard()

    async def show(self, found: Found) -> None:
        """Let the page come back to another moment."""
        self._stage.show_view(table_view(found, ME))
        await self.page.reload()
        await self.page.wait_for_selector("main.table .rack")


@asynccontextmanager
async def shown(
    browser: Browser, found: Found, size: tuple[int, int], language: str = "zh-CN"
) -> AsyncIterator[Shown]:
    """Open the page at a moment."""
    stage = Stage()
    stage.show_view(table_view(found, ME))
    runner, url = await serve(stage)
    try:
        async with opened(browser, url, size, chosen=language, steady=True) as page:
            await page.wait_for_selector("main.table .rack")
            yield Shown(page, stage)
    finally:
        await stage.close()
        await runner.cleanup()
