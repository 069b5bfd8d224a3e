"""How a hand is best laid out into plays: few of them, and strong ones.

A layout is worth the sum of its groups, each its strength less the price of the turn it takes; trios carry
the weakest singles or pairs along for nothing. Chains are tried in every way, everything else is taken as it
stands. The figures follow from play against other layouts; only their relations matter.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from engine.doudizhu.cards import BIG_JOKER, CHAINABLE, LOW, ONE, ROCKET, TWO, ranks_of
from engine.doudizhu.readings import (
    BOMB,
    PAIR,
    PAIR_CHAIN,
    PAIR_CHAIN_MIN,
    ROCKETS,
    SOLO,
    SOLO_CHAIN,
    SOLO_CHAIN_MIN,
    TRIO,
    TRIO_CHAIN,
    TRIO_CHAIN_MIN,
    Reading,
    chain_mask,
)
from engine.doudizhu.tables import Table, starts

TURN: Final = 7
"""The price of one turn."""

MIDDLE: Final = 7
"""The rank (T) that is neither strong nor weak."""

BOMB_WORTH: Final = 7
ROCKET_WORTH: Final = 20
CHAIN_WORTH: Final = 1

PLANS_MAX: Final = 30_000
"""The most hands whose layout is remembered."""

_CHAINS: Final = (
    (3, TRIO_CHAIN_MIN, TRIO_CHAIN),
    (2, PAIR_CHAIN_MIN, PAIR_CHAIN),
    (1, SOLO_CHAIN_MIN, SOLO_CHAIN),
)


class Group(NamedTuple):
    """Cards that are played together, kickers not included."""

    cards: int
    reading: Reading
    worth: int


class Plan(NamedTuple):
    """The best layout found for a hand."""

    score: int
    """Its worth; more is better."""
    turns: int
    """How many plays it takes."""
    chain: int
    """The cards of a chain that is taken out first, 0 for none."""
    copies: int
    """How often each rank occurs in the chain."""


def best_plan(hand: int) -> Plan:
    """Return the best layout of a hand."""
    return _PLANS[hand]


def groups_of(hand: int) -> list[Group]:
    """Return the groups of the best layout; kickers are groups of their own."""
    found = []
    plan = _PLANS[hand]
    while plan.chain:
        found.append(_chain_group(plan.chain, plan.copies))
        hand -= plan.chain
        plan = _PLANS[hand]
    return found + _plain_groups(hand)


def _chain_group(chain: int, copies: int) -> Group:
    ranks = ranks_of(chain // copies & LOW)
    kind = (SOLO_CHAIN, PAIR_CHAIN, TRIO_CHAIN)[copies - 1]
    worth = ranks[-1] - MIDDLE + CHAIN_WORTH
    return Group(chain, Reading(kind, len(ranks), ranks[0]), worth)


def _plain_groups(hand: int) -> list[Group]:
    """Return equal cards together, and the rocket."""
    found = []
    if hand & ROCKET == ROCKET:
        found.append(Group(ROCKET, Reading(ROCKETS, 1, BIG_JOKER), ROCKET_WORTH))
        hand -= ROCKET
    for rank in ranks_of((hand | hand >> 1 | hand >> 2) & LOW):
        count = hand >> 4 * rank & 7
        worth = rank + BOMB_WORTH if count == 4 else rank - MIDDLE
        kind = (SOLO, PAIR, TRIO, BOMB)[count - 1]
        found.append(Group(count * ONE[rank], Reading(kind, 1, rank), worth))
    return found


def _plan(hand: int) -> Plan:
    """Return the best of: no chain at all, and every chain taken out of the hand."""
    score, turns = _plain_score(hand)
    best = Plan(score, turns, 0, 1)
    for copies, shortest, _ in _CHAINS:
        mask = _at_least(hand, copies) & CHAINABLE
        if not starts(mask, shortest):
            continue
        for length in range(shortest, TWO + 1):
            heads = starts(mask, length)
            if not heads:
                break
            for rank in ranks_of(heads):
                chain = copies * chain_mask(rank, length)
                # A chain of trios carries as many kickers as it has trios.
                after = _with_trios(hand - chain, length) if copies == 3 else _PLANS[hand - chain]
                worth = rank + length - 1 - MIDDLE + CHAIN_WORTH - TURN
                if after.score + worth > best.score:
                    best = Plan(after.score + worth, after.turns + 1, chain, copies)
    return best


def _with_trios(hand: int, carried: int) -> Plan:
    """Return the layout of what a chain of trios leaves over, whose weakest groups it carries."""
    plan = _PLANS[hand]
    score, turns = plan.score, plan.turns
    groups = groups_of(hand)
    loose = sorted(
        [group.worth for group in groups if group.reading.type in (SOLO, PAIR) and group.worth < TURN]
    )
    trios = sum([group.reading.type == TRIO for group in groups])
    for worth in loose[trios : trios + carried]:
        score += TURN - worth
        turns -= 1
    return Plan(score, turns, 0, 1)


def _plain_score(hand: int) -> tuple[int, int]:
    """Return worth and turns of a hand laid out without chains; trios carry the weakest groups.

    It is what ``_plain_groups`` adds up to, without making the groups: most plans are made for playouts.
    """
    score = turns = carried = rank = 0
    loose = []
    if hand & ROCKET == ROCKET:
        score, turns = ROCKET_WORTH - TURN, 1
        hand -= ROCKET
    while hand:
        count = hand & 7
        if count:
            turns += 1
            if count == 4:
                score += rank + BOMB_WORTH - TURN
            else:
                score += rank - MIDDLE - TURN
                if count == 3:
                    carried += 1
                else:
                    loose.append(rank)
        hand >>= 4
        rank += 1
    for rank in loose[:carried]:
        if rank - MIDDLE < TURN:
            score += TURN - (rank - MIDDLE)
            turns -= 1
    return score, turns


def _at_least(hand: int, copies: int) -> int:
    if copies == 1:
        return (hand | hand >> 1 | hand >> 2) & LOW
    if copies == 2:
        return (hand >> 1 | hand >> 2) & LOW
    return (hand & hand >> 1 | hand >> 2) & LOW


_PLANS: Final[Table[int, Plan]] = Table(_plan, PLANS_MAX)
