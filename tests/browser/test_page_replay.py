"""Replays on the real platform: every seat and from above, shared, brought back, learnt from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page

from engine import GAMES
from tests.browser.support.chromium import CHROMIUM, opened
from tests.browser.support.layout import look, photograph
from tests.browser.support.pages import DESKTOP, LYING, UPRIGHT, look_everywhere
from tests.browser.support.patient import quick_halls
from tests.browser.support.seen import (
    attribute,
    change,
    each,
    each_still,
    still,
    until,
    until_count,
    until_is,
)
from tests.support.finished import PlayedMatch
from tests.support.up import Up

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
]

MATCH_MS = 120_000
PRESETS = {"paohuzi": "tongyi-qmt", "doudizhu": "classic", "kawuxing": "xiangyang", "qinghunpeng": "shanghai"}
SEEK = """(to) => {
  const bar = document.querySelector(".replay-seek");
  bar.value = to;
  bar.dispatchEvent(new Event("input"));
}"""

OFF_THE_EDGE = """() => {
  const floor = document.querySelector(".replay-panel").getBoundingClientRect().top;
  const parts = ".replay :is(.hand-count, .avatar, .seat-name, .seat-figures, .rack .hand-card)";
  return [...document.querySelectorAll(parts)]
    .filter((node) => node.checkVisibility() && !node.closest(".replay-panel"))
    .map((node) => [node, node.getBoundingClientRect()])
    .filter(([node, box]) => box.left < 0 || box.right > innerWidth || box.top > floor - 8
      || node.scrollHeight > node.clientHeight + 4 && node.matches(".seat-name"))
    .map(([node, box]) => `${node.className} ${node.textContent}: ${box.left}, ${box.top}`);
}"""
"""Parts of the table that are cut by the page's edge or lie under the panel."""


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    folder = tmp_path_factory.mktemp("replay")
    with Up(folder / "data", env=quick_halls(folder, 1)) as running:
        yield running


async def play_a_round(page: Page) -> None:
    """Let the table play a round for coins; come back to the lobby."""
    await page.wait_for_selector(".hall")
    await page.click(".hall .plain >> nth=0")
    await page.wait_for_selector(".final", timeout=MATCH_MS)
    await page.wait_for_selector("[data-audit=AGREED]", timeout=MATCH_MS)
    await page.click(".result-foot .primary")
    await page.wait_for_selector(".hall")


async def at(page: Page, step: int) -> None:
    await page.wait_for_selector(f".replay[data-step='{step}']")


async def last_of(page: Page) -> int:
    return int(await attribute(page.locator(".replay-seek"), "max"))


async def test_a_round_is_found_again_looked_at_from_every_side_shared_and_brought_back(
    browser: Browser, up: Up, tmp_path: Path
) -> None:
    async with opened(browser, up.said.url, DESKTOP) as page:
        await play_a_round(page)
        # Nothing rests on what this browser has kept.
        await change(page, "localStorage.removeItem('paiju.rounds')")
        await page.click(".who")
        await page.click(".pages-menu [data-page=history]")
        await page.wait_for_selector(".history-round")
        await page.click(".history-round [data-button=star]")
        await page.wait_for_selector(".history-round [data-button=star][aria-pressed=true]")
        await look_everywhere(page, "page-history", ".history-round")
        for chip, count in (("ENDING_EVEN", None), ("", "1")):
            await page.click(f"[data-chips=ending] [data-value='{chip}']")
            if count:
                await page.wait_for_selector(f"[data-panel=rounds][data-count='{count}']")
        await page.click("[data-chips=place] [data-value=PLACE_ROOM]")
        await page.wait_for_selector("[data-panel=rounds] .nothing")
        await page.click("[data-button=clear]")
        await page.click("[data-chip=favourites]")
        await page.wait_for_selector("[data-panel=rounds][data-count='1']")

        await page.click(".history-round [data-button=replay]")
        await at(page, 0)
        own = await attribute(page.locator(".replay"), "data-seat")
        last = await last_of(page)
        for key, step in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", last), ("Home", 0)):
            await page.keyboard.press(key)
            await at(page, step)
        await change(page, SEEK, str(last // 2))
        await at(page, last // 2)
        seen = {own}
        for _ in range(2):
            await page.keyboard.press("s")
            sees = await until(
                lambda: page.get_attribute(".replay", "data-seat"), lambda seat: seat not in seen
            )
            seen.add(str(sees))
        assert len(seen) == 3
        await until_count(page, ".above-hand", 0)
        await page.keyboard.press("a")
        await until_is(lambda: each(page, ".above-hand", "1"), [1, 1])
        for size in (LYING, UPRIGHT, DESKTOP):
            await page.set_viewport_size({"width": size[0], "height": size[1]})
            await look(page, "replay-above")
        await page.keyboard.press("a")
        await page.keyboard.press("s")
        await page.wait_for_selector(f".replay[data-seat='{own}']")

        # It plays by itself, and its score is shown when it is over.
        await change(page, SEEK, str(last - 2))
        for _ in range(2):
            await page.click("[data-button=speed]")
        await page.keyboard.press("Space")
        await at(page, last)
        await page.wait_for_selector("[data-panel=score] [data-deal=ok]")
        await page.wait_for_selector("[data-panel=score] [data-fair=ok]")
        await page.wait_for_selector("[data-panel=score] [data-audit=AGREED]")
        points = await each_still(page, ".replay-scores td", "Number(node.textContent.replaceAll(',', ''))")
        assert sum(points) == 0
        await look(page, "replay-score")

        await page.keyboard.press("Home")
        await page.click("[data-button=lesson]")
        await page.click("[data-button=decision-on]")
        await page.wait_for_selector(".lesson [data-chosen]")
        for size in (LYING, UPRIGHT, DESKTOP):
            await page.set_viewport_size({"width": size[0], "height": size[1]})
            await look(page, "replay-lesson")
        await page.keyboard.press("s")
        await page.wait_for_selector("[data-panel=lesson] .hint")
        # What others decided is theirs.
        await until_count(page, ".lesson", 0)

        await page.click("[data-button=share]")
        async with page.expect_download() as saving:
            await page.click("[data-button=download]")
        saved = await saving.value
        record = tmp_path / "record.txt"
        await saved.save_as(record)
        await page.fill(".replay-note input", "好牌")
        await page.click("[data-button=note]")
        await page.click("[data-share=VIEWER_SEAT]")
        await page.wait_for_selector("[data-link]")
        await page.click("[data-share=VIEWER_ABOVE]")
        await until(lambda: each(page, "[data-link]"), lambda links: len(list(links)) == 2)
        for size in (LYING, UPRIGHT, DESKTOP):
            await page.set_viewport_size({"width": size[0], "height": size[1]})
            await look(page, "replay-share")
        addresses = await each_still(page, "[data-link] input", "node.value")
        await page.click("[data-button=close]")
        await page.wait_for_selector(".history-note:has-text('好牌')")

        # Somebody else, by the links: the seat shows the seat, and nothing more.
        async with opened(browser, addresses[0], UPRIGHT) as stranger:
            await enter(stranger)
            await at(stranger, 0)
            await stranger.wait_for_selector("[data-button=above]")
            await stranger.goto(addresses[1])
            await at(stranger, 0)
            await until_count(stranger, "[data-button=above], [data-button=seat], [data-button=share]", 0)
            await page.click(".history-round [data-button=replay]")
            await page.click("[data-button=share]")
            await page.click("[data-link] [data-button=revoke] >> nth=1")
            await until(lambda: each(page, "[data-link]"), lambda links: len(list(links)) == 1)
            await stranger.reload()
            await stranger.wait_for_selector("[data-refused]")
            await look(stranger, "replay-refused")

            # The record, brought by a stranger: it holds; with one byte changed it does not.
            await stranger.goto(f"{up.said.url}#history")
            await stranger.set_input_files("[data-field=record]", record)
            await at(stranger, 0)
            await stranger.click("[data-button=score]")
            await stranger.wait_for_selector("[data-panel=score] [data-audit=AGREED]")
            await stranger.click("[data-button=close]")
            changed = tmp_path / "changed.txt"
            changed.write_bytes(record.read_bytes().replace(b" @", b" @1", 1))
            await stranger.set_input_files("[data-field=record]", changed)
            await stranger.wait_for_selector("[data-panel=upload] [data-refused]")
            large = tmp_path / "large.txt"
            large.write_bytes(b"x" * 300_000)
            await stranger.set_input_files("[data-field=record]", large)
            await stranger.wait_for_selector("[data-refused]:has-text('KB')")


async def enter(page: Page) -> None:
    """Come in as a guest where the page asks who somebody is; a new browser does so by itself."""
    await page.wait_for_selector(".replay, [data-button=guest]")
    if await still(page, "document.querySelector('[data-button=guest]') !== null"):
        await page.click("[data-button=guest]")


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES)
async def test_every_game_can_be_looked_at_from_above_at_every_size(
    browser: Browser, up: Up, tmp_path: Path, game: str
) -> None:
    players = ("p_ann", "p_bob", "bot:normal", "bot:normal")[: GAMES[game].seats]
    match = PlayedMatch(game=game, preset=PRESETS[game], players=players, seed=4)
    record = tmp_path / "record.txt"
    record.write_bytes(max((match.round()[1].record for _ in range(6)), key=len))
    async with opened(browser, f"{up.said.url}#history", DESKTOP) as page:
        await page.wait_for_selector("[data-field=record]", state="attached")
        await page.set_input_files("[data-field=record]", record)
        await at(page, 0)
        last = await last_of(page)
        for step in (0, last // 2, last):
            await change(page, SEEK, str(step))
            await at(page, step)
            for size in (LYING, UPRIGHT, DESKTOP):
                await page.set_viewport_size({"width": size[0], "height": size[1]})
                await look(page, f"replay-{game}-{step}")
        # Beside a panel the table is small: what hangs on a picture, the names and the hand stay whole.
        await change(page, SEEK, str(last // 2))
        await page.set_viewport_size({"width": UPRIGHT[0], "height": UPRIGHT[1]})
        await page.click("[data-button=score]")
        await page.wait_for_selector("[data-panel=score] .replay-scores")
        await photograph(page, f"replay-{game}-panel")
        assert await still(page, OFF_THE_EDGE) == []
