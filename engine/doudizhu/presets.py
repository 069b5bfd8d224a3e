"""The presets of 斗地主, as data. A preset whose values change gets a new version."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from engine.doudizhu.rules import OPTIONS, RuleSet
from engine.presets import Presets

_CLASSIC: Final = RuleSet(
    preset="classic",
    version=1,
    first_speaker="random",
    face_up=False,
    bid="score",
    bid_rounds="once",
    redeal_limit=None,
    double="off",
    pair_as_two_solos=True,
    rocket_as_kickers=False,
    bomb_in_kickers=False,
    trio_in_wings=True,
    adjacent_trio_wing=True,
    four_two=True,
    scoring="multiply",
    bomb_mult=2,
    rocket_mult=2,
    spring=2,
    bomb_cap=None,
    win_cap_by_balance=False,
    base_stake=1,
)

_KNOWN: Final = (
    _CLASSIC,
    replace(_CLASSIC, preset="qiang", bid="qiang", double="on"),
    replace(_CLASSIC, preset="contest", scoring="linear"),
)

_BOOK: Final = Presets(_KNOWN, OPTIONS)

PRESETS: Final = _BOOK.by_id
"""The rule sets by preset id."""

preset: Final = _BOOK.preset
recorded: Final = _BOOK.recorded
