"""Watching on the real platform: from the list to a table that is a little late, and back."""

from __future__ import annotations

from collections.abc import Iterator

import grpc
import pytest
from paiju.table.v1 import table_service_pb2 as tables
from paiju.table.v1.table_service_pb2_grpc import TableServiceStub
from playwright.async_api import Browser, Page

from services.chassis.auth import service_token
from services.chassis.clock import SystemClock
from tests.browser.support.chromium import CHROMIUM, opened
from tests.browser.support.layout import look
from tests.browser.support.pages import DESKTOP, LYING, UPRIGHT, look_everywhere
from tests.browser.support.seen import change, until, until_count
from tests.support.up import Up

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.long,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
]

SHOWN_MS = 60_000
DELAY_MS = 4_000
GAMES = {"paohuzi": ("tongyi-qmt", 3), "doudizhu": ("classic", 3), "kawuxing": ("xiangyang", 3)}
TIMING = '{"claim_pause_ms":1500,"between_ms":3000,"nonce_ms":100}'


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    with Up(tmp_path_factory.mktemp("watch") / "data") as running:
        yield running


async def open_tables(up: Up) -> None:
    """Let bots play at a table of each game."""
    key = (up.data / "keys" / "service").read_text()
    token = service_token(key, "matchmaking", SystemClock().now_ms() // 1000)
    async with grpc.aio.insecure_channel(up.said.grpc) as channel:
        for number, (game, (preset, seats)) in enumerate(GAMES.items()):
            spec = tables.TableSpec(
                game=game,
                preset=preset,
                rounds=8,
                seats=[tables.SeatSpec(player_id="bot:normal")] * seats,
                timing_json=TIMING,
                spectators=True,
                watch_delay_ms=DELAY_MS,
            )
            request = tables.CreateTableRequest(table_id=f"{number:x}-watched{number}", spec=spec)
            await TableServiceStub(channel).CreateTable(
                request, metadata=(("authorization", f"Bearer {token}"),)
            )


async def look_at_table(page: Page, game: str) -> None:
    """Look at a watched table at every size; seats of mahjong have no boxes of their own."""
    for size in (LYING, UPRIGHT, DESKTOP):
        await page.set_viewport_size({"width": size[0], "height": size[1]})
        await look(page, f"watch-{game}", table=game != "kawuxing")


async def test_live_tables_are_listed_watched_late_liked_and_left(browser: Browser, up: Up) -> None:
    await open_tables(up)
    async with opened(browser, up.said.url, DESKTOP) as page:
        await page.wait_for_selector(".hall")
        await change(page, "location.hash = 'watch'")
        await until_count(page, ".watch-row", len(GAMES))
        await look_everywhere(page, "page-watch", ".watch-row")
        await page.click("[data-chips=game] [data-value=doudizhu]")
        await until_count(page, ".watch-row", 1)
        await page.fill("[data-field=player]", "p_nobody")
        await page.press("[data-field=player]", "Enter")
        await page.wait_for_selector(".nothing")
        await page.fill("[data-field=player]", "")
        await page.press("[data-field=player]", "Enter")
        await page.click("[data-chips=game] [data-value='']")
        for number, game in enumerate(GAMES):
            await page.click(f"[data-table='{number}-watched{number}'] [data-button=watch]")
            await page.wait_for_selector(".watch-strip .watch-words")
            await page.wait_for_selector("[data-button=like]:not([disabled])", timeout=SHOWN_MS)
            await until_count(page, "[data-button=chat]", 0)
            await look_at_table(page, game)
            await until(lambda: _like(page), bool, within_ms=SHOWN_MS)
            await page.click("[data-button=leave]")
            await page.wait_for_selector(".watch-row")


async def _like(page: Page) -> bool:
    """Like the play that is shown; the next one may come meanwhile."""
    button = page.locator("[data-button=like]:not([disabled])")
    if await button.count():
        await button.click(timeout=1_000)
    return bool(await page.locator("[data-button=like][aria-pressed=true]").count())
