"""A round of 斗地主 explained, one step a line, in Chinese and English."""

from collections.abc import Iterator
from typing import Final

from services.scoring.core.doudizhu.cards import SEATS
from services.scoring.core.doudizhu.payment import COUNTER_SPRING, SPRING, counted_bombs
from services.scoring.core.doudizhu.result import Result
from services.scoring.core.doudizhu.rules import Options

Line = tuple[str, str]
"""The same in Chinese and in English."""

_SPRINGS: Final = {
    SPRING: ("农民一手未出", "no peasant played a hand"),
    COUNTER_SPRING: ("地主只出过一手", "the landlord played one hand only"),
}


def explained(options: Options, result: Result) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return why a round was worth what it was, in Chinese and in English."""
    lines = list(_lines(options, result))
    return tuple(zh for zh, _ in lines), tuple(en for _, en in lines)


def summary(result: Result) -> str:
    """Return how a round ended, in a few words."""
    if result.end == "draw":
        return "all declined, a redeal"
    side = f"the landlord, seat {result.landlord}," if result.how == "landlord" else "the peasants"
    names = "".join(f", {name} {times}" for name, times in result.names.items())
    return f"{side} by the last card of seat {result.last}, bid {result.bid} × {result.fan}{names}"


def _lines(options: Options, result: Result) -> Iterator[Line]:
    if result.end == "draw":
        yield "三家都不要：重新发牌（§3）", "All three declined: a new deal (§3)."
        return
    seat, last = result.landlord, result.last
    yield f"地主：{seat} 号位，{result.bid} 分（§3）", f"Landlord: seat {seat}, bid {result.bid} (§3)."
    if result.how == "landlord":
        yield f"地主（{last} 号位）先出完（§4）", f"The landlord, seat {last}, went out first (§4)."
    else:
        yield f"农民（{last} 号位）先出完（§4）", f"A peasant, seat {last}, went out first (§4)."
    yield from _factors(options, result)
    yield f"倍数 {result.fan}", f"multiplier {result.fan}"
    yield from _stakes(options, result)


def _factors(options: Options, result: Result) -> Iterator[Line]:
    def effect(worth: int, times: int) -> str:
        return f"+{times * (worth - 1)}" if options.scoring == "linear" else f"×{worth**times}"

    if result.robs:
        factor = 2**result.robs
        yield f"抢地主 {result.robs} 次：×{factor}（§3）", f"robbed {result.robs}: ×{factor} (§3)"
    bombs, rockets = counted_bombs(options, result.bombs, result.rockets)
    for shown, counted, worth, zh, en in (
        (result.rockets, rockets, options.rocket_mult, "火箭", "rocket"),
        (result.bombs, bombs, options.bomb_mult, "炸弹", "bombs"),
    ):
        if shown:
            some, of_them = ("", "") if counted == shown else (f"，计 {counted}", f", {counted} count")
            by = effect(worth, counted)
            yield f"{zh} {shown}{some}：{by}（§4）", f"{en} {shown}{of_them}: {by} (§4)"
    if result.spring:
        zh, en = _SPRINGS[result.spring]
        by = effect(options.spring, 1)
        yield f"{result.spring}（{zh}）：{by}（§4）", f"{result.spring} ({en}): {by} (§4)"


def _stakes(options: Options, result: Result) -> Iterator[Line]:
    for peasant in range(SEATS):
        if peasant == result.landlord:
            continue
        factors = [result.bid, result.fan, result.double[result.landlord], result.double[peasant]]
        shown = factors if max(result.double) > 1 else factors[:2]
        points = result.points[peasant]
        product = " × ".join(map(str, shown))
        zh = f"{peasant} 号位：{product} = {abs(points)}，{'得' if points > 0 else '付'}"
        en = f"seat {peasant}: {product} = {abs(points)}, {'gets' if points > 0 else 'pays'} it"
        if options.base_stake != 1:
            stake = f" × {options.base_stake} = {abs(points) * options.base_stake}"
            zh, en = f"{zh}，× 底{stake.removeprefix(' ×')}", f"{en}; stake{stake}"
        yield f"{zh}（§4）", f"{en} (§4)"
