"""A plain exhaustive search over 跑胡子 hands, without tables, caches or tricks.

It is the yardstick: the tests compare the engine with it, the benches state the engine's speed as a multiple
of it. It is written from the rules and shares nothing with the engine but the numbers of the cards.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

Melds = list[tuple[str, tuple[int, ...]]]


def xi_of(kind: str, cards: Sequence[int]) -> int:
    """Return the 息 of a meld (Rule 2)."""
    big = cards[0] > 9
    if kind == "ti":
        return 12 if big else 9
    if kind == "pao":
        return 9 if big else 6
    if kind in ("wei", "chouwei", "kan"):
        return 6 if big else 3
    if kind == "peng":
        return 3 if big else 1
    if kind == "chi" and sorted(card % 10 for card in cards) in ([0, 1, 2], [1, 6, 9]):
        return 6 if big else 3
    return 0


def eat_melds(card: int) -> list[tuple[int, ...]]:
    """Return every run, 2-7-10 and 绞 with this card."""
    found: list[tuple[int, ...]] = [
        (first, first + 1, first + 2)
        for first in range(max(card - 2, 0), card + 1)
        if first % 10 <= 7 and first // 10 == card // 10
    ]
    found += [meld for meld in ((1, 6, 9), (11, 16, 19)) if card in meld]
    small = card % 10
    found += [(small, small, small + 10), (small, small + 10, small + 10)]
    return found


def partitions(cards: Sequence[int], jiang: bool) -> Iterator[Melds]:
    """Yield every partition into 吃-type melds, with exactly one pair if ``jiang``."""
    if not cards:
        if not jiang:
            yield []
        return
    first = cards[0]
    if jiang and len(cards) > 1 and cards[1] == first:
        for rest in partitions(cards[2:], False):
            yield [("jiang", (first, first)), *rest]
    for meld in eat_melds(first):
        left = list(cards)
        try:
            for card in meld:
                left.remove(card)
        except ValueError:
            continue
        for rest in partitions(left, jiang):
            yield [("chi", meld), *rest]


def complete(loose: Sequence[int], fixed: Melds) -> Iterator[Melds]:
    """Yield every way in which loose cards and fixed melds make a winning hand (Rules 3 and 8)."""
    quads = sum(kind in ("ti", "pao") for kind, _ in fixed)
    cards = len(loose) + sum(len(meld) for _, meld in fixed)
    if cards != (20 + quads if quads else 21):
        return
    for rest in partitions(sorted(loose), quads > 0):
        yield [*fixed, *rest]


def locked(hand: Sequence[int]) -> tuple[list[int], Melds]:
    """Return the loose cards of a hand and its 坎 and 提."""
    loose: list[int] = []
    fixed: Melds = []
    for card, count in sorted(Counter(hand).items()):
        if count == 4:
            fixed.append(("ti", (card,) * 4))
        elif count == 3:
            fixed.append(("kan", (card,) * 3))
        else:
            loose += [card] * count
    return loose, fixed


def all_wins(
    hand: Sequence[int], laid: Melds, card: int, source: str, po_pao_hu: bool = True
) -> Iterator[Melds]:
    """Yield every winning decomposition (Rule 8); arguments as for the engine's ``forms``."""
    held = list(hand)
    if source in ("made", "liang_dealer"):
        loose, fixed = locked(held)
        yield from complete(loose, [*laid, *fixed])
        return
    have = held.count(card)
    without = [at for at in held if at != card]
    kept = [meld for meld in laid if meld[0] in ("wei", "chouwei", "peng") and meld[1][0] == card]
    stays = kept[0] if kept else None
    others = [meld for meld in laid if meld is not stays]
    if source == "self" and have == 3:
        loose, fixed = locked(without)
        yield from complete(loose, [*laid, ("ti", (card,) * 4), *fixed])
    elif source == "self" and have == 2:
        loose, fixed = locked(without)
        yield from complete(loose, [*laid, ("wei", (card,) * 3), *fixed])
    elif source == "self" and stays is not None and stays[0] != "peng":
        loose, fixed = locked(held)
        yield from complete(loose, [*others, ("ti", (card,) * 4), *fixed])
    elif have == 3:
        loose, fixed = locked(without)
        yield from complete(loose, [*laid, ("pao", (card,) * 4), *fixed])
        if po_pao_hu:
            yield from complete([*loose, card], [*laid, ("kan", (card,) * 3), *fixed])
    elif have == 2:
        loose, fixed = locked(without)
        yield from complete(loose, [*laid, ("peng", (card,) * 3), *fixed])
        yield from complete([*loose, card, card, card], [*laid, *fixed])
    elif stays is not None:
        loose, fixed = locked(held)
        yield from complete(loose, [*others, ("pao", (card,) * 4), *fixed])
        if po_pao_hu:
            loose, fixed = locked([*held, card])
            yield from complete(loose, [*laid, *fixed])
    else:
        loose, fixed = locked([*held, card])
        yield from complete(loose, [*laid, *fixed])


def max_xi(hand: Sequence[int], laid: Melds, card: int, source: str, po_pao_hu: bool = True) -> int:
    """Return the most 息 of a win, -1 if there is none."""
    return max(
        (sum(xi_of(*meld) for meld in melds) for melds in all_wins(hand, laid, card, source, po_pao_hu)),
        default=-1,
    )


def wait_cards(hand: Sequence[int], laid: Melds) -> list[tuple[int, int]]:
    """Return each card that wins when another seat draws it, with the most 息."""
    found = []
    for card in range(20):
        if hand.count(card) == 4:
            continue
        xi = max_xi(hand, laid, card, "other")
        if xi >= 0:
            found.append((card, xi))
    return found
