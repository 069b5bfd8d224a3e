"""Why a round scored what it scored, line by line, in Chinese and English."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.face import Line
from engine.mahjong.flowers import NAMES
from engine.mahjong.tiles import parse_tiles
from engine.qinghunpeng.outcome import Outcome
from engine.qinghunpeng.patterns import HUNYISE, PENGPENGHU, Win
from engine.qinghunpeng.rules import RuleSet

NAMES_EN: Final = {
    "混一色": "One suit and honours",
    "清一色": "One suit",
    "碰碰胡": "All triplets",
    "混碰": "All triplets of one suit and honours",
    "清碰": "All triplets of one suit",
    "字碰": "All triplets of honours",
    "乱风向": "All honours in any shape",
    "平胡": "No pattern",
    "大吊车": "Last single tile paired",
    "杠开": "Win on a replacement",
    "抢杠": "Robbed kong",
    "海底": "Last tile",
    "天胡": "Win with the deal",
    "地胡": "Win on the first chance",
    "八花": "Eight flowers",
}
"""English of the names of wins."""

WHYS_EN: Final = {
    "自摸": "self-draw",
    "放炮": "discard",
    "抢杠": "robbed kong",
    "八花": "eight flowers",
    "承包": "bound by three claims",
}
"""English of why payments are made."""


def _named(tiles: Sequence[int]) -> str:
    return "".join([NAMES[tile] for tile in tiles])


def explain_outcome(rules: RuleSet, outcome: Outcome) -> tuple[Line, ...]:
    """Return the reading, names and points of each win, every payment, and the sum."""
    lines: list[Line] = []
    for seat, win in outcome.wins:
        lines += _win_lines(rules, outcome, seat, win)
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
        Line(f"座位 {seat} 得分", f"{points:+d}", "§5", f"Seat {seat} in all")
        for seat, points in enumerate(outcome.points)
    ]
    return tuple(lines)


def _win_lines(rules: RuleSet, outcome: Outcome, seat: int, win: Win) -> list[Line]:
    """Return the sets, the names and the points of one win."""
    won = NAMES[outcome.tile]
    sets = "，".join([_named(parse_tiles(word)) for word in win.sets]) or won
    lines = [
        Line(f"座位 {seat} 胡 {won}", sets, "§3", f"Seat {seat} wins on {won}", sets.replace("，", ", "))
    ]
    for name, worth in win.names:
        lines.append(Line(name, f"{worth} 分", "§4", NAMES_EN[name], f"{worth} points"))
        if name in (HUNYISE, PENGPENGHU):
            lines.append(
                Line(
                    "花数",
                    f"{rules.formula_base}＋{win.flowers}，至多 {rules.lezi}",
                    "§4",
                    "Flowers",
                    f"{rules.formula_base} + {win.flowers}, at most {rules.lezi}",
                )
            )
    if outcome.times > 1:
        lines.append(Line("荒番", f"×{outcome.times}", "§2", "After a drawn round"))
    if rules.cap:
        lines.append(Line("封顶", f"{rules.cap} 分", "§4", "Limit", f"{rules.cap} points"))
    lines.append(Line("每份", f"{win.points} 分", "§5", "A share", f"{win.points} points"))
    return lines
