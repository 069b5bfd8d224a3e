"""What a hand may expect: the points it wins, and those it loses because others win first.

A seat is alone with the tiles it has not seen: each of its turns brings any of them with the same chance,
others give some of what it waits for, and with a certain chance a round the others end it. From that follows
what a ready hand is worth, silent or revealed; from the ready hands it can become, what a hand one tile away
is worth; and so on. Values are in stakes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from engine.kawuxing.fans import Moment, best_win, own_copies
from engine.kawuxing.melds import PENG, Laid
from engine.kawuxing.normal_sight import dangers, unseen
from engine.kawuxing.settle import SEATS, capped, factor
from engine.kawuxing.view import View
from engine.mahjong.distance import distance
from engine.mahjong.tiles import HONOURS, ONE, RANK, SUIT, count_of, distinct, tiles_of_mask
from engine.mahjong.wins import ready_discards, wait_mask

GIVEN: Final = 0.5
"""How often a hidden seat discards a tile it has drawn that it does not know to be waited for."""

HIDDEN_WINS: Final[tuple[float, ...]] = (0.0, 0.004, 0.01, 0.02, 0.04, 0.06, 0.08, 0.09, 0.1, 0.11)
"""How often a hidden seat wins within a round of turns, by its turns so far."""

IS_READY: Final[tuple[float, ...]] = (0.0, 0.02, 0.055, 0.11, 0.24, 0.33, 0.44, 0.51, 0.58, 0.65)
"""How often a hidden seat is ready, by its turns so far; measured over 500 rounds of normal bots, as are the
chances below."""

WAITS_MIDDLE: Final[tuple[float, ...]] = (0.04, 0.045, 0.064, 0.068)
WAITS_END: Final[tuple[float, ...]] = (0.0, 0.003, 0.024, 0.038)
WAITS_DRAGON: Final[tuple[float, ...]] = (0.0, 0.004, 0.025, 0.06)
"""How often a ready seat waits for 2 to 8, for 1 or 9, for a dragon, by how many of it are unseen."""

WAITS_THROWN: Final = 0.003
"""How often it waits for a tile it has discarded itself."""

FED: Final = 2.0
"""Stakes that a hidden seat wins on a discard."""

LOSS: Final = 3.0
"""Stakes lost by a hidden hand when another wins."""

FAN_OF_REVEALED: Final = 2.5
"""番 taken for a revealed hand."""

MA_MEAN: Final = {"off": 0.0, "du": 5.7, "liu": 2.8}
"""What 买马 adds to a share on the average."""

Melds = tuple[Laid, ...]
Ready = tuple[float, float]
"""Gain a round of turns, and the chance that the round goes on."""


@dataclass(frozen=True, slots=True)
class Others:
    """What a seat fears and hopes of one other seat."""

    is_revealed: bool
    gives: float
    """How often it discards a tile it draws, if it does not know it to be waited for."""
    extra: float
    """漂 between the two."""


def _other(view: View, seat: int, at: int) -> Others:
    is_revealed = view.revealed[at] is not None
    extra = max(0, view.piao[seat]) + max(0, view.piao[at])
    return Others(is_revealed, 1.0 if is_revealed else GIVEN, float(extra))


class Outlook:
    """What the hands a seat can make are worth in one view."""

    __slots__ = (
        "_given",
        "_hidden",
        "_near",
        "_others",
        "_ready",
        "danger",
        "hazard",
        "left",
        "loss",
        "ma",
        "rules",
        "total",
        "turns",
    )

    def __init__(self, view: View) -> None:
        seat = view.seat
        self.rules = view.rules
        self.left = unseen(view)
        self.total = max(1, sum(self.left))
        self.turns = max(1, (view.wall_left + 2) // SEATS)
        self.danger = dangers(view)
        self.ma = MA_MEAN[view.rules.mai_ma]
        others = [other for other in range(SEATS) if other != seat]
        self._others = tuple([_other(view, seat or 0, at) for at in others])
        self._given = sum([other.gives for other in self._others])
        self.hazard, lost = 0.0, 0.0
        self._hidden: list[tuple[float, tuple[int, ...]]] = []
        for at in others:
            seen = view.revealed[at]
            if seen is None:
                turns = len(view.rivers[at]) + len(view.melds[at])
                wins = HIDDEN_WINS[min(turns, len(HIDDEN_WINS) - 1)]
                lost += wins * LOSS
                self._hidden.append((IS_READY[min(turns, len(IS_READY) - 1)], view.rivers[at]))
            else:
                live = sum([self.left[tile] for tile in tiles_of_mask(seen.waits)])
                feeders = sum([other.is_revealed for other in self._others]) - 1
                wins = live / self.total * (1 + feeders)
                lost += wins * capped(self.rules, 1, 2) * FAN_OF_REVEALED
            self.hazard += wins
        self.loss = lost
        self._ready: dict[tuple[int, Melds], tuple[Ready, Ready]] = {}
        self._near: dict[tuple[int, Melds], float] = {}

    def risk(self, tile: int) -> float:
        """Return the stakes a discard is likely to cost by a hidden hand that waits for it."""
        left = min(3, self.left[tile])
        if SUIT[tile] == HONOURS:
            often = WAITS_DRAGON[left]
        else:
            often = (WAITS_END if RANK[tile] in (0, 8) else WAITS_MIDDLE)[left]
        total = 0.0
        for chance, river in self._hidden:
            total += chance * (WAITS_THROWN if tile in river else often)
        return total * FED

    def ready(self, hand: int, melds: Melds) -> tuple[Ready, Ready]:
        """Return what a ready hand gains in a round of turns and how long it lasts, silent and revealed."""
        key = (hand, melds)
        known = self._ready.get(key)
        if known is None:
            wins = self._wins(hand, melds)
            known = self._ready[key] = (self._waiting(wins, False), self._waiting(wins, True))
        return known

    def _wins(self, hand: int, melds: Melds) -> list[tuple[float, int, int]]:
        """Return the chance to draw, the 番 and the counted triplets (数坎) of each live wait."""
        mask = wait_mask(hand, not melds)
        if melds:
            mask &= ~own_copies(hand, melds)
        wins: list[tuple[float, int, int]] = []
        for tile in tiles_of_mask(mask):
            live = self.left[tile]
            if live:
                win = best_win(self.rules, hand + ONE[tile], melds, tile, Moment(), full=False)
                assert win is not None, "a wait wins"
                wins.append((live / self.total, win.fan, win.kan if self.rules.shukan else 0))
        return wins

    def _waiting(self, wins: list[tuple[float, int, int]], revealed: bool) -> Ready:
        rules = self.rules
        ma = self.ma if revealed or rules.mai_ma_when == "zimo" else 0.0
        gain = hits = 0.0
        for chance, fan, kan in wins:
            may_draw = fan > 1 or revealed or rules.min_fan not in ("hard", "soft")
            hits += chance * may_draw
            for other in self._others:
                if may_draw:
                    times = factor(rules, revealed, other.is_revealed, True)
                    gain += chance * (capped(rules, fan, times) + ma + kan + other.extra)
                if revealed and not other.is_revealed:
                    continue
                times = factor(rules, revealed, other.is_revealed, False)
                if rules.min_fan == "none" or fan * times >= 2:
                    hits += chance * other.gives
                    gain += chance * other.gives * (capped(rules, fan, times) + kan + other.extra)
        loss = self.loss * (2 if revealed and rules.reveal_doubles_loser == "all" else 1)
        return gain - loss, max(0.0, 1 - hits - self.hazard)

    def ready_value(self, hand: int, melds: Melds, turns: float) -> float:
        """Return what a ready hand of 13 is worth, silent or revealed, whichever is better."""
        return max([lasting(way, turns) for way in self.ready(hand, melds)])

    def value(self, hand: int, melds: Melds) -> float:
        """Return what a hand of 13 is worth; far hands are only comparable with each other."""
        far = distance(hand, len(melds))
        if far <= 0:
            return self.ready_value(hand, melds, self.turns)
        if far == 1:
            return self.near(hand, melds, self.turns)
        return self.away(hand, melds, far)

    def near(self, hand: int, melds: Melds, turns: float) -> float:
        """Return what a hand one tile from ready is worth."""
        left, total = self.left, self.total
        ways: list[tuple[float, Ready]] = []
        moved = 0.0
        soon = turns * 0.6
        for tile in accepts(hand, len(melds)):
            live = left[tile]
            if not live:
                continue
            chance = live / total
            best = self._best_ready(hand + ONE[tile], melds, soon)
            if best is not None:
                ways.append((chance, best))
                moved += chance
            if count_of(hand, tile) >= 2:
                best = self._best_ready(hand - 2 * ONE[tile], (*melds, Laid(PENG, tile)), soon)
                if best is not None:
                    chance *= self._given
                    ways.append((chance, best))
                    moved += chance
        stays = max(0.0, 1 - moved - self.hazard)
        value = -self.loss * series(stays, turns)
        for chance, (gain, lasts) in ways:
            value += chance * gain * after(stays, lasts, turns)
        return value

    def _best_ready(self, hand: int, melds: Melds, turns: float) -> Ready | None:
        """Return the best ready hand that 14 tiles become by a safe discard."""
        best, chosen = -1e9, None
        for tile, _ in ready_discards(hand, not melds):
            if self.danger >> tile & 1:
                continue
            for way in self.ready(hand - ONE[tile], melds):
                worth = lasting(way, turns)
                if worth > best:
                    best, chosen = worth, way
        return chosen

    def away(self, hand: int, melds: Melds, far: int) -> float:
        """Return what a hand more than one tile from ready is worth, from the hands one step nearer."""
        moved = value = 0.0
        for tile in accepts(hand, len(melds)):
            chance = self.left[tile] / self.total
            if not chance:
                continue
            step = self._best_step(hand + ONE[tile], melds, far - 1)
            if step is not None:
                moved += chance
                value += chance * step
            if count_of(hand, tile) >= 2:
                step = self._best_step(hand - 2 * ONE[tile], (*melds, Laid(PENG, tile)), far - 1)
                if step is not None:
                    chance *= self._given
                    moved += chance
                    value += chance * step
        stays = max(0.0, 1 - moved - self.hazard)
        return (value - self.loss) * series(stays, self.turns)

    def _best_step(self, hand: int, melds: Melds, far: int) -> float | None:
        """Return the value of the best hand at a distance that 14 tiles become by a safe discard."""
        number = len(melds)
        best, chosen = -1, 0
        for tile in distinct(hand):
            if self.danger >> tile & 1 or distance(hand - ONE[tile], number) != far:
                continue
            live = sum([self.left[at] for at in accepts(hand - ONE[tile], number)])
            if live > best:
                best, chosen = live, hand - ONE[tile]
        if best < 0:
            return None
        key = (chosen, melds)
        known = self._near.get(key)
        if known is None:
            turns = max(1.0, self.turns - 3.0)
            known = self.near(chosen, melds, turns) if far == 1 else best / self.total
            self._near[key] = known
        return known


def series(stays: float, turns: float) -> float:
    """Return the sum of the chances that nothing has happened before each of so many rounds of turns."""
    if stays >= 1.0:
        return turns
    return float((1 - stays**turns) / (1 - stays))


def lasting(way: Ready, turns: float) -> float:
    """Return what a ready hand gains in so many rounds of turns."""
    gain, lasts = way
    return gain * series(lasts, turns)


def after(stays: float, lasts: float, turns: float) -> float:
    """Return how many rounds of turns a ready hand lasts that is reached by chance on the way.

    The sum over the round in which it is reached, each with the chance ``stays`` of not being there yet.
    """
    if abs(stays - lasts) < 1e-6:
        lasts += 2e-6
    if lasts >= 1.0:
        lasts = 1 - 1e-6
    mixed = (lasts**turns - stays**turns) / (lasts - stays)
    return float((series(stays, turns) - mixed) / (1 - lasts))


@lru_cache(maxsize=32_768)
def accepts(hand: int, melds: int) -> tuple[int, ...]:
    """Return the tiles that bring a hand of 13 nearer, ascending; whether any is left is not asked."""
    now = distance(hand, melds)
    near: set[int] = set()
    for tile in distinct(hand):
        near.add(tile)
        if SUIT[tile] < 3:
            near |= {tile + step for step in (-2, -1, 1, 2) if 0 <= RANK[tile] + step <= 8}
    return tuple([tile for tile in sorted(near) if distance(hand + ONE[tile], melds) < now])
