"""An evening of friends at their pages: names, places, hands, the score sheet, its picture."""

from __future__ import annotations

import base64
import struct
from pathlib import Path
from typing import Any, Final

from playwright.async_api import Page

from tests.browser.support.seen import change, each, each_still, still, until

PNG: Final = b"\x89PNG\r\n\x1a\n"
PICTURE_WIDTH: Final = 1440

HAND: Final = """() => JSON.stringify([
  [...document.querySelectorAll('.rack :is(.hand-card, .in-hand)')].map((node) => node.dataset.card).sort(),
  [...document.querySelectorAll('.own-melds .meld')].map((node) => node.dataset.meld),
])"""

WORDS_DRAWN: Final = """() => {
  window.drawn = [];
  const pen = CanvasRenderingContext2D.prototype;
  const write = pen.fillText;
  pen.fillText = function (words, x, y, ...rest) {
    const { a, e, d, f } = this.getTransform();
    window.drawn.push([words, a * x + e, d * y + f, this.textAlign]);
    return write.call(this, words, x, y, ...rest);
  };
}"""
"""Takes down what is written on canvases from now on, and where: the words, x, y in pixels, the alignment."""

COLOURS_AT: Final = """async ({ data, places }) => {
  const bytes = Uint8Array.from(atob(data), (sign) => sign.charCodeAt(0));
  const picture = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
  const canvas = new OffscreenCanvas(picture.width, picture.height);
  const pen = canvas.getContext("2d");
  pen.drawImage(picture, 0, 0);
  return places.map(([, x, y, align]) => {
    const left = align === "right" ? x - 40 : align === "center" ? x - 20 : x;
    const { data: pixels } = pen.getImageData(left, y - 20, 40, 40);
    const found = new Set();
    for (let at = 0; at < pixels.length; at += 4) found.add(pixels.subarray(at, at + 3).join());
    return found.size;
  });
}"""
"""How many colours there are where words should stand in a PNG: a plain ground has one or two."""


async def seats(page: Page) -> list[str]:
    """Return the names at the places of the room, in order."""
    return await each(page, ".room .place-name")


async def name_of(page: Page) -> str:
    """Return how the others know this person."""
    return await until(lambda: page.inner_text(".who-name"), lambda name: name not in ("", "…"))


async def settled_hand(page: Page) -> str:
    """Return the own cards and melds as the page shows them, once they stay."""
    return str(await still(page, HAND))


async def sheet_rows(page: Page) -> list[list[int]]:
    """Return the points of the open score sheet by round and seat."""
    script = "[...node.querySelectorAll('td')].map((cell) => Number(cell.textContent.replace('−', '-')))"
    rows: list[list[int]] = await each_still(page, ".sheet tbody tr", script)
    return rows


async def picture(page: Page, words: list[str]) -> tuple[int, int]:
    """Save the open score sheet; return the width and height of the picture, on which these words stand.

    Raises:
        AssertionError: It is no picture, or some of the words are not drawn on it.
    """
    await change(page, WORDS_DRAWN)
    async with page.expect_download() as coming:
        await page.click("[data-button=picture]")
    download = await coming.value
    assert download.suggested_filename.startswith("paiju-")
    data = Path(await download.path()).read_bytes()
    assert data.startswith(PNG)
    width, height = struct.unpack(">II", data[16:24])
    drawn: list[Any] = await still(page, "() => window.drawn")
    places = [next((one for one in drawn if one[0] == word), None) for word in words]
    assert None not in places, f"{words} are not all among what was drawn: {[one[0] for one in drawn]}"
    argument = {"data": base64.b64encode(data).decode(), "places": places}
    colours: list[int] = await still(page, COLOURS_AT, argument)
    assert min(colours) > 4, f"nothing stands where {words} were drawn: {colours}"
    return width, height
