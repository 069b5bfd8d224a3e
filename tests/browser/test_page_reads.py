"""What a person reads is there as long as he reads it: results, explanations, rounds of the past, rules."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from paiju.matchmaking.v1 import matchmaking_service_pb2 as matchmaking
from playwright.async_api import Browser, Page

from engine import GAMES
from engine.kawuxing.fans import waits_of
from engine.mahjong.tiles import TILE_TEXTS, tiles_of_mask
from tests.browser.support import landlord
from tests.browser.support import mahjong_positions as mahjong
from tests.browser.support.chromium import DESKTOP, PHONE, UPRIGHT, opened
from tests.browser.support.layout import look
from tests.browser.support.mahjong_stage import shown
from tests.browser.support.seen import box, change, each, each_still, until, until_count, until_is
from tests.browser.support.stage import ME, Stage, serve

pytestmark = pytest.mark.browser

SIZES = pytest.mark.parametrize("size", [DESKTOP, PHONE, UPRIGHT], ids=["desktop", "phone", "upright"])
RESULT = ".result .round-result"
LAST_FACT = "node.textContent.split(' · ').at(-1)"


@asynccontextmanager
async def staged(
    browser: Browser, stage: Stage, size: tuple[int, int], language: str = "zh-CN"
) -> AsyncIterator[Page]:
    """Open the page on a stage."""
    runner, url = await serve(stage)
    try:
        async with opened(browser, url, size, chosen=language, steady=True) as page:
            yield page
    finally:
        await stage.close()
        await runner.cleanup()


async def played(page: Page, stage: Stage) -> None:
    """Play a first round by 托管 to its result; the next one is the person's own again."""
    await page.click(".big-bots")
    await page.wait_for_selector(".hand-card")
    await page.click("[data-button=auto]")
    await page.wait_for_selector(RESULT)
    assert stage.table is not None
    stage.table.auto_play = False


def next_round(stage: Stage) -> None:
    """Let the time between two rounds be over."""
    assert stage.table is not None
    stage.table.ready.set()


@SIZES
async def test_a_result_that_is_read_stays_when_the_next_round_begins(
    browser: Browser, size: tuple[int, int]
) -> None:
    stage = Stage(seed=5, pace_s=0.0, rounds=2)
    async with staged(browser, stage, size) as page:
        await played(page, stage)
        await page.wait_for_selector("[data-fair=ok]")
        await page.click(".why summary")
        lines = await until(lambda: each(page, ".why[open] li"), len)
        foot = await box(page.locator(".result-foot"))
        first = await box(page.locator(".why li").first)
        assert first["y"] + first["height"] <= foot["y"], "what was unfolded is on the screen"
        next_round(stage)
        await page.wait_for_selector("main.table[data-round='2'] .hand-card")
        await page.wait_for_selector(".result [data-action=go-on]")
        assert await each_still(page, ".why[open] li") == lines
        assert await each_still(page, "[data-action=ready]") == []
        await page.wait_for_selector(".result [data-fair=ok]")
        await look(page, "read-on")
        await page.click("[data-action=go-on]")
        await page.wait_for_selector(".result", state="detached")
        await page.wait_for_selector("main.table[data-round='2'] .hand-card")


async def test_a_result_that_nobody_reads_makes_room_for_the_next_round(browser: Browser) -> None:
    stage = Stage(seed=5, pace_s=0.0, rounds=2)
    async with staged(browser, stage, PHONE) as page:
        await played(page, stage)
        await page.click(".why summary")
        await page.wait_for_selector(".why[open]")
        await page.click(".why summary")
        await page.wait_for_selector(".why:not([open])")
        next_round(stage)
        await page.wait_for_selector("main.table[data-round='2'] .hand-card")
        await page.wait_for_selector(".result", state="detached")


async def test_who_asks_for_the_next_round_has_read_enough(browser: Browser) -> None:
    stage = Stage(seed=5, pace_s=0.0, rounds=2)
    async with staged(browser, stage, PHONE) as page:
        await played(page, stage)
        await page.click(".why summary")
        await page.wait_for_selector(".why[open]")
        await page.click("[data-action=ready]")
        await page.wait_for_selector("main.table[data-round='2'] .hand-card")
        await page.wait_for_selector(".result", state="detached")


@SIZES
async def test_a_round_of_the_past_is_explained_audited_and_its_deal_checked_again(
    browser: Browser, size: tuple[int, int]
) -> None:
    stage = Stage(seed=5, pace_s=0.0, rounds=1)
    async with staged(browser, stage, size) as page:
        await played(page, stage)
        await page.wait_for_selector("[data-audit=AGREED]")
        await page.wait_for_selector("[data-fair=ok]")
        lines = await each_still(page, ".result .why li")
        assert lines
        await page.click(".result-foot .primary")
        await page.click("[data-button=list]")
        names = await until(lambda: each(page, ".record-who"), len)
        assert names == ["电脑·谷雨、电脑·立秋"]
        await page.click(".record-row .plain")
        await page.wait_for_selector(".dialog [data-fair=ok]:has-text('1/3')")
        await page.wait_for_selector(".dialog [data-audit=AGREED]")
        assert await each_still(page, ".dialog .why[open] li") == lines
        await look(page, "past-round")


async def test_a_deal_of_the_past_that_does_not_fit_what_was_heard_is_said_to_be_wrong(
    browser: Browser,
) -> None:
    stage = Stage(seed=5, pace_s=0.0, rounds=1)
    async with staged(browser, stage, PHONE) as page:
        await played(page, stage)
        await page.wait_for_selector("[data-fair=ok]")
        await change(
            page,
            """() => {
              const rounds = JSON.parse(localStorage.getItem("paiju.rounds"));
              rounds[0].heard = "00".repeat(32);
              localStorage.setItem("paiju.rounds", JSON.stringify(rounds));
            }""",
        )
        await page.click(".result-foot .primary")
        await page.click("[data-button=list]")
        await page.click(".record-row .plain")
        await page.wait_for_selector(".dialog [data-fair=bad]:has-text('承诺')")


async def test_a_round_that_this_device_has_not_kept_says_what_cannot_be_checked(browser: Browser) -> None:
    stage = Stage(seed=5, pace_s=0.0, rounds=1)
    async with staged(browser, stage, PHONE) as page:
        await played(page, stage)
        await page.wait_for_selector("[data-fair=ok]")
        await page.click(".result-foot .primary")
        await page.wait_for_selector(".hall")
        await change(page, "localStorage.removeItem('paiju.rounds')")
        await page.click("[data-button=list]")
        await page.click(".record-row .plain")
        await page.wait_for_selector(".dialog .fair:has-text('没有存在这台设备上')")
        await page.wait_for_selector(".dialog .hint:has-text('没有得分说明')")
        assert await each_still(page, ".dialog .why") == []


@SIZES
async def test_a_drawn_round_of_kawuxing_says_seat_by_seat_what_each_hand_waited_for(
    browser: Browser, size: tuple[int, int]
) -> None:
    found = mahjong.kawuxing_drawn()
    assert found.result is not None
    async with shown(browser, found, size) as stage:
        await until_count(stage.page, ".ready-table tr", 3)
        for seat, hand in enumerate(found.view.hands):
            waits = [TILE_TEXTS[tile] for tile in tiles_of_mask(waits_of(hand, found.view.melds[seat]))]
            row = f".ready-table tr[data-seat='{seat}']"
            tiles = await each_still(stage.page, f"{row} .tile", "node.className")
            assert [name.split("face-")[1] for name in tiles] == waits
            said = "".join(await each_still(stage.page, row))
            best = found.result["waiting"][seat]
            assert ("没有听牌" in said) == (not waits)
            assert (f"最大 {best} 番" in said) == bool(waits)
        await stage.page.wait_for_selector(".ready-rule:has-text('查大叫')")
        await look(stage.page, "kawuxing-who-was-ready")


@SIZES
async def test_the_rules_of_a_table_mark_what_differs_from_the_preset(
    browser: Browser, size: tuple[int, int]
) -> None:
    stage = Stage()
    changes: dict[str, Any] = {"face_up": True, "bid_rounds": "until2pass"}
    stage.show_view(landlord.table_view("0-fixed", ME, ["bid 0"], landlord.MINE, **changes))
    async with staged(browser, stage, size) as page:
        await page.wait_for_selector(".poker")
        await page.click("[data-button=menu]")
        await page.click(".menu-item >> nth=0")
        await page.wait_for_selector(".rules-changed")
        marked = await each_still(page, ".rules-changed dt", "node.dataset.option")
        assert sorted(marked) == sorted(changes)
        assert all("原为" in words for words in await each_still(page, ".rules-changed dd:not(.option-text)"))
        doudizhu = next(game for game in stage.catalogue.games if game.game == "doudizhu")
        said = {option.name: option.text_zh for option in doudizhu.options}
        assert await each_still(page, ".rules-changed .option-text") == [said[name] for name in marked]
        await look(page, "rules-changed")
        await page.click(".dialog summary")
        all_marked = await each_still(page, "details .changed[data-option]", "node.dataset.option")
        assert sorted(all_marked) == sorted(changes)


async def test_the_rules_of_a_preset_have_nothing_marked(browser: Browser) -> None:
    stage = Stage()
    stage.show_view(landlord.table_view("0-fixed", ME, ["bid 0"], landlord.MINE))
    async with staged(browser, stage, PHONE) as page:
        await page.wait_for_selector(".poker")
        await page.click("[data-button=menu]")
        await page.click(".menu-item >> nth=0")
        await page.click(".dialog summary")
        await page.wait_for_selector("details[open] .options dt")
        assert await each_still(page, ".rules-changed, .options .changed") == []


@SIZES
async def test_a_guest_of_a_room_sees_its_rules_and_what_the_owner_changed(
    browser: Browser, size: tuple[int, int]
) -> None:
    stage = Stage()
    stage.is_guest = True
    stage.room = matchmaking.Room(
        room_code="482913",
        owner_id="p_owner",
        game="paohuzi",
        preset="876cc",
        options_json=json.dumps({"point_cap": 50}),
        rounds=1,
        state="open",
        places=[
            matchmaking.RoomPlace(seat=0, player_id="p_owner"),
            matchmaking.RoomPlace(seat=1, player_id=ME),
            matchmaking.RoomPlace(seat=2),
        ],
    )
    async with staged(browser, stage, size) as page:
        await page.wait_for_selector(".room-changes:has-text('单家封顶点数 50')")
        assert await each_still(page, "[data-bot]") == []  # bots are the owner's to seat
        await look(page, "guest-room")
        await page.click("[data-button=rules]")
        await until_is(lambda: each(page, ".rules-changed dt", "node.dataset.option"), ["point_cap"])
        await page.wait_for_selector(".rules-changed dd:has-text('50')")


@pytest.mark.parametrize("size", [PHONE, UPRIGHT, (360, 640)], ids=["phone", "upright", "small"])
async def test_a_room_of_four_fits_a_phone(browser: Browser, size: tuple[int, int]) -> None:
    stage = Stage()
    async with staged(browser, stage, size) as page:
        await page.click(".game-tab[data-game=qinghunpeng]")
        await page.click(".big-create")
        await page.click(".dialog-buttons .primary")
        await until_count(page, ".place", GAMES["qinghunpeng"].seats)
        await look(page, "room-of-four")
        places = "[node.getBoundingClientRect().left, node.getBoundingClientRect().right]"
        edges = await each_still(page, ".place", places)
        assert all(left >= 0 and right <= size[0] for left, right in edges)
        await page.click("[data-bot=normal]")
        await until_count(page, ".place.taken", 4)
        await until_count(page, ".place-level", 3)
        await look(page, "room-of-four-full")


async def test_one_round_is_one_round_in_english(browser: Browser) -> None:
    async with staged(browser, Stage(), DESKTOP, "en") as page:
        await page.click(".game-tab[data-game=paohuzi]")
        for nth, words in enumerate(("1 round", "4 rounds")):
            await page.click(".big-create")
            await page.click(f".dialog .round-chips .chip >> nth={nth}")
            await page.click(".dialog-buttons .primary")
            await until_is(lambda: each(page, ".room-played", LAST_FACT), [words])
            await page.click(".room-buttons .plain >> nth=-1")
            await page.wait_for_selector(".hall")
