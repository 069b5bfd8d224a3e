"""How the landlord is found (Rule 3): 叫分, or 叫 and 抢地主; then 加倍."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.doudizhu.actions import BIDS, CALL, DOUBLES, NO_CALL, NO_ROB, ROB
from engine.doudizhu.events import cards_word
from engine.doudizhu.scoring import DRAW, SEATS, Outcome
from engine.doudizhu.state import DOUBLING, ROBBING
from engine.face import Action

if TYPE_CHECKING:
    from engine.doudizhu.position import Position

BID_MAX: Final = 3

_ANSWERS: Final = tuple([(BIDS[0], *BIDS[bid + 1 :]) for bid in range(BID_MAX)])
"""By the highest bid so far: to bid nothing, or more."""

_CALLS: Final = (CALL, NO_CALL)
_ROBS: Final = (NO_ROB, ROB)


def begin(position: Position) -> None:
    """Ask the first speaker."""
    _ask(position, position.first)


def answers(position: Position) -> tuple[Action, ...]:
    """Return what the seat to act may say."""
    if position.phase == ROBBING:
        return _ROBS
    return _CALLS if position.rules.bid == "qiang" else _ANSWERS[position.bid]


def take(position: Position, seat: int, action: Action) -> None:
    """Take an answer of the bidding or of 加倍."""
    if position.phase == DOUBLING:
        _double(position, seat, action)
        return
    position.bids.append((seat, action))
    if position.rules.bid == "qiang":
        position.emit(action, seat)
        if action == CALL:
            position.caller, position.bid = seat, 1
            position.phase = ROBBING
        elif action == ROB:
            position.caller = seat
            position.robs += 1
    else:
        bid = BIDS.index(action)
        position.emit("bid", seat, bid)
        if bid:
            position.caller, position.bid = seat, bid
    following = _next_robber(position) if position.phase == ROBBING else _next_speaker(position, seat)
    if following >= 0:
        _ask(position, following)
    elif position.caller >= 0:
        _crown(position)
    elif position.rules.redeal_limit is not None and position.draws_in_row >= position.rules.redeal_limit:
        position.caller, position.bid = position.first, 1
        _crown(position)
    else:
        position.end(Outcome(DRAW))


def _next_speaker(position: Position, seat: int) -> int:
    """Return who speaks next, or -1 when the bidding is over."""
    said = position.bids
    if position.bid == BID_MAX:
        return -1
    if position.rules.bid == "score" and position.rules.bid_rounds == "until2pass" and position.bid:
        two_passed = len(said) > SEATS - 1 and all(action == BIDS[0] for _, action in said[1 - SEATS :])
        return -1 if two_passed else (seat + 1) % 3
    return (seat + 1) % 3 if len(said) < SEATS else -1


def _next_robber(position: Position) -> int:
    """Return who may still 抢: those that did not decline, after the caller in order; he himself last."""
    caller = next(seat for seat, action in position.bids if action == CALL)
    spoken = {seat for seat, _ in position.bids}
    for seat in ((caller + 1) % 3, (caller + 2) % 3):
        if seat not in spoken:
            return seat
    answered = position.bids[-1][0] == caller and position.bids[-1][1] != CALL
    return caller if position.robs and not answered else -1


def _crown(position: Position) -> None:
    """Give the landlord the 底牌, for all to see."""
    seat = position.landlord = position.caller
    position.hands[seat] += position.bottom
    position.emit("landlord", seat, position.bid, 2**position.robs, cards_word(position.bottom))
    if position.rules.double == "off":
        position.lead(position.landlord)
        return
    position.phase = DOUBLING
    for other in range(SEATS):
        position.emit("ask", other, *DOUBLES)


def _double(position: Position, seat: int, action: Action) -> None:
    """Take an answer to 加倍; all three are shown when the last is in (Rule 6)."""
    position.doubles[seat] = 1 + DOUBLES.index(action)
    if all(position.doubles):
        for other in range(SEATS):
            position.emit("doubled", other, position.doubles[other])
        position.lead(position.landlord)


def _ask(position: Position, seat: int) -> None:
    position.turn = seat
    position.emit("ask", seat, *answers(position))
