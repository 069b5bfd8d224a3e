"""`paiju score` for the games of tiles: the engine's reading of one hand, and scoring's."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from engine import GAMES
from engine.kawuxing import fans as kawuxing
from engine.kawuxing.melds import Laid as KawuxingMeld
from engine.kawuxing.winning import needs_two
from engine.mahjong.tiles import ONE, TILE_TEXTS, make_hand, parse_tile, parse_tiles
from engine.qinghunpeng import patterns as qinghunpeng
from engine.qinghunpeng.melds import Laid as QinghunpengMeld
from services.scoring.core.games import GAMES as AUDITED
from services.scoring.core.hand import HandToScore, ScoredHand

KONGS: Final = ("an", "ming", "bu")
FLOWERS: Final = "flowers"
"""The kind of meld that exposed flowers of 清混碰 are typed as."""

_GROUP: Final = re.compile(r"([a-z])([0-9]{2,})")
"""Tiles of one suit, the suit once."""

Melds = Sequence[tuple[str, tuple[str, ...]]]
Found = tuple[dict[str, Any], list[str]]
"""The figures, and lines for people."""


def tiles(text: str) -> tuple[str, ...]:
    """Return tiles from their text, flowers as well; `p123` is short for `p1p2p3`.

    Raises:
        BadNotation: It holds something that is no tile.
    """
    text = _GROUP.sub(lambda group: "".join(group[1] + rank for rank in group[2]), text)
    if text.startswith("f"):
        return tuple(text[at : at + 2] for at in range(0, len(text), 2))
    return tuple(TILE_TEXTS[tile] for tile in parse_tiles(text))


KAWUXING_SOURCES: Final = ("zimo", "gangkai", "discard", "gangpao", "qianggang")

QINGHUNPENG_SOURCES: Final[Mapping[str, qinghunpeng.Moment]] = {
    "zimo": qinghunpeng.Moment(qinghunpeng.ZIMO),
    "gangkai": qinghunpeng.Moment(qinghunpeng.ZIMO, gangkai=True),
    "flower": qinghunpeng.Moment(qinghunpeng.ZIMO),
    "tianhu": qinghunpeng.Moment(qinghunpeng.ZIMO, first="tian"),
    "dihu": qinghunpeng.Moment(qinghunpeng.ZIMO, first="di"),
    "discard": qinghunpeng.Moment(),
    "dihu_discard": qinghunpeng.Moment(first="di"),
    "qianggang": qinghunpeng.Moment(qinghunpeng.QIANGGANG),
}
"""How a tile can come; a win on the replacement of a flower is 杠开 only by option."""


def kawuxing_by_engine(
    preset: str, concealed: Sequence[str], melds: Melds, card: str, source: str, last: bool
) -> Found:
    """Return what the engine finds of a hand of 卡五星."""
    rules = GAMES["kawuxing"].ruleset(preset)
    tile = parse_tile(card)
    laid = [KawuxingMeld(kind, parse_tile(cards[0])) for kind, cards in melds]
    hand = make_hand(map(parse_tile, concealed)) + ONE[tile]
    win = kawuxing.best_win(rules, hand, laid, tile, kawuxing.Moment(source, last))
    if win is None:
        return {"can_hu": False, "names": {}, "fan": 0}, ["no win"]
    konged = any(kind in KONGS for kind, _ in melds)
    two = needs_two(rules, source in kawuxing.SELF_DRAWN, konged)
    found = {"can_hu": win.fan >= 2 or not two, "names": dict(win.names), "fan": win.fan}
    return found, [*_named(win.names), f"fan {win.fan}", " ".join(win.sets)]


def qinghunpeng_by_engine(
    preset: str, concealed: Sequence[str], melds: Melds, card: str, source: str, last: bool
) -> Found:
    """Return what the engine finds of a hand of 清混碰."""
    rules = GAMES["qinghunpeng"].ruleset(preset)
    tile = parse_tile(card)
    laid = [QinghunpengMeld(kind, parse_tile(min(cards))) for kind, cards in melds if kind != FLOWERS]
    flowers = sum(len(cards) for kind, cards in melds if kind == FLOWERS)
    hand = make_hand(map(parse_tile, concealed)) + ONE[tile]
    at = QINGHUNPENG_SOURCES[source]
    moment = qinghunpeng.Moment(
        at.how, at.gangkai or (source == "flower" and rules.gangkai_flower), last, at.first
    )
    win = qinghunpeng.best_win(rules, hand, laid, tile, flowers, moment)
    if win is None:
        return {"can_hu": False, "names": {}, "points": 0}, ["no win"]
    found = {"can_hu": True, "names": dict(win.names), "points": win.points}
    return found, [*_named(win.names), f"points {win.points}", " ".join(win.sets)]


def by_scoring(game: str, asked: HandToScore) -> Found:
    """Return what scoring finds of a hand.

    Raises:
        BadHand, BadOptions: The hand cannot be, or there is no such preset.
    """
    scorer = AUDITED[game].hands
    assert scorer is not None, "only games whose single hands are scored are asked for"
    scored = scorer.score(asked)
    found: dict[str, Any] = {
        "can_hu": scored.can_hu,
        "names": {name.name: name.fan for name in scored.names},
        "melds": ["".join(meld.cards) for meld in scored.melds],
    }
    if game == "kawuxing":
        found["fan"] = scored.fan
    else:
        found["points"] = _share(scored, asked.source)
    return found, list(scored.text_zh)


def _share(scored: ScoredHand, source: str) -> int:
    """Return one share: a robbed kong pays three."""
    return scored.per_loser // 3 if source == "qianggang" else scored.per_loser


def _named(names: Sequence[tuple[str, int]]) -> list[str]:
    return [f"{name}: {worth}" for name, worth in names]
