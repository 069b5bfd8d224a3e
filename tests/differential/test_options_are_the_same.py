"""Both sides know the same presets and options, and refuse the same values."""

import json
from typing import Any

import pytest

from engine import GAMES, Refusal
from engine.paohuzi.rules import OPTIONS
from services.scoring.core import rules
from tests.differential.lockstep import Pair
from tests.differential.mutants.preset_mutants import PRESETS

GAME = GAMES["paohuzi"]


def test_the_presets_are_the_same() -> None:
    ours = {name: json.loads(options.canonical()) for name, options in rules.PRESETS.items()}
    assert {known.title: known.options() for known in GAME.presets.values()} == ours
    assert set(PRESETS) == set(GAME.presets)


def _candidates(name: str) -> list[Any]:
    info = OPTIONS[name]
    bounds = [info.low - 1, info.low, info.low + 1, info.high - 1, info.high, info.high + 1]
    words = [*info.choices, "", "off", "on", "none", "876", "changde-hhd", "discarder"]
    return [*words, *bounds, 0, 1, -1, 1.5, 10**12, True, False, None, [], {}]


@pytest.mark.parametrize("name", sorted(OPTIONS))
def test_an_option_has_the_same_values(name: str) -> None:
    accepted = 0
    for value in _candidates(name):
        options = {**GAME.presets["876cc"].options(), name: value}
        text = json.dumps(options, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        titles = ("876cc@1", "custom@0")
        theirs = [title for title in titles if _engine_takes(title, text)]
        assert theirs == [title for title in titles if _scoring_takes(title, text)], (name, value)
        accepted += bool(theirs)
    assert accepted >= 2


def _engine_takes(title: str, text: str) -> bool:
    try:
        return bool(GAME.ruleset_from(title, text))
    except Refusal:
        return False


def _scoring_takes(title: str, text: str) -> bool:
    try:
        return bool(rules.options_of_record(text, title))
    except rules.BadOptions:
        return False


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_is_spelt_the_same_in_records(preset: str) -> None:
    theirs, ours = Pair().same_rules(preset, {})
    assert theirs.as_json() == ours.canonical()
