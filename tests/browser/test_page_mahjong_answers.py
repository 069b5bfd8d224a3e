"""Every answer at a mahjong table by the means a person has: clicks, drags, keys."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import Browser, Page

from engine.kawuxing.reveal import hidden_sets
from engine.mahjong.tiles import TILES
from tests.browser.support import mahjong_positions as positions
from tests.browser.support import node
from tests.browser.support.mahjong_layout import SIZES
from tests.browser.support.mahjong_stage import Shown, shown

pytestmark = pytest.mark.browser


async def sent(stage: Shown, count: int = 1) -> list[str]:
    """Return the answers once so many have come."""
    for _ in range(200):
        if len(stage.acts) >= count:
            break
        await stage.page.wait_for_timeout(10)
    return stage.acts


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
        told = await page.eval_on_selector_all(
            ".reveal-way", "nodes => nodes.map((node) => node.dataset.liang)"
        )
        assert sorted(told) == sorted(ways)
        for tile in ways:
            rest = found.view.hand - positions.one(tile)
            waits = positions.waits_after(rest, found.view.melds[0])
            assert await waits_shown(page, f".reveal-way[data-liang={tile}]") == waits
            assert hidden_sets(rest, found.view.melds[0], sum(1 << TILES[one] for one in waits))
        assert await page.locator("[data-action=reveal]").is_disabled()
        await page.click(f".reveal-way[data-liang={discard}]")
        for tile in kou:
            await page.click(f"[data-kou={tile}]")
        await page.click("[data-action=reveal]")
        assert await sent(stage) == [" ".join(["liang", discard, *kou])]


async def test_a_tile_that_leaves_nothing_to_wait_for_cannot_be_revealed_with(browser: Browser) -> None:
    found = positions.kawuxing_reveal()
    async with shown(browser, found, SIZES["lying"]) as stage:
        page = stage.page
        await page.click("[data-action=liang]")
        banned = page.locator(".hand-tile.banned").first
        assert await banned.get_attribute("data-card") not in reveals(found)
        await banned.click(force=True)
        assert await page.locator("[data-action=reveal]").is_disabled()
        await page.click("[data-button=liang-back]")
        await page.wait_for_selector(".chooser", state="detached")


async def test_keys_reveal(browser: Browser) -> None:
    found = positions.kawuxing_reveal()
    async with shown(browser, found, SIZES["desktop"]) as stage:
        page = stage.page
        cards = await page.eval_on_selector_all(
            ".hand-tile", "nodes => nodes.map((node) => node.dataset.card)"
        )
        at = next(at for at, card in enumerate(cards) if card in reveals(found))
        assert at < 9
        await page.keyboard.press("l")
        await page.wait_for_selector(".reveal-way")
        await page.keyboard.press(str(at + 1))
        await page.keyboard.press("Enter")
        assert await sent(stage) == [f"liang {cards[at]}"]


async def test_a_touched_tile_rises_and_touched_again_goes(browser: Browser) -> None:
    found = positions.kawuxing_own_turn()
    async with shown(browser, found, SIZES["small"]) as stage:
        tile = stage.page.locator(".hand-tile.legal").nth(2)
        card = await tile.get_attribute("data-card")
        await tile.click()
        assert await tile.get_attribute("aria-pressed") == "true"
        assert stage.acts == []
        await tile.click()
        assert await sent(stage) == [f"discard {card}"]


async def test_a_tile_dragged_up_goes_and_one_dropped_stays(browser: Browser) -> None:
    found = positions.qinghunpeng_own_turn()
    async with shown(browser, found, SIZES["lying"]) as stage:
        page = stage.page
        tile = page.locator(".hand-tile.legal").nth(4)
        card = await tile.get_attribute("data-card")
        box = await tile.bounding_box()
        assert box is not None
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        for up in (20, 120):
            await page.mouse.move(x, y)
            await page.mouse.down()
            await page.mouse.move(x, y - up / 2, steps=3)
            await page.mouse.move(x, y - up, steps=3)
            await page.mouse.up()
            await page.wait_for_timeout(80)
            if up == 20:
                assert stage.acts == []
        assert await sent(stage) == [f"discard {card}"]


async def test_keys_pick_a_tile_and_let_it_go(browser: Browser) -> None:
    found = positions.qinghunpeng_own_turn()
    async with shown(browser, found, SIZES["desktop"]) as stage:
        page = stage.page
        cards = await page.eval_on_selector_all(
            ".hand-tile", "nodes => nodes.map((node) => node.dataset.card)"
        )
        assert len(cards) == 14
        await page.keyboard.press("0")
        assert await page.locator(".hand-tile.selected").get_attribute("data-card") == cards[9]
        await page.keyboard.press("3")
        await page.keyboard.press("Enter")
        assert await sent(stage) == [f"discard {cards[2]}"]


@pytest.mark.parametrize(("key", "action"), [("p", "peng"), ("n", "pass"), ("g", "gang ming")])
async def test_a_letter_claims(browser: Browser, key: str, action: str) -> None:
    async with shown(browser, positions.kawuxing_claim(), SIZES["desktop"]) as stage:
        await stage.page.keyboard.press(key)
        assert (await sent(stage))[0].startswith(action)


async def test_a_run_is_chosen_among_those_that_are_drawn(browser: Browser) -> None:
    found = positions.qinghunpeng_claim()
    ways = [action for action in found.view.legal if action.startswith("chi")]
    async with shown(browser, found, SIZES["upright"]) as stage:
        page = stage.page
        await page.click("[data-action=chi]")
        told = await page.eval_on_selector_all(".way", "nodes => nodes.map((node) => node.dataset.way)")
        assert told == ways
        offered = await page.locator(".act-offer .tile").get_attribute("class")
        for at, way in enumerate(ways):
            tiles = await page.eval_on_selector_all(
                f".way >> nth={at} >> .tile", "nodes => nodes.map((node) => node.className)"
            )
            low = way.split(" ")[1]
            run = [f"{low[0]}{int(low[1]) + by}" for by in range(3)]
            assert [text.split(" ")[1] for text in tiles] == [f"face-{tile}" for tile in run]
            taken = [text for text in tiles if text.endswith("taken")]
            assert len(taken) == 1
            assert offered is not None
            assert taken[0].split(" ")[1] == offered.split(" ")[1]
        await page.click(f".way[data-way='{ways[1]}']")
        assert await sent(stage) == [ways[1]]
        await stage.show(found)
        await page.keyboard.press("c")
        await page.wait_for_selector(".way")
        await page.keyboard.press("1")
        assert await sent(stage, 2) == [ways[1], ways[0]]


async def test_a_kong_is_chosen_among_several(browser: Browser) -> None:
    found = positions.kawuxing_kongs()
    ways = [action for action in found.view.legal if action.startswith("gang")]
    async with shown(browser, found, SIZES["small"]) as stage:
        await stage.page.click("[data-action=gang]")
        assert stage.acts == []
        await stage.page.click(f".way[data-way='{ways[1]}']")
        assert await sent(stage) == [ways[1]]


async def test_the_stake_of_piao_is_asked_with_buttons_and_keys(browser: Browser) -> None:
    async with shown(browser, positions.kawuxing_piao(), SIZES["small"]) as stage:
        await stage.page.click("[data-piao='2']")
        assert await sent(stage) == ["piao 2"]
        await stage.show(positions.kawuxing_piao())
        await stage.page.wait_for_selector("[data-piao]")
        await stage.page.keyboard.press("0")
        assert await sent(stage, 2) == ["piao 2", "piao 0"]


async def test_a_tile_that_may_not_go_is_grey_and_says_why(browser: Browser) -> None:
    found = positions.kawuxing_fed()
    legal = {action.split(" ")[1] for action in found.view.legal if action.startswith("discard")}
    async with shown(browser, found, SIZES["upright"]) as stage:
        page = stage.page
        shown_banned = await page.eval_on_selector_all(
            ".hand-tile.banned", "nodes => nodes.map((node) => node.dataset.card)"
        )
        held = await page.eval_on_selector_all(
            ".hand-tile", "nodes => nodes.map((node) => node.dataset.card)"
        )
        assert set(shown_banned) == set(held) - legal != set()
        banned = page.locator(".hand-tile.banned").first
        assert "亮家" in (await banned.get_attribute("title") or "")
        await banned.click(force=True)
        assert "亮家" in await page.inner_text(".act-note")
        await page.keyboard.press("Enter")
        await banned.click(force=True)
        await page.wait_for_timeout(50)
        assert stage.acts == []


async def test_a_raised_tile_tells_what_the_hand_would_wait_for(browser: Browser) -> None:
    found = positions.kawuxing_reveal()
    discard = next(iter(reveals(found)))
    async with shown(browser, found, SIZES["desktop"]) as stage:
        await stage.page.click(f".hand-tile[data-card={discard}]")
        waits = positions.waits_after(found.view.hand - positions.one(discard), found.view.melds[0])
        assert await waits_shown(stage.page, ".act-hint") == waits


async def test_the_result_draws_every_winner_explains_every_name_and_lists_every_payment(
    browser: Browser,
) -> None:
    found = positions.kawuxing_two_winners()
    async with shown(browser, found, SIZES["desktop"]) as stage:
        page = stage.page
        await page.wait_for_selector(".mahjong-win")
        assert await page.locator(".mahjong-win").count() == 2
        for words in found.view.wins:
            place = f".mahjong-win[data-winner='{words[0]}']"
            for name in words[6].split(","):
                row = page.locator(f"{place} [data-name='{name.split('=')[0]}']")
                assert name.split("=")[1] in await row.locator(".win-value").inner_text()
                assert await row.locator(".win-about").inner_text()
            melds = sum(4 if meld.kind != "peng" else 3 for meld in found.view.melds[int(words[0])])
            sets = sum(len(word) // 2 for word in words[7:])
            assert await page.locator(f"{place} .win-row .tile").count() == melds + sets
            assert await page.locator(f"{place} .won").count() == 1
        paid = await page.eval_on_selector_all(
            ".payment b", "nodes => nodes.map((node) => Math.abs(Number(node.textContent)))"
        )
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
