"""What must be true of a mahjong table at every size: regions stay apart, tiles can be tapped and read."""

from __future__ import annotations

from typing import Any

from playwright.async_api import Page

from tests.browser.support.layout import FITS_MS, photograph, problems
from tests.browser.support.seen import until_is

SIZES = {"desktop": (1280, 800), "upright": (390, 844), "small": (360, 640), "lying": (844, 390)}
"""Where the tables are looked at."""

TAP_PX = 40
"""The least width and height of a tile of the hand."""

READ_PX = 15.5
"""The least width of a tile in a river or a meld."""

REGIONS = """() => {
  const seats = [...document.querySelectorAll(".seat > *:not(.bubble)")];
  const others = document.querySelectorAll(".bar, .middle > *, .own-river, .own, .actions > *, .rack > *");
  const isThere = (node) => node.checkVisibility() && node.getBoundingClientRect().width > 0;
  const named = [...seats, ...others].filter(isThere);
  const boxOf = (node) => {
    // What a region holds may stick out of it; the empty part of a region may lie under another.
    const inner = [...node.querySelectorAll(".tile, button, b, span, p")].filter(isThere);
    const boxes = (inner.length ? inner : [node]).map((one) => one.getBoundingClientRect());
    return {
      name: `${node.parentElement.className.split(" ").slice(0, 2).join(".")}>${node.className}`,
      left: Math.min(...boxes.map((box) => box.left)), right: Math.max(...boxes.map((box) => box.right)),
      top: Math.min(...boxes.map((box) => box.top)), bottom: Math.max(...boxes.map((box) => box.bottom)),
    };
  };
  return named.map(boxOf).filter((box) => Number.isFinite(box.left));
}"""

SMALL_TILES = """([tap, read]) => {
  const found = [];
  for (const node of document.querySelectorAll(".hand-tile")) {
    const box = node.getBoundingClientRect();
    const isSmall = box.width < tap || box.height < tap;
    if (isSmall) found.push(`hand ${node.dataset.card}: ${box.width}x${box.height}`);
  }
  for (const node of document.querySelectorAll(".river .tile, .own-river .tile, .spread .tile")) {
    const width = Math.min(node.offsetWidth, node.offsetHeight);
    if (width < read) found.push(`${node.className}: ${width} wide`);
  }
  return found;
}"""

COVERED_TILES = """() => [...document.querySelectorAll(".hand-tile")].filter((node) => {
  const box = node.getBoundingClientRect();
  const seen = document.elementFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2);
  return !(seen && (seen === node || node.contains(seen)));
}).map((node) => `a tile of the hand is covered: ${node.dataset.card}`)"""

SLACK_PX = 3
"""How far two regions may run into each other: shadows and rounding."""


def _meeting(boxes: list[dict[str, Any]]) -> list[str]:
    found = []
    for at, one in enumerate(boxes):
        for other in boxes[at + 1 :]:
            wide = min(one["right"], other["right"]) - max(one["left"], other["left"])
            high = min(one["bottom"], other["bottom"]) - max(one["top"], other["top"])
            if wide > SLACK_PX and high > SLACK_PX:
                found.append(f"{one['name']} meets {other['name']}: {wide:.0f}x{high:.0f}")
    return found


async def table_problems(page: Page, *, open_choice: bool = False) -> list[str]:
    """Return what is wrong with the table as it stands, one line each.

    Args:
        page: The page.
        open_choice: Something lies over the table on purpose; only the hand must stay free.
    """
    found = await problems(page)
    found += await page.evaluate(SMALL_TILES, [TAP_PX, READ_PX])
    found += await page.evaluate(COVERED_TILES)
    boxes = await page.evaluate(REGIONS)
    size = page.viewport_size or {"width": 0, "height": 0}
    for box in boxes:
        if (
            box["left"] < -SLACK_PX
            or box["right"] > size["width"] + SLACK_PX
            or box["bottom"] > size["height"] + SLACK_PX
        ):
            found.append(f"{box['name']} runs off the screen")
    if not open_choice:
        found += _meeting(boxes)
    return found


async def table_fits(
    page: Page, name: str = "the table", *, open_choice: bool = False, unless: str = ""
) -> None:
    """Fail when something is wrong with the table and stays wrong.

    Args:
        page: The page.
        name: What is looked at, for the failure.
        open_choice: As for `table_problems`.
        unless: What may come over the table meanwhile, and then is all right.
    """

    async def left() -> list[str]:
        found = await table_problems(page, open_choice=open_choice)
        return [] if unless and await page.locator(unless).count() else found

    try:
        await until_is(left, [], within_ms=FITS_MS)
    except AssertionError as error:
        raise AssertionError(f"{name}: {error}") from None


async def look_at_table(page: Page, name: str, *, open_choice: bool = False) -> None:
    """Photograph the table if SCREENSHOTS names a folder; fail when something is wrong with it."""
    await photograph(page, name)
    await table_fits(page, name, open_choice=open_choice)
