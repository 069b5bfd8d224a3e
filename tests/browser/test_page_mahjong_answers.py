"""Every answer at a mahjong table by the means a person has: clicks, drags, keys."""

from __future__ import annotations

import functools
from typing import Any

import pytest
from playwright.async_api import Browser, Page

from engine.kawuxing.reveal import hidden_sets
from engine.mahjong.tiles import TILES
from tests.browser.support import mahjong_positions as positions
from tests.browser.support import node
from tests.browser.support.mahjong_layout import SIZES
from tests.browser.support.mahjong_stage import shown
from tests.browser.support.seen import (
    attribute,
    box,
    each,
    each_still,
    settled,
    still,
    until,
    until_count,
    until_is,
)

pytestmark = pytest.mark.browser


def reveals(found: positions.Found) -> dict[str, list[tuple[str, ...]]]:
    """Return the legal reveals: by discard the sets of hidden triplets."""
    ways: dict[str, list[tuple[str, ...]]] = {}
    for action in found.view.legal:
        verb, *words = action.split(" ")
        if verb == "liang":
            ways.setdefault(words[0], []).append(tuple(words[1:]))
    return ways


async def waits_shown(page: Page, place: str) -> list[str]:
    """Return the tiles of a row of waits."""
    said = await page.locator(f"{place} .waits").first.get_attribute("data-waits")
    return (said or "").split(" ")


async def test_revealing_by_clicks_shows_the_waits_of_each_discard_and_hides_the_chosen_triplets(
    browser: Browser,
) -> None:
    found = positions.kawuxing_reveal()
    ways = reveals(found)
    discard = next(tile for tile, sets in ways.items() if any(sets))
    kou = next(one for one in ways[discard] if one)
    async with shown(browser, found, SIZES["upright"]) as stage:
        page = stage.page
        await page.click("[data-action=liang]")
        await until(
            lambda: each(page, ".reveal-way", "node.dataset.liang"),
            lambda told: sorted(told) == sorted(ways),
        )
        for tile in ways:
            rest = found.view.hand - positions.one(tile)
            waits = positions.waits_after(rest, found.view.melds[0])
            place = f".reveal-way[data-liang={tile}]"
            await until_is(functools.partial(waits_shown, page, place), waits)
            assert hidden_sets(rest, found.view.melds[0], sum(1 << TILES[one] for one in waits))
        await page.wait_for_selector("[data-action=reveal]:disabled")
        await page.click(f".reveal-way[data-liang={discard}]")
        for tile in kou:
            await page.click(f"[data-kou={tile}]")
        await page.click("[data-action=reveal]")
        await until_is(stage.heard, [" ".join(["liang", discard, *kou])])


async def test_a_tile_that_leaves_nothing_to_wait_for_cannot_be_revealed_with(browser: Browser) -> None:
    found = positions.kawuxing_reveal()
    async with shown(browser, found, SIZES["lying"]) as stage:
        page = stage.page
        await page.click("[data-action=liang]")
        banned = page.locator(".hand-tile.banned").first
        assert await attribute(banned, "data-card") not in reveals(found)
        await banned.click(force=True)
        await settled(page)
        await page.wait_for_selector("[data-action=reveal]:disabled")
        await page.click("[data-button=liang-back]")
        await page.wait_for_selector(".chooser", state="detached")


async def test_keys_reveal(browser: Browser) -> None:
    found = positions.kawuxing_reveal()
    async with shown(browser, found, SIZES["desktop"]) as stage:
        page = stage.page
        cards = await each_still(page, ".hand-tile", "node.dataset.card")
        at = next(at for at, card in enumerate(cards) if card in reveals(found))
        assert at < 9
        await page.keyboard.press("l")
        await page.wait_for_selector(".reveal-way")
        await page.keyboard.press(str(at + 1))
        await page.keyboard.press("Enter")
        await until_is(stage.heard, [f"liang {cards[at]}"])


async def test_a_touched_tile_rises_and_touched_again_goes(browser: Browser) -> None:
    found = positions.kawuxing_own_turn()
    async with shown(browser, found, SIZES["small"]) as stage:
        tile = stage.page.locator(".hand-tile.legal").nth(2)
        card = await attribute(tile, "data-card")
        await tile.click()
        await until_is(lambda: tile.get_attribute("aria-pressed"), "true")
        assert await stage.heard() == []
        await tile.click()
        await until_is(stage.heard, [f"discard {card}"])


async def test_a_tile_dragged_up_goes_and_one_dropped_stays(browser: Browser) -> None:
    found = positions.qinghunpeng_own_turn()
    async with shown(browser, found, SIZES["lying"]) as stage:
        page = stage.page
        tile = page.locator(".hand-tile.legal").nth(4)
        card = await attribute(tile, "data-card")
        lies = await box(tile)
        x, y = lies["x"] + lies["width"] / 2, lies["y"] + lies["height"] / 2
        for up, is_asked in ((20, True), (120, False)):
            await page.mouse.move(x, y)
            await page.mouse.down()
            await page.mouse.move(x, y - up / 2, steps=3)
            await page.mouse.move(x, y - up, steps=3)
            await page.wait_for_selector(".hand-tile[data-dragged]")
            await page.mouse.up()
            await page.wait_for_selector(".hand-tile[data-dragged]", state="detached")
            asked = await still(page, "document.querySelector('.rack').matches('.to-discard')")
            assert asked == is_asked
        await until_is(stage.heard, [f"discard {card}"])


async def test_keys_pick_a_tile_and_let_it_go(browser: Browser) -> None:
    found = positions.qinghunpeng_own_turn()
    async with shown(browser, found, SIZES["desktop"]) as stage:
        page = stage.page
        cards = await each_still(page, ".hand-tile", "node.dataset.card")
        assert len(cards) == 14
        await page.keyboard.press("0")
        await until_is(lambda: each(page, ".hand-tile.selected", "node.dataset.card"), [cards[9]])
        await page.keyboard.press("3")
        await page.keyboard.press("Enter")
        await until_is(stage.heard, [f"discard {cards[2]}"])


@pytest.mark.parametrize(("key", "action"), [("p", "peng"), ("n", "pass"), ("g", "gang ming")])
async def test_a_letter_claims(browser: Browser, key: str, action: str) -> None:
    async with shown(browser, positions.kawuxing_claim(), SIZES["desktop"]) as stage:
        await stage.page.keyboard.press(key)
        said = await until(stage.heard, len)
        assert said[0].startswith(action)


async def test_a_run_is_chosen_among_those_that_are_drawn(browser: Browser) -> None:
    found = positions.qinghunpeng_claim()
    ways = [action for action in found.view.legal if action.startswith("chi")]
    async with shown(browser, found, SIZES["upright"]) as stage:
        page = stage.page
        await page.click("[data-action=chi]")
        await until_is(lambda: each(page, ".way", "node.dataset.way"), ways)
        offered = await attribute(page.locator(".act-offer .tile"), "class")
        for at, way in enumerate(ways):
            tiles = await each_still(page, f".way:nth-child({at + 1} of .way) .tile", "node.className")
            low = way.split(" ")[1]
            run = [f"{low[0]}{int(low[1]) + by}" for by in range(3)]
            assert [text.split(" ")[1] for text in tiles] == [f"face-{tile}" for tile in run]
            taken = [text for text in tiles if text.endswith("taken")]
            assert len(taken) == 1
            assert taken[0].split(" ")[1] == offered.split(" ")[1]
        await page.click(f".way[data-way='{ways[1]}']")
        await until_is(stage.heard, [ways[1]])
        await stage.show(found)
        await page.keyboard.press("c")
        await page.wait_for_selector(".way")
        await page.keyboard.press("1")
        await until_is(stage.heard, [ways[1], ways[0]])


async def test_a_kong_is_chosen_among_several(browser: Browser) -> None:
    found = positions.kawuxing_kongs()
    ways = [action for action in found.view.legal if action.startswith("gang")]
    async with shown(browser, found, SIZES["small"]) as stage:
        await stage.page.click("[data-action=gang]")
        await stage.page.click(f".way[data-way='{ways[1]}']")
        await until_is(stage.heard, [ways[1]])


async def test_the_stake_of_piao_is_asked_with_buttons_and_keys(browser: Browser) -> None:
    async with shown(browser, positions.kawuxing_piao(), SIZES["small"]) as stage:
        await stage.page.click("[data-piao='2']")
        await until_is(stage.heard, ["piao 2"])
        await stage.show(positions.kawuxing_piao())
        await stage.page.wait_for_selector("[data-piao]")
        await stage.page.keyboard.press("0")
        await until_is(stage.heard, ["piao 2", "piao 0"])


async def test_a_tile_that_may_not_go_is_grey_and_says_why(browser: Browser) -> None:
    found = positions.kawuxing_fed()
    legal = {action.split(" ")[1] for action in found.view.legal if action.startswith("discard")}
    async with shown(browser, found, SIZES["upright"]) as stage:
        page = stage.page
        shown_banned = await each_still(page, ".hand-tile.banned", "node.dataset.card")
        held = await each_still(page, ".hand-tile", "node.dataset.card")
        assert set(shown_banned) == set(held) - legal != set()
        banned = page.locator(".hand-tile.banned").first
        assert "亮家" in await attribute(banned, "title")
        await banned.click(force=True)
        await page.wait_for_selector(".act-note:has-text('亮家')")
        await page.keyboard.press("Enter")
        await banned.click(force=True)
        # What may go goes, and is all that was sent: the table hears answers in the order of the page.
        free = page.locator(".hand-tile.legal").first
        card = await attribute(free, "data-card")
        await free.click()
        await page.wait_for_selector(".hand-tile.legal.selected")
        await free.click()
        await until_is(stage.heard, [f"discard {card}"])


async def test_a_raised_tile_tells_what_the_hand_would_wait_for(browser: Browser) -> None:
    found = positions.kawuxing_reveal()
    discard = next(iter(reveals(found)))
    async with shown(browser, found, SIZES["desktop"]) as stage:
        await stage.page.click(f".hand-tile[data-card={discard}]")
        waits = positions.waits_after(found.view.hand - positions.one(discard), found.view.melds[0])
        await until_is(lambda: waits_shown(stage.page, ".act-hint"), waits)


async def test_the_result_draws_every_winner_explains_every_name_and_lists_every_payment(
    browser: Browser,
) -> None:
    found = positions.kawuxing_two_winners()
    async with shown(browser, found, SIZES["desktop"]) as stage:
        page = stage.page
        await until_count(page, ".mahjong-win", 2)
        await settled(page)
        for words in found.view.wins:
            place = f".mahjong-win[data-winner='{words[0]}']"
            for name in words[6].split(","):
                row = f"{place} [data-name='{name.split('=')[0]}']"
                values = await each_still(page, f"{row} .win-value")
                assert [name.split("=")[1] in value for value in values] == [True]
                assert all(await each_still(page, f"{row} .win-about"))
            melds = sum(4 if meld.kind != "peng" else 3 for meld in found.view.melds[int(words[0])])
            sets = sum(len(word) // 2 for word in words[7:])
            assert len(await each_still(page, f"{place} .win-row .tile")) == melds + sets
            assert len(await each_still(page, f"{place} .won")) == 1
        paid = await each_still(page, ".payment b", "Math.abs(Number(node.textContent.replaceAll(',', '')))")
        assert sum(paid) == _paid(found.texts)


def _paid(texts: tuple[str, ...]) -> int:
    return sum(int(text.split(" ")[3]) for text in texts if text.startswith("pay "))


SHARES = """
const { KawuxingRound } = await load("js/games/kawuxing/round.mjs");
const { shareOf } = await load("js/games/kawuxing/share.mjs");
const paid = new Set(["自摸", "放炮", "包胡"]);
answer(job.map((texts) => {
  const round = new KawuxingRound();
  for (const text of texts) round.add(text);
  return round.pays.filter((pay) => paid.has(pay.why)).map((pay) => {
    const win = round.wins.find((one) => one.seat === pay.to);
    return [pay.points, shareOf(round, win, pay.from, pay.why === "包胡").points];
  });
}));
"""


@pytest.mark.parametrize("preset", ["seed004", "xiangyang", "xiaogan", "suizhou", "shiyan"])
def test_the_figures_of_the_result_add_up_to_what_the_engine_paid(preset: str) -> None:
    job: list[Any] = positions.ends("kawuxing", preset, 40)
    shares = [share for round_ in node.run(SHARES, job) for share in round_]
    assert len(shares) > 20
    assert [paid for paid, _ in shares] == [said for _, said in shares]
