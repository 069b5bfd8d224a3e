"""Mahjong tiles are the page's own drawings, told apart when small, without colours, and by their names."""

from __future__ import annotations

from itertools import combinations
from typing import Any
from xml.etree import ElementTree

import pytest
from playwright.async_api import Browser, Page

from tests.browser.support import mahjong_positions as positions
from tests.browser.support import node
from tests.browser.support.chromium import DESKTOP
from tests.browser.support.layout import look
from tests.browser.support.mahjong_stage import shown
from tests.browser.support.seen import change, each, each_still, still, until, until_count, until_is

DRAWN = """
const { tileSvg } = await load("js/games/mahjong/art/sheet.mjs");
const { KINDS, tileName } = await load("js/games/mahjong/tiles.mjs");
const pictures = (tile) => [tileSvg(tile), tileSvg(tile, { index: true })];
answer(KINDS.map((tile) => [tile, ...pictures(tile), tileName(tile, "zh-CN"), tileName(tile, "en")]));
"""

GALLERY = """async (sizes) => {
  const { loadFaces, tileSvg } = await import("/js/games/mahjong/art/sheet.mjs");
  const { KINDS } = await import("/js/games/mahjong/tiles.mjs");
  loadFaces();
  const rows = (paper) => sizes.flatMap((size) => [false, true].map((index) => {
    const row = document.createElement("div");
    row.className = index ? "tile-index" : "";
    row.style.cssText = `display:flex;flex-wrap:wrap;gap:4px;padding:6px;background:${paper}`;
    row.style.setProperty("--tw", `${size}px`);
    for (const tile of [...KINDS, "?"]) {
      const face = document.createElement("span");
      face.className = `tile ${tile === "?" ? "back" : `face-${tile}`}`;
      row.append(face);
    }
    return row;
  }));
  document.body.style.overflow = "auto";
  document.body.replaceChildren(...rows("#124a38"), ...rows("#fffaf0"));
}"""

PICTURES = """async ([width, index]) => {
  const { tileSvg } = await import("/js/games/mahjong/art/sheet.mjs");
  const { KINDS } = await import("/js/games/mahjong/tiles.mjs");
  const height = Math.round((width * 4) / 3);
  const grey = async (tile) => {
    const image = new Image(width, height);
    image.src = `data:image/svg+xml,${encodeURIComponent(tileSvg(tile, { index }))}`;
    await image.decode();
    const canvas = new OffscreenCanvas(width, height).getContext("2d");
    canvas.fillStyle = "#f8eed6";
    canvas.fillRect(0, 0, width, height);
    canvas.drawImage(image, 0, 0, width, height);
    const { data } = canvas.getImageData(0, 0, width, height);
    const light = [];
    for (let at = 0; at < data.length; at += 4) {
      const [red, green, blue] = data.slice(at, at + 3);
      light.push(Math.round(0.3 * red + 0.59 * green + 0.11 * blue));
    }
    return light;
  };
  return Object.fromEntries(await Promise.all(KINDS.map(async (tile) => [tile, await grey(tile)])));
}"""

DIFFERENCE_MIN = 4.0
"""The least mean difference in lightness (0 to 255) of two faces 24 px wide."""


@pytest.mark.skipif(node.NODE is None, reason="node is not installed")
def test_every_face_is_drawn_here_of_shapes_alone_and_no_two_are_alike() -> None:
    told: list[list[str]] = node.run(DRAWN)
    assert len(told) == 42
    for _, plain, marked, _, _ in told:
        for svg in (plain, marked):
            tags = {element.tag.split("}")[1] for element in ElementTree.fromstring(svg).iter()}
            assert tags <= {"svg", "g", "path", "circle", "rect"}, "no type, no pictures from elsewhere"
    for place in (1, 2, 3, 4):
        assert len({row[place] for row in told}) == 42
    assert all(row[2] != row[1] for row in told if not row[0].startswith("f"))


def _difference(one: list[int], other: list[int]) -> float:
    return sum(abs(a - b) for a, b in zip(one, other, strict=True)) / len(one)


@pytest.mark.browser
async def test_faces_differ_at_24_px_without_any_colour(browser: Browser) -> None:
    async with shown(browser, positions.kawuxing_own_turn(), DESKTOP) as stage:
        for index in (False, True):
            faces: dict[str, list[int]] = await still(stage.page, PICTURES, [24, index])
            apart = {pair: _difference(faces[pair[0]], faces[pair[1]]) for pair in combinations(faces, 2)}
            closest = min(apart, key=lambda pair: apart[pair])
            assert apart[closest] >= DIFFERENCE_MIN, (closest, apart[closest])


@pytest.mark.browser
async def test_the_gallery_shows_every_face_at_every_size(browser: Browser) -> None:
    async with shown(browser, positions.kawuxing_own_turn(), (1280, 1600)) as stage:
        page = stage.page
        await change(page, GALLERY, [24, 40, 64])
        await until_count(page, ".tile", 43 * 3 * 2 * 2)
        await until_is(lambda: _faceless(page), [])
        await look(page, "gallery")


async def _faceless(page: Page) -> Any:
    """Return tiles whose face is not there."""
    return await page.evaluate(
        "() => [...document.querySelectorAll('.tile:not(.back)')]"
        ".filter((node) => !getComputedStyle(node).backgroundImage.startsWith('url('))"
        ".map((node) => node.className)"
    )


@pytest.mark.browser
async def test_numbers_in_the_corners_are_a_switch_that_is_kept(browser: Browser) -> None:
    async with shown(browser, positions.kawuxing_own_turn(), DESKTOP) as stage:
        page = stage.page
        tile, face = ".hand-tile .tile", "getComputedStyle(node).backgroundImage"
        plain = await each_still(page, tile, face)
        await page.click("[data-button=gear]")
        await page.click(".dialog .choice[aria-label='麻将牌角标'] button >> nth=0")
        await page.keyboard.press("Escape")
        marked = await until(
            lambda: each(page, tile, face),
            lambda now: all(one != other for one, other in zip(now, plain, strict=True)),
        )
        await page.reload()
        await until_is(lambda: each(page, tile, face), marked)
