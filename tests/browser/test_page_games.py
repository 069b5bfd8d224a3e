"""The lobby offers every game: rule sets, quick matches, and rooms whose form comes from the catalogue."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from playwright.async_api import Browser, Page

from tests.browser.support.chromium import DESKTOP, PHONE, opened
from tests.browser.support.layout import look
from tests.browser.support.seen import each, until_count, until_is
from tests.browser.support.stage import Stage, serve

pytestmark = pytest.mark.browser

SMALL = (360, 640)
TITLES = {"paohuzi": "跑胡子", "doudizhu": "斗地主", "kawuxing": "卡五星", "qinghunpeng": "清混碰"}


@asynccontextmanager
async def lobby(
    browser: Browser, size: tuple[int, int] = DESKTOP, language: str = "zh-CN"
) -> AsyncIterator[tuple[Page, Stage]]:
    """Open the lobby of a stage with every game."""
    stage = Stage(pace_s=0.0)
    runner, url = await serve(stage)
    try:
        async with opened(browser, url, size, chosen=language, steady=True) as page:
            await page.wait_for_selector(".hall")
            yield page, stage
    finally:
        await stage.close()
        await runner.cleanup()


async def test_every_game_has_a_tab_with_its_title_seats_and_rule_sets(browser: Browser) -> None:
    async with lobby(browser) as (page, stage):
        for game in stage.catalogue.games:
            tab = page.locator(f".game-tab[data-game={game.game}]")
            await until_is(tab.text_content, f"{TITLES[game.game]}{game.seats} 人")
            await tab.click()
            titles = [preset.title_zh for preset in list(game.presets)[:4]]
            await until_is(lambda: each(page, ".preset-tab"), titles)
            await until_count(page, ".hall", 3)


@pytest.mark.parametrize("game", sorted(TITLES))
async def test_a_quick_match_asks_for_a_hall_of_the_chosen_game(browser: Browser, game: str) -> None:
    async with lobby(browser) as (page, stage):
        stage.waits = True
        await page.click(f".game-tab[data-game={game}]")
        await page.click(".preset-tab >> nth=1")
        await page.click(".big-match")
        await page.wait_for_selector(".wait")
        preset = next(one for one in stage.catalogue.games if one.game == game).presets[1].preset
        assert [hall.rsplit("/", 1)[0] for hall in stage.gone] == [f"{game}/{preset}"]


@pytest.mark.parametrize("game", sorted(TITLES))
async def test_the_room_form_has_every_option_of_the_game_in_rule_words(browser: Browser, game: str) -> None:
    async with lobby(browser, PHONE) as (page, stage):
        said = next(one for one in stage.catalogue.games if one.game == game)
        await page.click(".big-create")
        await page.click(f".game-chips [data-game={game}]")
        await page.click(".room-options summary")
        wanted = [option.title_zh for option in said.options if option.name not in ("base_stake", "fee")]
        await until_is(lambda: each(page, ".option-title", "node.firstChild.textContent.trim()"), wanted)
        texts = [option.text_zh for option in said.options if option.name not in ("base_stake", "fee")]
        await until_is(lambda: each(page, ".option-text"), texts)
        await page.wait_for_selector(".option-text")
        choices = [words for option in said.options for words in option.values_zh]
        await until_is(lambda: each(page, ".option option"), choices)
        await page.click(".option .switch >> nth=0")
        await page.click(".dialog-buttons .primary")
        await page.wait_for_selector(".places")
        assert stage.room is not None
        assert stage.room.game == game
        assert len(stage.room.places) == said.seats
        first = next(option for option in said.options if option.type == "bool")
        defaults = json.loads(said.presets[0].options_json)
        assert json.loads(stage.room.options_json) == {first.name: not defaults[first.name]}


async def test_a_number_out_of_range_is_cut_and_one_that_must_be_is_kept(browser: Browser) -> None:
    async with lobby(browser) as (page, stage):
        await page.click(".big-create")
        await page.click(".game-chips [data-game=doudizhu]")
        await page.click(".room-options summary")
        bomb = page.locator(".option:has-text('炸弹倍数') .number, .option:has-text('炸弹翻') .number").first
        for typed, shown in (("9", "4"), ("", "4"), ("3", "3")):
            await bomb.fill(typed)
            await bomb.press("Tab")
            await until_is(bomb.input_value, shown)
        await page.click(".dialog-buttons .primary")
        await page.wait_for_selector(".places")
        assert stage.room is not None
        assert json.loads(stage.room.options_json) == {"bomb_mult": 3}


async def test_the_owner_chooses_how_well_the_bots_of_his_room_play(browser: Browser) -> None:
    async with lobby(browser) as (page, stage):
        await page.click(".game-tab[data-game=paohuzi]")
        await page.click(".big-create")
        await page.click(".dialog-buttons .primary")
        await page.wait_for_selector(".bot-levels")
        bots = next(one for one in stage.catalogue.games if one.game == "paohuzi").bots
        levels = [level for level in ("easy", "normal", "hard") if level in bots]
        await until_is(lambda: each(page, "[data-bot]", "node.dataset.bot"), levels)
        await page.click("[data-bot=easy]")
        await page.wait_for_selector(".place-level:has-text('简单')")
        assert stage.filled == ["easy"]


@pytest.mark.parametrize("game", sorted(TITLES))
@pytest.mark.parametrize(("size", "language"), [(SMALL, "zh-CN"), (SMALL, "en"), (PHONE, "en")])
async def test_the_lobby_of_every_game_fits_its_screenshots(
    browser: Browser, size: tuple[int, int], language: str, game: str
) -> None:
    async with lobby(browser, size, language) as (page, _):
        await page.click(f".game-tab[data-game={game}]")
        await look(page, f"lobby-{game}")
        await page.click(".big-create")
        await page.click(f".game-chips [data-game={game}]")
        await page.click(".room-options summary")
        await look(page, f"room-form-{game}")
        await page.keyboard.press("Escape")
        await page.click(".preset-facts .plain")
        await page.wait_for_selector(".dialog details")
        await look(page, f"rules-{game}")
