"""A round of 卡五星 explained, one step a line, and one hand scored: in Chinese and English."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from services.scoring.core.kawuxing import names, payment
from services.scoring.core.kawuxing.melds import MELD_KINDS, Meld, laid, waits_of
from services.scoring.core.kawuxing.names import RULE_OF, Moment, Win
from services.scoring.core.kawuxing.payment import Purse, Transfer
from services.scoring.core.kawuxing.result import Result
from services.scoring.core.kawuxing.rules import Options, preset_named, with_overrides
from services.scoring.core.kawuxing.table import Table
from services.scoring.core.kawuxing.tiles import (
    COPIES,
    HAND_TILES,
    Counts,
    counted,
    hanzi,
    kind_named,
    kinds_in_play,
)

Line = tuple[str, str]
"""The same in Chinese and in English."""

HOW_NAMES: Final = {
    "zimo": ("自摸", "self-drawn"),
    "gangkai": ("杠上开花", "self-drawn after a kong"),
    "discard": ("放炮", "discarded by another seat"),
    "gangpao": ("杠上炮", "discarded right after a kong"),
    "qianggang": ("抢杠", "taken from a kong"),
}

_WHY: Final = {
    "暗杠": ("concealed kong", "§3"),
    "补杠": ("added kong", "§3"),
    "直杠": ("kong of a discard", "§3"),
    "自摸": ("self-draw", "§8"),
    "放炮": ("discard", "§8"),
    "包胡": ("pays for all", "§7"),
    "亮进亮出": ("first to reveal", "§8"),
    "讲听头": ("waits are paid", "§8"),
    "查大叫": ("not ready", "§8"),
    "查叫": ("not ready", "§9"),
    "亮倒": ("revealed", "§9"),
}


class BadHand(Exception):
    """A hand to be scored is not one."""


def summary(result: Result) -> str:
    """Return how a round ended, in a few words."""
    if not result.wins:
        ready = [str(seat) for seat, fan in enumerate(result.waiting) if fan]
        return f"黄庄, ready: {', '.join(ready) or 'nobody'}"
    parts = []
    for win in result.wins:
        found = "".join(f", {name} {worth}" for name, worth in sorted(win["names"].items()))
        parts.append(f"seat {win['seat']} by {result.how} of {result.card}, {win['fan']} 番{found}")
    return "; ".join(parts)


def explained(table: Table) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return why a round that has ended came out as it did, in Chinese and in English."""
    lines = list(_lines(table))
    return tuple(zh for zh, _ in lines), tuple(en for _, en in lines)


def _lines(table: Table) -> Iterator[Line]:
    ending, purse = table.ending, table.purse
    assert ending is not None, "the round has ended"
    if table.options.shanglou != "off":
        times = purse.stake // table.options.base
        yield f"上楼：底 {purse.stake}（×{times}，§9）", f"Stake {purse.stake} (×{times}, §9)."
    for transfer in purse.transfers[: purse.kong_transfers]:
        yield _paid(transfer)
    if not ending.wins:
        yield "黄庄：没人胡牌（§2）", "The wall ran out; nobody won (§2)."
        for seat, fan in enumerate(ending.waiting):
            if fan:
                yield (
                    f"{seat} 号位听牌，最大 {fan} 番（§8）",
                    f"Seat {seat}: ready, up to {fan} fan (§8).",
                )
    for seat, win in ending.wins:
        zh, en = HOW_NAMES[ending.how]
        tile = hanzi(win.kind)
        yield f"{seat} 号位胡 {tile}：{zh}（§4）", f"Seat {seat} won {tile}: {en} (§4)."
        yield from named(win)
    if ending.turned and ending.kind is not None:
        shown = " ".join(hanzi(kind) for kind in ending.turned)
        worth = payment.horses_of(table.options, ending.turned, ending.kind)
        yield f"买马 {shown}：+{worth}（§9）", f"Tiles turned, {shown}: +{worth} (§9)."
    for transfer in purse.transfers[purse.kong_transfers :]:
        yield _paid(transfer)
    if table.options.base_stake != 1:
        coins = [points * table.options.base_stake for points in purse.points()]
        said = ", ".join(f"{each:+d}" for each in coins)
        by = table.options.base_stake
        yield f"× 底分 {by}：{said}（§8）", f"times {by} coins: {said} (§8)"


def named(win: Win) -> Iterator[Line]:
    """Yield the names of a win and their product."""
    for name, worth in win.names.items():
        rule = RULE_OF.get(name, "§5")
        yield f"{name}：{worth} 番（{rule}）", f"{name}: {worth} fan ({rule})"
    product = " × ".join(str(worth) for worth in win.names.values())
    if len(win.names) > 1:
        yield f"番数 {product} = {win.fan}（§5）", f"together {product} = {win.fan} (§5)"
    if win.du:
        yield "独卡五星：只听这一张（§5）", "The 5 was the only wait: 独卡五星 (§5)."


def _paid(transfer: Transfer) -> Line:
    why_en, rule = _WHY[transfer.why]
    sum_ = f" [{transfer.sum}]" if transfer.sum else ""
    return (
        f"{transfer.why}{sum_}：{transfer.payer} 号位付 {transfer.payee} 号位 {transfer.points}（{rule}）",
        f"{why_en}{sum_}: seat {transfer.payer} pays seat {transfer.payee} {transfer.points} ({rule})",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class HandToScore:
    """What is asked: a hand, what completes it, and the rule set."""

    preset: str = "seed004"
    overrides: Mapping[str, object] = field(default_factory=dict)
    """Options that differ from the preset."""
    concealed: Sequence[str] = ()
    """Tiles in hand before the winning one."""
    melds: Sequence[tuple[str, str]] = ()
    """On the table: kind and tile."""
    tile: str = ""
    """The winning tile."""
    how: str = "zimo"
    last: bool = False
    """The wall is empty."""


@dataclass(frozen=True, slots=True)
class ScoredHand:
    """What a hand scores, and why."""

    can_hu: bool
    waits: tuple[int, ...] = ()
    """What the hand waited for."""
    win: Win | None = None
    per_loser: int = 0
    """Of one who has revealed nothing, to one who has revealed nothing; with `base` and `base_stake`."""
    winner_gain: int = 0
    text_zh: tuple[str, ...] = ()
    text_en: tuple[str, ...] = ()


def score_hand(asked: HandToScore) -> ScoredHand:
    """Score a hand as well as it can be read, explained; what others have revealed or bet is left out.

    Raises:
        BadHand: The tiles cannot be such a hand.
        BadTiles: A name is no tile's.
        BadOptions: The preset or an option is unknown or out of range.
    """
    options = with_overrides(preset_named(asked.preset), dict(asked.overrides))
    hand = counted(kind_named(tile) for tile in asked.concealed)
    melds = [_meld(how, tile) for how, tile in asked.melds]
    kind = kind_named(asked.tile)
    _check(hand, melds, kind, asked.how, options)
    waits = waits_of(hand, melds, kinds_in_play(options.suits))
    moment = Moment(how=asked.how, last=asked.last)
    win = names.best_win(hand, melds, kind, moment, options)
    if win is None:
        seen = " ".join(hanzi(each) for each in waits)
        return ScoredHand(
            False,
            waits,
            text_zh=(f"不成牌（§4）；听 {seen or '无'}",),
            text_en=(f"Not complete (§4); it waits for {seen or 'nothing'}.",),
        )
    purse = Purse(options, options.base)
    is_open = not (options.min_fan == "hard" and win.fan < 2)
    is_open = is_open and not (options.min_fan == "pao2" and not moment.is_self_drawn and win.fan < 2)
    is_open = is_open and not (
        options.min_fan == "soft" and win.fan < 2 and not any(meld.is_kong for meld in melds)
    )
    units = purse.capped(win.fan, 1) + purse.extra(0, 1, win.kan, 0)
    per_loser = units * purse.stake * options.base_stake
    gain = per_loser * (2 if moment.is_self_drawn else 1)
    lines = [*_how(asked.how, kind), *named(win), *_worth(win, units, per_loser, options)]
    if not is_open:
        lines.append(("不够起胡番数（§6）", "Too little to win with (§6)."))
    return ScoredHand(
        is_open,
        waits,
        win,
        per_loser if is_open else 0,
        gain if is_open else 0,
        tuple(zh for zh, _ in lines),
        tuple(en for _, en in lines),
    )


def _how(how: str, kind: int) -> Iterator[Line]:
    zh, en = HOW_NAMES[how]
    yield f"{zh} {hanzi(kind)}（§4）", f"Won with {hanzi(kind)}: {en} (§4)."


def _worth(win: Win, units: int, per_loser: int, options: Options) -> Iterator[Line]:
    if options.cap and win.fan > options.cap:
        yield f"封顶 {options.cap}（§8）", f"capped at {options.cap} (§8)"
    if options.shukan and win.kan:
        yield f"数坎 +{win.kan}（§9）", f"concealed triplets and kongs: +{win.kan} (§9)"
    stake = options.base * options.base_stake
    yield f"每家 {units} × {stake} = {per_loser}（§8）", f"each payer {units} × {stake} = {per_loser} (§8)"


def _meld(how: str, tile: str) -> Meld:
    if how not in MELD_KINDS:
        raise BadHand(f"no meld {how[:20]!r}; there are {', '.join(MELD_KINDS)}")
    return Meld(how, kind_named(tile))


def _check(hand: Counts, melds: Sequence[Meld], kind: int, how: str, options: Options) -> None:
    if how not in names.HOWS:
        raise BadHand(f"no way to win {how[:20]!r}; there are {', '.join(names.HOWS)}")
    among = kinds_in_play(options.suits)
    whole = [own + out for own, out in zip(hand, laid(melds), strict=True)]
    whole[kind] += 1
    if any(count > COPIES for count in whole):
        raise BadHand("more than four of a tile")
    if any(count and each not in among for each, count in enumerate(whole)):
        raise BadHand(f"a tile that is not in play with suits {options.suits}")
    if sum(hand) + 3 * len(melds) != HAND_TILES:
        raise BadHand(f"{sum(hand)} tiles and {len(melds)} melds are no hand of {HAND_TILES}")


__all__ = [
    "BadHand",
    "HandToScore",
    "ScoredHand",
    "explained",
    "score_hand",
    "summary",
]
