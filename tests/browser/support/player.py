"""A person at the page: clicks what is legal until something is reached."""

from __future__ import annotations

import time
from pathlib import Path

from playwright.async_api import Error, Page

from tests.browser.support.seen import each, settled, until

CLICK_MS = 1_500
ROUND_S_MAX = 400.0
"""A round of real play, with its pauses, on a busy machine."""


async def click(page: Page, selector: str, *, down: float = 0.5) -> bool:
    """Click if it is there and stays; the table may have gone on meanwhile.

    Args:
        page: The page.
        selector: Of what is clicked; the first of several.
        down: How far down its height; cards of the hand are covered from the middle on.
    """
    node = page.locator(selector).first
    try:
        if await node.count() == 0:
            return False
        box = await node.bounding_box(timeout=CLICK_MS)
        if box is None:
            return False
        await node.click(timeout=CLICK_MS, position={"x": box["width"] / 2, "y": box["height"] * down})
    except Error:
        return False
    return True


async def answer(page: Page) -> bool:
    """Answer one question through the buttons; return whether there was one."""
    for action in ("hu", "peng", "chi"):
        if await click(page, f"[data-action={action}]"):
            if action == "chi":
                await settled(page)
                await click(page, ".chi-way")
            return True
    if await click(page, "[data-action=pass]"):
        return True
    if await click(page, ".to-discard .hand-card.legal", down=0.2):
        await settled(page)
        return await click(page, ".act-discard:not([disabled])")
    return False


async def play_until(page: Page, selector: str, *, answers: int = 10_000) -> int:
    """Play until the selector is there or so many answers were given; return how many.

    Raises:
        AssertionError: Neither came within `ROUND_S_MAX`.
    """
    given = 0
    until = time.monotonic() + ROUND_S_MAX
    while time.monotonic() < until:
        await settled(page)
        if await page.locator(selector).count() or given >= answers:
            return given
        given += await answer(page)
        await page.wait_for_timeout(60)
    raise AssertionError(f"{selector} did not come; {given} answers were given")


def not_by_hand(record: str) -> list[str]:
    """Return the answers of a record that were given for a person by the clock or by 托管.

    Raises:
        AssertionError: No person answered anything, which would prove nothing.
    """
    head, actions, _ = record.split("\n\n")
    players = next(line for line in head.split("\n") if line.startswith("Seats: ")).split(" ")[1:]
    people = [str(seat) for seat, player in enumerate(players) if not player.startswith("bot:")]
    own = [line for line in actions.split("\n") if line.split(" ")[0] in people]
    assert own, record
    return [line for line in own if line.endswith((" timeout", " auto"))]


def given(record: str) -> int:
    """Return how many seats gave a number for the shuffle of a record's round."""
    nonces = next(line for line in record.split("\n") if line.startswith("Nonces: "))
    return sum(one != "-" for one in nonces.removeprefix("Nonces: ").split(","))


async def saved(page: Page) -> str:
    """Save the record of the round whose result is open; return it."""
    async with page.expect_download() as saving:
        await page.click(".result-foot .plain >> nth=0")
    return Path(await (await saving.value).path()).read_text("utf-8")


async def room_code(page: Page) -> str:
    """Return the code of the room that the page shows."""
    digits: list[str] = await until(lambda: each(page, ".room-code .digit"), lambda now: len(list(now)) == 6)
    return "".join(digits)
