"""A real Chromium, if this machine has one."""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from secrets import token_hex
from typing import Final

from playwright.async_api import Browser, BrowserContext, Page, async_playwright

CHROMIUM: Final = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)
"""Where Chromium is; Debian calls the package `chromium`."""

ARGUMENTS: Final = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-quic",
]

STEADY: Final = """
const chance = crypto.getRandomValues.bind(crypto);
crypto.getRandomValues = (bytes) => (bytes.length === 32 ? bytes.fill(7) : chance(bytes));
const start = Date.now();
Date.now = () => start;
"""
"""Secrets of chains of nonces (32 bytes) are always the same, ids are not. The date stands; timers run."""

LASTING: Final = """
const later = window.setTimeout;
window.setTimeout = (work, ms, ...rest) => (ms >= 4_000 && ms <= 6_000 ? 0 : later(work, ms, ...rest));
"""
"""Toasts and bubbles are timers of four and five seconds."""

PHONE: Final = (667, 375)
DESKTOP: Final = (1280, 800)
UPRIGHT: Final = (375, 667)
WAIT_MS: Final = 60_000
"""How long the page may take for one step on a machine that does much else."""


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    """Run a browser."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        await browser.close()


@asynccontextmanager
async def opened(
    browser: Browser,
    url: str,
    size: tuple[int, int],
    *,
    calm: bool = True,
    language: str = "zh-CN",
    chosen: str = "",
    steady: bool = False,
    lasting: bool = False,
    stranger: bool = False,
) -> AsyncIterator[Page]:
    """Open the page as a guest of his own who has been let in; its errors fail the test when it is closed.

    `BROWSER_SLOWDOWN=6` makes the page six times slower than the machine, which brings races to light.

    Args:
        browser: The browser.
        url: The address.
        size: Width and height.
        calm: Ask for reduced motion, so that nothing is caught in flight.
        language: What the browser prefers.
        chosen: The language that the visitor has chosen before; the page is Chinese to others.
        steady: His numbers for the shuffle are always the same, so that a stage deals what it dealt before,
            and his clock stands, so that what is shown does not depend on how fast a test is.
        lasting: What goes away by itself after some seconds, a bubble or a toast, stays.
        stranger: The browser has never been here: the page asks who he is.
    """
    width, height = size
    context: BrowserContext = await browser.new_context(
        viewport={"width": width, "height": height},
        locale=language,
        reduced_motion="reduce" if calm else "no-preference",
    )
    if chosen:
        kept = f"localStorage.getItem('paiju.language') ?? localStorage.setItem('paiju.language', '{chosen}')"
        await context.add_init_script(kept)
    if not stranger:
        key = "localStorage.getItem('paiju.guest_key') ?? localStorage.setItem('paiju.guest_key', '{}')"
        await context.add_init_script(key.format(token_hex(32)))
    for script in ([STEADY] if steady else []) + ([LASTING] if lasting else []):
        await context.add_init_script(script)
    page = await context.new_page()
    page.set_default_timeout(WAIT_MS)
    if slowdown := os.environ.get("BROWSER_SLOWDOWN"):
        session = await context.new_cdp_session(page)
        await session.send("Emulation.setCPUThrottlingRate", {"rate": float(slowdown)})
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda line: errors.append(line.text) if _is_bad(line.type, line.text) else None)
    try:
        await page.goto(url)
        yield page
    finally:
        await context.close()
    assert errors == []


def _is_bad(kind: str, text: str) -> bool:
    """Return whether a line of the console is a mistake of the page (a lost connection is not)."""
    return kind == "error" and "WebSocket" not in text and "Failed to load resource" not in text
