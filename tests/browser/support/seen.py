"""Looking at the page: wait until what should be seen is seen, or read it once it stands still.

The page draws after what a test does, never at once: at the next frame, or when a service has answered. So a
test that acts and then looks once fails on a busy machine. Tests look through this module alone, which
`test_looks_wait.py` holds: `until` and `until_is` look again until it is right and say what they saw last;
`still`, `attribute` and `box` read what is needed for the next step, after the page has settled.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeVar

from playwright.async_api import Error, FloatRect, Locator, Page

from tests.browser.support.chromium import WAIT_MS

T = TypeVar("T")

FIRST_WAIT_S: Final = 0.02
LONGEST_WAIT_S: Final = 0.25

SETTLED: Final = """async () => {
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const within = (ms, work) => Promise.race([work, new Promise((done) => setTimeout(done, ms))]);
  await document.fonts.ready;
  await frame();
  await frame();
  await within(5_000, Promise.allSettled([...document.images].map((image) => image.decode())));
  const ends = (one) => Number.isFinite(one.effect?.getComputedTiming().endTime);
  const moving = document.getAnimations().filter((one) => one.playState === "running" && ends(one));
  await within(5_000, Promise.allSettled(moving.map((one) => one.finished)));
  await frame();
  await new Promise((done) => setTimeout(done, 0));
}"""
"""Resolves once what is due is drawn, letters and pictures are there, and nothing moves that will stop."""


async def until(
    look: Callable[[], Awaitable[T]], is_right: Callable[[T], object], *, within_ms: int = WAIT_MS
) -> T:
    """Look again until what is seen is right; return it.

    Args:
        look: Looks once. What cannot be seen yet (a page that loads) counts as not right.
        is_right: Whether it is.
        within_ms: How long to go on.

    Raises:
        AssertionError: It never was; with what was seen last.
    """
    deadline = time.monotonic() + within_ms / 1000
    wait_s = FIRST_WAIT_S
    while True:
        try:
            seen = await look()
        except Error as error:
            last: object = error
        else:
            if is_right(seen):
                return seen
            last = seen
        if time.monotonic() > deadline:
            raise AssertionError(f"seen last, after {within_ms} ms: {last!r}")
        await asyncio.sleep(wait_s)
        wait_s = min(2 * wait_s, LONGEST_WAIT_S)


async def until_is(
    look: Callable[[], Awaitable[object]], wanted: object, *, within_ms: int = WAIT_MS
) -> None:
    """Look again until this is seen.

    Raises:
        AssertionError: It never was; with what was seen last.
    """
    try:
        await until(look, lambda seen: seen == wanted, within_ms=within_ms)
    except AssertionError as error:
        raise AssertionError(f"{error}; wanted: {wanted!r}") from None


async def until_count(page: Page, selector: str, wanted: int) -> None:
    """Look again until there are so many elements of a selector.

    Raises:
        AssertionError: There never were; with how many there were last.
    """
    await until_is(page.locator(selector).count, wanted)


async def settled(page: Page) -> None:
    """Wait until what was done so far is drawn and nothing moves."""
    await page.evaluate(SETTLED)


async def still(page: Page, script: str, argument: Any = None) -> Any:
    """Return what a script says of the settled page: for geometry, and for what the next step needs.

    It is read until it is the same twice. What comes from a service must have been waited for before.
    """
    seen: list[Any] = []

    async def again() -> Any:
        await settled(page)
        seen.append(await page.evaluate(script, argument))
        return seen[-1]

    return await until(again, lambda now: len(seen) > 1 and now == seen[-2])


async def each(page: Page, selector: str, script: str = "node.textContent") -> list[Any]:
    """Look once at all elements of a selector; `script` says what of each `node`."""
    found: list[Any] = await page.eval_on_selector_all(selector, f"nodes => nodes.map((node) => {script})")
    return found


async def each_still(page: Page, selector: str, script: str = "node.textContent") -> list[Any]:
    """Return the same of the settled page."""
    told = f"(selector) => [...document.querySelectorAll(selector)].map((node) => {script})"
    found: list[Any] = await still(page, told, selector)
    return found


async def attribute(node: Locator, name: str) -> str:
    """Return an attribute of an element, once the page has settled; "" if it has none."""
    await settled(node.page)
    return await node.get_attribute(name) or ""


async def box(node: Locator) -> FloatRect:
    """Return where an element is, once the page has settled and it stays there."""
    seen: list[FloatRect | None] = []

    async def again() -> FloatRect | None:
        await settled(node.page)
        seen.append(await node.bounding_box())
        return seen[-1]

    found = await until(again, lambda now: now is not None and len(seen) > 1 and now == seen[-2])
    assert found is not None
    return found


async def change(page: Page, script: str, argument: Any = None) -> None:
    """Change the page by a script, as no person could."""
    await page.evaluate(script, argument)
