"""A win of 清混碰 explained, one step a line, in Chinese and English with the rules' numbers."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from services.scoring.core.qinghunpeng.melds import Meld, triplet_flowers
from services.scoring.core.qinghunpeng.payment import BOUND_SHARES, shares
from services.scoring.core.qinghunpeng.result import Result
from services.scoring.core.qinghunpeng.rules import Options
from services.scoring.core.qinghunpeng.table import Ending, Table
from services.scoring.core.qinghunpeng.tiles import hanzi
from services.scoring.core.qinghunpeng.worth import BY_FLOWERS, FIXED, Win

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

_MELDS: Final = {
    "chi": ("吃", "chow"),
    "peng": ("碰", "pong"),
    "ming": ("直杠", "exposed kong"),
    "bu": ("补杠", "added kong"),
    "an": ("暗杠", "concealed kong"),
    "run": ("顺子", "run"),
    "triplet": ("刻子", "triplet"),
    "pair": ("将", "pair"),
}

_HOW: Final = {
    "zimo": ("自摸", "self-drawn"),
    "gangkai": ("杠上开花", "self-drawn as a replacement"),
    "discard": ("放炮", "discarded by another seat"),
    "qianggang": ("抢杠", "robbed from a kong"),
    "bahua": ("八花", "the eighth flower"),
}


def explained(table: Table, ending: Ending) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return why a round that ended so was worth what it was, in Chinese and in English."""
    return in_both(_lines(table, ending))


def in_both(lines: Iterable[Line]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return lines as one text for each language."""
    both = list(lines)
    return tuple(zh for zh, _ in both), tuple(en for _, en in both)


def summary(result: Result) -> str:
    """Return how a round ended, in a few words."""
    if not result.winners:
        return "荒庄"
    wins = [f"seat {win['seat']} {win['points']} ({' '.join(win['names'])})" for win in result.wins]
    return f"{result.how}: {', '.join(wins)}"


def _lines(table: Table, ending: Ending) -> Iterator[Line]:
    if not ending.wins:
        yield "荒庄：没有人胡，不付（§1）", "Drawn: nobody won, nobody pays (§1)."
        return
    for number, win in ending.wins.items():
        zh, en = _HOW[ending.how]
        tile, seat = hanzi(ending.tile), table.seats[number]
        yield f"{number} 号位胡 {tile}，{zh}（§5）", f"Seat {number} wins {tile}, {en} (§5)."
        yield from of_win(table.options, win, seat.melds, len(seat.flowers), table.times)
        yield from _paid(table, ending, number, win)


def of_win(options: Options, win: Win, melds: Sequence[Meld], exposed: int, times: int) -> Iterator[Line]:
    """Yield a win's sets, its flowers if they count, its pattern and extras, and the points of a share."""
    counts = win.pattern in BY_FLOWERS
    if counts and exposed:
        yield f"花牌 {exposed} 张：{exposed} 花（§4）", f"flower tiles: {exposed} (§4)"
    sets = [(meld.form, meld.kinds, meld.flowers) for meld in melds]
    for part in win.parting:
        gives = triplet_flowers(part.kind) if part.form == "triplet" else 0
        sets.append((part.form, part.kinds, gives))
    for form, kinds, gives in sets:
        zh, en = _MELDS[form]
        tiles = "".join(map(hanzi, kinds))
        if counts and gives:
            yield f"{zh} {tiles}：{gives} 花（§4）", f"{en} {tiles}: {gives} flower{'s' * (gives > 1)} (§4)"
        else:
            yield f"{zh} {tiles}（§3）", f"{en} {tiles} (§3)"
    for name, worth in win.names.items():
        by = f"{worth}"
        if name in BY_FLOWERS:
            by = f"min({options.lezi}, {options.formula_base} + {win.flowers}) = {worth}"
        elif name in FIXED:
            by = f"{worth // options.lezi} × {options.lezi} = {worth}"
        yield f"{name}：{by}（§4）", f"{name}, {ENGLISH[name]}: {by} (§4)"
    yield _total(options, win, times)


def _total(options: Options, win: Win, times: int) -> Line:
    """Return how the pattern and the extras make the points of one share."""

    def bounded(sum_: str) -> str:
        return f"min({options.cap}, {sum_})" if options.cap else sum_

    worths = [str(worth) for worth in win.names.values()]
    made = " + ".join(worths) if options.stack == "add" else ", ".join(worths)
    if options.stack == "max" and len(worths) > 1:
        made = f"max({made})"
    made = bounded(made)
    if times > 1:
        made = bounded(f"{made} × {times}")
    sum_ = made if made == str(win.points) else f"{made} = {win.points}"
    zh, en = f"每份 {sum_} 分", f"one share: {sum_} points"
    if options.base_stake != 1:
        coins = f"{options.base_stake} = {win.points * options.base_stake}"
        zh, en = f"{zh}，× 底 {coins}", f"{en}; × stake {coins}"
    return f"{zh}（§4）", f"{en} (§4)"


def _paid(table: Table, ending: Ending, winner: int, win: Win) -> Iterator[Line]:
    bound = table.bound_to(winner)
    for seat, count in enumerate(shares(ending.how, winner, ending.giver, bound)):
        if not count:
            continue
        zh, en = f"{seat} 号位付 {count} 份", f"seat {seat} pays {count} share{'s' * (count > 1)}"
        if seat in bound:
            more = BOUND_SHARES[ending.how]
            zh, en = f"{zh}，其中承包 {more} 份", f"{en}, {more} of them for being bound"
        yield f"{zh}：{count * win.points}（§5）", f"{en}: {count * win.points} (§5)"
