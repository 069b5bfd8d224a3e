"""A person at a mahjong table of the page: clicks what is legal until something is reached."""

from __future__ import annotations

import time
from collections.abc import Collection

from playwright.async_api import Page

from tests.browser.support.player import ROUND_S_MAX, click
from tests.browser.support.seen import settled

CLAIMS = ("hu", "liang", "gang", "peng", "chi")
"""In the order in which the person prefers them."""


async def answer(page: Page, claims: Collection[str] = CLAIMS) -> str:
    """Answer one question through the buttons; return what was clicked, or nothing."""
    if await click(page, "[data-piao='1'], [data-piao='0']"):
        return "piao"
    for action in claims:
        if not await page.locator(f"[data-action={action}]").count():
            continue
        if action == "liang":
            if await reveal(page):
                return action
        elif await click(page, f"[data-action={action}]"):
            await settled(page)
            await click(page, ".chooser .way")
            return action
    if await click(page, "[data-action=pass]"):
        return "pass"
    if await page.locator("[data-action=discard]").count():
        tile = ".to-discard .hand-tile.legal:not(.danger)"
        chosen = await click(page, tile) or await click(page, ".to-discard .hand-tile.legal")
        await settled(page)
        if chosen and await click(page, ".act-discard:not([disabled])"):
            return "discard"
    return ""


async def reveal(page: Page) -> bool:
    """Reveal with the first discard that leads to something, and hide what may be hidden."""
    if not await click(page, "[data-action=liang]"):
        return False
    await settled(page)
    if not await click(page, ".reveal-way"):
        return False
    await settled(page)
    await click(page, ".kou-way:not([disabled])")
    await settled(page)
    return await click(page, "[data-action=reveal]:not([disabled])")


async def play_until(
    page: Page, selector: str, *, answers: int = 10_000, claims: Collection[str] = CLAIMS
) -> list[str]:
    """Play until the selector is there or so many answers were given; return what was clicked.

    Raises:
        AssertionError: Neither came within `ROUND_S_MAX`.
    """
    given: list[str] = []
    until = time.monotonic() + ROUND_S_MAX
    while time.monotonic() < until:
        await settled(page)
        if await page.locator(selector).count() or len(given) >= answers:
            return given
        said = await answer(page, claims)
        if said:
            given.append(said)
        await page.wait_for_timeout(60)
    raise AssertionError(f"{selector} did not come; answers were {given}")
