"""What must be true of the page at every size, measured in the browser."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from playwright.async_api import Page

from tests.browser.support.contrast import LOW_CONTRAST
from tests.browser.support.seen import settled, still, until_is

SMALL_TEXT = """() => {
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const box = node.parentElement;
    if (!node.nodeValue.trim() || !box.checkVisibility({ checkVisibilityCSS: true })) continue;
    const size = parseFloat(getComputedStyle(box).fontSize);
    if (size < 14) found.push(`${node.nodeValue.trim().slice(0, 20)}: ${size}px`);
  }
  return found;
}"""

SMALL_BUTTONS = """(cardLeast) => {
  // In a replay no card is there to be touched.
  const leastOf = (node) =>
    node.matches(".replay .rack button") ? 20 : node.matches(".hand-card") ? cardLeast : 39.5;
  return [...document.querySelectorAll("button, input, select, summary")]
  .filter((node) => node.checkVisibility({ checkVisibilityCSS: true }))
  .map((node) => [node, node.getBoundingClientRect()])
  .filter(([node, box]) => box.width < leastOf(node) || box.height < 39.5)
  .map(([node, box]) => `${node.className} ${node.textContent.slice(0, 16)}: ${box.width}x${box.height}`);
}"""

SIDEWAYS = """() => [...document.querySelectorAll(".dialog-body, .result-scroll")]
  .filter((node) => node.checkVisibility() && node.scrollWidth > node.clientWidth + 1)
  .map((node) => `${node.className} can be scrolled sideways: ${node.scrollWidth} > ${node.clientWidth}`)"""

BOXES = """(selectors) => selectors.map((selector) => {
  const node = document.querySelector(selector);
  if (!node) return null;
  const box = node.getBoundingClientRect();
  return { selector, left: box.left, top: box.top, right: box.right, bottom: box.bottom };
}).filter(Boolean)"""

INSIDES = """(selectors) => selectors.flatMap((selector) => {
  const outer = document.querySelector(selector);
  if (!outer) return [];
  const frame = outer.getBoundingClientRect();
  return [...outer.querySelectorAll("*")].filter((node) => node.checkVisibility()).map((node) => {
    const box = node.getBoundingClientRect();
    const wide = Math.max(frame.left - box.left, box.right - frame.right);
    return [node, Math.max(wide, frame.top - box.top, box.bottom - frame.bottom)];
  }).filter(([node, out]) => out > 8 && !node.matches(".state-mark, .bubble, .ring, .dealer"))
    .map(([node, out]) => `${selector} ${node.className}: ${out.toFixed(1)}px out`);
})"""

COVERED_TEXTS = """() => {
  const names = ".seat-name, .xi, .seat-score, .seat-stake, .bar-info > *, .own-xi, .act-clock";
  const words = [...document.querySelectorAll(names)].filter((node) => node.checkVisibility());
  const boxes = words.map((node) => [node, node.getBoundingClientRect()]);
  return boxes.flatMap(([one, a], at) => boxes.slice(at + 1).filter(([, b]) =>
    Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4
  ).map(([other]) => `"${one.textContent}" runs into "${other.textContent}"`));
}"""

FITS_MS = 10_000
"""For how long something that is wrong may still be on its way to be right."""

NARROW_PX = 500
"""A phone held upright: ten columns of cards leave each a little less."""

REGIONS = (
    ".bar",
    ".seat.left",
    ".seat.right",
    ".middle",
    ".own-river",
    ".own",
    ".rack",
    ".actions",
)
"""The main regions of the table; none may cover another."""

HELD = (".bar", ".seat.left", ".seat.right", ".middle", ".own-river", ".own", ".actions")
"""Regions that must hold all they contain (the hand may run out below the edge, as cards in a hand do)."""


def _overlaps(boxes: list[dict[str, Any]]) -> list[str]:
    found = []
    for at, one in enumerate(boxes):
        for other in boxes[at + 1 :]:
            wide = min(one["right"], other["right"]) - max(one["left"], other["left"])
            high = min(one["bottom"], other["bottom"]) - max(one["top"], other["top"])
            if wide > 1 and high > 1:
                found.append(f"{one['selector']} and {other['selector']}: {wide:.0f}x{high:.0f}")
    return found


async def problems(page: Page, *, table: bool = False) -> list[str]:
    """Return what is wrong with the page as it is now, one line each."""
    await settled(page)
    found: list[str] = list(await page.evaluate(SMALL_TEXT))
    width = page.viewport_size["width"] if page.viewport_size else 0
    found += await page.evaluate(LOW_CONTRAST)
    found += await page.evaluate(SMALL_BUTTONS, 39.5 if width > NARROW_PX else 34)
    if await page.evaluate("document.documentElement.scrollWidth") > width + 1:
        found.append("the page can be scrolled sideways")
    found += await page.evaluate(SIDEWAYS)
    if table:
        found += _overlaps(await page.evaluate(BOXES, list(REGIONS)))
        found += await page.evaluate(INSIDES, list(HELD))
        found += await page.evaluate(COVERED_TEXTS)
        found += await _hand_problems(page)
    return found


async def _hand_problems(page: Page) -> list[str]:
    """Every card of the hand shows its character, on the screen, apart from the buttons."""
    result: list[str] = await page.evaluate(
        """() => {
          const actions = document.querySelector(".actions").getBoundingClientRect();
          const glyphs = [...document.querySelectorAll(".rack .hand-card .glyph:not(.flip)")];
          return glyphs.map((node) => [node, node.getBoundingClientRect()]).filter(([node, box]) => {
            const x = (box.left + box.right) / 2;
            const y = (box.top + box.bottom) / 2;
            const card = node.closest(".hand-card");
            const seen = document.elementFromPoint(x, y);
            const covered = !(seen && (seen === card || card.contains(seen)));
            return box.bottom > innerHeight + 1 || box.right > innerWidth + 1 || covered;
          }).map(([node]) => `a card of the hand is covered: ${node.textContent}`);
        }"""
    )
    return result


async def fits(page: Page, name: str = "the page", *, table: bool = False) -> None:
    """Fail when something is wrong with the page and stays wrong."""
    try:
        await until_is(lambda: problems(page, table=table), [], within_ms=FITS_MS)
    except AssertionError as error:
        raise AssertionError(f"{name}: {error}") from None


async def look(page: Page, name: str, *, table: bool = False) -> None:
    """Photograph the page if SCREENSHOTS names a folder; fail when something is wrong with it."""
    await photograph(page, name)
    await fits(page, name, table=table)


async def photograph(page: Page, name: str) -> None:
    """Photograph the page if SCREENSHOTS names a folder."""
    folder = os.environ.get("SCREENSHOTS")
    if not folder:
        return
    size = page.viewport_size or {"width": 0, "height": 0}
    language = await still(page, "document.documentElement.lang")
    Path(folder).mkdir(parents=True, exist_ok=True)
    await page.screenshot(path=Path(folder) / f"{size['width']}x{size['height']}-{language}-{name}.png")
