"""Why a round scored what it scored, line by line, in Chinese and English."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.face import Line
from engine.kawuxing.fans import Win
from engine.kawuxing.outcome import Outcome
from engine.kawuxing.rules import RuleSet
from engine.mahjong.tiles import TILE_NAMES, parse_tiles

NAMES_EN: Final = {
    "平胡": "Plain win",
    "七对": "Seven pairs",
    "龙七对": "Dragon seven pairs",
    "双龙七对": "Double dragon seven pairs",
    "超龙七对": "Triple dragon seven pairs",
    "碰碰胡": "All triplets",
    "卡五星": "Middle five",
    "独卡五星": "Middle five as the only wait",
    "明四归一": "Fourth tile to a pong",
    "暗四归一": "Four of a kind in hand",
    "小三元": "Little three dragons",
    "大三元": "Big three dragons",
    "清一色": "One suit",
    "手抓一": "Single tile in hand",
    "门清": "No exposed meld",
    "杠上开花": "Win on a kong's replacement",
    "杠上炮": "Win on the discard after a kong",
    "抢杠胡": "Robbed kong",
    "海底捞": "Self-draw of the last tile",
    "海底炮": "Win on the last discard",
    "天胡": "Win with the deal",
    "地胡": "Win on the first chance",
}
"""English of the names of wins."""

WHYS_EN: Final = {
    "暗杠": "concealed kong",
    "补杠": "added kong",
    "直杠": "kong from a discard",
    "自摸": "self-draw",
    "放炮": "discard",
    "包胡": "pays for both",
    "亮进亮出": "first to reveal",
    "讲听头": "ready hands",
    "查大叫": "ready hands, in full",
    "查叫": "ready hands",
    "亮倒": "revealed",
}
"""English of why payments are made."""

_NAME_RULES: Final = {"海底捞": "§9", "海底炮": "§9"}


def _named(tiles: Sequence[int]) -> str:
    return " ".join([TILE_NAMES[tile] for tile in tiles])


def explain_outcome(rules: RuleSet, outcome: Outcome) -> tuple[Line, ...]:
    """Return the reading and names of each win, the waits of a draw, every payment, and the sum."""
    lines: list[Line] = []
    if outcome.stake != rules.base:
        lines.append(Line("上楼", f"底 {outcome.stake}", "§9", "Doubled round", f"stake {outcome.stake}"))
    for seat, win in outcome.wins:
        lines += _win_lines(rules, outcome, seat, win)
    if outcome.ma:
        lines.append(Line("买马", _named(outcome.ma), "§9", "Turned tiles"))
    for seat, fan in enumerate(outcome.waiting):
        if fan:
            lines.append(Line(f"座位 {seat} 听牌", f"{fan} 番", "§8", f"Seat {seat} is ready", f"{fan} fan"))
    for pay in outcome.payments:
        lines.append(
            Line(
                f"座位 {pay.payer} 付座位 {pay.payee}（{pay.why}）",
                f"{pay.points} 分",
                pay.rule,
                f"Seat {pay.payer} pays seat {pay.payee} ({WHYS_EN[pay.why]})",
                f"{pay.points} points",
            )
        )
    lines += [
        Line(f"座位 {seat} 得分", f"{points:+d}", "§8", f"Seat {seat} in all")
        for seat, points in enumerate(outcome.points)
    ]
    return tuple(lines)


def _win_lines(rules: RuleSet, outcome: Outcome, seat: int, win: Win) -> list[Line]:
    """Return the sets, the names and the product of one win."""
    sets = "，".join(["".join([TILE_NAMES[tile] for tile in parse_tiles(word)]) for word in win.sets])
    won = TILE_NAMES[outcome.tile]
    lines = [
        Line(f"座位 {seat} 胡 {won}", sets, "§4", f"Seat {seat} wins on {won}", sets.replace("，", ", "))
    ]
    lines += [Line(name, f"×{fan}", _NAME_RULES.get(name, "§5"), NAMES_EN[name]) for name, fan in win.names]
    lines.append(Line("番数", f"{win.fan}", "§5", "Fan"))
    if rules.shukan:
        lines.append(
            Line("数坎", f"每家加 {win.kan}", "§9", "Concealed triplets and kongs", f"{win.kan} more each")
        )
    return lines
