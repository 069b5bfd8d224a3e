"""Complete positions that a seat cannot tell from the true one: what it does not see is guessed.

The unseen cards are dealt out anew to the hidden melds, the other hands and the wall. A card that lies in a
river was nobody's 坎 and nobody's hidden 偎, or it would have been run; and since hands only shrink, whoever
did not take it then cannot take it any more (Rule 7).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.face import Rng
from engine.paohuzi import claims
from engine.paohuzi.actions import DISCARDED, HU
from engine.paohuzi.cards import COPIES, KINDS, ONE, distinct, hand_cards, kans_of, make_hand, quads_of
from engine.paohuzi.hu import Laid
from engine.paohuzi.normal import hand_value
from engine.paohuzi.position import Position, deal_position
from engine.paohuzi.state import LIANG, MADE
from engine.paohuzi.view import View

TRIES_MAX: Final = 30
"""So many deals are tried for one without a 坎 that cannot be."""


EXCHANGES: Final = 6
"""How many exchanges are tried for each card a seat gave away; so guessed hands are as good as true ones."""

HAND_CARDS_OF_MELD: Final = 2
"""How many cards of a meld came from the hand, as a rule."""


def guess(view: View, rng: Rng) -> Position:
    """Return a position whose view for the same seat is equal to the given one.

    Args:
        view: The view of a seat that is asked, in a running round.
        rng: The source of chance.
    """
    seat = view.seat
    assert seat is not None, "a spectator has no hand to guess around"
    assert view.legal, "only a view with an open question tells enough"
    if view.shown is not None and view.shown[2] == LIANG and DISCARDED.keys().isdisjoint(view.legal):
        return _before_play(view, seat, rng)
    unseen = _unseen(view)
    gone = 0
    for river in view.rivers:
        for card in river:
            gone |= 1 << card
    shown = view.shown[0] if view.shown is not None and view.shown[2] != LIANG else -1
    if shown >= 0:
        gone |= 1 << shown
    melds = [_guessed_melds(view, other, unseen, gone, rng) for other in (0, 1, 2)]
    hands, wall = _dealt(view, seat, unseen, gone, shown, rng)
    position = Position(view.rules, wall, view.dealer)
    for other in (0, 1, 2):
        position.hands[other] = hands[other]
        for meld in melds[other]:
            position.lay(other, meld)
        position.opening_tis[other] = _closed_tis(view, other)
        position.held[other] = view.counts[other] + sum([meld.size for meld in view.melds[other]])
        position.rivers[other] = list(view.rivers[other])
        position.dead[other] = view.dead[other]
    _mark(position, view, seat)
    position.last = not wall
    position.turn = view.turn
    position.shown = view.shown
    _ask(position, view, seat)
    position.events = []
    return position


def shuffle(pool: list[int], rng: Rng) -> None:
    """Bring cards into a random order."""
    for last in range(len(pool) - 1, 0, -1):
        at = rng.randrange(last + 1)
        pool[last], pool[at] = pool[at], pool[last]


def _unseen(view: View) -> list[int]:
    """Return how many copies of each card the view does not show."""
    unseen = [COPIES] * KINDS
    for card in hand_cards(view.hand):
        unseen[card] -= 1
    for melds in view.melds:
        for meld in melds:
            for card in meld.cards:
                unseen[card] -= 1
    for river in view.rivers:
        for card in river:
            unseen[card] -= 1
    if view.shown is not None and view.shown[2] != LIANG:
        unseen[view.shown[0]] -= 1
    return unseen


def _guessed_melds(view: View, seat: int, unseen: list[int], gone: int, rng: Rng) -> list[Laid]:
    """Return the melds of a seat; hidden ones take their cards from the unseen."""
    found = []
    for meld in view.melds[seat]:
        cards = meld.cards
        if not cards:
            ways = [(card, 1 if unseen[card] == meld.size else 4) for card in range(KINDS)]
            ways = [(card, way) for card, way in ways if unseen[card] >= meld.size]
            possible = [(card, way) for card, way in ways if not gone >> card & 1] or ways
            at = rng.randrange(sum([way for _, way in possible]))
            for card, way in possible:
                at -= way
                if at < 0:
                    cards = (card,) * meld.size
                    break
            unseen[cards[0]] -= meld.size
        found.append(Laid(meld.kind, cards))
    return found


def _dealt(
    view: View, seat: int, unseen: Sequence[int], gone: int, shown: int, rng: Rng
) -> tuple[list[int], list[int]]:
    """Return the hands by seat and the wall, from the unseen cards."""
    pool = [card for card in range(KINDS) for _ in range(unseen[card])]
    others = ((seat + 1) % 3, (seat + 2) % 3)
    first, second = view.counts[others[0]], view.counts[others[1]]
    for _ in range(TRIES_MAX):
        shuffle(pool, rng)
        one, two = make_hand(pool[:first]), make_hand(pool[first : first + second])
        if not (_impossible(one, gone) or _impossible(two, gone)):
            break
    else:
        # Too few cards are left to choose from; only a 坎 of the card on offer would make another question.
        for start, end in ((0, first), (first, first + second)):
            if shown >= 0 and pool[start:end].count(shown) == 3:
                at = pool.index(shown)
                other = next(to for to, card in enumerate(pool) if card != shown and not start <= to < end)
                pool[at], pool[other] = pool[other], pool[at]
        one, two = make_hand(pool[:first]), make_hand(pool[first : first + second])
    hands = [view.hand] * 3
    hands[others[0]], hands[others[1]] = one, two
    wall = pool[first + second :]
    for other in others:
        hands[other] = _kept(view, other, hands[other], wall, gone, rng)
    return hands, wall


def _kept(view: View, seat: int, hand: int, wall: list[int], gone: int, rng: Rng) -> int:
    """Return a hand whose seat has kept what fits: for each card it gave away, some cards are exchanged.

    An exchange with the wall is made if the hand gains by it. The wall is changed in place.
    """
    shed = 20 - view.counts[seat] - HAND_CARDS_OF_MELD * len(view.melds[seat])
    xi, min_xi = view.table_xi(seat), view.rules.min_xi
    cards = list(hand_cards(hand))
    if not wall or not cards:
        return hand
    value = hand_value(hand, xi, min_xi)
    for _ in range(EXCHANGES * max(0, shed)):
        at, to = rng.randrange(len(cards)), rng.randrange(len(wall))
        other = hand - ONE[cards[at]] + ONE[wall[to]]
        worth = hand_value(other, xi, min_xi)
        if worth > value and not _impossible(other, gone):
            hand, value = other, worth
            cards[at], wall[to] = wall[to], cards[at]
    return hand


def _impossible(hand: int, gone: int) -> bool:
    """Return whether a hand has a 坎 that would have been run, or a quad that would have been laid."""
    return bool(quads_of(hand)) or any(gone >> card & 1 for card in distinct(kans_of(hand)))


def _closed_tis(view: View, seat: int) -> int:
    """Return how many opening 提 of a seat lie face down, as far as can be told."""
    if view.rules.opening_ti_show_one:
        return 0
    melds = view.melds[seat]
    return next((at for at, meld in enumerate(melds) if meld.kind != "ti"), len(melds))


def _mark(position: Position, view: View, seat: int) -> None:
    """Write what each seat can no longer take."""
    rivers = [sum({1 << card for card in river}) for river in view.rivers]
    for other in (0, 1, 2):
        position.own_dead[other] = rivers[other]
        position.peng_dead[other] = rivers[0] | rivers[1] | rivers[2]
        position.chi_dead[other] = rivers[other] | rivers[other - 1]
    position.own_dead[seat] = view.own_dead
    position.peng_dead[seat] = view.peng_dead
    position.chi_dead[seat] = view.chi_dead
    position.passed_hu[seat] = dict(view.passed_hu)


def _ask(position: Position, view: View, seat: int) -> None:
    """Open the question of the view again."""
    if view.shown is not None and view.shown[2] != LIANG:
        card, source, kind = view.shown
        claims.open_claim(position, source, card, kind)
        return
    position.asked[seat] = view.legal
    if HU in view.legal:
        made = [meld.cards[0] for meld in position.melds[seat] if meld.kind in ("ti", "wei", "chouwei")]
        position.open_kind, position.open_seat, position.open_card = MADE, seat, made[-1]
        position.hu_totals[seat] = claims.offered_total(position, seat, made[-1], MADE)


def _before_play(view: View, seat: int, rng: Rng) -> Position:
    """Return a deal in which the seat is asked about the 亮张."""
    assert view.shown is not None, "the 亮张 lies open"
    liang, dealer = view.shown[0], view.dealer
    unseen = _unseen(view)
    own = view.hand
    if seat == dealer:
        own -= ONE[liang]
    else:
        unseen[liang] -= 1
    pool = [card for card in range(KINDS) for _ in range(unseen[card])]
    at = 20 * ((seat - dealer) % 3)
    while True:
        shuffle(pool, rng)
        dealt = [*pool[:at], *hand_cards(own), *pool[at:40], liang, *pool[40:]]
        position = deal_position(view.rules, dealt, dealer)
        if position.asked[seat] == view.legal and position.shown == view.shown:
            position.events = []
            return position
