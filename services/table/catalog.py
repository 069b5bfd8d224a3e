"""The games as the page and integrators see them, with their names for people."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from paiju.table.v1 import table_service_pb2 as s

from engine.face import Game

_GAMES = {
    "paohuzi": ("跑胡子", "Paohuzi"),
    "doudizhu": ("斗地主", "Doudizhu"),
    "kawuxing": ("卡五星", "Kawuxing"),
}
_PRESETS = {
    "paohuzi": {
        "876cc": ("八七六", "876"),
        "luzhou-10xi": ("泸州 十息", "Luzhou, ten xi"),
        "bafang-yongzhou": ("八方永州扯胡子", "Bafang Yongzhou"),
        "tongyi-qmt": ("统一全名堂", "All names"),
        "changde-hhd": ("常德 红黑点", "Changde, red, black, one red"),
        "changde-qmt": ("常德 全名堂", "Changde, all names"),
        "changde-dhd": ("常德 多红对", "Changde, red and pairs"),
        "ningxiang": ("宁乡跑胡子", "Ningxiang"),
        "shaoyang": ("邵阳字牌", "Shaoyang"),
    },
    "doudizhu": {
        "classic": ("经典叫分", "Classic, by bids"),
        "qiang": ("抢地主", "Robbing the landlord"),
        "contest": ("比赛规则", "Contest rules"),
    },
    "kawuxing": {
        "seed004": ("经典卡五星", "Classic"),
        "xiangyang": ("襄阳卡五星", "Xiangyang"),
        "xiaogan": ("孝感卡五星", "Xiaogan"),
        "suizhou": ("随州卡五星", "Suizhou"),
        "shiyan": ("十堰卡五星", "Shiyan"),
    },
}
"""By game and preset."""

_OPTIONS = {
    "min_xi": "起胡息数",
    "deng_first": "首等息数",
    "deng_step": "每等息数",
    "names": "名堂表",
    "zimo_deng": "自摸加等",
    "zimo_stage": "自摸等的计算次序",
    "haidi_plain_total": "单海底倍数",
    "wu_dui_total": "乌胡对对胡倍数",
    "red_cap": "红胡封顶",
    "big_cap": "大字胡封顶",
    "small_cap": "小字胡封顶",
    "dead_peng_blocks_chi": "过碰不吃、过吃不碰",
    "own_discard_dead": "打出即臭",
    "chou_hu": "臭胡",
    "po_pao_hu": "破跑胡",
    "discard_hu": "放炮胡",
    "discard_hu_pays": "放炮由谁付",
    "liangzhang_hu": "亮张胡",
    "liang_xian_zimo": "闲家亮张算自摸",
    "santi_wukan": "三提五坎",
    "forbid_claim_without_discard": "无牌可打不许吃碰",
    "huangzhuang_change_after": "荒庄换庄局数",
    "opening_ti_show_one": "起手提亮一张",
    "win_cap_by_balance": "赢家以身上金币封顶",
    "base_stake": "底分金币",
    "point_cap": "单家封顶点数",
}


def list_games(games: Mapping[str, Game]) -> s.ListGamesResponse:
    """Return every game with its presets, options and bots, in the engine's order."""
    return s.ListGamesResponse(games=[_game(game) for game in games.values()])


def _game(game: Game) -> s.Game:
    title_zh, title_en = _GAMES.get(game.name, (game.name, game.name))
    first = next(iter(game.presets.values()))
    return s.Game(
        game=game.name,
        title_zh=title_zh,
        title_en=title_en,
        seats=game.seats,
        presets=[_preset(game.name, name, rules) for name, rules in game.presets.items()],
        options=[
            _option(field.name, getattr(first, field.name), field.metadata["info"])
            for field in dataclasses.fields(first)
            if "info" in field.metadata
        ],
        bots=list(game.bots),
    )


def _preset(game: str, name: str, rules: Any) -> s.GamePreset:
    title_zh, title_en = _PRESETS.get(game, {}).get(name, (name, name))
    return s.GamePreset(
        preset=name,
        version=rules.version,
        title_zh=title_zh,
        title_en=title_en,
        options_json=rules.as_json(),
    )


def _option(name: str, value: object, info: Any) -> s.GameOption:
    kind = "enum" if info.choices else "bool" if isinstance(value, bool) else "int"
    return s.GameOption(
        name=name,
        type=kind,
        values=info.choices,
        minimum=info.low,
        maximum=info.high,
        title_zh=_OPTIONS.get(name, info.doc),
        title_en=info.doc,
        rule=info.rule,
        acts_in=info.acts_in,
    )
