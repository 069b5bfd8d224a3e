"""What a seat may know of a round.

``Position.view`` builds a view from everything true; ``fold.py`` builds it from what was told. They are
always equal, which proves both that events say enough and that a view says no more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.kawuxing.events import hand_word, win_words
from engine.kawuxing.fans import Win
from engine.kawuxing.melds import Laid
from engine.kawuxing.outcome import Outcome
from engine.kawuxing.rules import RuleSet
from engine.kawuxing.settle import SEATS
from engine.kawuxing.state import OVER, STAKING, TURN, State
from engine.mahjong.tiles import TILE_TEXTS, hand_tiles, size_of, tiles_of_mask


@dataclass(frozen=True, slots=True)
class Revealed:
    """What everybody sees of a revealed seat."""

    shown: int
    """Its face-up concealed tiles, as a hand."""
    hidden: int
    """How many triplets are 扣."""
    waits: int
    """Its waits, as bits."""


@dataclass(frozen=True, slots=True)
class View:
    """What one seat, or a spectator, knows. Tiles are integers, hands packed integers."""

    rules: RuleSet
    seat: int | None
    """Whose view; ``None`` for a spectator."""
    dealer: int
    stake: int
    """Points of one 番."""
    dice: tuple[int, ...]
    """The two dice of 上楼, empty without."""
    hand: int
    """The own concealed tiles, the drawn one included."""
    drawn: int
    """The tile the own seat has drawn and not yet answered, -1 for none."""
    counts: tuple[int, ...]
    """Concealed tiles, by seat."""
    melds: tuple[tuple[Laid, ...], ...]
    rivers: tuple[tuple[int, ...], ...]
    wall_left: int
    shown: tuple[int, int, str] | None
    """The tile on offer: tile, its seat, ``discard`` or ``bu``; the won tile after the end."""
    turn: int
    """The seat that drew, claimed or discarded last."""
    revealed: tuple[Revealed | None, ...]
    reveal_order: tuple[int, ...]
    kou: tuple[int, ...]
    """The tiles of the own 扣 triplets."""
    piao: tuple[int, ...]
    """漂 by seat, -1 while it is not known; the own at once."""
    points: tuple[int, ...]
    """Booked so far."""
    passed_tiles: int
    """过水: tiles whose 胡 the own seat has passed, as bits; then the highest 番 passed."""
    passed_fan: int
    legal: tuple[str, ...]
    """Answers to the own open question."""
    hands: tuple[int, ...] | None
    """All hands, once the round is over."""
    wins: tuple[tuple[str, ...], ...]
    """The words of every ``hu`` event."""
    ma: tuple[int, ...]
    end: tuple[str, ...] | None
    """The first winner or -1, how, the points by seat."""

    def as_json(self) -> dict[str, Any]:
        """Return the view as a JSON object with tiles as text."""
        return {
            "seat": self.seat,
            "dealer": self.dealer,
            "rules": self.rules.options(),
            "preset": self.rules.title,
            "stake": self.stake,
            "dice": list(self.dice),
            "hand": _texts(hand_tiles(self.hand)),
            "drawn": TILE_TEXTS[self.drawn] if self.drawn >= 0 else "",
            "counts": list(self.counts),
            "melds": [[[meld.kind, TILE_TEXTS[meld.tile]] for meld in melds] for melds in self.melds],
            "rivers": [_texts(river) for river in self.rivers],
            "wall_left": self.wall_left,
            "shown": None
            if self.shown is None
            else [TILE_TEXTS[self.shown[0]], self.shown[1], self.shown[2]],
            "turn": self.turn,
            "revealed": [
                None
                if seen is None
                else {
                    "tiles": _texts(hand_tiles(seen.shown)),
                    "hidden": 3 * seen.hidden,
                    "waits": _texts(tiles_of_mask(seen.waits)),
                }
                for seen in self.revealed
            ],
            "reveal_order": list(self.reveal_order),
            "kou": _texts(self.kou),
            "piao": list(self.piao),
            "points": list(self.points),
            "passed": {"tiles": _texts(tiles_of_mask(self.passed_tiles)), "fan": self.passed_fan},
            "legal": list(self.legal),
            "hands": None if self.hands is None else [hand_word(hand) for hand in self.hands],
            "wins": [list(words) for words in self.wins],
            "ma": _texts(self.ma),
            "end": None if self.end is None else list(self.end),
        }


def _texts(tiles: tuple[int, ...]) -> list[str]:
    return [TILE_TEXTS[tile] for tile in tiles]


def view_of(state: State, seat: int | None) -> View:
    """Return what a seat may know of a round; ``None`` for what everybody may know."""
    ended = state.ended
    at = seat if seat is not None else 0
    own = seat is not None
    reveal = state.revealed[at] if own else None
    piao = state.piao
    if state.phase == STAKING:
        piao = [stake if other == seat else -1 for other, stake in enumerate(piao)]
    return View(
        rules=state.rules,
        seat=seat,
        dealer=state.dealer,
        stake=state.stake,
        dice=state.dice,
        hand=state.hands[at] if own else 0,
        drawn=state.drawn if own and seat == state.turn and state.phase == TURN else -1,
        counts=tuple([size_of(hand) for hand in state.hands]),
        melds=tuple([tuple(melds) for melds in state.melds]),
        rivers=tuple([tuple(river) for river in state.rivers]),
        wall_left=state.wall_left(),
        shown=state.shown,
        turn=state.turn,
        revealed=tuple([_seen(state, other) for other in range(SEATS)]),
        reveal_order=tuple(state.reveal_order),
        kou=reveal.kou if reveal is not None else (),
        piao=tuple(piao),
        points=tuple(state.points),
        passed_tiles=state.passed_tiles[at] if own else 0,
        passed_fan=state.passed_fan[at] if own else 0,
        legal=(state.asked[at] or ()) if own else (),
        hands=tuple(state.hands) if state.phase == OVER else None,
        wins=() if ended is None else tuple([_win(ended, other, win) for other, win in ended.wins]),
        ma=() if ended is None else ended.ma,
        end=None
        if ended is None
        else (
            str(ended.winners[0] if ended.wins else -1),
            ended.how,
            *[str(number) for number in ended.points],
        ),
    )


def _seen(state: State, seat: int) -> Revealed | None:
    reveal = state.revealed[seat]
    if reveal is None:
        return None
    return Revealed(state.shown_hand(seat), len(reveal.kou), reveal.waits)


def _win(outcome: Outcome, seat: int, win: Win) -> tuple[str, ...]:
    """Return the words of a ``hu`` event, its seat first."""
    return (str(seat), outcome.how, str(outcome.source), TILE_TEXTS[outcome.tile], *win_words(win))
