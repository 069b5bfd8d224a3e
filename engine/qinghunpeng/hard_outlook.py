"""What a hand is likely to win, and what a discard is likely to cost.

Three wins in four are made on a discard, and the discarder pays alone. So a discard costs what its tile is
worth to the others, by how often seats with such melds, so late, wait for such a tile. It is set against
what the own hand is likely to win: each round of turns brings one of the unseen tiles, others give some of
what can be claimed, and the number of tiles a hand accepts shrinks as it comes nearer. Values are in points.
"""

from __future__ import annotations

from typing import Final

from engine.mahjong.tiles import HONOURS, KINDS, ONE, SUIT, count_of, distinct, tiles_of_mask
from engine.mahjong.wins import wait_mask
from engine.qinghunpeng.melds import CHI, Laid
from engine.qinghunpeng.normal import WEIGHTS
from engine.qinghunpeng.patterns import SUITS_MASK, ZIMO, Moment, best_win, flowers_of
from engine.qinghunpeng.plans import CLEAN, MIXED, PUNGS, WINDS, Plan, plans_of
from engine.qinghunpeng.settle import SEATS
from engine.qinghunpeng.sight import discarded, unseen
from engine.qinghunpeng.view import View

GIVEN: Final = 0.5
"""How often a seat discards a tile it draws."""

ROUND_ENDS: Final[tuple[float, ...]] = (
    0.0,
    0.0,
    0.0,
    0.0,
    0.002,
    0.005,
    0.01,
    0.01,
    0.015,
    0.02,
    0.05,
    0.05,
    0.06,
    0.06,
)
"""How often the others end the round within a round of turns, by turns so far; see ``_ends``."""

LATE_ENDS: Final[tuple[float, ...]] = (0.08, 0.16, 0.2)
"""The same from turn 14, 17 and 20 on."""

IS_READY: Final[tuple[tuple[float, ...], ...]] = (
    (0.0, 0.0, 0.006, 0.011, 0.03, 0.10, 0.15),
    (0.0, 0.0, 0.008, 0.03, 0.075, 0.18, 0.30),
    (0.0, 0.0, 0.034, 0.086, 0.133, 0.21, 0.28),
    (0.0, 0.02, 0.06, 0.25, 0.30, 0.60, 0.66),
    (1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0),
)
"""How often a seat is ready, by its melds and a third of its discards; measured over 220 rounds of normal
bots, as are the chances below."""

WAITS_HONOUR: Final[tuple[float, ...]] = (0.0, 0.03, 0.07, 0.11)
"""How often a ready seat waits for an honour, by how many of it are unseen."""

WAITS_SUIT: Final = 0.11
"""How often it waits for a tile of the suit of its melds."""

WAITS_OTHER: Final = 0.06
"""How often it waits for a tile of another suit, if no run lies; with one it never can."""

WAITS_ANY: Final = 0.05
"""How often it waits for a tile of a suit if nothing lies."""

WAITS_THROWN: Final = 0.02
"""How much rarer it waits for what it has discarded itself."""

COMES: Final[dict[str, tuple[float, ...]]] = {
    MIXED: (6.8, 11.6, 18.7, 22.2, 25.7, 28.8, 31.7, 34.0),
    CLEAN: (4.3, 7.3, 10.5, 13.5, 16.4, 20.3, 23.7, 28.0),
    PUNGS: (8.2, 11.7, 17.0, 22.7, 28.3, 32.3, 35.9, 38.0),
    WINDS: (17.0, 12.0, 16.0, 20.0, 22.0, 24.0, 24.0, 22.0),
}
"""How many unseen tiles bring a hand nearer to a plan, by its distance, those that can be claimed counted
as often as they come; measured over 150 rounds of normal bots."""

ABOVE: Final = 0.3
"""The power with which a hand that accepts more than is usual now will do so later."""

SHARES: Final = 1.8
"""How many shares a win is paid on the average: three for a self-draw, else one."""

NOWHERE: Final = 13
"""The distance of a hand that can no longer win."""

Melds = tuple[Laid, ...]


class Outlook:
    """What hands and discards are worth in one view."""

    __slots__ = (
        "_alive",
        "_chances",
        "_exposed",
        "_known",
        "_rules",
        "_shares",
        "left",
        "total",
        "turns",
        "view",
    )

    def __init__(self, view: View) -> None:
        seat = view.seat or 0
        self.view = view
        self._rules = view.rules
        self._exposed = len(view.flowers[seat])
        self.left = unseen(view)
        self.total = max(1, sum(self.left))
        free = max(0, view.wall_left - view.rules.dead_wall)
        self.turns = max(1, (free + SEATS - 1) // SEATS)
        thrown = discarded(view)
        now = thrown[seat]
        self._alive = [1.0]
        for turn in range(self.turns):
            self._alive.append(self._alive[-1] * (1 - _ends(now + turn)))
        self._chances = [
            _is_ready(thrown[other], len(view.melds[other])) if other != seat else 0.0
            for other in range(SEATS)
        ]
        self._known: dict[tuple[int, Melds], float] = {}
        self._shares = [_suit_shares(view, other) for other in range(SEATS)]

    def offence(self, hand: int, melds: Melds) -> tuple[int, float]:
        """Return the distance of a hand of 13 to its nearest plan, and how much comes to it.

        Every plan counts by the tiles that bring it nearer and by what it is worth, one that is a tile
        farther an eighth: a hand that can still turn to another plan is the better one.
        """
        number = len(melds)
        plans = plans_of(melds)
        distances = [plan.distance(hand, number) for plan in plans]
        nearest = min(distances, default=NOWHERE)
        total = 0.0
        for plan, far in zip(plans, distances, strict=True):
            if far <= nearest + 1:
                weight = WEIGHTS[plan.kind] * (1.0 if far == nearest else 0.125)
                total += weight * sum([self.left[tile] for tile in plan.accepted(hand, number, far)])
        return nearest, total

    def ready(self, hand: int, melds: Melds) -> float:
        """Return what a ready hand of 13 gains in a round of turns, from its waits one by one."""
        mask = wait_mask(hand, False)
        if not hand & SUITS_MASK and all(SUIT[meld.tile] == HONOURS for meld in melds):
            mask |= _HONOURS
        gain = 0.0
        for tile in tiles_of_mask(mask):
            live = self.left[tile]
            if not live:
                continue
            win = best_win(self._rules, hand + ONE[tile], melds, tile, self._exposed, _DRAWN, full=False)
            if win is not None:
                ways = SEATS - 1 + (GIVEN * (SEATS - 1) if win.base >= self._rules.min_ron else 0.0)
                gain += live / self.total * ways * win.points
        return gain

    def next_ready(self, hand: int, melds: Melds) -> float:
        """Return what the ready hands gain in a round of turns that a hand next to one becomes, by chance."""
        number = len(melds)
        gain = 0.0
        for tile in sorted({at for plan in plans_of(melds) for at in plan.accepted(hand, number, 1)}):
            live = self.left[tile]
            if live:
                often = live * (1 + _often_claimed(hand, tile, 1))
                gain += often * self._best_ready(hand + ONE[tile], melds)
        return gain / self.total

    def _best_ready(self, hand: int, melds: Melds) -> float:
        """Return the gain of the best ready hand that 14 tiles become by a discard."""
        key = (hand, melds)
        known = self._known.get(key)
        if known is None:
            number = len(melds)
            plans = plans_of(melds)
            rests = [hand - ONE[tile] for tile in distinct(hand)]
            near = [rest for rest in rests if any(plan.distance(rest, number) <= 0 for plan in plans)]
            known = self._known[key] = max([self.ready(rest, melds) for rest in near], default=0.0)
        return known

    def stake(self, hand: int, melds: Melds) -> float:
        """Return the points a hand is likely to win with its nearest plans, at best."""
        number = len(melds)
        distances = [(plan.distance(hand, number), plan) for plan in plans_of(melds)]
        nearest = min([far for far, _ in distances], default=NOWHERE)
        return max(
            [self._chain(plan, hand, melds, far) for far, plan in distances if far <= nearest + 1],
            default=0.0,
        )

    def _chain(self, plan: Plan, hand: int, melds: Melds, far: int) -> float:
        """Return what a plan is likely to win: it must come one step nearer so many times, then win."""
        usual = COMES[plan.kind]
        last = len(usual) - 1
        comes = 0.0
        for tile in plan.accepted(hand, len(melds), far):
            if self.left[tile]:
                comes += self.left[tile] * (1 + _often_claimed(hand, tile, far))
        above = (comes / usual[min(far, last)]) ** ABOVE
        rates = [comes / self.total]
        rates += [above * usual[min(step, last)] / self.total for step in range(far - 1, -1, -1)]
        worth = SHARES * self._points(plan, hand, melds)
        states = [1.0] + [0.0] * far
        value = 0.0
        alive = self._alive
        for turn in range(self.turns):
            goes_on = alive[turn + 1] / alive[turn]
            won = states[far] * min(1.0, rates[far])
            value += won * worth * goes_on
            for step in range(far, 0, -1):
                moved = states[step - 1] * min(1.0, rates[step - 1])
                states[step] = (states[step] - (won if step == far else 0.0)) * goes_on + moved * goes_on
                states[step - 1] -= moved
                won = 0.0 if step == far else won
            states[0] *= goes_on
        return value

    def _points(self, plan: Plan, hand: int, melds: Melds) -> float:
        """Return the points a plan is likely to bring."""
        rules = self._rules
        lezi = float(rules.lezi)
        if plan.kind == CLEAN:
            return lezi * rules.fixed_qingyise
        if plan.kind not in (MIXED, PUNGS):
            return lezi * rules.fixed_luanfengxiang
        flowers = flowers_of(hand, melds, self._exposed)
        points = min(lezi, rules.formula_base + flowers + 1.0)
        # Four melds make 大吊车.
        return points + (0.0, 0.0, 0.5, 2.0, 5.0)[len(melds)] * (points < lezi)

    def risk(self, tile: int) -> float:
        """Return what a discard is likely to cost."""
        view = self.view
        total = 0.0
        for other in range(SEATS):
            chance = self._chances[other]
            if not chance:
                continue
            if tile in view.rivers[other]:
                chance *= WAITS_THROWN
            if SUIT[tile] == HONOURS:
                share = WAITS_HONOUR[min(3, self.left[tile])]
            else:
                share = self._shares[other][SUIT[tile]]
            total += chance * share * self._loss_to(other)
        return total

    def _loss_to(self, other: int) -> float:
        """Return the points another seat is likely to win."""
        view = self.view
        number = len(view.melds[other])
        points = 2.5 + flowers_of(0, view.melds[other], len(view.flowers[other]))
        floor = (4.0, 4.0, 4.0, 4.5, 10.0)[number]
        return max(floor, min(float(self._rules.lezi), points)) * view.times


_HONOURS: Final = ((1 << KINDS) - 1) ^ ((1 << 9 * HONOURS) - 1)
"""The honours, as bits by tile."""

_DRAWN: Final = Moment(ZIMO)


def _ends(turn: int) -> float:
    """Return how often the others end the round in a turn."""
    if turn < len(ROUND_ENDS):
        return ROUND_ENDS[turn]
    return LATE_ENDS[0] if turn < 17 else LATE_ENDS[1] if turn < 20 else LATE_ENDS[2]


def _is_ready(turns: int, melds: int) -> float:
    """Return how often a seat is ready."""
    row = IS_READY[melds]
    return row[min(turns // 3, len(row) - 1)]


def _suit_shares(view: View, seat: int) -> tuple[float, ...]:
    """Return how often a ready seat waits for a tile of each suit, by its melds."""
    melds = view.melds[seat]
    suits = {SUIT[meld.tile] for meld in melds} - {HONOURS}
    runs = any(meld.kind == CHI for meld in melds)
    if not suits:
        return (WAITS_ANY,) * HONOURS
    if len(suits) > 1:
        return (0.0 if runs else WAITS_OTHER,) * HONOURS
    other = 0.0 if runs else WAITS_OTHER
    return tuple([WAITS_SUIT if field in suits else other for field in range(HONOURS)])


def _often_claimed(hand: int, tile: int, far: int) -> float:
    """Return how often a tile can be claimed for each time it is drawn."""
    if not far or count_of(hand, tile) >= 2:
        return (SEATS - 1) * GIVEN
    return GIVEN if _run_of(hand, tile) >= 0 else 0.0


def _run_of(hand: int, tile: int) -> int:
    """Return the lowest tile of a run that a tile makes with two of the hand, -1 for none."""
    if SUIT[tile] < HONOURS:
        base = 9 * SUIT[tile]
        for low in range(max(base, tile - 2), min(base + 6, tile) + 1):
            if all(count_of(hand, at) for at in (low, low + 1, low + 2) if at != tile):
                return low
    return -1
