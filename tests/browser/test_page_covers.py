"""What opens over a table leaves free what has to be seen while it is open."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from paiju.table.v1 import play_pb2 as play
from playwright.async_api import Browser, Page

from tests.browser.support import crowded, landlord
from tests.browser.support import mahjong_positions as mahjong
from tests.browser.support.chromium import DESKTOP, PHONE, UPRIGHT, opened
from tests.browser.support.layout import look
from tests.browser.support.seen import still, until_count
from tests.browser.support.stage import ME, Stage, serve

pytestmark = pytest.mark.browser

SIZES = pytest.mark.parametrize(
    "size",
    [DESKTOP, PHONE, UPRIGHT, (360, 640), (844, 390)],
    ids=["desktop", "phone", "upright", "small", "lying"],
)

PEASANT = ["bid 0", "bid 3", "play 44", "pass"]

VIEWS: dict[str, Callable[[], play.TableView]] = {
    "paohuzi": lambda: crowded.table_view("0-fixed", ME, crowded.choices),
    "doudizhu": lambda: landlord.table_view("0-fixed", ME, PEASANT, landlord.BOMBS, "4488899TTTJJJQQKK"),
    "kawuxing": lambda: mahjong.table_view(mahjong.kawuxing_claim(), ME),
    "qinghunpeng": lambda: mahjong.table_view(mahjong.qinghunpeng_claim(), ME),
}

COVERED = """([over, names]) => {
  const panel = document.querySelector(over).getBoundingClientRect();
  const seen = names.flatMap((name) => [...document.querySelectorAll(name)].map((node) => [name, node]));
  return seen.map(([name, node]) => [name, node.getBoundingClientRect()]).filter(([, box]) =>
    Math.min(panel.right, box.right) - Math.max(panel.left, box.left) > 1 &&
    Math.min(panel.bottom, box.bottom) - Math.max(panel.top, box.top) > 1
  ).map(([name]) => name);
}"""

IN_PLAY = [".rack [data-card]", ".act", ".middle .card.large", ".act-offer", ".to-beat", ".act-says"]
"""The own hand, the answers, and the card they are about."""


@asynccontextmanager
async def seated(browser: Browser, game: str, size: tuple[int, int]) -> AsyncIterator[tuple[Page, Stage]]:
    """Sit where something is asked."""
    stage = Stage()
    stage.show_view(VIEWS[game]())
    runner, url = await serve(stage)
    try:
        async with opened(browser, url, size, steady=True, lasting=True) as page:
            await page.wait_for_selector(".act")
            yield page, stage
    finally:
        await stage.close()
        await runner.cleanup()


@SIZES
async def test_one_can_talk_and_see_what_is_asked(browser: Browser, size: tuple[int, int]) -> None:
    for game in VIEWS:
        async with seated(browser, game, size) as (page, stage):
            for player in ("p_other", "p_third"):
                await stage.talk(player, "差一点就胡了，下次再来")
            await page.click("[data-button=chat]")
            await until_count(page, ".messages li", 2)
            await look(page, f"chat-{game}")
            assert await still(page, COVERED, [".chat", IN_PLAY]) == [], game
            # The newest word can be read, and the last phrase be reached and said.
            assert await still(page, "document.querySelector('.messages').clientHeight") >= 28, game
            await page.click(".phrase >> nth=-1")
            await page.wait_for_selector(".chat", state="detached")
            await page.wait_for_selector(".own .bubble:has-text('下次再玩')")


@SIZES
async def test_the_ways_to_eat_leave_the_card_in_question_the_hand_and_the_answers_free(
    browser: Browser, size: tuple[int, int]
) -> None:
    async with seated(browser, "paohuzi", size) as (page, _):
        await page.click("[data-action=chi]")
        await page.wait_for_selector(".chi-way")
        await look(page, "eating")
        assert await still(page, COVERED, [".chi-chooser", IN_PLAY]) == []
        assert await still(page, COVERED, [".middle .card.large", [".chi-way"]]) == []
        await page.click(".chi-way >> nth=-1")
        await page.wait_for_selector(".act-sent")


@SIZES
async def test_the_runs_to_eat_leave_the_tile_in_question_free(
    browser: Browser, size: tuple[int, int]
) -> None:
    async with seated(browser, "qinghunpeng", size) as (page, _):
        await page.click("[data-action=chi]")
        await page.wait_for_selector(".chooser .way")
        assert await still(page, COVERED, [".chooser", IN_PLAY]) == []
