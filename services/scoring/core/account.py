"""Scoring's figures of a whole round in words, for people who have to judge between two minds."""

from __future__ import annotations

from services.scoring.core.audit import Verdict


def account_of(verdict: Verdict) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return how scoring comes to its points, one step a line, in Chinese and in English.

    Nothing, if the record could not be read; how far it could be followed, if it could not be to its end.
    """
    record, figures, wrong = verdict.record, verdict.figures, verdict.wrong_action
    if record is None:
        return (), ()
    if figures is None:
        if wrong is None:
            return (), ()
        done = (wrong.number, wrong.why)
        return ("第 {} 步不合规则：{}".format(*done),), ("action {} breaks the rules: {}".format(*done),)
    result = figures.result
    how = " ".join(filter(None, (result.end, result.how)))
    zh, en = [f"结局：{how}"], [f"end: {how}"]
    if result.winners:
        winners = ", ".join(f"{seat} ({record.seats[seat]})" for seat in result.winners)
        zh.append(f"赢家：座位 {winners}")
        en.append(f"won by seat {winners}")
    if result.from_seat >= 0:
        zh.append(f"牌来自座位 {result.from_seat}")
        en.append(f"with the card of seat {result.from_seat}")
    for meld in figures.melds:
        zh.append(f"牌组：{' '.join(meld)}")
        en.append(f"group: {' '.join(meld)}")
    if result.huxi:
        zh.append(f"共 {result.huxi} 息")
        en.append(f"{result.huxi} xi in all")
    for name, worth in sorted(result.names.items()):
        zh.append(f"{name}：{worth}")
        en.append(f"{name}: {worth}")
    if result.fan:
        zh.append(f"倍数：{result.fan}")
        en.append(f"multiplier: {result.fan}")
    for seat, points in enumerate(result.points):
        zh.append(f"座位 {seat}（{record.seats[seat]}）：{points:+d} 分")
        en.append(f"seat {seat} ({record.seats[seat]}): {points:+d} points")
    return tuple(zh), tuple(en)
