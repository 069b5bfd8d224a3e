"""Who may win a tile now, and what the win is worth to those who pay (Rules 4 to 6)."""

from __future__ import annotations

from engine.kawuxing.fans import (
    DISCARDED,
    GANGKAI,
    GANGPAO,
    QIANGGANG,
    SELF_DRAWN,
    ZIMO,
    Moment,
    Win,
    best_win,
    is_complete,
)
from engine.kawuxing.rules import RuleSet
from engine.kawuxing.settle import SEATS, factor
from engine.kawuxing.state import DEALT, DRAWN, KONGED, ROBBING, State
from engine.mahjong.tiles import ONE, TILE_TEXTS


def own_moment(state: State, seat: int) -> Moment:
    """Return how a seat would win the tile it has just drawn."""
    if state.after == KONGED:
        return Moment(GANGKAI, last=not state.wall_left())
    first = ""
    if not state.touched and not state.rivers[seat]:
        if state.after == DEALT:
            first = "tian"
        elif state.after == DRAWN:
            first = "di"
    return Moment(ZIMO, last=not state.wall_left(), first=first)


def claim_moment(state: State) -> Moment:
    """Return how the tile on offer would be won."""
    if state.phase == ROBBING:
        return Moment(QIANGGANG)
    opening = not state.touched and not any(state.rivers) and state.turn == state.dealer
    return Moment(
        GANGPAO if state.after == KONGED else DISCARDED,
        last=not state.wall_left(),
        first="di" if opening else "",
    )


def may_self_draw(state: State, seat: int) -> bool:
    """Return whether a seat may win the tile it has just drawn."""
    tile, hand, melds = state.drawn, state.hands[seat], state.melds[seat]
    if tile < 0 or not is_complete(hand, melds, tile):
        return False
    if not needs_two(state.rules, True, state.konged[seat]):
        return True
    win = best_win(state.rules, hand, melds, tile, own_moment(state, seat), full=False)
    assert win is not None, "a complete hand scores"
    return win.fan * least_factor(state, seat) >= 2


def least_factor(state: State, seat: int) -> int:
    """Return the factor of 亮倒 of the seat that would pay least for a self-draw."""
    shown = [reveal is not None for reveal in state.revealed]
    return min(
        [factor(state.rules, shown[seat], shown[other], True) for other in range(SEATS) if other != seat]
    )


def may_claim_hu(state: State, seat: int, tile: int, source: int) -> bool:
    """Return whether a seat may win the tile on offer."""
    hand, melds, rules = state.hands[seat] + ONE[tile], state.melds[seat], state.rules
    if not is_complete(hand, melds, tile):
        return False
    if state.passed_tiles[seat] >> tile & 1 and rules.guo_hu == "same_tile":
        return False
    barred = state.passed_fan[seat]
    two = needs_two(rules, False, state.konged[seat])
    if not two and not barred:
        return True
    win = best_win(rules, hand, melds, tile, claim_moment(state), full=False)
    assert win is not None, "a complete hand scores"
    if win.fan <= barred:
        return False
    shown = state.revealed
    times = factor(rules, shown[seat] is not None, shown[source] is not None, False)
    return not two or win.fan * times >= 2


def needs_two(rules: RuleSet, self_drawn: bool, konged: bool) -> bool:
    """Return whether a win must be worth 2番 (起胡)."""
    if rules.min_fan == "soft":
        return not konged
    return rules.min_fan == "hard" or (rules.min_fan == "pao2" and not self_drawn)


def remember_pass(state: State, seat: int, tile: int) -> None:
    """Write what a passed 胡 bars (过水)."""
    rules = state.rules
    if rules.guo_hu == "off":
        return
    if rules.guo_hu == "same_tile":
        state.passed_tiles[seat] |= 1 << tile
        state.emit("mark", seat, "tile", TILE_TEXTS[tile])
        return
    own = state.drawn >= 0 and state.turn == seat
    moment = own_moment(state, seat) if own else claim_moment(state)
    hand = state.hands[seat] + (0 if own else ONE[tile])
    win = best_win(rules, hand, state.melds[seat], tile, moment, full=False)
    assert win is not None, "only an offered win is passed"
    state.passed_fan[seat] = max(state.passed_fan[seat], win.fan)
    state.emit("mark", seat, "fan", state.passed_fan[seat])


def win_of(state: State, seat: int, tile: int, moment: Moment) -> Win:
    """Return what a seat wins with a tile that is in its hand (self-draw) or on offer."""
    hand = state.hands[seat] + (0 if moment.how in SELF_DRAWN else ONE[tile])
    win = best_win(state.rules, hand, state.melds[seat], tile, moment)
    assert win is not None, "only a complete hand wins"
    return win
