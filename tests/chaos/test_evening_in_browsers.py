"""An evening of friends, from the code to the picture, at three pages: two on a desk and a phone.

What is below them dies in between: matchmaking while the room is open and again while it plays, and the
process that owns the table in the middle of the second round. Nobody does anything about it: they make their
moves, and one of them reloads his page. (Without browsers: `test_evening_without_browsers.py`.)
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.async_api import Browser, Error, Page

from engine import GAMES
from engine.record import Record
from services.scoring.core.audit import audit_alone
from tests.browser.support.chromium import CHROMIUM, DESKTOP, chromium, opened
from tests.browser.support.doudizhu_player import by_clicks
from tests.browser.support.evening import (
    PICTURE_WIDTH,
    name_of,
    picture,
    seats,
    settled_hand,
    sheet_rows,
)
from tests.browser.support.layout import look
from tests.browser.support.pages import UPRIGHT
from tests.browser.support.player import ROUND_S_MAX, room_code
from tests.browser.support.seen import change, each_still, still, until, until_count, until_is
from tests.chaos.evening import ROUNDS, WAIT_S, Evening

pytestmark = [
    pytest.mark.chaos,
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.long,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
]

PATIENT = {
    "claim_pause_ms": 120,
    "nonce_ms": 60_000,
    "turn_ms": 600_000,
    "claim_ms": 600_000,
    "between_ms": 2_500,
}
"""No clock makes anybody's move; the next round comes by itself."""

WAIT_MS = WAIT_S * 1000
GAME = "doudizhu"
STANDS = "main.table.phase-playing .rack .in-hand"


ASKED = ".act-row .act"
"""斗地主, where every round has a winner: these are there while a page is asked."""


@dataclass
class Friend:
    """Somebody at a page, who makes his moves until the match is over."""

    page: Page
    name: str
    moves: int = 0
    pause: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Whoever has it keeps him from moving."""

    async def play(self) -> None:
        """Make moves, whatever becomes of the page meanwhile; return when the match is over.

        Raises:
            AssertionError: It does not end.
        """
        deadline = time.monotonic() + ROUNDS * ROUND_S_MAX
        while time.monotonic() < deadline:
            async with self.pause:
                try:
                    if await self.page.locator(".final").count():
                        return
                    self.moves += await self.move()
                except Error:
                    pass  # The page is being loaded.
            await asyncio.sleep(0.03)
        raise AssertionError(f"the match of {self.name} does not end; {self.moves} moves")

    async def move(self) -> bool:
        """Answer if this page is asked; return whether it was."""
        if not await self.page.locator(ASKED).count():
            return False
        await by_clicks(self.page)
        return True

    async def mark(self) -> None:
        """Have the document say that it is this one."""
        await change(self.page, "() => { window.sameDocument = true; }")

    async def stayed(self) -> bool:
        """Return whether it still is the document that was marked."""
        return bool(await still(self.page, "() => window.sameDocument === true"))


@pytest.fixture
async def evening(tmp_path: Path) -> AsyncIterator[Evening]:
    made = Evening(tmp_path, PATIENT)
    try:
        await made.start()
        yield made
    finally:
        await made.stop()


@asynccontextmanager
async def seen_when_it_fails(folder: Path, *pages: Page) -> AsyncIterator[None]:
    """Photograph the pages where something goes wrong."""
    try:
        yield
    except BaseException:
        for number, page in enumerate(pages, 1):
            with suppress(Error):
                await page.screenshot(path=folder / f"failed-{number}.png")
        raise


@pytest.fixture
async def browser() -> AsyncIterator[Browser]:
    """A real Chromium."""
    async with chromium() as running:
        yield running


async def test_friends_play_an_evening_from_code_to_picture_while_what_is_below_them_dies(
    evening: Evening, browser: Browser
) -> None:
    url = evening.pages[0]
    async with (
        opened(browser, url, DESKTOP) as a,
        opened(browser, url, DESKTOP) as b,
        opened(browser, url, UPRIGHT) as c,
        seen_when_it_fails(evening.folder, a, b, c),
    ):
        anna, bob, carl = friends = [Friend(page, await name_of(page)) for page in (a, b, c)]
        code = await open_a_room(a)
        await join_by_code(b, code)
        await evening.restart("matchmaking-1")
        await join_by_link(c, f"{url}#/room/{code}")
        names = [friend.name for friend in friends]
        for page in (a, b, c):
            await until_is(lambda page=page: seats(page), names)  # type: ignore[misc]
        for page in (a, b, c):
            await page.click("[data-button=ready]")
        for friend in friends:
            await friend.page.wait_for_selector(STANDS, timeout=WAIT_MS)
            await friend.mark()
        table_id = evening.table_of(code)

        async with asyncio.TaskGroup() as tasks:
            for friend in friends:
                tasks.create_task(friend.play())
            await in_the_middle(friends, 1)
            await reload(bob, friends)
            await in_the_middle(friends, 2)
            killed = await evening.kill_owner(table_id)
            await in_the_middle(friends, 3)
            await evening.restart("matchmaking-1")
            assert not killed.is_running, "the match has gone on without it"

        for friend in friends:
            assert await friend.stayed(), f"{friend.name}'s page was loaded again"
            assert friend.moves > ROUNDS, f"{friend.name} has hardly moved"
        await compare(evening, table_id, friends)
        for page, who in ((a, "desk"), (c, "phone")):
            await look(page, f"evening-sheet-{who}")
            width, height = await picture(page, names)
            assert width == PICTURE_WIDTH
            assert height > 600 + ROUNDS * 70
            await page.keyboard.press("Escape")
        await once_more(anna, bob, carl, code)


async def open_a_room(page: Page) -> str:
    """Change what is played in the form, and open the room; return its code."""
    await page.click(".big-create")
    await page.click(f"[data-chips=game] [data-game={GAME}]")
    await page.wait_for_selector(".room-price")
    await page.click(f"[data-chips=length] [data-value='{ROUNDS}']")
    await page.click("[data-chips=chat] [data-value=phrases]")
    await page.click(".room-options summary")
    await page.click(".option .switch >> nth=0")
    await page.wait_for_selector(".option.changed")
    await page.click("[data-button=go]")
    await page.wait_for_selector(".places")
    await page.wait_for_selector(".room-changes")
    return await room_code(page)


async def join_by_code(page: Page, code: str) -> None:
    await page.click(".big-join")
    for digit in code:
        await page.click(f".keys button:text-is('{digit}')")
    await page.wait_for_selector(".places")


async def join_by_link(page: Page, link: str) -> None:
    await page.goto(link)
    await page.wait_for_selector("[data-panel=room][data-state=open]")
    await page.click("[data-button=join]")
    await page.wait_for_selector(".places")


async def in_the_middle(friends: list[Friend], round_no: int) -> None:
    """Return once a round is under way and each of them has moved in it."""
    for friend in friends:
        await friend.page.wait_for_selector(
            f"main.table.phase-playing[data-round='{round_no}'] .rack .in-hand", timeout=ROUND_S_MAX * 1000
        )
    before = sum(friend.moves for friend in friends)
    async with asyncio.timeout(ROUND_S_MAX):
        while sum(friend.moves for friend in friends) < before + 2:
            await asyncio.sleep(0.05)


async def reload(who: Friend, friends: list[Friend]) -> None:
    """Load his page anew while nobody moves: he has the seat and the hand that he had."""
    for friend in friends:
        await friend.pause.acquire()
    try:
        await who.page.wait_for_selector(STANDS)
        before = await settled_hand(who.page)
        assert json.loads(before)[0], "he holds cards"
        await who.page.reload()
        await who.page.wait_for_selector(STANDS, timeout=WAIT_MS)
        assert not await who.stayed()
        await until_is(lambda: settled_hand(who.page), before)
        await who.mark()
    finally:
        for friend in friends:
            friend.pause.release()


async def compare(evening: Evening, table_id: str, friends: list[Friend]) -> None:
    """Every page's score sheet says of every round what its record says, and what scoring finds."""
    for friend in friends:
        await friend.page.click("[data-action=sheet]")
        await until_count(friend.page, ".sheet tbody tr", ROUNDS)
    records = evening.records(table_id)
    points = [record.result["points"] for record in records]
    sums = [sum(seat) for seat in zip(*points, strict=True)]
    assert len(records) == ROUNDS
    for record in records:
        assert record.game == GAME
        assert changed(record) == 1, "an option was changed in the form"
        assert any(record.result["points"]), "a round of this game has a winner"
        assert audit_alone(record.text.encode()).agreed
        assert {action.cause for action in record.actions} <= {""}, "nobody was played for"
    for friend in friends:
        await until_is(lambda friend=friend: sheet_rows(friend.page), points)  # type: ignore[misc]
        shown = await each_still(friend.page, ".sheet tfoot td", "Number(node.textContent)")
        assert shown == sums
        assert await each_still(friend.page, ".sheet-name") == [one.name for one in friends]
    await friends[1].page.keyboard.press("Escape")


def changed(record: Record) -> int:
    """Return how many options of a record are not those of the preset that the form begins with."""
    game = GAMES[GAME]
    usual = json.loads(game.ruleset(next(iter(game.presets))).as_json())
    return sum(usual[name] != value for name, value in json.loads(record.options).items())


async def once_more(anna: Friend, bob: Friend, carl: Friend, code: str) -> None:
    """The phone asks, the others come: the same three in the same places of a new room."""
    await carl.page.click("[data-action=rematch]")
    await carl.page.wait_for_selector(".places")
    for friend in (anna, bob):
        await friend.page.wait_for_selector(f"[data-action=rematch]:has-text('{carl.name}')")
        await friend.page.click("[data-action=rematch]")
    for friend in (anna, bob, carl):
        look_at = friend.page
        await until_is(lambda page=look_at: seats(page), [anna.name, bob.name, carl.name])  # type: ignore[misc]
        new = await until(lambda page=look_at: room_code(page), lambda found: found != code)  # type: ignore[misc]
        assert len(new) == 6
