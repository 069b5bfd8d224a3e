"""What a hand is worth: its pattern, the extras, and whether it may win at all (rules §3, §4)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from services.scoring.core.qinghunpeng.melds import Meld, triplet_flowers
from services.scoring.core.qinghunpeng.rules import Options
from services.scoring.core.qinghunpeng.shapes import SETS, Parting, are_triplets, partings

HAND_SIZE: Final = 3 * SETS + 2
"""Tiles of a won hand, each meld counted as three."""

PLAIN: Final = "平胡"
EIGHT_FLOWERS: Final = "八花"
ANY_HONOURS: Final = "乱风向"

PATTERNS: Final[Mapping[tuple[int, bool, bool], str]] = {
    (0, True, True): "字碰",
    (1, True, False): "混一色",
    (1, True, True): "混碰",
    (1, False, False): "清一色",
    (1, False, True): "清碰",
}
"""By number of suits (0, 1; 2 stands for more), whether there are honours, and whether no run is in it."""

FIXED: Final = {
    "混碰": "fixed_hunpeng",
    "清一色": "fixed_qingyise",
    "清碰": "fixed_qingpeng",
    "字碰": "fixed_zipeng",
    ANY_HONOURS: "fixed_luanfengxiang",
    EIGHT_FLOWERS: "fixed_bahua",
}
"""Which option says what a pattern is worth, in 勒."""
BY_FLOWERS: Final = ("混一色", "碰碰胡")
"""Patterns whose worth is the formula."""

PUNGS: Final = frozenset({"碰碰胡", "混碰", "清碰", "字碰"})
"""Patterns of hands without runs."""

_OPENERS: Final = {"none": (), "dadiaoche": ("大吊车",), "gangkai": ("杠开",), "both": ("大吊车", "杠开")}


class Moment(NamedTuple):
    """How and when the last tile came."""

    by: str = "self"
    """`self` (drawn), `discard`, or `robbed` (the tile of a 补杠)."""
    after_kong: bool = False
    """Drawn after an own kong that stood."""
    flowered: bool = False
    """Drawn after the head of the wall gave a flower."""
    heaven: bool = False
    """The dealer's first turn, before any action."""
    earth: bool = False
    """The first go-round of somebody else, as 地胡 has it."""
    last: bool = False
    """Nothing can be drawn any more."""
    times: int = 1
    """2 in a round that 荒番 doubles."""


class Win(NamedTuple):
    """A hand that wins, read so that it is worth most."""

    pattern: str
    names: dict[str, int]
    """The pattern and the extras, with what each is worth alone."""
    flowers: int
    """Flowers that the formula counts; 0 for any other pattern."""
    points: int
    """Of one share, all bounds and 荒番 included."""
    single: int
    """The same before 荒番."""
    parting: Parting
    """The concealed tiles as sets and a pair; empty for 乱风向 and 八花."""

    @property
    def is_pungs(self) -> bool:
        """Whether it has the label of a hand without runs."""
        return self.pattern in PUNGS


def best_win(
    options: Options, held: Sequence[int], melds: Sequence[Meld], won: int, exposed: int, moment: Moment
) -> Win | None:
    """Return the reading of a hand that is worth most, or None if it does not win.

    Args:
        options: The rule set.
        held: Concealed tiles by kind, the won one among them.
        melds: What lies on the table.
        won: The won tile.
        exposed: Number of exposed flowers.
        moment: How and when the tile came.
    """
    if sum(held) + 3 * len(melds) != HAND_SIZE:
        return None
    suits, honours = _colours(held, melds)
    # Most hands are neither of one suit nor of triplets; without an opener no need to look further.
    is_mixed = suits > 1 and not are_triplets(held)
    if is_mixed and options.extra_can_start == "none" and not (moment.heaven or moment.earth):
        return None
    extras = _extras(options, held, melds, won, moment)
    may_be_plain = _opens(options, extras)
    if is_mixed and not may_be_plain:
        return None
    best: Win | None = None
    for pattern, parting in _readings(held, melds, suits, honours):
        if pattern == PLAIN and not may_be_plain:
            continue
        win = _valued(options, pattern, parting, melds, exposed, extras, moment.times)
        if moment.by != "self" and win.single < options.min_ron:
            continue
        if best is None or _rank(win) < _rank(best):
            best = win
    return best


def eight_flowers(options: Options, times: int) -> Win:
    """Return what the eighth flower is worth."""
    row = options.lezi * options.fixed_bahua
    single = _bounded(options, row)
    return Win(EIGHT_FLOWERS, {EIGHT_FLOWERS: row}, 0, _bounded(options, single * times), single, ())


def _colours(held: Sequence[int], melds: Sequence[Meld]) -> tuple[int, bool]:
    """Return how many suits a hand has, and whether it has honours."""
    has = [any(held[:9]), any(held[9:18]), any(held[18:27]), any(held[27:])]
    for meld in melds:
        has[min(3, meld.tile // 9)] = True
    return sum(has[:3]), has[3]


def _extras(
    options: Options, held: Sequence[int], melds: Sequence[Meld], won: int, moment: Moment
) -> dict[str, int]:
    """Return the extras of a hand, in their order, with their points."""
    is_own = moment.by == "self"
    # Four melds leave one tile in hand, so two alike are that tile and the won one.
    hangs = len(melds) == SETS and held[won] == 2
    if hangs and not options.dadiaoche_angang:
        hangs = all(meld.form != "an" for meld in melds)
    found = {}
    if hangs:
        found["大吊车"] = options.floor_dadiaoche
    if is_own and (moment.after_kong or (moment.flowered and options.gangkai_flower)):
        found["杠开"] = options.floor_gangkai
    if moment.by == "robbed":
        found["抢杠"] = options.floor_qianggang
    elif moment.last:
        found["海底"] = options.floor_haidi
    if moment.heaven and options.fixed_tianhu:
        found["天胡"] = options.fixed_tianhu
    if moment.earth and options.fixed_dihu:
        found["地胡"] = options.fixed_dihu
    return {name: lei * options.lezi for name, lei in found.items()}


def _opens(options: Options, extras: Mapping[str, int]) -> bool:
    """Say whether a 平胡 with these extras may win (起胡)."""
    openers = _OPENERS[options.extra_can_start]
    waives = ("天胡", "地胡") if options.tian_di_waive else ()
    return any(name in extras for name in (*openers, *waives))


def _readings(
    held: Sequence[int], melds: Sequence[Meld], suits: int, honours: bool
) -> Iterator[tuple[str, Parting]]:
    """Yield each way to part the hand with the pattern it then has."""
    has_chow = any(meld.form == "chi" for meld in melds)
    is_parted = False
    for parting in partings(held):
        is_parted = True
        pungs = not has_chow and all(part.form != "run" for part in parting)
        mixed = "碰碰胡" if pungs else PLAIN
        yield PATTERNS.get((suits, honours, pungs), mixed), parting
    if suits == 0 and not is_parted:
        yield ANY_HONOURS, ()


def _valued(
    options: Options,
    pattern: str,
    parting: Parting,
    melds: Sequence[Meld],
    exposed: int,
    extras: Mapping[str, int],
    times: int,
) -> Win:
    flowers = 0
    if pattern in BY_FLOWERS:
        flowers = exposed + sum(meld.flowers for meld in melds)
        flowers += sum(triplet_flowers(part.kind) for part in parting if part.form == "triplet")
        row = min(options.lezi, options.formula_base + flowers)
    else:
        row = options.lezi * getattr(options, FIXED[pattern]) if pattern in FIXED else 0
    worths = (row, *extras.values())
    single = _bounded(options, sum(worths) if options.stack == "add" else max(worths))
    return Win(pattern, {pattern: row, **extras}, flowers, _bounded(options, single * times), single, parting)


def _bounded(options: Options, points: int) -> int:
    return min(options.cap, points) if options.cap else points


def _rank(win: Win) -> tuple[int, bool, Parting]:
    """Return what puts the reading that counts first: most points, then no runs."""
    return (-win.points, not win.is_pungs, win.parting)
