"""Every game, preset, option and value of an option has a name for people, in both languages."""

from __future__ import annotations

import re

import pytest
from paiju.table.v1.table_service_pb2 import Game

from engine import GAMES
from services.table import catalog

LISTED = list(catalog.list_games(GAMES).games)

HAN = re.compile("[\u4e00-\u9fff]")

PLAIN = re.compile(r"[A-Z0-9][A-Za-z0-9 ,.:'-]*")
"""English words, without a Chinese character or an identifier's underscore."""


@pytest.mark.parametrize("game", LISTED, ids=lambda game: game.game)
def test_every_game_and_preset_has_a_title_in_both_languages(game: Game) -> None:
    for zh, en, own in [(game.title_zh, game.title_en, game.game)] + [
        (preset.title_zh, preset.title_en, preset.preset) for preset in game.presets
    ]:
        assert HAN.search(zh), f"{game.game}: {own} is shown as {zh!r} in Chinese"
        assert PLAIN.fullmatch(en), f"{game.game}: {own} is shown as {en!r} in English"


@pytest.mark.parametrize("game", LISTED, ids=lambda game: game.game)
def test_every_option_and_every_value_has_words_in_both_languages(game: Game) -> None:
    assert game.options
    for option in game.options:
        assert HAN.search(option.title_zh), f"{game.game}: {option.name} is shown as {option.title_zh!r}"
        assert PLAIN.fullmatch(option.title_en), f"{game.game}: {option.name} is shown as {option.title_en!r}"
        assert len(option.values) == len(option.values_zh) == len(option.values_en)
        assert bool(option.values) == (option.type == "enum")
        for value, zh, en in zip(option.values, option.values_zh, option.values_en, strict=True):
            assert HAN.search(zh), f"{game.game}: {option.name}={value} is shown as {zh!r}"
            assert PLAIN.fullmatch(en), f"{game.game}: {option.name}={value} is shown as {en!r}"


SENTENCE_ZH = re.compile(r"[^A-Za-z_]*[\u4e00-\u9fff][^A-Za-z_]*。")
SENTENCE_EN = re.compile(r"[A-Z][A-Za-z0-9 ,.:;()'-]*\.")
"""Sentences, neither with a word of the other language."""

IDENTIFIER = re.compile(r"\w_\w|`|\b[a-z]+\d|\b[b-df-hj-np-tv-xz]{2,}\b", re.ASCII)
"""What is for programs: ``min_xi``, ``pao2``, ``qmt``: an underscore, a digit, no vowel."""


@pytest.mark.parametrize("game", LISTED, ids=lambda game: game.game)
def test_every_option_says_what_it_does_in_both_languages(game: Game) -> None:
    for option in game.options:
        zh, en = option.text_zh, option.text_en
        assert SENTENCE_ZH.fullmatch(zh), f"{game.game}: {option.name} says {zh!r} in Chinese"
        assert SENTENCE_EN.fullmatch(en), f"{game.game}: {option.name} says {en!r} in English"
        for text in (zh, en):
            assert not IDENTIFIER.search(text), f"{game.game}: {option.name} names an identifier: {text!r}"
            assert text.rstrip(".。") not in (option.title_zh, option.title_en), (
                f"{game.game}: {option.name} only repeats"
            )


@pytest.mark.parametrize("game", LISTED, ids=lambda game: game.game)
def test_no_two_options_of_a_game_say_the_same(game: Game) -> None:
    for texts in ([one.text_zh for one in game.options], [one.text_en for one in game.options]):
        assert len(set(texts)) == len(texts)


def test_no_title_is_for_what_does_not_exist() -> None:
    assert set(GAMES) <= set(catalog.TITLES)
    for game in LISTED:
        titles = catalog.TITLES[game.game]
        assert set(titles.presets) == {preset.preset for preset in game.presets}
        assert set(titles.options) == set(titles.texts) == {option.name for option in game.options}
        named = {(option, value) for option, values in titles.values.items() for value in values}
        assert named == {(option.name, value) for option in game.options for value in option.values}


@pytest.mark.parametrize("game", LISTED, ids=lambda game: game.game)
def test_titles_beside_each_other_are_all_different(game: Game) -> None:
    beside: list[list[str]] = [
        [preset.title_zh for preset in game.presets],
        [preset.title_en for preset in game.presets],
        [option.title_zh for option in game.options],
        [option.title_en for option in game.options],
        *[list(option.values_zh) for option in game.options],
        *[list(option.values_en) for option in game.options],
    ]
    for titles in beside:
        assert len(set(titles)) == len(titles), titles


def test_an_option_says_what_it_may_be() -> None:
    doudizhu = next(game for game in LISTED if game.game == "doudizhu")
    options = {option.name: option for option in doudizhu.options}
    assert (options["bomb_cap"].type, options["bomb_cap"].minimum, options["bomb_cap"].maximum) == (
        "int",
        1,
        14,
    )
    assert options["bomb_cap"].optional
    assert not options["bomb_mult"].optional
    assert options["four_two"].type == "bool"
