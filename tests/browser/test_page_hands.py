"""What hands do at the table: tapping, dragging, keys; and what the page keeps."""

from __future__ import annotations

import functools
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from playwright.async_api import Browser, Page

from tests.browser.support import crowded
from tests.browser.support.chromium import PHONE, opened
from tests.browser.support.layout import FITS_MS, fits, problems
from tests.browser.support.seen import attribute, box, change, each_still, still, until, until_is
from tests.browser.support.stage import ME, Stage, serve

pytestmark = pytest.mark.browser


def any_has(words: str, lines: list[str]) -> bool:
    """Return whether a line has these words."""
    return any(words in line for line in lines)


OWN_TURN = ".to-discard .hand-card.legal"


@asynccontextmanager
async def seated(
    browser: Browser, measure: Callable[[Any], float] = crowded.cards_in_hand
) -> AsyncIterator[tuple[Page, Stage]]:
    """Sit in a fixed position: a dealer who owes a discard, or another one."""
    stage = Stage()
    stage.show_view(crowded.table_view("0-fixed", ME, measure))
    runner, url = await serve(stage)
    try:
        async with opened(browser, url, PHONE, steady=True) as page:
            await page.wait_for_selector(".hand-card")
            yield page, stage
    finally:
        await stage.close()
        await runner.cleanup()


async def test_a_card_tapped_twice_is_played(browser: Browser) -> None:
    async with seated(browser) as (page, stage):
        card = page.locator(OWN_TURN).first
        name = await attribute(card, "data-card")
        await card.click(position={"x": 10, "y": 10})
        await page.wait_for_selector(".hand-card.selected")
        assert stage.acts == []
        await page.locator(".hand-card.selected").click(position={"x": 10, "y": 10})
        await until_is(stage.heard, [f"discard {name}"])


async def test_a_card_dragged_out_of_the_hand_is_played_and_one_let_go_near_it_is_not(
    browser: Browser,
) -> None:
    async with seated(browser) as (page, stage):
        card = page.locator(OWN_TURN).first
        name = await attribute(card, "data-card")
        lies = await box(card)
        for rise, is_asked in ((30, True), (140, False)):
            await page.mouse.move(lies["x"] + 12, lies["y"] + 12)
            await page.mouse.down()
            await page.mouse.move(lies["x"] + 60, lies["y"] + 12 - rise, steps=6)
            await page.wait_for_selector(".hand-card[data-dragged]")
            await page.mouse.up()
            await page.wait_for_selector(".hand-card[data-dragged]", state="detached")
            asked = await still(page, "document.querySelector('.rack').matches('.to-discard')")
            assert asked == is_asked
        await until_is(stage.heard, [f"discard {name}"])


async def test_a_card_is_chosen_with_arrows_and_played_with_enter(browser: Browser) -> None:
    async with seated(browser) as (page, stage):
        await page.keyboard.press("ArrowRight")
        name = await still(page, "document.activeElement.dataset.card")
        await page.keyboard.press("Enter")
        await page.wait_for_selector(".hand-card.selected")
        await page.keyboard.press("Enter")
        await until_is(stage.heard, [f"discard {name}"])


async def test_numbers_answer_a_claim_and_escape_closes_what_is_open(browser: Browser) -> None:
    async with seated(browser, crowded.choices) as (page, stage):
        await page.wait_for_selector("[data-action=chi]")
        verbs = await each_still(page, ".act-row .act", "node.dataset.action")
        await page.keyboard.press(str(1 + verbs.index("chi")))
        await page.wait_for_selector(".chi-way")
        await page.keyboard.press("Escape")
        await page.wait_for_selector(".chi-way", state="detached")
        await page.keyboard.press(str(1 + verbs.index("pass")))
        await page.wait_for_selector(".act-sent")
        await until_is(stage.heard, ["pass"])


async def test_cards_of_a_kan_cannot_be_touched(browser: Browser) -> None:
    async with seated(browser, crowded.kans) as (page, _):
        locked = page.locator(".column.locked .hand-card")
        await until(locked.count, lambda count: count >= 6)
        closed = await each_still(page, ".column.locked .hand-card", "node.disabled")
        assert closed == [True] * len(closed)
        open_ = await each_still(page, OWN_TURN, "node.disabled")
        assert open_ == [False] * len(open_) != []


async def test_language_and_order_of_the_hand_are_kept(browser: Browser) -> None:
    async with seated(browser) as (page, _):
        await page.click("[data-button=gear]")
        await page.click(".dialog .chip:text-is('English')")
        await page.click(".dialog .chip:text-is('By number')")
        await page.reload()
        await page.wait_for_selector("html[lang=en] .hand-card")
        first = "Number(node.querySelector('.hand-card').dataset.card.slice(1))"
        ranks = await each_still(page, ".column", first)
        assert ranks == sorted(ranks) != []


async def test_profile_and_room_rules_reach_the_services_as_they_were_set(browser: Browser) -> None:
    stage = Stage()
    runner, url = await serve(stage)
    async with opened(browser, url, PHONE, steady=True) as page:
        await page.click(".who")
        await page.click(".dialog .page-link[data-page=profile]")
        await page.fill("[data-field=nickname]", "洞庭湖")
        await page.click(".avatar-choice >> nth=2")
        await page.click(".page-buttons .primary")
        await page.wait_for_selector(".toast:has-text('资料已保存')")
        assert (stage.profile.nickname, stage.profile.avatar) == ("洞庭湖", "a03")  # the answer said so
        await page.click("[data-button=back]")
        await page.click(".big-create")
        await page.click(".dialog .preset-chips .chip >> nth=1")
        await page.click(".dialog .round-chips .chip >> nth=1")
        await page.click(".room-options summary")
        await page.click(".option:has-text('放炮胡') .switch")
        await page.click(".option:has-text('单家封顶点数') .number")
        await page.keyboard.type("50")
        await page.select_option(".option:has-text('三提五坎') .select", "off")
        await page.click(".dialog-buttons .primary")
        await page.wait_for_selector(".places")
        assert stage.room is not None
        assert (stage.room.preset, stage.room.rounds) == ("luzhou-10xi", 4)
        assert json.loads(stage.room.options_json) == {
            "discard_hu": True,
            "point_cap": 50,
            "santi_wukan": "off",
        }
    await runner.cleanup()


async def test_the_layout_checks_would_see_what_they_look_for(browser: Browser) -> None:
    """Each planted fault is reported; without this the other layout tests prove nothing."""
    faults = {
        ".seat-name { font-size: 12px !important }": "12px",
        ".bar-button { width: 30px !important; min-width: 0 !important }": "bar-button",
        ".seat-name { color: #2a6a50 }": "has contrast",
        ".own-river { margin-top: -80px }": "and .own-river",
        ".seat-figures { margin-top: -14px }": "runs into",
        ".melds { transform: translateX(-40px) }": "px out",
        ".actions { position: fixed; inset: 0; z-index: 9 }": "covered",
        "#app { width: 140vw }": "sideways",
    }
    async with seated(browser) as (page, _):
        await fits(page, table=True)
        for css, words in faults.items():
            await change(
                page,
                """(css) => {
                  const sheet = new CSSStyleSheet();
                  sheet.replaceSync(css);
                  document.adoptedStyleSheets = [sheet];
                }""",
                css,
            )
            await until(
                lambda: problems(page, table=True), functools.partial(any_has, words), within_ms=FITS_MS
            )
