"""What a seat may know of a round.

``Position.view`` builds a view from everything true; ``fold.py`` builds it from what was told. They are
always equal, which proves both that events say enough and that a view says no more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.doudizhu.cards import RANKS, format_cards, size_of
from engine.doudizhu.events import cards_word, reading_words
from engine.doudizhu.readings import Reading
from engine.doudizhu.rules import RuleSet
from engine.doudizhu.scoring import Outcome, multiplier
from engine.doudizhu.state import BIDDING, DOUBLING, OVER, PLAYING, ROBBING, Move, State


@dataclass(frozen=True, slots=True)
class View:
    """What one seat, or a spectator, knows. Cards are packed integers (``cards.py``)."""

    rules: RuleSet
    seat: int | None
    """Whose view; ``None`` for a spectator."""
    first: int
    """The seat that speaks first, called the dealer by tables and records."""
    hand: int
    """The own cards."""
    counts: tuple[int, ...]
    """Cards in hand, by seat."""
    phase: str
    """``bid`` ``rob`` ``double`` ``play`` ``over``."""
    turn: int
    """The seat to act; -1 while doubling and at the end."""
    shown_card: int
    """The first speaker's card that was shown, -1 for none."""
    bids: tuple[tuple[int, str], ...]
    """What was said in the bidding: seat and action."""
    landlord: int
    """-1 until there is one."""
    bid: int
    """The highest bid; 1 once somebody has called."""
    robs: int
    bottom: int
    """The 底牌 once they are shown, else 0."""
    doubles: tuple[int, ...]
    """1 or 2 by seat once all have answered, else 0; the own answer at once."""
    over: Reading | None
    """What is to be beaten; ``None`` for a lead and before the play."""
    last: int
    """The seat that played last, -1 for none."""
    passes: int
    """Passes since then."""
    plays: tuple[int, ...]
    """Hands played, by seat."""
    bombs: int
    rockets: int
    history: tuple[Move, ...]
    """Every turn of the play."""
    legal: tuple[str, ...]
    """Answers to the own open question."""
    hands: tuple[int, ...] | None
    """All hands, once the round is over."""
    end: tuple[str, ...] | None
    """``win`` or ``draw``, the seat that went out or -1, the points by seat."""

    @property
    def dealer(self) -> int:
        """The seat that speaks first."""
        return self.first

    @property
    def multiplier(self) -> int:
        """What the bid is multiplied by so far, before 春天 and 加倍."""
        return multiplier(self.rules, self.robs, self.bombs, self.rockets)

    def as_json(self) -> dict[str, Any]:
        """Return the view as a JSON object with cards as text."""
        return {
            "seat": self.seat,
            "dealer": self.first,
            "rules": self.rules.options(),
            "preset": self.rules.title,
            "hand": format_cards(self.hand),
            "counts": list(self.counts),
            "phase": self.phase,
            "turn": self.turn,
            "face_up": RANKS[self.shown_card] if self.shown_card >= 0 else "",
            "bids": [[seat, action] for seat, action in self.bids],
            "landlord": self.landlord,
            "bid": self.bid,
            "robs": self.robs,
            "bottom": format_cards(self.bottom),
            "doubles": list(self.doubles),
            "table": None if self.over is None else [self.last, *reading_words(self.over).split(" ")],
            "last": self.last,
            "passes": self.passes,
            "plays": list(self.plays),
            "bombs": self.bombs,
            "rockets": self.rockets,
            "multiplier": self.multiplier,
            "history": [
                [move.seat, "pass"]
                if move.reading is None
                else [move.seat, format_cards(move.cards), *reading_words(move.reading).split(" ")]
                for move in self.history
            ],
            "legal": list(self.legal),
            "hands": None if self.hands is None else [cards_word(hand) for hand in self.hands],
            "end": None if self.end is None else list(self.end),
        }


def view_of(state: State, seat: int | None, legal: tuple[str, ...]) -> View:
    """Return what a seat may know of a round; ``None`` for what everybody may know."""
    ended = state.ended
    phase = state.phase
    doubles = state.doubles
    if phase == DOUBLING:
        doubles = [double if at == seat else 0 for at, double in enumerate(doubles)]
    return View(
        rules=state.rules,
        seat=seat,
        first=state.first,
        hand=state.hands[seat] if seat is not None else 0,
        counts=tuple([size_of(hand) for hand in state.hands]),
        phase=phase,
        turn=state.turn if phase in (BIDDING, ROBBING, PLAYING) else -1,
        shown_card=state.shown_card,
        bids=tuple(state.bids),
        landlord=state.landlord,
        bid=state.bid,
        robs=state.robs,
        bottom=state.bottom if state.landlord >= 0 or phase == OVER else 0,
        doubles=tuple(doubles),
        over=state.over,
        last=state.last,
        passes=state.passes,
        plays=tuple(state.plays),
        bombs=state.bombs,
        rockets=state.rockets,
        history=tuple(state.history),
        legal=legal,
        hands=tuple(state.hands) if ended is not None else None,
        end=end_words(ended) if ended is not None else None,
    )


def end_words(outcome: Outcome) -> tuple[str, ...]:
    """Return how a round ended as words: how, the seat that went out, the points by seat."""
    return (outcome.end, str(outcome.last), *[str(points) for points in outcome.points])
