"""The rules in short on the page say what the options of the table say, whichever they are."""

from __future__ import annotations

import re
from typing import Any

import pytest

from engine import GAMES
from tests.browser.support import node

pytestmark = pytest.mark.skipif(node.NODE is None, reason="node is not installed")

TOLD = """
const { setLanguage } = await load("js/lib/i18n.mjs");
const { gameOf } = await load("js/games/registry.mjs");
const storage = { setItem() {} };
answer(job.map(([language, name, options]) => {
  setLanguage(language, storage);
  return JSON.stringify(gameOf(name).rules(options));
}));
"""

KEY = re.compile(r"(?:paohuzi|doudizhu|kawuxing|qinghunpeng|mahjong|rules|value|sentence)\.[a-z_.]+")


def _told(job: list[list[Any]]) -> list[str]:
    said: list[str] = node.run(TOLD, job)
    return said


def _with(game: str, preset: str, **changes: object) -> dict[str, Any]:
    return {**GAMES[game].presets[preset].options(), **changes}


@pytest.mark.parametrize("game", sorted(GAMES))
def test_the_rules_of_every_preset_have_words_in_both_languages(game: str) -> None:
    rule_sets = [{}, *[preset.options() for preset in GAMES[game].presets.values()]]
    job = [[language, game, options] for options in rule_sets for language in ("zh-CN", "en")]
    for told in _told(job):
        assert len(told) > 200
        assert KEY.findall(re.sub(r'"key":"[^"]*"', "", told)) == []


CASES: list[tuple[str, str, dict[str, object], str, str]] = [
    ("paohuzi", "876cc", {"discard_hu": True}, "放炮的一家独付", "只能胡墩上"),
    ("paohuzi", "876cc", {"discard_hu": True, "discard_hu_pays": "all"}, "两家都付", "独付"),
    ("paohuzi", "876cc", {"zimo_deng": 2}, "自摸加 2 等", "自摸加 1 等"),
    ("paohuzi", "876cc", {"zimo_deng": 0}, "名堂番数相加", "自摸加"),
    ("paohuzi", "876cc", {"names": "none"}, "没有名堂", "番数相加"),
    ("paohuzi", "tongyi-qmt", {}, "可碰而不碰的牌不可再碰", "可吃可碰而不要"),
    ("paohuzi", "876cc", {"own_discard_dead": False}, "可吃可碰而不要", "自己打出过"),
    ("paohuzi", "876cc", {"chou_hu": "off"}, "成为臭牌", "臭胡"),
    ("doudizhu", "classic", {}, "轮流叫 1、2、3 分", "叫地主："),
    ("doudizhu", "qiang", {}, "三家同时选择加倍", "轮流叫 1、2、3 分"),
    ("doudizhu", "contest", {}, "炸弹 +1", "炸弹 ×2"),
    ("doudizhu", "classic", {"bomb_mult": 3, "spring": 1}, "炸弹 ×3", "春天"),
    ("doudizhu", "classic", {"bomb_cap": 4}, "最多算 4 个", "三家同时"),
    ("doudizhu", "classic", {"redeal_limit": 3}, "连续 3 次", "抢一次"),
    ("kawuxing", "seed004", {"reveal_auto_hu": False}, "亮倒的人赢按两倍", "能胡自动胡"),
    ("kawuxing", "seed004", {"reveal_doubles_loser": "discard_only"}, "别人自摸则不翻", "别人自摸时也一样"),
    ("kawuxing", "seed004", {"min_fan": "soft"}, "软开口", "硬开口"),
    ("kawuxing", "suizhou", {}, "亮倒的人自摸后翻", "包胡："),
    ("qinghunpeng", "seed000", {"stack": "add"}, "加在牌型的分上", "取最大的一项"),
    ("qinghunpeng", "seed000", {"head_bump": True}, "截胡", "一炮多响"),
    ("qinghunpeng", "seed000", {"cap": 30}, "每份最多 30 分", "承包"),
    ("qinghunpeng", "shanghai", {}, "互相承包", "每份最多"),
]
"""Game, preset, changed options, what must be said then, and what must not."""


def test_a_changed_option_changes_what_the_rules_say() -> None:
    told = _told([["zh-CN", game, _with(game, preset, **changes)] for game, preset, changes, _, _ in CASES])
    for (game, _, changes, wanted, unwanted), said in zip(CASES, told, strict=True):
        assert wanted in said, (game, changes, wanted)
        assert unwanted not in said, (game, changes, unwanted)
