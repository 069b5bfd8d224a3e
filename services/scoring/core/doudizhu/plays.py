"""Which plays a hand holds, and whether one play is among them.

`read_play` judges one text by reading its cards. `legal` lists everything, by laying out each form that the
hand allows. The two are written apart, so each is held to the other in tests.
"""

import re
from collections.abc import Iterator
from typing import Final

from services.scoring.core.doudizhu.cards import (
    BIG_JOKER,
    CHAIN_RANKS,
    KINDS,
    SMALL_JOKER,
    TWO,
    BadCards,
    Counts,
    counts_of,
    less,
    text_of,
)
from services.scoring.core.doudizhu.readings import (
    CHAINS,
    EQUALS,
    Reading,
    as_follow,
    as_lead,
    may_repeat,
    readings,
)
from services.scoring.core.doudizhu.rules import Options

_PLAY: Final = re.compile(r"play ([2-9TJQKABR]{1,20})(?: as ([a-z_]+))?")

Kickers = tuple[tuple[int, int], ...]
"""Ranks and how often."""


class Illegal(Exception):
    """A play that the rules do not allow, and why."""


def read_play(text: str, hand: Counts, table: Reading | None, options: Options) -> tuple[Counts, Reading]:
    """Return the cards of a canonical play and how they are read.

    Args:
        text: `play …`, perhaps with `as` and a type.
        hand: What the seat holds.
        table: What is to be beaten, or None for a lead.
        options: The rule set.

    Raises:
        Illegal: It is no play, not in canonical form, not in the hand, or does not beat the table.
    """
    shape = _PLAY.fullmatch(text)
    if shape is None:
        raise Illegal(f"{text[:60]!r} is no play")
    try:
        cards = counts_of(shape[1])
    except BadCards as bad:
        raise Illegal(str(bad)) from None
    if text_of(cards) != shape[1]:
        raise Illegal(f"the cards of {text!r} stand in order: {text_of(cards)}")
    if less(hand, cards) is None:
        raise Illegal(f"the hand {text_of(hand)} does not hold {shape[1]}")
    found = readings(cards, options)
    if not found:
        raise Illegal(f"{shape[1]} is no combination")
    named = shape[2] or ""
    if table is None:
        reading = as_lead(found, named)
        if reading is None:
            raise Illegal(f"{shape[1]} is no {named}")
        if named == found[0].type:
            raise Illegal(f"{shape[1]} is a {named} unnamed; a play has one text")
        return cards, reading
    if named:
        raise Illegal("only a lead names its type")
    reading = as_follow(found, table)
    if reading is None:
        raise Illegal(f"{shape[1]} does not beat what lies there")
    return cards, reading


def legal(hand: Counts, table: Reading | None, options: Options) -> tuple[str, ...]:
    """Return the texts of all plays of a hand that beat the table (None: all leads), sorted."""
    types: dict[Counts, set[str]] = {}
    for cards, reading in _plays(hand, table, options):
        types.setdefault(cards, set()).add(reading.type)
    found = []
    for cards, kinds in types.items():
        word = text_of(cards)
        found.append(f"play {word}")
        if table is None and len(kinds) > 1:
            first = readings(cards, options)[0].type
            found += [f"play {word} as {kind}" for kind in kinds if kind != first]
    return tuple(sorted(found))


def _plays(hand: Counts, table: Reading | None, options: Options) -> Iterator[tuple[Counts, Reading]]:
    for reading, body in _bodies(hand, options):
        if table is not None and not reading.beats(table):
            continue
        for kickers in _kickers(hand, reading, body, options):
            cards = list(body)
            for rank, copies in kickers:
                cards[rank] += copies
            yield tuple(cards), reading


def _bodies(hand: Counts, options: Options) -> Iterator[tuple[Reading, Counts]]:
    """Yield each reading a hand can give, with the cards that make it, still without kickers."""
    for rank in range(TWO + 1):
        for copies in range(1, hand[rank] + 1):
            yield Reading(EQUALS[copies], 1, rank), _row(rank, rank, copies)
        if hand[rank] >= 3:
            for kind in ("trio_solo", "trio_pair"):
                yield Reading(kind, 1, rank), _row(rank, rank, 3)
        if hand[rank] == 4 and options.four_two:
            for kind in ("four_two_solo", "four_two_pair"):
                yield Reading(kind, 1, rank), _row(rank, rank, 4)
    for joker in (SMALL_JOKER, BIG_JOKER):
        if hand[joker]:
            yield Reading("solo", 1, joker), _row(joker, joker, 1)
    if hand[SMALL_JOKER] and hand[BIG_JOKER]:
        yield Reading("rocket", 1, BIG_JOKER), _row(SMALL_JOKER, BIG_JOKER, 1)
    for copies, (kind, ranks_min) in CHAINS.items():
        for low in range(CHAIN_RANKS):
            high = low
            while high < CHAIN_RANKS and hand[high] >= copies:
                length = high - low + 1
                if length >= ranks_min:
                    body = _row(low, high, copies)
                    yield Reading(kind, length, low), body
                    if copies == 3:
                        yield Reading("plane_solo", length, low), body
                        yield Reading("plane_pair", length, low), body
                high += 1


def _row(low: int, high: int, copies: int) -> Counts:
    return tuple(copies if low <= rank <= high else 0 for rank in range(KINDS))


def _kickers(hand: Counts, reading: Reading, body: Counts, options: Options) -> Iterator[Kickers]:
    carried = 2 if reading.type.startswith("four_two") else reading.length
    free = [rank for rank in range(KINDS) if hand[rank] and not body[rank]]
    if reading.type in ("trio_solo", "plane_solo", "four_two_solo"):
        ends = (reading.rank, reading.rank + reading.length - 1)
        sizes = {
            rank: [
                copies
                for copies in range(1, hand[rank] + 1)
                if copies == 1 or may_repeat(rank, copies, ends, options)
            ]
            for rank in free
        }
        for chosen in _choices(free, sizes, carried):
            ranks = {rank for rank, _ in chosen}
            if options.rocket_as_kickers or not ranks >= {SMALL_JOKER, BIG_JOKER}:
                yield chosen
    elif reading.type in ("trio_pair", "plane_pair", "four_two_pair"):
        sizes = {
            rank: [
                copies
                for copies in (2, 4)
                if copies <= hand[rank] and (copies == 2 or options.bomb_in_kickers)
            ]
            for rank in free
        }
        yield from _choices(free, sizes, 2 * carried)
    else:
        yield ()


def _choices(ranks: list[int], sizes: dict[int, list[int]], cards: int) -> Iterator[Kickers]:
    """Yield each way to take so many cards, of each rank none or one of its sizes."""
    if not cards:
        yield ()
        return
    if not ranks:
        return
    first, later = ranks[0], ranks[1:]
    yield from _choices(later, sizes, cards)
    for size in sizes[first]:
        if size <= cards:
            for more in _choices(later, sizes, cards - size):
                yield ((first, size), *more)
