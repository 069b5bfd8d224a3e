"""Pages have addresses: Back, a reload and a link work as anywhere, and a live table comes first."""

from __future__ import annotations

import pytest
from playwright.async_api import Browser

from tests.browser.support import crowded
from tests.browser.support.layout import look
from tests.browser.support.pages import DESKTOP, LYING, UPRIGHT, go, staged
from tests.browser.support.seen import change, until_is
from tests.browser.support.stage import ME, Stage

pytestmark = pytest.mark.browser

HASH = "location.hash"
PROFILE = "main.page[data-page=profile]"


async def test_back_a_reload_and_a_link_work_as_anywhere(browser: Browser) -> None:
    async with staged(browser, Stage(), UPRIGHT) as page:
        await page.wait_for_selector(".hall")
        await go(page, "profile")
        await until_is(lambda: page.evaluate(HASH), "#profile")
        await page.reload()
        await page.wait_for_selector(PROFILE)
        await page.go_back()
        await page.wait_for_selector("main.lobby .hall")
        await page.go_forward()
        await page.wait_for_selector(PROFILE)
        await page.click("[data-button=back]")
        await page.wait_for_selector("main.lobby .hall")
        await until_is(lambda: page.evaluate(HASH), "")


@pytest.mark.parametrize(
    ("size", "language"), [(DESKTOP, "zh-CN"), (UPRIGHT, "en")], ids=["desktop", "upright-english"]
)
async def test_a_link_to_a_page_opens_it_and_its_title_has_the_focus(
    browser: Browser, size: tuple[int, int], language: str
) -> None:
    async with staged(browser, Stage(), size, "#profile", chosen=language) as page:
        await page.wait_for_selector(f"{PROFILE} .avatars")
        await until_is(lambda: page.evaluate("document.activeElement.tagName"), "H1")
        title = {"zh-CN": "我的资料 · 牌局", "en": "My profile · Paiju"}
        await until_is(page.title, title[language])
        await look(page, "page-profile")


async def test_an_address_of_no_page_is_the_lobby(browser: Browser) -> None:
    async with staged(browser, Stage(), LYING, "#nowhere") as page:
        await page.wait_for_selector("main.lobby .hall")
        for wrong in ("#profile%", "#%E0%A4%A", "#constructor", "#a=b", "#staff"):
            await change(page, "location.hash = '#profile'")
            await page.wait_for_selector(PROFILE)
            await change(page, "(wrong) => { location.hash = wrong; }", wrong)
            await page.wait_for_selector("main.lobby .hall")


async def test_a_live_table_comes_before_the_page_of_the_address_and_is_one_touch_away(
    browser: Browser,
) -> None:
    stage = Stage()
    stage.show_view(crowded.table_view("0-fixed", ME, crowded.choices))
    async with staged(browser, stage, LYING, "#profile") as page:
        await page.wait_for_selector(".hand-card")
        await until_is(lambda: page.evaluate(HASH), "")
        await page.click("[data-button=menu]")
        await page.click(".menu-item:text-is('我的')")
        await page.click(".pages-menu [data-page=profile]")
        await page.wait_for_selector(f"{PROFILE} [data-strip=table].urgent .seconds")
        await look(page, "page-over-table")
        await page.keyboard.press("1")  # a key of the game means nothing here
        await page.click("[data-strip=table] button")
        await page.wait_for_selector(".hand-card")
        assert stage.acts == []


async def test_a_table_that_opens_takes_the_place_of_the_page(browser: Browser) -> None:
    stage = Stage(seed=5)
    stage.waits = True
    async with staged(browser, stage, LYING) as page:
        await page.click(".big-match")
        await page.wait_for_selector(".wait")
        await change(page, "location.hash = '#profile'")
        await page.wait_for_selector(f"{PROFILE} [data-strip=ticket]")
        stage.open_table("paohuzi", stage.preset)
        stage.handlers["GetTicket"] = stage.handlers["CreateTicket"]
        stage.waits = False
        await page.wait_for_selector("main.table .hand-card")
        await page.go_back()
        await page.wait_for_selector("main.table .hand-card")


async def test_escape_goes_home_but_not_while_somebody_types(browser: Browser) -> None:
    async with staged(browser, Stage(), UPRIGHT, "#profile") as page:
        await page.click("[data-field=nickname]")
        await page.keyboard.press("Escape")
        await page.wait_for_selector(PROFILE)
        await page.focus("[data-button=back]")
        await page.keyboard.press("Escape")
        await page.wait_for_selector("main.lobby .hall")
