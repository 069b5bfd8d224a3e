"""Positions made by hand, for worked examples, puzzles and tests; they need not be reachable from a deal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from engine.paohuzi.cards import count_cards, make_hand
from engine.paohuzi.hu import Laid
from engine.paohuzi.position import Position
from engine.paohuzi.rules import RuleSet
from engine.paohuzi.state import LIANG


@dataclass(frozen=True, slots=True)
class SeatSetup:
    """One seat of a hand-made position; cards are integers."""

    hand: Sequence[int] = ()
    melds: Sequence[Laid] = ()
    river: Sequence[int] = ()
    filler: int = 0
    """Further loose cards that are of no use; a seat with filler cannot win."""
    deficit: int = 0
    """Discards owed less than the count rule says."""
    own_discards: Sequence[int] = ()
    dead_peng: Sequence[int] = ()
    dead_chi: Sequence[int] = ()
    passed_hu: Mapping[int, int] = field(default_factory=dict)
    dead_hand: bool = False


def set_up(rules: RuleSet, seats: Sequence[SeatSetup], dealer: int = 0, wall: Sequence[int] = ()) -> Position:
    """Return a quiet position: nobody is asked anything until a card is drawn or discarded in it.

    Go on with ``draw(position, seat, card)``, ``discard(position, seat, card)`` or ``open_round(position,
    liang)``.

    Args:
        rules: The options.
        seats: Three seats.
        dealer: The dealer.
        wall: What is left of the wall, first card first.
    """
    position = Position(rules, wall, dealer)
    position.deficit = tuple([setup.deficit for setup in seats])
    for seat, setup in enumerate(seats):
        position.hands[seat] = make_hand(setup.hand)
        for meld in setup.melds:
            position.lay(seat, meld)
        position.rivers[seat] = list(setup.river)
        position.filler[seat] = setup.filler
        laid = sum(len(meld.cards) for meld in setup.melds)
        position.held[seat] = count_cards(position.hands[seat]) + setup.filler + laid
        position.own_dead[seat] = sum(1 << card for card in set(setup.own_discards))
        position.peng_dead[seat] = sum(1 << card for card in set(setup.dead_peng))
        position.chi_dead[seat] = sum(1 << card for card in set(setup.dead_chi))
        position.passed_hu[seat] = dict(setup.passed_hu)
        position.dead[seat] = setup.dead_hand
    return position


def draw(position: Position, seat: int, card: int, last_card: bool = False) -> None:
    """Let a seat draw this card; it is on top of the wall of the position."""
    position.turn = seat
    position.last = last_card
    position.run(position.draw_card(seat, card))


def discard(position: Position, seat: int, card: int) -> None:
    """Let a card lie discarded by a seat; it is on top of the cards in that seat's hand."""
    position.turn = seat
    position.run(position.show_discard(seat, card))


def open_round(position: Position, liang: int) -> None:
    """Play the opening of dealt hands; the 亮张 is already in the dealer's hand."""
    position.open_card = liang
    position.shown = (liang, position.dealer, LIANG)
    position.begin()
