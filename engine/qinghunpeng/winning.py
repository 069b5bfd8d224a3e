"""Who may win a tile now, and what the win is worth (Rules 2 to 4 and 7)."""

from __future__ import annotations

from engine.mahjong.tiles import ONE
from engine.qinghunpeng.patterns import DISCARD, QIANGGANG, ZIMO, Moment, Win, best_win, has_shape
from engine.qinghunpeng.state import DEALT, FLOWERED, KONGED, ROBBING, State


def own_moment(state: State, seat: int) -> Moment:
    """Return how a seat would win the tile it has just drawn."""
    after = state.after
    first = ""
    if after == DEALT:
        first = "tian"
    elif after != KONGED and seat != state.dealer and not state.discarded[seat] and not _is_broken(state):
        first = "di"
    gangkai = after == KONGED or (after == FLOWERED and state.rules.gangkai_flower)
    return Moment(ZIMO, gangkai, not state.is_free(), first)


def claim_moment(state: State, seat: int) -> Moment:
    """Return how a seat would win the tile on offer."""
    if state.phase == ROBBING:
        return Moment(QIANGGANG)
    assert state.shown is not None, "a claim is for a tile"
    first = ""
    early = seat != state.dealer and not state.discarded[seat] and not _is_broken(state)
    if early and state.discarded[state.shown[1]] == 1:
        first = "di"
    return Moment(DISCARD, False, not state.is_free(), first)


def _is_broken(state: State) -> bool:
    """Return whether a claim has ended 地胡."""
    return state.touched and state.rules.dihu_broken_by_claims


def may_self_draw(state: State, seat: int) -> bool:
    """Return whether a seat may win the tile it has just drawn."""
    hand, melds = state.hands[seat], state.melds[seat]
    return (
        has_shape(hand, melds) and _win(state, seat, hand, state.drawn, own_moment(state, seat)) is not None
    )


def may_claim_hu(state: State, seat: int, tile: int) -> bool:
    """Return whether a seat may win the tile on offer."""
    hand = state.hands[seat] + ONE[tile]
    if not has_shape(hand, state.melds[seat]) or state.kept[seat] or state.passed[seat] >> tile & 1:
        return False
    return _win(state, seat, hand, tile, claim_moment(state, seat)) is not None


def _win(state: State, seat: int, hand: int, tile: int, moment: Moment, full: bool = False) -> Win | None:
    return best_win(
        state.rules,
        hand,
        state.melds[seat],
        tile,
        len(state.flowers[seat]),
        moment,
        state.times,
        full,
    )


def win_of(state: State, seat: int, tile: int, moment: Moment) -> Win:
    """Return what a seat wins with a tile that is in its hand (self-draw) or on offer."""
    hand = state.hands[seat] + (0 if moment.how == ZIMO else ONE[tile])
    win = _win(state, seat, hand, tile, moment, full=True)
    assert win is not None, "only a hand that may win wins"
    return win
