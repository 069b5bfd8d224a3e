"""What a seat may know of a round.

``Position.view`` builds a view from everything true; ``fold.py`` builds it from what was told. They are
always equal, which proves both that events say enough and that a view says no more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.paohuzi.cards import CARD_TEXTS, count_cards, format_cards, hand_cards, kans_of
from engine.paohuzi.hu import Laid
from engine.paohuzi.melds import Meld
from engine.paohuzi.rules import RuleSet
from engine.paohuzi.scoring import Outcome
from engine.paohuzi.state import State


@dataclass(frozen=True, slots=True)
class ViewMeld:
    """A laid meld; ``cards`` is empty where its identity is hidden."""

    kind: str
    cards: Meld

    @property
    def size(self) -> int:
        """How many cards lie there."""
        return 4 if self.kind in ("ti", "pao") else 3


@dataclass(frozen=True, slots=True)
class View:
    """What one seat, or a spectator, knows. Cards are integers, hands packed integers (``cards.py``)."""

    rules: RuleSet
    seat: int | None
    """Whose view; ``None`` for a spectator."""
    dealer: int
    hand: int
    """The own cards in hand."""
    counts: tuple[int, ...]
    """Cards in hand, by seat."""
    melds: tuple[tuple[ViewMeld, ...], ...]
    rivers: tuple[tuple[int, ...], ...]
    wall_left: int
    shown: tuple[int, int, str] | None
    """The card on offer: card, its seat, ``draw`` ``discard`` or ``liang``."""
    turn: int
    """The seat that drew, discarded or claimed last."""
    dead: tuple[bool, ...]
    """死手 by seat."""
    own_dead: int
    """Mask of own discards (臭牌); then of passed 碰 and passed 吃."""
    peng_dead: int
    chi_dead: int
    passed_hu: tuple[tuple[int, int], ...]
    """臭胡: card and what was declined on it, by card."""
    legal: tuple[str, ...]
    """Answers to the own open question."""
    hands: tuple[int, ...] | None
    """All hands, once the round is over."""
    win: tuple[str, ...] | None
    """The words of the ``hu`` event, if somebody won."""
    end: tuple[str, ...] | None
    """``hu`` or ``draw``, the winner, the points by seat."""

    def table_xi(self, seat: int) -> int:
        """Return the 息 of a seat's laid melds as far as they are known."""
        return sum(Laid(meld.kind, meld.cards).xi for meld in self.melds[seat] if meld.cards)

    def own_xi(self) -> int:
        """Return the 息 the own seat is sure of: laid melds and 坎 in hand."""
        if self.seat is None:
            return 0
        kans = sum(Laid("kan", (card,) * 3).xi for card in hand_cards(kans_of(self.hand)))
        return self.table_xi(self.seat) + kans

    def as_json(self) -> dict[str, Any]:
        """Return the view as a JSON object with cards as text."""

        def names(mask: int) -> list[str]:
            return [CARD_TEXTS[card] for card in range(20) if mask >> card & 1]

        return {
            "seat": self.seat,
            "dealer": self.dealer,
            "rules": self.rules.options(),
            "preset": self.rules.title,
            "hand": [CARD_TEXTS[card] for card in hand_cards(self.hand)],
            "counts": list(self.counts),
            "melds": [
                [
                    [meld.kind, *([CARD_TEXTS[card] for card in meld.cards] or ["?"] * meld.size)]
                    for meld in melds
                ]
                for melds in self.melds
            ],
            "rivers": [[CARD_TEXTS[card] for card in river] for river in self.rivers],
            "wall_left": self.wall_left,
            "shown": None
            if self.shown is None
            else [CARD_TEXTS[self.shown[0]], self.shown[1], self.shown[2]],
            "turn": self.turn,
            "dead": list(self.dead),
            "own_dead": names(self.own_dead),
            "peng_dead": names(self.peng_dead),
            "chi_dead": names(self.chi_dead),
            "passed_hu": {CARD_TEXTS[card]: xi for card, xi in self.passed_hu},
            "legal": list(self.legal),
            "table_xi": [self.table_xi(seat) for seat in range(3)],
            "own_xi": self.own_xi(),
            "hands": None if self.hands is None else [format_cards(hand_cards(hand)) for hand in self.hands],
            "win": None if self.win is None else list(self.win),
            "end": None if self.end is None else list(self.end),
        }


def view_of(state: State, seat: int | None) -> View:
    """Return what a seat may know of a round; ``None`` for what everybody may know."""
    over = state.ended is not None
    own = seat is not None
    at = seat if seat is not None else 0
    return View(
        rules=state.rules,
        seat=seat,
        dealer=state.dealer,
        hand=state.hands[at] if own else 0,
        counts=tuple([count_cards(hand) for hand in state.hands]),
        melds=tuple([_seen(state, other, over or other == seat) for other in (0, 1, 2)]),
        rivers=tuple([tuple(river) for river in state.rivers]),
        wall_left=len(state.wall) - state.at,
        shown=state.shown,
        turn=state.turn,
        dead=tuple(state.dead),
        own_dead=state.own_dead[at] if own else 0,
        peng_dead=state.peng_dead[at] if own else 0,
        chi_dead=state.chi_dead[at] if own else 0,
        passed_hu=tuple(sorted(state.passed_hu[at].items())) if own else (),
        legal=(state.asked[at] or ()) if own else (),
        hands=tuple(state.hands) if over else None,
        win=_win_words(state.ended),
        end=_end_words(state.ended),
    )


def _seen(state: State, owner: int, all_known: bool) -> tuple[ViewMeld, ...]:
    """Return the melds of a seat; 偎 lies face down, and so does an opening 提 that shows no card."""
    closed = 0 if state.rules.opening_ti_show_one else state.opening_tis[owner]
    return tuple(
        [
            ViewMeld(meld.kind, meld.cards if all_known or (meld.kind != "wei" and at >= closed) else ())
            for at, meld in enumerate(state.melds[owner])
        ]
    )


def _end_words(outcome: Outcome | None) -> tuple[str, ...] | None:
    if outcome is None:
        return None
    return (outcome.end, str(outcome.winner), *[str(points) for points in outcome.points])


def _win_words(outcome: Outcome | None) -> tuple[str, ...] | None:
    if outcome is None or outcome.win is None:
        return None
    return tuple([str(word) for word in win_words(outcome)])


def win_words(outcome: Outcome) -> tuple[object, ...]:
    """Return the words of a ``hu`` event after its seat, seat first."""
    win = outcome.win
    assert win is not None, "only a won round has a win"
    card = CARD_TEXTS[outcome.card] if outcome.card >= 0 else "-"
    return (outcome.winner, outcome.how, outcome.source, card, win.xi, *[meld.text for meld in win.melds])
