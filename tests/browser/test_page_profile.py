"""The profile on the real platform: what others see, what is refused, and looks that change the page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.async_api import Browser, Page

from tests.browser.support.chromium import CHROMIUM, opened
from tests.browser.support.layout import look
from tests.browser.support.pages import DESKTOP, LYING, UPRIGHT, look_everywhere, staged
from tests.browser.support.patient import patient_halls
from tests.browser.support.seen import change, each, each_still, until, until_is
from tests.browser.support.stage import Stage
from tests.support.up import Up

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
]

SAVE = "[data-panel=others] .primary"
GROUND = "getComputedStyle(node).backgroundColor"


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    """One platform for the tests of this file; each brings players of its own."""
    folder = tmp_path_factory.mktemp("profile")
    with Up(folder / "data", env=patient_halls(folder)) as running:
        yield running


def at(up: Up) -> str:
    """Return the address of the page."""
    return up.said.url.rstrip("/") + "/#profile"


async def test_a_profile_is_filled_in_and_kept(browser: Browser, up: Up) -> None:
    async with opened(browser, at(up), UPRIGHT) as page:
        await page.fill("[data-field=nickname]", "洞庭湖")
        await page.click(".avatar-choice >> nth=14")
        await page.select_option("[data-field=region]", "CN-HB")
        await page.select_option("[data-field=city]", label="孝感")
        # Another region, another list: nothing of it is chosen yet.
        await page.select_option("[data-field=region]", "CN-HN")
        await until_is(lambda: each(page, "[data-field=city]", "node.value"), [""])
        await page.select_option("[data-field=city]", label="常德")
        await page.select_option("[data-field=dialect]", "changsha")
        await page.fill("[data-field=homepage]", "https://example.org/me")
        await page.click(SAVE)
        await page.wait_for_selector(".toast.good")
        await page.reload()
        await page.wait_for_selector(".avatar-choice:nth-child(15)[aria-checked=true]")
        fields = "[data-panel=others] [data-field]"
        await until_is(
            lambda: each(page, fields, "node.value"),
            ["洞庭湖", "CN-HN", "430700", "changsha", "https://example.org/me"],
        )
        await look_everywhere(page, "page-profile", ".avatars")


WRONG = [
    ("nickname", "一二三四五六七八九十甲乙丙", "太长了"),
    ("nickname", "a\u200bb", "看不见"),
    ("nickname", "a\u202eb", "看不见"),
    ("nickname", " ", "总得有个名字"),
    ("homepage", "http://example.org", "https"),
    ("homepage", "javascript:alert(1)", "https"),
]


async def test_what_cannot_be_taken_is_said_while_it_is_typed(browser: Browser) -> None:
    async with staged(browser, Stage(), UPRIGHT, "#profile") as page:
        for field, typed, words in WRONG:
            await page.fill(f"[data-field={field}]", typed)
            await page.wait_for_selector(f".page-field.bad .field-about:has-text('{words}')")
            await page.wait_for_selector(f"{SAVE}[disabled]")
            await page.fill(f"[data-field={field}]", "https://example.org" if field == "homepage" else "渔夫")
            await page.wait_for_selector(".page-field.bad", state="detached")


async def test_a_name_that_the_service_does_not_take_is_refused_beside_its_field_and_nothing_is_lost(
    browser: Browser, up: Up
) -> None:
    async with opened(browser, at(up), DESKTOP) as page:
        await page.fill("[data-field=nickname]", "官方客服")
        await page.fill("[data-field=homepage]", "https://example.org")
        await page.click(SAVE)
        await page.wait_for_selector(".page-field.bad .field-about:has-text('保留')")
        await until_is(lambda: each(page, "[data-field=homepage]", "node.value"), ["https://example.org"])
        await page.fill("[data-field=nickname]", "渔夫")
        await page.click(SAVE)
        await page.wait_for_selector(".toast.good")


async def grounds(page: Page) -> list[Any]:
    """Return the colours of the page's ground and of its first panel."""
    return await each_still(page, "main.page, [data-panel=others]", GROUND)


async def test_the_night_changes_the_page_at_once_follows_the_account_and_felts_change_the_table(
    browser: Browser, up: Up
) -> None:
    async with opened(browser, at(up), DESKTOP) as page:
        await page.wait_for_selector("[data-panel=looks]")
        day = await grounds(page)
        await page.click("[data-chips=theme] [data-value=dark]")
        await page.wait_for_selector("html[data-theme=dark]")
        assert all(night != light for night, light in zip(await grounds(page), day, strict=True))
        await look(page, "page-profile-night")
        await page.click("[data-chips=felt] [data-value=blue]")
        await page.wait_for_selector("html[data-felt=blue]")
        await page.reload()
        await page.wait_for_selector("html[data-theme=dark][data-felt=blue]")
        # The account's theme comes to a browser that has kept none.
        await change(page, "localStorage.removeItem('paiju.theme')")
        await page.reload()
        await page.wait_for_selector("html[data-theme=dark][data-felt=green]")


NIGHT = "localStorage.setItem('paiju.theme', JSON.stringify({ theme: 'dark', felt: 'red' }))"
FELT = "(felt) => { document.documentElement.dataset.felt = felt; }"


async def look_at_felts(page: Page, name: str) -> None:
    """Look at what is open on every felt."""
    for felt in ("green", "blue", "red", "slate"):
        await change(page, FELT, felt)
        await look(page, f"{name}-{felt}")


async def test_lobby_dialogs_table_and_result_can_be_read_at_night_on_every_felt(browser: Browser) -> None:
    async with staged(browser, Stage(seed=5, pace_s=0.0, rounds=1), LYING) as page:
        await page.wait_for_selector(".hall")
        await change(page, NIGHT)
        await page.reload()
        await page.wait_for_selector("html[data-theme=dark][data-felt=red] .hall")
        await look_at_felts(page, "night-lobby")
        for name in ("gift", "chart", "gear"):
            await page.click(f"[data-button={name}]")
            await page.wait_for_selector(".dialog")
            await look(page, f"night-{name}")
            await page.keyboard.press("Escape")
            await page.wait_for_selector(".dialog", state="detached")
        await page.click(".big-create")
        await page.wait_for_selector(".dialog")
        await look(page, "night-create")
        await page.keyboard.press("Escape")
        await page.click(".big-bots")
        await page.wait_for_selector(".hand-card")
        await look_at_felts(page, "night-table")
        await page.click("[data-button=auto]")
        await page.wait_for_selector("[data-audit=AGREED]")
        await page.wait_for_selector("[data-fair=ok]")
        await look_at_felts(page, "night-result")


async def test_statistics_of_what_was_played_are_on_the_profile(browser: Browser) -> None:
    async with staged(browser, Stage(), UPRIGHT, "#profile") as page:
        figures = await until(lambda: each(page, "[data-panel=statistics] .figure dd"), len)
        assert figures[0] == "128"
        await look(page, "page-profile-statistics")
