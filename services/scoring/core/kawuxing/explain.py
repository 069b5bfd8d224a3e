"""A round of 卡五星 explained, one step a line, in Chinese and English."""

from collections.abc import Iterator
from typing import Final

from services.scoring.core.kawuxing import payment
from services.scoring.core.kawuxing.names import RULE_OF, Win
from services.scoring.core.kawuxing.payment import Transfer
from services.scoring.core.kawuxing.result import Result
from services.scoring.core.kawuxing.table import Table
from services.scoring.core.kawuxing.tiles import hanzi

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
