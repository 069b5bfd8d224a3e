"""Rounds that a fair deal hardly ever gives: rigged walls, options at other values, players with a purpose.

Everything of a round follows from the words it is drawn from, so that a number names it for ever.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

CARDS: Final = tuple(f"{size}{rank}" for size in "sb" for rank in range(1, 11))
DECK: Final = tuple(card for card in CARDS for _ in range(4))
HAND: Final = 20
LIANG_AT: Final = 60
"""Where the 亮张 lies in the wall; drawing begins behind it."""
DRAWS_AT: Final = 61

RIGS: Final = ("plain", "alike", "thirds", "ready", "santi")
"""plain: a shuffled wall. alike: hands of pairs, triples and quads. thirds: the same, and the wall brings
what they wait for. ready: a hand that lacks one card, and that card. santi: 三提五坎 or just not."""

STYLES: Final = ("any", "red", "black", "big", "small", "triples")
"""What a ready hand is made of."""

VALUES: Final[dict[str, tuple[Any, ...]]] = {
    "deng_step": (1, 3, 5),
    "names": ("876", "qmt", "none", "hhd", "changde-qmt", "changde-dhd", "ningxiang"),
    "zimo_deng": (0, 1, 2),
    "zimo_stage": ("before_fan", "after_fan"),
    "haidi_plain_total": (1, 2, 3),
    "wu_dui_total": (8, 10, 12),
    "red_cap": (5, 16),
    "big_cap": (7, 14),
    "small_cap": (9, 16),
    "dead_peng_blocks_chi": (True, False),
    "own_discard_dead": (True, False),
    "chou_hu": ("off", "win_xi", "table_xi"),
    "po_pao_hu": (True, False),
    "discard_hu": (True, False),
    "discard_hu_pays": ("discarder", "all"),
    "liangzhang_hu": ("off", "dealer", "all"),
    "liang_xian_zimo": (True, False),
    "santi_wukan": ("off", "auto"),
    "forbid_claim_without_discard": (True, False),
    "huangzhuang_change_after": (1, 2, 3, 4),
    "point_cap": (None, 5, 30),
    "opening_ti_show_one": (True, False),
    "win_cap_by_balance": (True, False),
    "base_stake": (1, 7),
    "fee": (0, 20),
}
"""For each option, values that make it act in small rounds."""


@dataclass(frozen=True, slots=True)
class Manner:
    """How the seats answer."""

    hu: float
    """Chance that an offered 胡 is taken."""
    claim: float
    """Chance that an offered 碰 or 吃 is taken."""
    quiet: frozenset[int] = frozenset()
    """Seats that claim nothing but 胡, so that a rigged hand stays as it is."""
    first: str = ""
    """A card that is discarded before any other."""
    careful: bool = False
    """Whether the card that fits the others least is discarded, not just any."""

    def answer(self, rng: random.Random, seat: int, actions: Sequence[str]) -> str:
        """Return one of the actions, which are sorted."""
        if "hu" in actions and rng.random() < self.hu:
            return "hu"
        others = [action for action in actions if action not in ("hu", "pass")]
        discards = [action for action in others if action.startswith("discard")]
        if discards:
            if f"discard {self.first}" in discards:
                return f"discard {self.first}"
            return _least_fitting(rng, discards) if self.careful else rng.choice(discards)
        if "pass" in actions and (not others or seat in self.quiet or rng.random() >= self.claim):
            return "pass"
        return rng.choice(others or list(actions))


def _least_fitting(rng: random.Random, discards: Sequence[str]) -> str:
    """Return the discard whose card shares fewest runs, 2-7-10 and 绞 with the other cards that may go."""
    cards = [action.removeprefix("discard ") for action in discards]

    def fitting(card: str) -> int:
        size, rank = card[0], int(card[1:])
        ranks = {int(other[1:]) for other in cards if other[0] == size and other != card}
        trios = [{rank - 2, rank - 1}, {rank - 1, rank + 1}, {rank + 1, rank + 2}]
        if rank in (2, 7, 10):
            trios.append({2, 7, 10} - {rank})
        twin = ("b" if size == "s" else "s") + str(rank)
        return sum(2 + len(trio & ranks) for trio in trios if trio & ranks) + 3 * (twin in cards)

    return "discard " + min(cards, key=lambda card: (fitting(card), rng.random()))


@dataclass(frozen=True, slots=True)
class Round:
    """A round to be played by both minds."""

    preset: str
    options: Mapping[str, Any]
    wall: tuple[str, ...]
    dealer: int
    draws_in_row: int
    manner: Manner
    chance: str
    """From which the answers are drawn."""


def round_of(words: str, preset: str, options: Mapping[str, Any], rig: str = "") -> Round:
    """Return the round that follows from some words.

    Args:
        words: Anything; equal words give equal rounds.
        preset: The preset.
        options: Changed options.
        rig: One of RIGS; empty: any of them.
    """
    rng = random.Random(words)
    dealer = rng.randrange(3)
    kind = rig or rng.choice(RIGS)
    wall, manner = _Wall(rng, dealer).rigged(kind)
    draws = rng.randrange(int(options.get("huangzhuang_change_after", 3)))
    return Round(preset, dict(options), tuple(wall), dealer, draws, manner, words)


def any_options(rng: random.Random) -> dict[str, Any]:
    """Return some options at values of VALUES; hands are often cheap to win."""
    chosen = {name: rng.choice(values) for name, values in VALUES.items() if rng.random() < 0.3}
    if rng.random() < 0.6:
        chosen["min_xi"] = rng.choice([3, 6, 9, 10, 15])
        chosen["deng_first"] = min(chosen["min_xi"], rng.choice([3, 6, 10, 15]))
    return chosen


@dataclass(slots=True)
class _Wall:
    rng: random.Random
    dealer: int
    left: Counter[str] = field(default_factory=lambda: Counter(DECK))
    hands: list[list[str]] = field(default_factory=lambda: [[], [], []])
    """Dealer, next, previous."""

    def rigged(self, kind: str) -> tuple[list[str], Manner]:
        rng = self.rng
        hu = rng.choice([0.1, 0.6, 1.0])
        claim = rng.choice([0.2, 0.65, 0.95])
        careful = rng.random() < 0.5
        if kind == "plain":
            wall = list(DECK)
            rng.shuffle(wall)
            return wall, Manner(hu, claim, careful=careful)
        if kind == "ready":
            return self._ready(hu, claim)
        if kind == "santi":
            holders = rng.sample(range(3), rng.choice([1, 1, 2]))
            kinds = rng.sample(CARDS, len(CARDS))
            for at in holders:
                self._deal_santi(at, kinds)
            return self._filled([]), Manner(hu, claim, careful=careful)
        self._deal_alike()
        wall = self._filled([])
        if kind == "thirds":
            wall[DRAWS_AT:] = self._thirds_first(wall[DRAWS_AT:])
        return wall, Manner(hu, claim, careful=careful)

    def _take(self, at: int, cards: Sequence[str]) -> bool:
        """Give a hand some cards if there are that many."""
        wanted = Counter(cards)
        if len(self.hands[at]) + len(cards) > HAND or any(self.left[card] < n for card, n in wanted.items()):
            return False
        self.left -= wanted
        self.hands[at] += cards
        return True

    def _deal_alike(self) -> None:
        rng = self.rng
        kinds = list(CARDS)
        rng.shuffle(kinds)
        for at in range(3):
            for _ in range(rng.choice([1, 2, 3, 4])):
                self._take(at, [kinds.pop()] * rng.choice([3, 3, 3, 4]))
        for at in range(3):
            rng.shuffle(kinds)
            many = rng.choice([0.3, 0.8, 1.0])
            for card in kinds:
                if rng.random() < many and len(self.hands[at]) <= HAND - 2 and self.left[card] >= 2:
                    self._take(at, [card] * 2)

    def _deal_santi(self, at: int, kinds: list[str]) -> None:
        rng = self.rng
        quads, triples = rng.choice(
            [(3, 0), (3, 1), (4, 0), (2, 3), (1, 4), (0, 5), (0, 6), (2, 2), (0, 4), (1, 5)]
        )
        for count, times in ((4, quads), (3, triples)):
            for _ in range(times):
                self._take(at, [kinds.pop()] * count)
        if rng.random() < 0.5:
            self._take(at, [kinds.pop()] * 2)
        for cards in (("s1", "s2", "s3"), ("b2", "b7", "b10"), ("s2", "s7", "s10"), ("b1", "b2", "b3")):
            if rng.random() < 0.5 and not set(cards) & set(self.hands[at]):
                self._take(at, list(cards))

    def _ready(self, hu: float, claim: float) -> tuple[list[str], Manner]:
        rng = self.rng
        at = rng.randrange(3)
        cards = winning_cards(rng, rng.choice(STYLES), 1 if rng.random() < 0.25 else 0, rng.choice([1, 4, 4]))
        rng.shuffle(cards)
        where = rng.choice(["liang", "draw", "draw", "last", "discard"] if at else ["liang"])
        if where == "last" and rng.random() < 0.7:
            at = 1  # who draws the last card if nobody takes any
        counts = Counter(cards)
        threes = 0.6 if where == "last" else 0.2
        missing = next((card for card in cards if counts[card] < 3 or rng.random() < threes), cards[0])
        cards.remove(missing)
        self._take(at, cards)
        fixed: list[tuple[int, str]] = []
        first = ""
        seat = (self.dealer + at) % 3
        if where == "discard" and self._take(0, [missing]):
            first = missing
        elif self.left[missing]:
            self.left[missing] -= 1
            place = {"liang": LIANG_AT, "last": len(DECK) - 1}.get(where, DRAWS_AT + rng.randrange(6))
            fixed.append((place, missing))
        quiet = frozenset(range(3)) if where == "last" else frozenset({seat})
        if rng.random() < 0.4:
            quiet |= self._another_ready(missing, {at} if where == "liang" else {at, 0})
        return self._filled(fixed), Manner(max(hu, 0.6), claim, quiet, first)

    def _another_ready(self, missing: str, others: set[int]) -> frozenset[int]:
        """Let one more seat wait for the same card, if that can be had; return the seat."""
        at = self.rng.choice(sorted({0, 1, 2} - others))
        for _ in range(60):
            cards = winning_cards(self.rng, self.rng.choice(STYLES), 0, 4)
            if missing in cards:
                cards.remove(missing)
                if self._take(at, cards):
                    return frozenset({(self.dealer + at) % 3})
        return frozenset()

    def _filled(self, fixed: Sequence[tuple[int, str]]) -> list[str]:
        """Fill hands and wall with what is left; some cards have their place."""
        rest = list(self.left.elements())
        self.rng.shuffle(rest)
        for hand in self.hands:
            while len(hand) < HAND:
                hand.append(rest.pop())
        wall = [*self.hands[0], *self.hands[1], *self.hands[2], *rest]
        for place, card in fixed:
            wall.insert(place, card)
        assert Counter(wall) == Counter(DECK), "a rigged wall is still a whole deck"
        return wall

    def _thirds_first(self, rest: list[str]) -> list[str]:
        """Bring cards early of which some hand holds two or three."""
        wanted = [card for card in rest if any(hand.count(card) in (2, 3) for hand in self.hands)]
        others = [card for card in rest if card not in wanted]
        early: list[str] = []
        while wanted or others:
            take = wanted if wanted and (not others or self.rng.random() < 0.7) else others
            early.append(take.pop())
        return early


def winning_cards(rng: random.Random, style: str, quads: int, kans: int = 7) -> list[str]:
    """Return the cards of some complete hand without laid melds: 21, whatever their 息.

    Args:
        rng: From which all is drawn.
        style: One of STYLES.
        quads: 0 or 1.
        kans: At most so many 坎.
    """
    while True:
        cards: list[str] = []
        locked: set[str] = set()
        for _ in range(quads):
            card = rng.choice(CARDS)
            locked.add(card)
            cards += [card] * 4
        for _ in range(30):
            meld = some_meld(rng, style)
            together = Counter(cards + meld)
            if len(set(meld)) == 1:
                if together[meld[0]] > 3 or len(locked) >= kans + quads:
                    continue
                locked.add(meld[0])
            if any((count > 2 and card not in locked) or count > 4 for card, count in together.items()):
                continue
            cards += meld
            if len(cards) >= (19 if quads else 21):
                break
        pair = rng.choice(CARDS) if quads else ""
        if len(cards) == (19 if quads else 21) and pair not in cards:
            return cards + [pair] * (2 if quads else 0)


def some_meld(rng: random.Random, style: str) -> list[str]:
    """Return three cards that are a 坎, a run, a 2-7-10 or a 绞, nearly always of the style."""
    if style == "triples" and rng.random() < 0.9:
        return [rng.choice(CARDS)] * 3
    kinds = _MELDS["any" if style == "triples" or rng.random() < 0.04 else style]
    return list(rng.choice(rng.choice(kinds)))


def fits(card: str, style: str) -> bool:
    """Say whether a card is of the style."""
    is_red = int(card[1:]) in (2, 7, 10)
    match style:
        case "red":
            return is_red
        case "black":
            return not is_red
        case "big":
            return card[0] == "b"
        case "small":
            return card[0] == "s"
    return True


def _melds_of(style: str) -> tuple[tuple[tuple[str, ...], ...], ...]:
    """Return all melds of a style, kind by kind: 坎, 一二三 and 二七十, other runs, 绞."""
    ranks = range(1, 11)
    kinds: tuple[list[tuple[str, ...]], ...] = (
        [(card,) * 3 for card in CARDS],
        [tuple(f"{size}{rank}" for rank in trio) for size in "sb" for trio in ((1, 2, 3), (2, 7, 10))],
        [tuple(f"{size}{first + at}" for at in range(3)) for size in "sb" for first in range(2, 9)],
        [trio for rank in ranks for trio in _jiao(rank)],
    )
    fitting = [tuple(meld for meld in melds if all(fits(card, style) for card in meld)) for melds in kinds]
    return tuple(melds for melds in fitting if melds)


def _jiao(rank: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    small, big = f"s{rank}", f"b{rank}"
    return (small, small, big), (small, big, big)


_MELDS: Final = {style: _melds_of(style) for style in STYLES}
