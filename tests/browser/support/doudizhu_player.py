"""A person at a table of 斗地主: by clicks or by keys, until something is reached."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from contextlib import suppress

from playwright.async_api import Error, Page

from tests.browser.support.player import ROUND_S_MAX, click
from tests.browser.support.seen import settled

How = Callable[[Page], Awaitable[None]]


async def by_clicks(page: Page) -> None:
    """Answer one question with the mouse: bid high, take a hint, else pass."""
    for action in ("bid-3", "rob", "call", "double-2"):
        if await click(page, f"[data-action={action}]"):
            return
    if await page.locator("[data-action=hint]").count():
        await click(page, "[data-action=hint]")
        await settled(page)
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
        await page.keyboard.press("Enter")
    elif await page.locator("[data-action=pass]").count():
        await page.keyboard.press(" ")


async def play_until(page: Page, selector: str, how: How) -> None:
    """Answer what is asked until the selector is there.

    Raises:
        AssertionError: It did not come within `ROUND_S_MAX`.
    """
    until = time.monotonic() + ROUND_S_MAX
    while time.monotonic() < until:
        await settled(page)
        if await page.locator(selector).count():
            return
        with suppress(Error):  # the table may go on while a button is looked at
            await how(page)
        await page.wait_for_timeout(60)
    raise AssertionError(f"{selector} did not come")
