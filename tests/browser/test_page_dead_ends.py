"""What was a dead end: a room that plays already, half a link, an address in an open page, a seat's name."""

from __future__ import annotations

import pytest
from google.protobuf.message import Message
from paiju.gateway.v1 import gateway_service_pb2 as gateway
from paiju.matchmaking.v1 import matchmaking_service_pb2 as matchmaking
from playwright.async_api import Browser

from tests.browser.support import crowded
from tests.browser.support.layout import look
from tests.browser.support.pages import UPRIGHT, staged
from tests.browser.support.seen import change, each_still, until_count, until_is
from tests.browser.support.stage import ME, Stage

pytestmark = pytest.mark.browser

SCREEN = (1280, 800)
CODE = "482913"
TABLE = "0-watched"


def playing(watching: str) -> matchmaking.Room:
    """Return a room of others that plays."""
    players = ("p_1", "bot:normal", "bot:hard")
    return matchmaking.Room(
        room_code=CODE,
        owner_id="p_1",
        game="paohuzi",
        preset="876cc",
        rounds=8,
        state="playing",
        table_id=TABLE,
        rules=matchmaking.RoomRules(watching=watching, voice=True, payer="owner", chat="all"),
        places=[matchmaking.RoomPlace(seat=seat, player_id=who) for seat, who in enumerate(players)],
    )


class Outside(Stage):
    """A stage whose visitor has no place: a room of others plays at the table that is shown."""

    def __init__(self, watching: str) -> None:
        super().__init__()
        view = crowded.table_view(TABLE, "p_1", crowded.choices)
        view.seat = -1
        view.play.ClearField("question")
        self.show_view(view)
        self.seated = False
        self.room = playing(watching)

    def result(self, path: str, payload: bytes) -> gateway.CallResult:
        if path.endswith("/JoinRoom"):
            return gateway.CallResult(
                error=gateway.CallError(
                    code=9, reason="ROOM_PLAYING", message_zh="房间已经开局", message_en="It plays already."
                )
            )
        return super().result(path, payload)


@pytest.mark.parametrize(
    ("watching", "language", "words"), [("yes", "zh-CN", "观战"), ("ask", "en", "Ask to watch")]
)
async def test_a_room_that_plays_is_watched_from_its_link_and_its_code(
    browser: Browser, watching: str, language: str, words: str
) -> None:
    stage = Outside(watching)
    async with staged(browser, stage, UPRIGHT, chosen=language) as page:
        await page.click(".big-join")
        for digit in CODE:
            await page.click(f".keys button:text-is('{digit}')")
        await page.wait_for_selector("[data-panel=room][data-state=playing]")
        await until_is(lambda: page.evaluate("location.hash"), f"#room/{CODE}")
        await until_count(page, "[data-button=join], .toast", 0)
        assert await each_still(page, "[data-panel=room] [data-button=watch]") == [words]
        await look(page, f"room-link-{watching}")
        await page.click("[data-panel=room] [data-button=watch]")
        await page.wait_for_selector("main.table.is-watched .watch-strip")
        assert stage.spectates


async def test_a_room_that_plays_and_is_not_watched_says_so(browser: Browser) -> None:
    async with staged(browser, Outside("no"), SCREEN, f"#/room/{CODE}") as page:
        await page.wait_for_selector("[data-panel=room] .notice.is-bad")
        await page.wait_for_selector("[data-button=join][disabled]")
        await until_count(page, "[data-panel=room] [data-button=watch]", 0)


async def test_an_address_to_watch_works_in_an_open_page_and_half_a_link_leads_to_the_rounds(
    browser: Browser,
) -> None:
    stage = Outside("yes")
    asked: list[str] = []
    stage.handlers["GetReplay"] = lambda request: _noted(asked, request)
    async with staged(browser, stage, SCREEN, "#replay") as page:
        for half in ("#replay", "#replay/round", "#replay/round/"):
            await change(page, "(hash) => { location.hash = hash; }", half)
            await page.wait_for_selector("[data-refused]:has-text('链接不完整')")
            await page.wait_for_selector(".page-body a[href='#history']")
        assert asked == []
        await look(page, "replay-half-a-link")
        await change(page, "(id) => { location.hash = `watch=${id}`; }", TABLE)
        await page.wait_for_selector("main.table.is-watched .watch-strip")
        # A reload watches on; who leaves has left the address, too.
        await until_is(lambda: page.evaluate("location.hash"), f"#watch={TABLE}")
        await page.reload()
        await page.wait_for_selector("main.table.is-watched .watch-strip")
        await page.click("[data-button=leave]")
        await page.wait_for_selector("main.page[data-page=watch]")
        await until_is(lambda: page.evaluate("location.hash"), "#watch")


def _noted(asked: list[str], request: Message) -> Message:
    asked.append(str(request))
    return matchmaking.GetRoomResponse()


async def test_a_seat_that_is_played_for_keeps_its_name_and_a_viewer_reads_no_stake_before_the_picture(
    browser: Browser,
) -> None:
    stage = Stage()
    view = crowded.table_view("0-auto", ME, crowded.cards_in_hand)
    view.play.ClearField("question")
    for seat in view.seats:
        seat.left, seat.online, seat.auto_play, seat.gives_nonces = False, True, True, True
        seat.player_id = seat.player_id if seat.seat == 0 else f"p_{seat.seat}"
    stage.show_view(view)
    async with staged(browser, stage, UPRIGHT, chosen="en") as page:
        await until_count(page, ".state-mark", 3)
        assert await each_still(page, ".seat-name") == ["Player", "Player", "山水有相逢"]
        assert await each_still(page, ".seat-name", "node.scrollWidth - node.clientWidth") == [0, 0, 0]
        await look(page, "auto-names", table=True)
        # The same table to who only watches, before anything of it is shown.
        view.seat = -1
        for part in ("opening", "play"):
            view.ClearField(part)
        stage.seated = False
        await change(page, "history.replaceState(null, '', '#watch=0-auto')")
        await page.reload()
        await page.wait_for_selector("main.table.is-watched .seat-name")
        await until_count(page, ".seat-figures", 0)
