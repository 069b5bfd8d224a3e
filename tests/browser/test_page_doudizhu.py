"""The table of 斗地主 in a browser: choosing, hints, refusals, keys, bids, and how it looks at every size."""

from __future__ import annotations

import functools
import operator
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from paiju.accounts.v1 import accounts_service_pb2 as accounts
from playwright.async_api import Browser, Page

from tests.browser.support import landlord
from tests.browser.support.chromium import DESKTOP, opened
from tests.browser.support.layout import look
from tests.browser.support.seen import box, each, each_still, settled, until, until_count, until_is
from tests.browser.support.stage import ME, Stage, serve

pytestmark = pytest.mark.browser

TALL = (390, 844)
SMALL = (360, 640)
LYING = (844, 390)
SIZES = pytest.mark.parametrize(
    ("size", "language"),
    [(DESKTOP, "zh-CN"), (TALL, "zh-CN"), (SMALL, "zh-CN"), (LYING, "zh-CN"), (SMALL, "en"), (LYING, "en")],
    ids=["desktop", "tall", "small", "lying", "small-english", "lying-english"],
)

LANDLORD = ["bid 3", "play 3"]
"""Seat 0 is landlord and led a 3."""

PEASANT = ["bid 0", "bid 3"]
"""Seat 1 is landlord and leads."""


@asynccontextmanager
async def seated(
    browser: Browser,
    actions: list[str],
    *hands: str,
    size: tuple[int, int] = DESKTOP,
    language: str = "zh-CN",
    **how: Any,
) -> AsyncIterator[tuple[Page, Stage]]:
    """Sit in a chosen position."""
    stage = Stage()
    stage.show_view(landlord.table_view("0-fixed", ME, actions, *hands, **how))
    runner, url = await serve(stage)
    try:
        async with opened(browser, url, size, chosen=language, steady=True) as page:
            await page.wait_for_selector(".poker")
            yield page, stage
    finally:
        await stage.close()
        await runner.cleanup()


async def chosen(page: Page) -> str:
    """Return the ranks of the chosen cards, lowest first."""
    return "".join(reversed(await each(page, ".in-hand.chosen", "node.dataset.card[0]")))


async def is_chosen(page: Page, ranks: str) -> None:
    """Wait until exactly these cards are chosen, and nothing is on its way any more."""
    await settled(page)
    await until_is(lambda: chosen(page), ranks)


async def tap(page: Page, rank: str, nth: int = 0) -> None:
    """Touch the visible corner of a card."""
    await page.locator(f".in-hand[data-card^='{rank}'] >> nth={nth}").click(position={"x": 8, "y": 14})


async def test_tapped_cards_are_played_by_the_button(browser: Browser) -> None:
    async with seated(browser, ["bid 3"], landlord.MINE) as (page, stage):
        for upto, rank in enumerate("34567", 1):
            await tap(page, rank)
            await is_chosen(page, "34567"[:upto])
        await page.wait_for_selector(".act-says:has-text('顺子 3–7')")
        await tap(page, "3")
        await is_chosen(page, "4567")
        await tap(page, "3")
        await is_chosen(page, "34567")
        await page.click("[data-action=play]")
        await until_is(stage.heard, ["play 34567"])


@pytest.mark.parametrize("nth", [0, 1])
async def test_the_very_card_that_was_tapped_is_gone_and_stays_so_after_a_fresh_view_and_a_reload(
    browser: Browser, nth: int
) -> None:
    async def hand() -> list[str]:
        return await each(page, ".in-hand", "node.dataset.card")

    async with seated(browser, ["bid 3"], landlord.MINE) as (page, stage):
        before = await each_still(page, ".in-hand", "node.dataset.card")
        threes = [card for card in before if card.startswith("3")]
        assert len(threes) == 2
        await tap(page, "3", nth)
        await is_chosen(page, "3")
        await page.click("[data-action=play]")
        await until_is(stage.heard, ["play 3"])
        view = landlord.table_view("0-fixed", ME, ["bid 3", "play 3", "pass", "pass"], landlord.MINE)
        view.number = 2
        await stage.snapshot(view)
        left = [card for card in before if card != threes[nth]]
        await until_is(hand, left)
        stage.show_view(view)
        await page.reload()
        await until_is(hand, left)


async def test_a_stroke_over_the_hand_takes_every_card_it_touched(browser: Browser) -> None:
    async with seated(browser, ["bid 3"], landlord.MINE) as (page, stage):
        first = await box(page.locator(".in-hand[data-card^='8'] >> nth=0"))
        last = await box(page.locator(".in-hand[data-card^='6'] >> nth=-1"))
        await page.mouse.move(first["x"] + 8, first["y"] + 30)
        await page.mouse.down()
        await page.mouse.move(last["x"] + 8, last["y"] + 30, steps=12)
        await page.wait_for_selector(".in-hand.painted")
        await page.mouse.up()
        await is_chosen(page, "667788")
        await page.click("[data-action=play]")
        await until_is(stage.heard, ["play 667788"])


async def test_a_finger_strokes_as_a_mouse_does(browser: Browser) -> None:
    async with seated(browser, ["bid 3"], landlord.MINE, size=TALL) as (page, _):
        session = await page.context.new_cdp_session(page)
        points = []
        for rank in ("6", "5", "4"):
            lies = await box(page.locator(f".in-hand[data-card^='{rank}'] >> nth=-1"))
            points.append({"x": lies["x"] + 8, "y": lies["y"] + 12})
        await session.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": points[:1]})
        for point in points[1:]:
            await session.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [point]})
        await session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        await is_chosen(page, "44556")


@pytest.mark.parametrize(
    ("keys", "says"),
    [
        ("34", "这些牌不成牌型"),
        ("4", "牌型不同，要出 对子 5 这一种"),
        ("33", "不够大，要大过 对子 5"),
        ("333", "这些牌不成牌型"),
        ("34567", "牌型不同，要出 对子 5 这一种"),
        ("", "先选要出的牌"),
    ],
)
async def test_what_is_no_legal_play_is_refused_with_its_reason(
    browser: Browser, keys: str, says: str
) -> None:
    hands = (landlord.MINE, "5599TTTJJJQQQKKKA")
    async with seated(browser, [*PEASANT, "play 55", "pass"], *hands) as (page, stage):
        await page.wait_for_selector("[data-action=play][aria-disabled=true]")
        for key in keys:
            await page.keyboard.press(key)
        if keys == "333":  # the third 3 does not exist: both are put back
            await is_chosen(page, "")
            await page.keyboard.press("3")
            await page.keyboard.press("4")
            await is_chosen(page, "34")
        await page.locator("[data-action=play]").click(force=True)  # it looks disabled, and says why
        await page.wait_for_selector(".act-clock.refused")
        await page.wait_for_selector(f".act-says:has-text('{says}')")
        # To pass is all that was sent: the table hears answers in the order of the page.
        await page.click("[data-action=pass]")
        await until_is(stage.heard, ["pass"])


async def test_straights_of_another_length_are_refused_so(browser: Browser) -> None:
    hands = (landlord.MINE, "345678999TTTJJJQQ")
    async with seated(browser, [*PEASANT, "play 34567", "pass"], *hands) as (page, stage):
        for key in "456789":
            await page.keyboard.press(key)
        await page.wait_for_selector(".act-says:has-text('张数不同')")
        await page.keyboard.press("4")  # another 4: six ranks and a pair
        await page.keyboard.press("Escape")
        for key in "45678":
            await page.keyboard.press(key)
        await page.keyboard.press("Enter")
        await until_is(stage.heard, ["play 45678"])


async def test_hints_go_round_the_legal_plays_cheapest_first_bombs_last(browser: Browser) -> None:
    hands = (landlord.BOMBS, "4488899TTTJJJQQKK")
    actions = [*PEASANT, "play 44", "pass"]
    _, position = landlord.told(actions, *hands)
    legal = {action.split(" ")[1] for action in position.legal_actions(0) if action != "pass"}
    async with seated(browser, actions, *hands) as (page, stage):
        offered = [""]
        for _ in legal:
            await page.keyboard.press("h")
            await settled(page)
            offered.append(await until(lambda: chosen(page), functools.partial(operator.ne, offered[-1])))
        del offered[0]
        assert set(offered) == legal
        assert len(offered) == len(legal)
        assert offered[:3] == ["55", "66", "77"]
        assert offered[-2:] == ["3333", "BR"]
        await page.click("[data-action=hint]")
        await is_chosen(page, "55")
        await page.keyboard.press("Enter")
        await until_is(stage.heard, ["play 55"])


async def test_a_hand_that_cannot_beat_offers_only_to_pass(browser: Browser) -> None:
    hands = (landlord.MINE, "99TTTJJJQQQKKKAA2")
    async with seated(browser, [*PEASANT, "play TTTJJJQQQKKK", "pass"], *hands) as (page, stage):
        await until_is(lambda: each(page, ".act"), ["要不起"])
        await page.keyboard.press(" ")
        await until_is(stage.heard, ["pass"])


async def test_a_chain_of_four_trios_can_be_led_as_either_of_its_types(browser: Browser) -> None:
    async with seated(browser, ["bid 3"], "33344455566678TJQ") as (page, stage):
        for key in "333444555666":
            await page.keyboard.press(key)
        await until_is(lambda: each(page, ".act.main"), ["飞机 3–6", "飞机带单 4–6"])
        await page.click(".act.main >> nth=1")
        await until_is(stage.heard, ["play 333444555666 as plane_solo"])


@pytest.mark.parametrize(
    ("preset", "actions", "words", "answer"),
    [
        ("classic", [], ["不叫", "1 分", "2 分", "3 分"], "bid 2"),
        ("classic", ["bid 0", "bid 0", "bid 0"], None, None),
        ("qiang", [], ["不叫", "叫地主"], None),
        ("qiang", ["call", "rob", "no_rob"], ["不抢", "抢地主"], "rob"),
        ("qiang", ["call", "no_rob", "no_rob"], ["不加倍", "加倍"], "double 2"),
    ],
)
async def test_bids_and_doubling_are_buttons_and_numbers(
    browser: Browser, preset: str, actions: list[str], words: list[str] | None, answer: str | None
) -> None:
    async with seated(browser, actions, landlord.MINE, preset=preset) as (page, stage):
        if words is None:  # all declined: nothing is asked, and the bottom cards are open
            assert await each_still(page, ".act-row, .bottom-cards .poker.back") == []
            return
        await until_is(lambda: each(page, ".act-row .act"), words)
        if answer:
            number = {"bid 2": "3", "rob": "2", "double 2": "2"}[answer]
            await page.keyboard.press(number)
            await until_is(stage.heard, [answer])


async def test_a_spectator_sees_no_hand_and_is_offered_nothing(browser: Browser) -> None:
    async with seated(browser, LANDLORD, landlord.MINE, seat=-1) as (page, _):
        await until_count(page, ".watched .poker.back", 19)
        assert await each_still(page, ".in-hand, .act") == []
        said = await each_still(page, ".middle")
        assert ["您" in words for words in said] == [False]
        await look(page, "ddz-watched", table=True)


async def test_every_card_and_button_has_a_name_for_who_cannot_see_it(browser: Browser) -> None:
    async with seated(browser, ["bid 3"], landlord.BOMBS) as (page, _):
        names = await each_still(page, ".in-hand", "node.getAttribute('aria-label')")
        assert names[:2] == ["大王", "小王"]
        assert all(name[:2] in ("黑桃", "红桃", "梅花", "方块") for name in names[2:])
        assert len(set(names)) == 20
        first = page.locator(".in-hand >> nth=2")
        await first.focus()
        await page.keyboard.press("Enter")
        await is_chosen(page, "")
        await page.keyboard.press("ArrowRight")
        await page.keyboard.press("Space")
        await page.wait_for_selector(".in-hand[aria-pressed=true]")


POSITIONS: dict[str, Any] = {
    "bid": ([], ()),
    "lead": (["bid 3"], (landlord.BOMBS,)),
    "follow": ([*PEASANT, "play 44", "pass"], (landlord.BOMBS, "4488899TTTJJJQQKK")),
    "shown": (["bid 0"], (landlord.MINE,), {"face_up": True, "bid_rounds": "until2pass"}),
    "shown-left": (["bid 2"], (landlord.MINE,), {"face_up": True, "seat": 1}),
    "double": (["call", "rob", "no_rob", "no_rob"], (landlord.MINE,), {"preset": "qiang"}),
    "doubled": (
        ["call", "rob", "no_rob", "no_rob", "double 2", "double 2", "double 1"],
        (landlord.MINE,),
        {"preset": "qiang"},
    ),
    "own": (["bid 3", "play 333444555666789T"], ("333444555666789TJ",)),
    "plane": (
        [*PEASANT, "play 4888999TTTJJJQKA", "pass"],
        (landlord.MINE.replace("88", "22"), "4888999TTTJJJQKA2"),
    ),
}


@pytest.mark.parametrize("name", POSITIONS)
@SIZES
async def test_tables_fit_their_screenshots_at_every_size(
    browser: Browser, size: tuple[int, int], language: str, name: str
) -> None:
    actions, hands, *options = POSITIONS[name]
    how = options[0] if options else {}
    async with seated(browser, actions, *hands, size=size, language=language, **how) as (page, _):
        await look(page, f"ddz-{name}", table=True)
        if name in ("lead", "follow"):
            await page.keyboard.press("h")
            await page.wait_for_selector(".in-hand.chosen")
            await look(page, f"ddz-{name}-hint", table=True)


async def test_a_landlord_who_is_played_for_has_a_name_on_a_phone_lying_on_its_side(browser: Browser) -> None:
    view = landlord.table_view("0-fixed", ME, PEASANT, landlord.MINE)
    for seat in view.seats:
        seat.auto_play, seat.gives_nonces = True, True
        seat.player_id = seat.player_id if seat.seat == 0 else f"p_{seat.seat}"
    stage = Stage()
    stage.show_view(view)
    stage.handlers["BatchGetProfiles"] = lambda request: accounts.BatchGetProfilesResponse(
        profiles=[accounts.Profile(player_id=one, nickname="江南烟雨中客") for one in request.player_ids]
    )
    runner, url = await serve(stage)
    try:
        async with opened(browser, url, (667, 375), steady=True) as page:
            await until_count(page, ".seat .state-mark", 2)
            await until_count(page, ".seat .role", 1)
            await until(lambda: each(page, ".seat .seat-name", "node.clientWidth"), _are_readable)
            await look(page, "ddz-auto-names", table=True)
    finally:
        await stage.close()
        await runner.cleanup()


def _are_readable(widths: list[int]) -> bool:
    return len(widths) == 2 and min(widths) > 60


async def test_an_address_lets_a_table_be_watched(browser: Browser) -> None:
    stage = Stage()
    runner, url = await serve(stage)
    stage.show_view(landlord.table_view("0-fixed", "p_other", LANDLORD, landlord.MINE, seat=-1))
    stage.seated = False
    try:
        async with opened(browser, f"{url}/#watch=0-fixed", DESKTOP, steady=True) as page:
            await page.wait_for_selector(".watched")
            assert stage.spectates  # it was asked for what is shown now
            await page.click("[data-button=menu]")
            await page.click(".menu-item:has-text('大厅')")
            await page.wait_for_selector(".hall")
            assert await each_still(page, ".away") == []
    finally:
        await stage.close()
        await runner.cleanup()


async def test_a_touch_of_the_felt_and_backspace_put_the_cards_back(browser: Browser) -> None:
    async with seated(browser, ["bid 3"], landlord.MINE) as (page, _):
        for touch in (True, False):
            await tap(page, "7")
            await is_chosen(page, "7")
            if touch:
                await page.locator(".middle").click(position={"x": 20, "y": 150})
            else:
                await page.keyboard.press("Backspace")
            await is_chosen(page, "")
