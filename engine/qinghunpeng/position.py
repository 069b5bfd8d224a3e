"""The turn machine of 清混碰: draws, flowers, turns, kongs, the end (Rules 1, 2 and 7).

Claims are in ``claims.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.errors import IllegalAction, NotAsked, RoundOver
from engine.face import Action
from engine.mahjong.flowers import FLOWERS, TEXTS
from engine.mahjong.tiles import FIELD, KINDS, ONE, POW, SHIFT, tiles_of_mask
from engine.qinghunpeng import claims
from engine.qinghunpeng.actions import DISCARD as DISCARDS
from engine.qinghunpeng.actions import GANG_AN, GANG_BU, HU, MEANING, discards
from engine.qinghunpeng.events import Event, hand_word
from engine.qinghunpeng.melds import AN, BU, MING, PENG, Laid, keeps_pattern
from engine.qinghunpeng.outcome import DRAW, HUANGZHUANG, Outcome
from engine.qinghunpeng.outcome import HU as WON
from engine.qinghunpeng.patterns import GANGKAI, Win, eight_flowers
from engine.qinghunpeng.settle import SEATS, bound_seats, points_of, win_payments
from engine.qinghunpeng.state import CLAIMED, DEALT, DRAWN, FLOWERED, KONGED, OVER, TURN, State
from engine.qinghunpeng.view import View, view_of
from engine.qinghunpeng.winning import claim_moment, may_self_draw, own_moment, win_of

_SEATS: Final = (0, 1, 2, 3)


class Position(State):
    """A round in progress. Made by ``Qinghunpeng.deal`` or, for examples and puzzles, by ``setup.set_up``."""

    __slots__ = ()

    def to_act(self) -> tuple[int, ...]:
        """Return the seats with an open question, ascending."""
        asked = self.asked
        return tuple([seat for seat in _SEATS if asked[seat] is not None])

    def legal_actions(self, seat: int) -> tuple[Action, ...]:
        """Return the legal answers of a seat, sorted by text; empty if it is not asked."""
        return (self.asked[seat] or ()) if seat in _SEATS else ()

    def apply(self, seat: int, action: Action) -> tuple[Event, ...]:
        """Play one answer and return what followed.

        Raises:
            RoundOver: The round has ended.
            NotAsked: The seat has no open question, or is no seat.
            IllegalAction: The action is none of its answers.
        """
        if self.ended is not None:
            raise RoundOver
        legal = self.asked[seat] if seat in _SEATS else None
        if legal is None:
            raise NotAsked(seat)
        if action not in legal:
            raise IllegalAction(seat, action)
        self.events = [Event("answer", seat, (action,))]
        self.asked[seat] = None
        if self.phase == TURN:
            self._act(seat, action, HU in legal)
        else:
            if action != HU and HU in legal:
                assert self.shown is not None, "a claim is for a tile"
                self.bar(seat, self.shown[0])
            self.answers[seat] = action
            claims.resolve(self)
        return tuple(self.events)

    def opening_events(self) -> tuple[Event, ...]:
        """Return what had happened when the round was dealt."""
        return self.opening

    def outcome(self) -> Outcome | None:
        """Return how the round ended, or ``None``."""
        return self.ended

    def clone(self) -> Position:
        """Return an independent copy."""
        return self.copied(Position)

    def view(self, seat: int | None) -> View:
        """Return what a seat may know; ``None`` for what everybody may know."""
        return view_of(self, seat)

    def deal_hands(self) -> None:
        """Deal 13 tiles each and the dealer's fourteenth, replace flowers, and ask him (Rule 1)."""
        order = [(self.dealer + turn) % SEATS for turn in range(SEATS)]
        for size in (4, 4, 4, 1):
            for seat in order:
                for tile in self.wall[self.at : self.at + size]:
                    self._receive(seat, tile)
                self.at += size
        self.emit("deal", self.dealer, *zip(self.hands, self.kept, strict=True))
        if not self._take_tiles(self.dealer, DEALT):
            return
        if self.rules.flowers == "at_deal":
            for seat in order[1:]:
                if self.kept[seat] and not self._replace(seat, "supply"):
                    return
        self.ask_turn(self.dealer)

    def draw(self, seat: int, after: str) -> None:
        """Let a seat draw and ask it, or end the round if nothing may be drawn."""
        if self.kept[seat] and not self._replace(seat, "supply"):
            return
        if self._take_tiles(seat, after):
            self.ask_turn(seat)

    def _receive(self, seat: int, tile: int) -> None:
        """Put a tile into a hand; a flower is kept apart until it is exposed."""
        if tile < KINDS:
            self.take(seat, tile)
        else:
            self.kept[seat] = tuple(sorted((*self.kept[seat], tile)))

    def _take_tiles(self, seat: int, after: str) -> bool:
        """Draw a tile, and another from the tail for every flower; return whether the round goes on."""
        if self.end_at - self.at <= self.last_at:
            self._draw_out()
            return False
        if after == KONGED:
            self.end_at -= 1
            tile = self.wall[self.end_at]
            self.events.append(Event("draw", seat, (tile, "tail")))
        else:
            tile = self.wall[self.at]
            self.at += 1
            self.events.append(Event("draw", seat, (tile, "head")))
        self.phase, self.turn, self.after = TURN, seat, after
        self.passed[seat] = 0
        self.drawn = -1
        if tile < KINDS:
            self.take(seat, tile)
            self.drawn = tile
        else:
            self.kept[seat] += (tile,)
            if after == DRAWN:
                self.after = FLOWERED
        return not self.kept[seat] or self._replace(seat, "draw")

    def _replace(self, seat: int, kind: str) -> bool:
        """Expose the flowers of a hand, each for a tile from the tail; return whether the round goes on.

        Args:
            seat: The seat.
            kind: ``draw`` where the tile is a draw of the seat's turn, ``supply`` where it is none.
        """
        while self.kept[seat]:
            flower, *rest = sorted(self.kept[seat])
            self.kept[seat] = tuple(rest)
            self.flowers[seat].append(flower)
            self.emit("flower", seat, flower)
            if len(self.flowers[seat]) == len(FLOWERS) and self._eight_flowers_win(seat):
                self._end_won(((seat, eight_flowers(self.rules, self.times)),), "bahua", seat, flower)
                return False
            if not self.is_free():
                self._draw_out()
                return False
            self.end_at -= 1
            tile = self.wall[self.end_at]
            self.emit(kind, seat, *((tile, "tail") if kind == "draw" else (tile,)))
            self.passed[seat] = 0
            self._receive(seat, tile)
            if kind == "draw" and tile < KINDS:
                self.drawn = tile
        return True

    def _eight_flowers_win(self, seat: int) -> bool:
        """Return whether 八花 counts now (Rule 3)."""
        bahua = self.rules.bahua
        return bahua == "anytime" or (bahua == "opening" and not self.discarded[seat])

    def ask_turn(self, seat: int) -> None:
        """Ask the seat whose turn it is."""
        actions = discards(self.hands[seat])
        if self.banned >= 0 and len(actions) > 1:
            out = DISCARDS[self.banned]
            actions = tuple([action for action in actions if action != out])
        if self.quads[seat] or self.melds[seat]:
            actions += self._own_kongs(seat)
        if self.drawn >= 0 and may_self_draw(self, seat):
            actions += (HU,)
        self.asked[seat] = actions
        self.events.append(Event("ask", seat, actions))

    def _own_kongs(self, seat: int) -> tuple[Action, ...]:
        """Return the 暗杠 and 补杠 a seat may make in its turn, sorted by text (Rule 2)."""
        if self.end_at - self.at <= self.last_at:
            return ()
        hand, melds, locked = self.hands[seat], self.melds[seat], self.rules.claim_lock
        kongs = [
            GANG_AN[tile]
            for tile in tiles_of_mask(self.quads[seat])
            if not locked or keeps_pattern(melds, AN, tile)
        ]
        added = []
        for meld in melds:
            tile = meld.tile
            if meld.kind == PENG and (hand >> SHIFT[tile] & FIELD) // POW[tile] % 5:
                added.append(GANG_BU[tile])
        return (*kongs, *sorted(added))

    def _act(self, seat: int, action: Action, hu_offered: bool) -> None:
        """Take the answer of the seat whose turn it is."""
        if action == HU:
            self.win((seat,), seat, self.drawn)
            return
        kind, tile = MEANING[action]
        self.banned = -1
        if kind == "discard":
            if hu_offered:
                self.bar(seat, tile)
            self.hands[seat] -= ONE[tile]
            self.quads[seat] &= ~(1 << tile)
            self.drawn = -1
            self.discarded[seat] += 1
            self.shown = (tile, seat, "discard")
            self.events.append(Event("discard", seat, (tile,)))
            claims.open_discard(self, seat, tile)
            return
        self.drawn = -1
        if kind == AN:
            self.hands[seat] -= 4 * ONE[tile]
            self.quads[seat] &= ~(1 << tile)
            self.melds[seat].append(Laid(AN, tile, seat))
            self.stand(seat, AN, tile)
            return
        self.hands[seat] -= ONE[tile]
        self.shown = (tile, seat, BU)
        self.emit("bu", seat, tile)
        claims.open_rob(self, seat, tile)

    def stand(self, seat: int, kind: str, tile: int, source: int = -1) -> None:
        """Show a kong that stands and draw its replacement (Rule 2)."""
        self.shown = None
        self.touched = True
        self.turn = seat
        self.drawn = -1
        if kind == MING:
            self.emit("gang", seat, kind, tile, source)
        else:
            self.emit("gang", seat, kind, tile)
        self.draw(seat, KONGED)

    def go_on(self, seat: int, banned: int) -> None:
        """Ask a seat that has claimed and goes on without drawing, after its own flowers (Rule 1)."""
        self.shown = None
        self.touched = True
        self.phase, self.turn, self.drawn, self.after = TURN, seat, -1, CLAIMED
        if self.rules.no_swap:
            self.banned = banned
        if not self.kept[seat] or self._replace(seat, "supply"):
            self.ask_turn(seat)

    def win(self, seats: Sequence[int], source: int, tile: int) -> None:
        """End the round with the wins of some seats, ascending."""
        wins, how = [], ""
        for seat in seats:
            moment = own_moment(self, seat) if seat == source else claim_moment(self, seat)
            wins.append((seat, win_of(self, seat, tile, moment)))
            how = moment.how
        if GANGKAI in dict(wins[0][1].names):
            how = "gangkai"
        self._end_won(tuple(wins), how, source, tile)

    def _end_won(self, wins: tuple[tuple[int, Win], ...], how: str, source: int, tile: int) -> None:
        """Pay wins and end the round."""
        for seat, win in wins:
            self.emit("hu", seat, how, source, TEXTS[tile], win)
        bound = [bound_seats(self.melds, seat) if self.rules.chengbao else () for seat, _ in wins]
        payments = win_payments(wins, how, source, bound)
        for pay in payments:
            self.emit("pay", pay.payer, pay.payee, pay.points, pay.why)
        self._end(
            Outcome(WON, how, source, tile, points_of(payments), wins, tuple(bound), payments, self.times)
        )

    def _draw_out(self) -> None:
        """End the round in 荒庄."""
        self._end(Outcome(DRAW, HUANGZHUANG, -1, -1, (0, 0, 0, 0), (), (), (), self.times))

    def _end(self, outcome: Outcome) -> None:
        """End the round and show every hand."""
        self.ended = outcome
        self.phase = OVER
        for seat in range(SEATS):
            word = hand_word(self.hands[seat], self.kept[seat])
            self.emit("show", seat, word, *[meld.text for meld in self.melds[seat]])
        winners = outcome.winners
        self.emit("end", winners[0] if winners else -1, outcome.how, *outcome.points)
