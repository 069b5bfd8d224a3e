"""What a fresh tester saw go wrong from outside, each as a promise of the page."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from playwright.async_api import Browser, Page

from tests.browser.support import crowded, node
from tests.browser.support.chromium import DESKTOP, PHONE, UPRIGHT, opened
from tests.browser.support.layout import look
from tests.browser.support.seen import box, change, each, each_still, still, until, until_count, until_is
from tests.browser.support.stage import ME, Stage, serve

pytestmark = pytest.mark.browser

SIZES = pytest.mark.parametrize("size", [PHONE, DESKTOP, UPRIGHT], ids=["phone", "desktop", "upright"])

LONG = "W" * 120

COVERED_BY_BUBBLES = """() => {
  const boxOf = (node) => node.getBoundingClientRect();
  const boxes = (selector) => [...document.querySelectorAll(selector)].map((node) => [selector, boxOf(node)]);
  const seats = [".seat.left", ".seat.right", ".own"];
  const parts = [".portrait", ".seat-name", ".melds", ".river"];
  const overlap = (a, b) =>
    Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
  return seats.flatMap((seat) => {
    const bubble = boxOf(document.querySelector(`${seat} .bubble`));
    const rest = seats.filter((one) => one !== seat);
    const others = rest.flatMap((one) => parts.map((part) => `${one} ${part}`));
    return [".rack .hand-card", ".act", ".bar", ".own-melds .card", `${seat} .portrait`, ...others]
      .flatMap(boxes)
      .filter(([, box]) => overlap(bubble, box))
      .map(([selector]) => `${seat} covers ${selector}`)
      .concat(bubble.left < 0 || bubble.right > innerWidth ? [`${seat} runs out of the screen`] : []);
  });
}"""


@asynccontextmanager
async def staged(browser: Browser, stage: Stage, size: tuple[int, int], **how: Any) -> AsyncIterator[Page]:
    """Open the page on a stage."""
    runner, url = await serve(stage)
    try:
        async with opened(browser, url, size, steady=True, **how) as page:
            yield page
    finally:
        await stage.close()
        await runner.cleanup()


@SIZES
async def test_a_long_message_covers_nobody_and_the_panel_has_all_of_it(
    browser: Browser, size: tuple[int, int]
) -> None:
    stage = Stage()
    view = crowded.table_view("0-fixed", ME, crowded.choices)
    for seat, player in enumerate((ME, "p_right", "p_left")):
        view.seats[seat].player_id = player
    stage.show_view(view)
    async with staged(browser, stage, size, lasting=True) as page:
        await page.wait_for_selector(".hand-card")
        for player in (ME, "p_right", "p_left"):
            await stage.talk(player, LONG)
        for place in (".own", ".seat.left", ".seat.right"):
            await page.wait_for_selector(f"{place} .bubble")
        await look(page, "bubbles")
        assert await still(page, COVERED_BY_BUBBLES) == []
        lines = "node.clientHeight / parseFloat(getComputedStyle(node).lineHeight)"
        assert max(await each_still(page, ".bubble", lines)) < 2.9
        await page.click("[data-button=chat]")
        await until_is(lambda: each(page, ".messages li", "node.textContent.match(/W/g).length"), [120] * 3)


async def test_the_page_is_chinese_to_every_browser_until_english_is_chosen_and_keeps_that(
    browser: Browser,
) -> None:
    async with staged(browser, Stage(), PHONE, language="en-US") as page:
        await page.wait_for_selector(".hall")
        await page.wait_for_selector("html[lang=zh-CN] .big-bots:has-text('和电脑玩')")
        await page.click("[data-button=gear]")
        await page.click(".dialog .chip:text-is('English')")
        await page.wait_for_selector("html[lang=en]")
        await page.reload()
        await page.wait_for_selector("html[lang=en] .hall")


async def test_the_buttons_of_a_dialog_hide_nothing_of_it_on_a_phone(browser: Browser) -> None:
    async with staged(browser, Stage(), PHONE) as page:
        await page.wait_for_selector(".hall")
        for opener, last in (
            ("[data-button=gift]", ".day >> nth=-1"),
            (".big-create", ".room-options summary"),
        ):
            await page.click(opener)
            await page.wait_for_selector(".dialog-buttons")
            # The form of a room is longer than a phone that lies: its end can be scrolled to.
            await page.locator(last).scroll_into_view_if_needed()
            lowest = await box(page.locator(last))
            buttons = await box(page.locator(".dialog-buttons"))
            assert lowest["y"] + lowest["height"] <= buttons["y"] + 1, last
            await look(page, "dialog" + opener)
            await page.keyboard.press("Escape")
            await page.wait_for_selector(".dialog", state="detached")


async def test_the_own_name_is_whole_on_a_phone(browser: Browser) -> None:
    stage = Stage()
    stage.profile.nickname = "牌友9999"
    stage.show_view(crowded.table_view("0-fixed", ME, crowded.cards_in_hand))
    async with staged(browser, stage, PHONE) as page:
        await page.wait_for_selector(".own .seat-name:has-text('牌友9999')")
        cut = await each_still(page, ".own .seat-name", "node.scrollWidth - node.clientWidth")
        assert [over <= 0 for over in cut] == [True]


async def test_tabs_of_presets_fade_out_where_there_are_more_and_not_at_the_end(browser: Browser) -> None:
    async with staged(browser, Stage(), PHONE) as page:
        await page.wait_for_selector(".preset-tab")
        ends = await still(
            page,
            """() => {
              const row = document.querySelector(".presets");
              const more = row.scrollWidth - row.clientWidth;
              row.scrollLeft = more;
              const fades = getComputedStyle(row).maskImage;
              const last = row.lastElementChild.getBoundingClientRect();
              const gap = row.getBoundingClientRect().right - last.right;
              return { more, fades, gap };
            }""",
        )
        assert ends["more"] > 0
        assert "transparent" in ends["fades"] or "rgba(0, 0, 0, 0)" in ends["fades"]
        assert ends["gap"] >= 40


@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
async def test_nothing_scrolls_the_bar_off_the_table(browser: Browser, size: tuple[int, int]) -> None:
    stage = Stage()
    stage.show_view(crowded.table_view("0-fixed", ME, crowded.cards_in_hand))
    async with staged(browser, stage, size) as page:
        await page.wait_for_selector(".hand-card")
        await change(
            page,
            """() => {
              for (const card of document.querySelectorAll(".hand-card")) {
                card.focus();
                card.scrollIntoView({ block: "center" });
              }
              document.querySelector(".table").scrollTop = 60;
            }""",
        )
        assert await each_still(page, ".bar", "node.getBoundingClientRect().top") == [0]


async def test_a_new_player_waits_for_his_first_gold_instead_of_being_refused(browser: Browser) -> None:
    stage = Stage()
    stage.is_new, stage.gold = True, 0
    async with staged(browser, stage, PHONE) as page:
        await page.wait_for_selector(".hall")
        # In one look: the page asks for the gold for ten seconds only.
        told = ".big-bots, .big-match, .hall .primary, .hall .plain, .hall-closed, .big-bots .spinner"
        seen = await until(
            lambda: each(page, told, "[node.className, node.disabled]"),
            lambda seen: sum(bool(disabled) for _, disabled in seen) >= 2 + 6,
        )
        stage.gold = 20_000
        assert all(disabled for name, disabled in seen if "spinner" not in name)
        assert [name for name, _ in seen if "spinner" in name or "closed" in name] == ["spinner"]
        await page.wait_for_selector(".big-bots:not([disabled])")
        await until_is(lambda: page.inner_text(".gold"), "20,000")
        await page.click(".big-bots")
        await page.wait_for_selector(".hand-card")


async def test_a_result_offers_the_next_round_once_and_shows_the_others_hands_only(browser: Browser) -> None:
    async with staged(browser, Stage(seed=5, pace_s=0.0, rounds=2), DESKTOP) as page:
        await page.click(".big-bots")
        await page.wait_for_selector(".hand-card")
        await page.click("[data-button=auto]")
        await page.wait_for_selector(".result .round-result")
        await until_count(page, "[data-action=ready]", 1)
        await page.click(".hands summary")
        names = await until(lambda: each(page, ".rest-name"), len)
        assert all(name.startswith("电脑") for name in names)


async def test_the_end_of_a_match_leads_to_the_score_of_its_last_round(browser: Browser) -> None:
    async with staged(browser, Stage(seed=5, pace_s=0.0, rounds=1), PHONE) as page:
        await page.click(".big-bots")
        await page.wait_for_selector(".hand-card")
        # In one step: where nobody has to wait for us, the round may be over before a click could arrive.
        await change(page, "document.querySelector('[data-button=auto]')?.click()")
        await page.wait_for_selector(".result .final")
        await look(page, "match-end")
        button = page.locator(".to-round")
        foot = await box(page.locator(".result-foot"))
        lies = await box(button)
        assert lies["y"] + lies["height"] <= foot["y"] + 1
        await button.click()
        scores = await box(page.locator(".scores"))
        assert scores["y"] < foot["y"]


async def test_seats_that_give_numbers_for_the_shuffle_are_marked(browser: Browser) -> None:
    stage = Stage()
    view = crowded.table_view("0-fixed", ME, crowded.cards_in_hand)
    view.seats[0].gives_nonces = view.seats[2].gives_nonces = True
    stage.show_view(view)
    async with staged(browser, stage, PHONE) as page:
        await page.wait_for_selector(".hand-card")
        await look(page, "gives", table=True)
        marked = await each_still(page, "main section:has(.gives)", "node.className")
        assert sorted(marked) == ["own", "seat left"]


@pytest.mark.skipif(node.NODE is None, reason="node is not installed")
def test_no_person_can_choose_the_picture_of_a_bot() -> None:
    said = node.run(
        """
        const { AVATARS, avatar, avatarPicture } = await load("js/view/people.mjs");
        const state = { profiles: new Map() };
        const emblem = (one) => JSON.stringify(one.children);
        answer({
          people: AVATARS.map((key) => emblem(avatarPicture(key))),
          bots: [0, 1, 2].map((seat) => emblem(avatar(state, "bot:normal", seat))),
        });
        """
    )
    assert len({*said["people"], *said["bots"]}) == 24 + 3
