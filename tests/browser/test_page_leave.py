"""Watching by leave on the real platform: the room's rule, who asks, who lets him in, who sends him away."""

from __future__ import annotations

import json
from pathlib import Path

import grpc
import pytest
from paiju.table.v1 import table_service_pb2 as tables
from paiju.table.v1.table_service_pb2_grpc import TableServiceStub
from playwright.async_api import Browser, Page

from services.chassis.auth import service_token
from services.chassis.clock import SystemClock
from tests.browser.support.chromium import CHROMIUM, opened
from tests.browser.support.layout import look
from tests.browser.support.seen import attribute, change, still, until_count
from tests.support.up import Up

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
]

SCREEN, PHONE = (1280, 800), (390, 844)
TIMING = {"claim_pause_ms": 100, "nonce_ms": 100, "turn_ms": 600_000, "claim_ms": 600_000, "misses": 3}
ENV = {
    "PAIJU_MATCHMAKING_ROOM_TIMING": json.dumps(TIMING),
    "PAIJU_MATCHMAKING_WATCH_DELAY_MS": "500",
}


async def test_a_room_is_watched_by_leave_of_who_plays_there(browser: Browser, tmp_path: Path) -> None:
    with Up(tmp_path / "data", env=ENV) as up:
        async with (
            opened(browser, up.said.url, SCREEN) as host,
            opened(browser, up.said.url, PHONE) as viewer,
            opened(browser, up.said.url, SCREEN, chosen="en") as other,
        ):
            table_id = await table_of(up, await play_a_room(host))
            for page in (viewer, other):
                await page.wait_for_selector(".big-join")
                await change(page, "(id) => { location.hash = `watch=${id}`; }", table_id)
                await page.wait_for_selector(".leave-wait [data-button=give-up]")
            await host.wait_for_selector(".ask-strip .ask-more")
            for size in (PHONE, SCREEN):
                await at_size(host, size)
                await look(host, "leave-asked", table=True)
            await look(viewer, "leave-waits")
            await look(other, "leave-waits")
            first = await attribute(host.locator(".ask-strip"), "data-player")
            await host.click("[data-button=let-yes]")
            await host.wait_for_selector(f".ask-strip:not([data-player='{first}'])")
            await host.click("[data-button=let-no]")
            await until_count(host, ".ask-strip", 0)
            # Whoever came first is in, the other is back at the list.
            watching, refused = (viewer, other)
            if not await came_in(viewer):
                watching, refused = other, viewer
            await watching.wait_for_selector("main.table[data-round='1'] .watch-strip .watch-like")
            await refused.wait_for_selector(".lobby")
            await look(watching, "leave-watches")
            await host.click("[data-button=watchers]")
            await host.wait_for_selector(f".watchers [data-player='{first}']")
            for size in (PHONE, SCREEN):
                await at_size(host, size)
                await look(host, "leave-watchers")
            await host.click("[data-button=send-away]")
            await host.wait_for_selector(".dialog .nothing")
            await host.keyboard.press("Escape")
            await until_count(host, ".bar-viewers", 0)
            await watching.wait_for_selector(".lobby")
            await watching.wait_for_selector(".toast")


async def play_a_room(host: Page) -> str:
    """Open a room with bots that is watched by leave, and begin; return who sits there."""
    await host.click(".big-create")
    await host.click("[data-chips=watching] [data-value=ask]")
    await look(host, "room-form-leave")
    await host.click("[data-button=go]")
    await host.wait_for_selector(".places")
    await host.wait_for_selector(".agreed:has-text('同意才能观战')")
    await host.click(".bot-levels [data-bot=normal]")
    await until_count(host, ".place.free", 0)
    player = await attribute(host.locator(".place[data-seat='0']"), "data-player")
    await host.click("[data-button=ready]")
    await host.wait_for_selector("main.table[data-round='1'] .hand-card")
    return player


async def table_of(up: Up, player: str) -> str:
    """Return the table at which somebody sits."""
    key = (up.data / "keys" / "service").read_text()
    token = service_token(key, "matchmaking", SystemClock().now_ms() // 1000)
    async with grpc.aio.insecure_channel(up.said.grpc) as channel:
        request = tables.ListSeatsRequest(player_id=player)
        metadata = (("authorization", f"Bearer {token}"),)
        [table] = (await TableServiceStub(channel).ListSeats(request, metadata=metadata)).tables
        return table.table_id


async def came_in(page: Page) -> bool:
    """Say whether a page that has waited for leave shows the table, once it waits no more."""
    await until_count(page, ".leave-wait", 0)
    await page.wait_for_selector(".lobby, main.table .watch-strip")
    return bool(await still(page, "() => Boolean(document.querySelector('main.table'))"))


async def at_size(page: Page, size: tuple[int, int]) -> None:
    """Give a page another size."""
    await page.set_viewport_size({"width": size[0], "height": size[1]})
