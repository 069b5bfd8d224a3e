"""A win of 清混碰 explained, one step a line, in Chinese and English with the rules' numbers."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from services.scoring.core.qinghunpeng.payment import BOUND_SHARES, shares
from services.scoring.core.qinghunpeng.result import Result
from services.scoring.core.qinghunpeng.rules import Options
from services.scoring.core.qinghunpeng.tiles import KIND, hanzi
from services.scoring.core.qinghunpeng.worth import BY_FLOWERS, FIXED

Line = tuple[str, str]
"""The same in Chinese and in English."""

ENGLISH: Final = {
    "混一色": "half flush",
    "清一色": "full flush",
    "碰碰胡": "all pungs",
    "混碰": "half flush of pungs",
    "清碰": "full flush of pungs",
    "字碰": "all honours, pungs",
    "乱风向": "all honours, any shape",
    "平胡": "plain hand",
    "大吊车": "waiting on a single tile",
    "杠开": "on a replacement",
    "抢杠": "robbed kong",
    "海底": "last tile",
    "天胡": "win of heaven",
    "地胡": "win of earth",
    "八花": "eight flowers",
}

_HOW: Final = {
    "zimo": ("自摸", "self-drawn"),
    "gangkai": ("杠上开花", "self-drawn as a replacement"),
    "discard": ("放炮", "discarded by another seat"),
    "qianggang": ("抢杠", "robbed from a kong"),
    "bahua": ("八花", "the eighth flower"),
}


def explained(options: Options, result: Result) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return why a round was worth what it was, in Chinese and in English."""
    lines = list(_lines(options, result))
    return tuple(zh for zh, _ in lines), tuple(en for _, en in lines)


def summary(result: Result) -> str:
    """Return how a round ended, in a few words."""
    if not result.winners:
        return "荒庄"
    wins = [f"seat {win['seat']} {win['points']} ({' '.join(win['names'])})" for win in result.wins]
    return f"{result.how}: {', '.join(wins)}"


def _lines(options: Options, result: Result) -> Iterator[Line]:
    if not result.winners:
        yield "荒庄：没有人胡，不付（§1）", "Drawn: nobody won, nobody pays (§1)."
        return
    for win in result.wins:
        card = hanzi(KIND[result.card])
        zh, en = _HOW[result.how]
        yield f"{win['seat']} 号位胡 {card}，{zh}（§5）", f"Seat {win['seat']} wins {card}, {en} (§5)."
        yield from of_names(options, win["names"], win["flowers"])
        yield total(options, win["names"], win["points"], result.times)
        yield from _paid(options, result, win)


def of_names(options: Options, names: Mapping[str, int], flowers: int) -> Iterator[Line]:
    """Yield what the pattern and each extra are worth."""
    for name, worth in names.items():
        rule = "§4"
        if name in BY_FLOWERS:
            least = f"min({options.lezi}, {options.formula_base} + {flowers})"
            yield (
                f"{name}：{least} = {worth}（{rule}）",
                f"{name} ({ENGLISH[name]}): {least} = {worth} ({rule})",
            )
            continue
        lei = f" {worth // options.lezi} 勒" if name in FIXED else ""
        yield (
            f"{name}：{lei.strip() + ' = ' if lei else ''}{worth}（{rule}）",
            (f"{name} ({ENGLISH[name]}): {worth} ({rule})"),
        )


def total(options: Options, names: Mapping[str, int], points: int, times: int) -> Line:
    """Return how the names make the points of one share."""
    worths = ", ".join(map(str, names.values()))
    if len(names) == 1:
        made = worths
    elif options.stack == "add":
        made = " + ".join(map(str, names.values()))
    else:
        made = f"max({worths})"
    if options.cap:
        made = f"min({options.cap}, {made})"
    if times > 1:
        made = f"{made} × {times}"
        made = f"min({options.cap}, {made})" if options.cap else made
    sum_ = made if made == str(points) else f"{made} = {points}"
    if options.base_stake != 1:
        sum_ = f"{sum_}; × {options.base_stake} = {points * options.base_stake}"
    return f"每份 {sum_} 分（§4）".replace(";", "，"), f"one share: {sum_} points (§4)"


def _paid(options: Options, result: Result, win: Mapping[str, Any]) -> Iterator[Line]:
    winner, bound = win["seat"], tuple(win["bound"])
    for seat, count in enumerate(shares(result.how, winner, result.from_seat, bound)):
        if seat == winner or not count:
            continue
        extra = f"，承包加 {BOUND_SHARES[result.how]} 份" if seat in bound else ""
        more = f", {BOUND_SHARES[result.how]} of them bound" if seat in bound else ""
        paid = count * win["points"]
        zh = f"{seat} 号位付 {count} 份{extra}：{paid}（§5）"
        yield zh, f"seat {seat} pays {count} share{'s' * (count > 1)}{more}: {paid} (§5)"
