"""Every game and every preset has a name for people, in both languages."""

from __future__ import annotations

import re

import pytest

from engine import GAMES
from services.table import catalog

TITLES = [(game.game, "", game.title_zh, game.title_en) for game in catalog.list_games(GAMES).games] + [
    (game.game, preset.preset, preset.title_zh, preset.title_en)
    for game in catalog.list_games(GAMES).games
    for preset in game.presets
]


@pytest.mark.parametrize(("game", "preset", "zh", "en"), TITLES)
def test_every_game_and_preset_has_a_title_in_both_languages(
    game: str, preset: str, zh: str, en: str
) -> None:
    assert re.search("[\u4e00-\u9fff]", zh), f"{game}/{preset} is shown as {zh!r} in Chinese"
    assert en not in (preset or game, ""), f"{game}/{preset} is shown as {en!r} in English"


def test_no_title_is_for_a_preset_that_does_not_exist() -> None:
    named = {(game, preset) for game, presets in catalog._PRESETS.items() for preset in presets}
    there = {(game.name, preset) for game in GAMES.values() for preset in game.presets}
    assert {pair for pair in named if pair[0] in GAMES} <= there


def test_titles_of_a_game_are_all_different() -> None:
    for language in (2, 3):
        shown = [(row[0], row[language]) for row in TITLES if row[1]]
        assert len(set(shown)) == len(shown)
