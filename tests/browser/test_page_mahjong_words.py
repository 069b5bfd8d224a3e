"""Every name, payment, claim and rule of the mahjong games has words in both languages."""

from __future__ import annotations

import re
from typing import Any

import pytest

from engine import GAMES
from engine.kawuxing import explain as kawuxing
from engine.qinghunpeng import explain as qinghunpeng
from tests.browser.support import node

pytestmark = pytest.mark.skipif(node.NODE is None, reason="node is not installed")

FAMILIES = {
    "act": "hu liang gang peng chi pass piao discard",
    "choose": "chi gang",
    "how": "zimo gangkai discard gangpao qianggang bahua",
    "meld": "chi peng an ming bu",
    "offer": "discard bu",
    "say": "peng chi gang liang flower hu zimo",
}
"""Keys of all mahjong games that are put together at run time."""

STRINGS = 'const { STRINGS } = await load("js/lib/strings.mjs"); answer(STRINGS);'


def test_every_name_and_payment_of_the_engine_has_words_and_every_name_says_what_it_is() -> None:
    strings: dict[str, list[str]] = node.run(STRINGS)
    wanted = [f"kawuxing.{kind}.{name}" for name in kawuxing.NAMES_EN for kind in ("name", "about")]
    wanted += [f"qinghunpeng.{kind}.{name}" for name in qinghunpeng.NAMES_EN for kind in ("name", "about")]
    wanted += [f"mahjong.why.{why}" for why in [*kawuxing.WHYS_EN, *qinghunpeng.WHYS_EN]]
    wanted += [f"mahjong.{family}.{name}" for family, names in FAMILIES.items() for name in names.split()]
    assert sorted(key for key in wanted if not all(strings.get(key, [""]))) == []


RULES = """
const { kawuxing } = await load("js/games/kawuxing/game.mjs");
const { qinghunpeng } = await load("js/games/qinghunpeng/game.mjs");
answer(job.map(([name, options]) => {
  const face = name === "kawuxing" ? kawuxing : qinghunpeng;
  return [JSON.stringify(face.rules(options)), face.facts(options).join(" ")];
}));
"""


@pytest.mark.parametrize("name", ["kawuxing", "qinghunpeng"])
def test_the_rules_of_every_preset_are_told_in_words(name: str) -> None:
    game: Any = GAMES[name]
    every = {"ban_feeding": True, "min_fan": "hard", "piao_max": 3, "mai_ma": "du", "shukan": True}
    job = [[name, rules.options()] for rules in game.presets.values()]
    job += [[name, job[0][1] | every | {"shanglou": "dice"}], [name, {}]]
    for told, facts in node.run(RULES, job):
        assert len(told) > 200
        assert re.findall(r"(?:kawuxing|qinghunpeng|mahjong|value)\.[a-z_.]+", told + facts) == []
