"""An evening in a friends' room on the real platform: two browsers and a phone, from form to picture."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page

from tests.browser.support.chromium import CHROMIUM, opened
from tests.browser.support.evening import PICTURE_WIDTH, name_of, picture, seats
from tests.browser.support.layout import look
from tests.browser.support.pages import UPRIGHT
from tests.browser.support.patient import QUICK
from tests.browser.support.player import room_code
from tests.browser.support.seen import attribute, each, each_still, until_count, until_is
from tests.support.up import Up

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
]

SCREEN = (1280, 800)
MATCH_MS = 120_000
"""A match that plays itself, on a busy machine, with a platform that dies in the middle."""
BRISK = {**QUICK, "claim_pause_ms": 400, "turn_ms": 2_000, "claim_ms": 2_000, "between_ms": 500}
"""Nobody is waited for long, but a page can be reloaded, and a platform killed, within a round."""


async def test_friends_agree_on_a_room_play_an_evening_and_keep_its_picture(
    browser: Browser, tmp_path: Path, free_port: int
) -> None:
    env = {"PAIJU_MATCHMAKING_ROOM_TIMING": json.dumps(BRISK)}
    with Up(tmp_path / "data", "--port", str(free_port), env=env) as up:
        async with (
            opened(browser, up.said.url, SCREEN) as host,
            opened(browser, up.said.url, SCREEN) as guest,
            opened(browser, up.said.url, UPRIGHT) as phone,
        ):
            names = [await name_of(page) for page in (host, guest, phone)]
            code = await open_a_room(host)
            await come_in(host, guest, phone, code)
            await change_places(host, guest, phone, names)
            await change_the_rules(host, guest, phone)
            for page in (host, guest, phone):
                await page.click("[data-button=ready]")
            for page in (host, guest, phone):
                await page.wait_for_selector("main.table")
            await guest.reload()
            await guest.wait_for_selector("main.table[data-round]")
            up.kill()
            up.start()
            for page in (host, guest, phone):
                await page.wait_for_selector(".final", timeout=MATCH_MS)
            await read_the_sheet(host, phone, names)
            await play_once_more(host, guest, phone, names)


async def open_a_room(host: Page) -> str:
    """Choose what is played in the form, and open the room; return its code."""
    await host.click(".big-create")
    await host.wait_for_selector(".room-price[data-cards='2']")
    await host.click("[data-chips=length] [data-value=score]")
    await host.fill(".score-row .number", "45")
    await host.click("[data-chips=payer] [data-value=each]")
    await host.wait_for_selector(".room-price[data-cards='1']")
    await host.click("[data-chips=length] [data-value='4']")
    await host.wait_for_selector(".room-price[data-cards='0']")
    await host.click("[data-chips=chat] [data-value=phrases]")
    await host.click("[data-chips=voice] [data-value=true]")
    await look(host, "room-form")
    await host.click(".room-options summary")
    await host.click(".option .switch >> nth=0")
    await host.wait_for_selector(".option.changed")
    await look(host, "room-form-options")
    await host.click("[data-button=go]")
    await host.wait_for_selector(".places")
    await host.wait_for_selector(".agreed:has-text('只用快捷语')")
    await host.wait_for_selector(".agreed:has-text('可以语音')")
    await host.wait_for_selector(".room-changes")
    return await room_code(host)


async def come_in(host: Page, guest: Page, phone: Page, code: str) -> None:
    """The guest by the link, the phone by the code; a bot makes way for it."""
    await host.click("[data-button=share]")
    await host.wait_for_selector(".room-qr")
    size = await each_still(host, ".room-qr", "node.naturalWidth > 0 && node.complete")
    assert size == [True]
    [link] = await each_still(host, ".room-link")
    assert link.endswith(f"/#/room/{code}")
    await look(host, "room-share")
    await host.keyboard.press("Escape")
    await guest.goto(link)
    await guest.wait_for_selector("[data-panel=room][data-state=open]")
    await look(guest, "room-link")
    await guest.click("[data-button=join]")
    await guest.wait_for_selector(".places")
    await host.click(".bot-levels [data-bot=normal]")
    await host.click(".place[data-player='bot:normal']")
    await look(host, "room-place")
    await host.click("[data-button=kick]")
    await phone.click(".big-join")
    for digit in code:
        await phone.click(f".keys button:text-is('{digit}')")
    await phone.wait_for_selector(".places")
    await until_count(host, ".place.free", 0)


async def change_places(host: Page, guest: Page, phone: Page, names: list[str]) -> None:
    """The phone asks the guest for his place, and gets it."""
    await until_is(lambda: seats(host), names)
    await phone.click(".place[data-seat='1']")
    await phone.click("[data-button=swap]")
    await guest.wait_for_selector(f".wish:has-text('{names[2]}')")
    await look(guest, "room-wish")
    await look(phone, "room-asked")
    await guest.click(".wish .primary")
    for page in (host, guest, phone):
        await until_is(lambda page=page: seats(page), [names[0], names[2], names[1]])  # type: ignore[misc]
    await host.click(".place[data-seat='2']")
    await host.click("[data-button=hand]")
    await guest.wait_for_selector("[data-button=change]")


async def change_the_rules(host: Page, guest: Page, phone: Page) -> None:
    """The new owner shortens the match; whoever was ready is not any more."""
    await host.click("[data-button=ready]")
    await guest.wait_for_selector(".place[data-seat='0'] .is-ready")
    await guest.click("[data-button=change]")
    await look(guest, "room-change")
    await guest.click("[data-chips=length] [data-value='1']")
    await guest.click("[data-chips=voice] [data-value=true][aria-checked=true]")
    await guest.click("[data-chips=voice] [data-value=false]")
    await guest.click("[data-button=go]")
    await host.wait_for_selector(".agreed:has-text('不语音')")
    await host.wait_for_selector(".room-facts:has-text('1 局')")
    await until_count(host, ".is-ready", 0)
    await look(host, "room-full")
    await look(phone, "room-full")


async def read_the_sheet(host: Page, phone: Page, names: list[str]) -> None:
    """Every round is on the sheet, it sums to nothing, and it can be kept."""
    await look(host, "room-final")
    await look(phone, "room-final")
    for page in (host, phone):
        await page.click("[data-action=sheet]")
        await until_count(page, ".sheet tbody tr", 1)
        await until_is(partial(each, page, ".sheet-name"), [names[0], names[2], names[1]])
        sums = await each_still(page, ".sheet tfoot td", "Number(node.textContent.replaceAll(',', ''))")
        assert sum(sums) == 0
        await look(page, "room-sheet")
    width, height = await picture(phone, names)
    assert width == PICTURE_WIDTH
    assert height > 600
    for page in (host, phone):
        await page.keyboard.press("Escape")


async def play_once_more(host: Page, guest: Page, phone: Page, names: list[str]) -> None:
    """One asks, the others are invited, and everybody has his old place."""
    await phone.click("[data-action=rematch]")
    await phone.wait_for_selector(".places")
    await host.wait_for_selector(f"[data-action=rematch]:has-text('{names[2]}')")
    await look(host, "room-invited")
    await host.click("[data-action=rematch]")
    await guest.click("[data-action=lobby]")
    await guest.wait_for_selector(".invite")
    await look(guest, "room-invite-strip")
    await guest.click("[data-button=accept]")
    for page in (host, guest, phone):
        await until_is(lambda page=page: seats(page), [names[0], names[2], names[1]])  # type: ignore[misc]
    owner = await attribute(host.locator(".place:has(.place-owner)"), "data-seat")
    assert owner == "1"
