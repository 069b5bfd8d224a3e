"""A table that moves to another process, or comes back after an outage, is where the person left it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from paiju.table.v1 import play_pb2 as play
from playwright.async_api import Browser, Page

from tests.browser.support import crowded, landlord
from tests.browser.support import mahjong_positions as mahjong
from tests.browser.support.chromium import PHONE, opened
from tests.browser.support.seen import each, each_still, settled, still, until, until_is
from tests.browser.support.stage import ASKED_MS, ME, Stage, serve

pytestmark = pytest.mark.browser

GAMES: dict[str, tuple[Callable[[], play.TableView], str, str]] = {
    "paohuzi": (
        lambda: crowded.table_view("0-fixed", ME, crowded.cards_in_hand),
        ".to-discard .hand-card.legal",
        ".hand-card.selected",
    ),
    "doudizhu": (
        lambda: landlord.table_view("0-fixed", ME, ["bid 3"], landlord.BOMBS),
        ".in-hand[data-card^='7']",
        ".in-hand.chosen",
    ),
    "kawuxing": (
        lambda: mahjong.table_view(mahjong.kawuxing_own_turn(), ME),
        ".hand-tile.legal",
        ".hand-tile.selected",
    ),
}
"""By game: an own turn, a card of the hand, and a raised one."""

HAND = ".rack [data-card]"
GRACE_MS = 45_000
LEFT_S = "node.textContent === '' ? -1 : Number(node.textContent)"


@asynccontextmanager
async def raised(browser: Browser, game: str) -> AsyncIterator[tuple[Page, Stage, str]]:
    """Sit at an own turn and raise a card; yield what else is needed to see it."""
    view, card, up = GAMES[game]
    stage = Stage()
    stage.show_view(view())
    runner, url = await serve(stage)
    try:
        async with opened(browser, url, PHONE, steady=True) as page:
            await page.locator(card).first.click(position={"x": 10, "y": 12})
            await page.wait_for_selector(up)
            yield page, stage, up
    finally:
        await stage.close()
        await runner.cleanup()


async def clock(page: Page) -> list[int]:
    """Return the seconds that the clocks of the answer show."""
    return await each(page, ".actions .seconds", LEFT_S)


async def moved(stage: Stage) -> None:
    """Let another process take the table over: it says so with its first frame."""
    assert stage.shown is not None
    stage.epoch = 7
    stage.shown.number += 1
    await stage.tell(
        play.Frame(
            number=stage.shown.number,
            at_ms=stage.welcomed_ms,
            resumed=play.Resumed(grace_ms=GRACE_MS),
        )
    )


@pytest.mark.parametrize("game", GAMES)
async def test_a_table_that_moves_keeps_hand_and_raised_cards_and_gives_the_clock_its_grace(
    browser: Browser, game: str
) -> None:
    async with raised(browser, game) as (page, stage, up):
        hand = await each_still(page, HAND, "node.dataset.card")
        chosen = await each_still(page, up, "node.dataset.card")
        await until_is(lambda: clock(page), [ASKED_MS // 1000])
        await moved(stage)
        await until_is(lambda: clock(page), [GRACE_MS // 1000])
        assert await each_still(page, HAND, "node.dataset.card") == hand
        assert await each_still(page, up, "node.dataset.card") == chosen
        assert await each_still(page, ".banner, .toast, .dialog") == []
        # The answer counts at the new process, once.
        await page.keyboard.press("Enter")
        said = await until(stage.heard, len)
        assert len(said) == 1
        assert chosen[0][0] in said[0]


@pytest.mark.parametrize("game", GAMES)
async def test_a_view_of_the_same_question_keeps_what_was_raised(browser: Browser, game: str) -> None:
    """The gateway missed a frame of the move: it sends a view instead."""
    async with raised(browser, game) as (page, stage, up):
        chosen = await each_still(page, up, "node.dataset.card")
        hand = await each_still(page, HAND, "node.dataset.card")
        assert stage.shown is not None
        stage.epoch = 7
        stage.shown.number += 5
        stage.shown.seats[1].score += 1_000  # to be seen: the view has arrived
        before = await each_still(page, ".seat-score")
        await stage.snapshot(stage.shown)
        await until(lambda: each(page, ".seat-score"), lambda now: now != before)
        assert await each_still(page, up, "node.dataset.card") == chosen
        assert await each_still(page, HAND, "node.dataset.card") == hand


async def test_a_view_of_another_question_leaves_nothing_raised(browser: Browser) -> None:
    async with raised(browser, "paohuzi") as (page, stage, up):
        assert stage.shown is not None
        stage.shown.play.question.number += 2
        await stage.snapshot(stage.shown)
        await page.wait_for_selector(up, state="detached")


@pytest.mark.parametrize("game", GAMES)
async def test_a_lost_connection_comes_back_with_a_short_notice_and_what_was_raised(
    browser: Browser, game: str
) -> None:
    async with raised(browser, game) as (page, stage, up):
        chosen = await each_still(page, up, "node.dataset.card")
        assert stage.socket is not None
        await stage.socket.close()
        await page.wait_for_selector(".banner:has-text('座位给您留着')")
        await page.wait_for_selector(".banner", state="detached")
        await until(stage.listeners, lambda count: count == 2)
        await settled(page)
        assert stage.attached == [(0, 0), (1, 1)]  # first a stranger, then from where it stood
        assert await each_still(page, up, "node.dataset.card") == chosen
        assert await each_still(page, ".toast, .dialog") == []


async def test_an_answer_given_while_the_connection_is_away_reaches_the_table_once(browser: Browser) -> None:
    async with raised(browser, "paohuzi") as (page, stage, up):
        chosen = await each_still(page, up, "node.dataset.card")
        assert stage.socket is not None
        await stage.socket.close()
        await page.wait_for_selector(".banner")
        await page.keyboard.press("Enter")
        await until_is(stage.heard, [f"discard {chosen[0]}"])
        await page.wait_for_selector(".banner", state="detached")
        await page.wait_for_selector(".act-sent")
        assert not await still(page, "document.querySelector('.rack').matches('.to-discard')")
        assert stage.acts == [f"discard {chosen[0]}"]
