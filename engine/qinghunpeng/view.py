"""What a seat may know of a round.

``Position.view`` builds a view from everything true; ``fold.py`` builds it from what was told. They are
always equal, which proves both that events say enough and that a view says no more.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from engine.mahjong.flowers import TEXTS
from engine.mahjong.tiles import hand_tiles, size_of, tiles_of_mask
from engine.qinghunpeng.events import hand_word, win_words
from engine.qinghunpeng.melds import Laid
from engine.qinghunpeng.outcome import Outcome
from engine.qinghunpeng.patterns import Win
from engine.qinghunpeng.rules import RuleSet
from engine.qinghunpeng.state import OVER, TURN, State


@dataclass(frozen=True, slots=True)
class View:
    """What one seat, or a spectator, knows. Tiles are integers, hands packed integers."""

    rules: RuleSet
    seat: int | None
    """Whose view; ``None`` for a spectator."""
    dealer: int
    times: int
    """What 荒番 multiplies by, 1 or 2."""
    hand: int
    """The own concealed tiles without flowers, the drawn one included."""
    kept: tuple[int, ...]
    """The own flowers that are not yet replaced, ascending."""
    drawn: int
    """The tile the own seat has drawn and not yet answered, -1 for none."""
    counts: tuple[int, ...]
    """Concealed tiles, flowers included, by seat."""
    melds: tuple[tuple[Laid, ...], ...]
    flowers: tuple[tuple[int, ...], ...]
    """Exposed flowers, by seat."""
    rivers: tuple[tuple[int, ...], ...]
    wall_left: int
    shown: tuple[int, int, str] | None
    """The tile on offer: tile, its seat, ``discard`` or ``bu``; after the end the one won from another."""
    turn: int
    """The seat that drew, claimed or discarded last."""
    passed: int
    """过水: tiles whose 胡 the own seat has passed, as bits."""
    points: tuple[int, ...]
    legal: tuple[str, ...]
    """Answers to the own open question."""
    hands: tuple[str, ...] | None
    """All hands as words, once the round is over."""
    wins: tuple[tuple[str, ...], ...]
    """The words of every ``hu`` event."""
    end: tuple[str, ...] | None
    """The first winner or -1, how, the points by seat."""

    def as_json(self) -> dict[str, Any]:
        """Return the view as a JSON object with tiles as text."""
        return {
            "seat": self.seat,
            "dealer": self.dealer,
            "rules": self.rules.options(),
            "preset": self.rules.title,
            "times": self.times,
            "hand": _texts((*hand_tiles(self.hand), *self.kept)),
            "drawn": TEXTS[self.drawn] if self.drawn >= 0 else "",
            "counts": list(self.counts),
            "melds": [[[meld.kind, TEXTS[meld.tile], meld.source] for meld in melds] for melds in self.melds],
            "flowers": [_texts(flowers) for flowers in self.flowers],
            "rivers": [_texts(river) for river in self.rivers],
            "wall_left": self.wall_left,
            "shown": None if self.shown is None else [TEXTS[self.shown[0]], self.shown[1], self.shown[2]],
            "turn": self.turn,
            "passed": _texts(tiles_of_mask(self.passed)),
            "points": list(self.points),
            "legal": list(self.legal),
            "hands": None if self.hands is None else list(self.hands),
            "wins": [list(words) for words in self.wins],
            "end": None if self.end is None else list(self.end),
        }


def _texts(tiles: Iterable[int]) -> list[str]:
    return [TEXTS[tile] for tile in tiles]


def view_of(state: State, seat: int | None) -> View:
    """Return what a seat may know of a round; ``None`` for what everybody may know."""
    ended = state.ended
    at = seat if seat is not None else 0
    own = seat is not None
    return View(
        rules=state.rules,
        seat=seat,
        dealer=state.dealer,
        times=state.times,
        hand=state.hands[at] if own else 0,
        kept=tuple(state.kept[at]) if own else (),
        drawn=state.drawn if own and seat == state.turn and state.phase == TURN else -1,
        counts=tuple([size_of(hand) + len(kept) for hand, kept in zip(state.hands, state.kept, strict=True)]),
        melds=tuple([tuple(melds) for melds in state.melds]),
        flowers=tuple([tuple(flowers) for flowers in state.flowers]),
        rivers=tuple([tuple(river) for river in state.rivers]),
        wall_left=state.wall_left(),
        shown=state.shown,
        turn=state.turn,
        passed=state.passed[at] if own else 0,
        points=(0, 0, 0, 0) if ended is None else ended.points,
        legal=(state.asked[at] or ()) if own else (),
        hands=None
        if state.phase != OVER
        else tuple([hand_word(hand, kept) for hand, kept in zip(state.hands, state.kept, strict=True)]),
        wins=() if ended is None else tuple([_win(ended, other, win) for other, win in ended.wins]),
        end=None
        if ended is None
        else (
            str(ended.winners[0] if ended.wins else -1),
            ended.how,
            *[str(number) for number in ended.points],
        ),
    )


def _win(outcome: Outcome, seat: int, win: Win) -> tuple[str, ...]:
    """Return the words of a ``hu`` event, its seat first."""
    return (str(seat), outcome.how, str(outcome.source), TEXTS[outcome.tile], *win_words(win))
