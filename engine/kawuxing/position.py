"""The turn machine of 卡五星: turns, kongs, 亮倒, the end (Rules 2, 3 and 7). Claims are in ``claims.py``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.errors import IllegalAction, NotAsked, RoundOver
from engine.face import Action
from engine.kawuxing import claims
from engine.kawuxing.actions import DISCARD as DISCARDS
from engine.kawuxing.actions import GANG_AN, GANG_BU, HU, PLAIN, discards, split_liang
from engine.kawuxing.events import Event, hand_word
from engine.kawuxing.fans import SELF_DRAWN, Win, best_fan, waits_of
from engine.kawuxing.melds import AN, BU, MING, PENG, Laid
from engine.kawuxing.outcome import DRAW, HUANGZHUANG, Outcome
from engine.kawuxing.outcome import HU as WON
from engine.kawuxing.reveal import banned_discards, kong_keeps, liang_actions
from engine.kawuxing.settle import (
    SEATS,
    Ready,
    chain_factor,
    draw_payments,
    kong_payments,
    liu_ma_worth,
    ma_worth,
    win_payments,
)
from engine.kawuxing.state import DEALT, KONGED, OVER, STAKING, TURN, Reveal, State
from engine.kawuxing.view import View, view_of
from engine.kawuxing.winning import may_self_draw, own_moment, remember_pass, win_of
from engine.mahjong.tiles import (
    FIELD,
    ONE,
    POW,
    SHIFT,
    TILE_TEXTS,
    distinct,
    tiles_of_mask,
)

HAND: Final = 13
"""Tiles of a hand before a draw."""


class Position(State):
    """A round in progress. Made by ``Kawuxing.deal`` or, for puzzles and examples, by ``setup.set_up``."""

    __slots__ = ()

    def to_act(self) -> tuple[int, ...]:
        """Return the seats with an open question, ascending."""
        asked = self.asked
        return tuple([seat for seat in (0, 1, 2) if asked[seat] is not None])

    def legal_actions(self, seat: int) -> tuple[Action, ...]:
        """Return the legal answers of a seat, sorted by text; empty if it is not asked."""
        return (self.asked[seat] or ()) if seat in (0, 1, 2) else ()

    def apply(self, seat: int, action: Action) -> tuple[Event, ...]:
        """Play one answer and return what followed.

        Raises:
            RoundOver: The round has ended.
            NotAsked: The seat has no open question, or is no seat.
            IllegalAction: The action is none of its answers.
        """
        if self.ended is not None:
            raise RoundOver
        legal = self.asked[seat] if seat in (0, 1, 2) else None
        if legal is None:
            raise NotAsked(seat)
        if action not in legal:
            raise IllegalAction(seat, action)
        self.events = [Event("answer", seat, (action,))]
        self.asked[seat] = None
        if self.phase == TURN:
            self._act(seat, action, HU in legal)
        elif self.phase == STAKING:
            self._stake(seat, action)
        else:
            if action != HU and HU in legal:
                assert self.shown is not None, "a claim is for a tile"
                remember_pass(self, seat, self.shown[0])
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

    def _stake(self, seat: int, action: Action) -> None:
        """Take a 漂 stake (Rule 9); it is shown when all three are known."""
        self.piao[seat] = PLAIN[action][1]
        if min(self.piao) >= 0:
            for other in range(SEATS):
                self.emit("piao", other, self.piao[other])
            self.deal_hands()

    def deal_hands(self) -> None:
        """Deal 13 tiles each and the dealer's fourteenth, and ask him."""
        order = [(self.dealer + turn) % 3 for turn in range(SEATS)]
        for size in (4, 4, 4, 1):
            for seat in order:
                for tile in self.wall[self.at : self.at + size]:
                    self.take(seat, tile)
                self.at += size
        self.emit("deal", self.dealer, *self.hands)
        self.draw(self.dealer, DEALT)

    def draw(self, seat: int, after: str) -> None:
        """Let a seat draw, or end the round if the wall is empty."""
        if self.at >= self.end_at:
            self._draw_out()
            return
        if after == KONGED and self.rules.replacement_from_tail:
            self.end_at -= 1
            tile = self.wall[self.end_at]
        else:
            tile = self.wall[self.at]
            self.at += 1
        self.take(seat, tile)
        self.phase, self.turn, self.drawn, self.after = TURN, seat, tile, after
        self.last_drawer = seat
        self.passed_tiles[seat] = self.passed_fan[seat] = 0
        self.events.append(Event("draw", seat, (tile,)))
        self.ask_turn(seat)

    def ask_turn(self, seat: int) -> None:
        """Ask the seat whose turn it is, or do what needs no asking."""
        rules, reveal, hand = self.rules, self.revealed[seat], self.hands[seat]
        wins = may_self_draw(self, seat)
        if wins and reveal is not None and rules.reveal_auto_hu:
            self._self_draw(seat)
            return
        kongs = self._own_kongs(seat)
        if reveal is not None:
            drawn = self.drawn
            # 杀马 takes the face-up triplets only; 扣 stays the player's own choice.
            if rules.sha_ma and not wins and GANG_AN[drawn] in kongs and drawn not in reveal.kou:
                self._kong(seat, AN, drawn)
                return
            actions = (DISCARDS[drawn], *kongs, HU) if wins else (DISCARDS[drawn], *kongs)
            self.ask(seat, actions)
            return
        banned = 0
        if rules.ban_feeding and self.reveal_order:
            banned = banned_discards(hand, self.dangerous(seat))
        actions = discards(hand)
        if banned:
            out = {DISCARDS[tile] for tile in tiles_of_mask(banned)}
            actions = tuple([action for action in actions if action not in out])
        if kongs:
            actions += tuple(kongs)
        if wins:
            actions += (HU,)
        if self.end_at - self.at >= rules.reveal_min_wall:
            reveals = liang_actions(hand, self.melds[seat], banned)
            if reveals:
                actions += tuple(reveals)
        self.ask(seat, actions)

    def _own_kongs(self, seat: int) -> list[Action]:
        """Return the 暗杠 and 补杠 a seat may make in its turn, sorted by text (Rules 2, 3 and 7)."""
        rules, drawn, hand, melds = self.rules, self.drawn, self.hands[seat], self.melds[seat]
        quads = self.quads[seat]
        if (not quads and not melds) or self.at >= self.end_at or (drawn < 0 and not rules.kong_after_pong):
            return []
        reveal = self.revealed[seat]
        if reveal is not None:
            if quads >> drawn & 1 and kong_keeps(rules, hand, melds, reveal.waits, AN, drawn):
                return [GANG_AN[drawn]]
            added = Laid(PENG, drawn) in melds and self._may_add(seat, drawn)
            return (
                [GANG_BU[drawn]] if added and kong_keeps(rules, hand, melds, reveal.waits, BU, drawn) else []
            )
        kongs = [GANG_AN[tile] for tile in tiles_of_mask(quads)] if quads else []
        for meld in sorted(melds) if len(melds) > 1 else melds:
            tile = meld.tile
            held = meld.kind == PENG and (hand >> SHIFT[tile] & FIELD) // POW[tile] % 5
            if held and self._may_add(seat, tile):
                kongs.append(GANG_BU[tile])
        return kongs

    def _may_add(self, seat: int, tile: int) -> bool:
        rules = self.rules
        if rules.bugang_only_drawn and tile != self.drawn:
            return False
        return rules.abandoned_kong == "pay" or not self.abandoned[seat] >> tile & 1

    def _act(self, seat: int, action: Action, hu_offered: bool) -> None:
        """Take the answer of the seat whose turn it is."""
        if action == HU:
            self._self_draw(seat)
            return
        if hu_offered:
            remember_pass(self, seat, self.drawn)
        plain = PLAIN.get(action)
        if plain is None:
            tile, kou = split_liang(action)
            self._reveal(seat, tile, kou)
        else:
            kind, tile = plain
            if kind != "discard":
                self._kong(seat, kind, tile)
                return
        self.discard(seat, tile)

    def _reveal(self, seat: int, tile: int, kou: tuple[int, ...]) -> None:
        """Reveal (Rule 7); the discard follows at once."""
        rest = self.hands[seat] - ONE[tile]
        waits = waits_of(rest, self.melds[seat])
        self.revealed[seat] = Reveal(kou, waits)
        self.reveal_order.append(seat)
        shown = rest - sum([3 * ONE[hidden] for hidden in kou])
        self.emit("liang", seat, shown, kou, tiles_of_mask(waits))

    def discard(self, seat: int, tile: int) -> None:
        """Discard a tile and offer it to the others."""
        if self.rules.bao_exempt_forced:
            self.forced = not set(distinct(self.hands[seat])) - set(tiles_of_mask(self.dangerous(seat)))
        self.hands[seat] -= ONE[tile]
        self.quads[seat] &= ~(1 << tile)
        self.drawn = -1
        if self.after != KONGED:
            self.chain = 0
        self.shown = (tile, seat, "discard")
        self.events.append(Event("discard", seat, (tile,)))
        claims.open_discard(self, seat, tile)

    def _kong(self, seat: int, kind: str, tile: int) -> None:
        """Make an own kong; a 补杠 can be robbed before it stands."""
        keeps_chain = self.after == KONGED and not (
            kind == AN and self.rules.chain_requires_drawn and tile != self.drawn
        )
        if not keeps_chain:
            self.chain = 0
        if kind == AN:
            self.hands[seat] -= 4 * ONE[tile]
            self.quads[seat] &= ~(1 << tile)
            self.melds[seat].append(Laid(AN, tile))
            self.stand(seat, AN, tile, seat)
            return
        self.hands[seat] -= ONE[tile]
        self.drawn = -1
        self.forced = False
        self.shown = (tile, seat, BU)
        self.emit("bu", seat, tile)
        claims.open_rob(self, seat, tile)

    def stand(self, seat: int, kind: str, tile: int, source: int) -> None:
        """Book a kong that stands and draw its replacement (Rule 3)."""
        self.shown = None
        self.touched = True
        self.konged[seat] = True
        self.turn = seat
        self.drawn = -1
        if kind == MING:
            self.emit("gang", seat, kind, tile, source)
        else:
            self.emit("gang", seat, kind, tile)
        reveal = self.revealed[seat]
        if reveal is not None:
            kou = tuple([hidden for hidden in reveal.kou if hidden != tile])
            waits = waits_of(self.hands[seat], self.melds[seat])
            self.revealed[seat] = Reveal(kou, waits)
            if waits != reveal.waits:
                self.emit("waits", seat, *[TILE_TEXTS[wait] for wait in tiles_of_mask(waits)])
        times = chain_factor(self.rules, self.chain)
        self.chain += 1
        self.pay(kong_payments(self.stake, times, kind, seat, source))
        self.draw(seat, KONGED)

    def _self_draw(self, seat: int) -> None:
        self.win((seat,), own_moment(self, seat).how, seat, self.drawn)

    def win(self, seats: Sequence[int], how: str, source: int, tile: int) -> None:
        """End the round with the wins of some seats."""
        moment = own_moment(self, source) if how in SELF_DRAWN else claims.moment(self)
        wins = tuple([(seat, win_of(self, seat, tile, moment)) for seat in seats])
        for seat, win in wins:
            self.emit("hu", seat, how, source, TILE_TEXTS[tile], win)
        ma, worth = self._turn_ma(seats[0], how, tile)
        kongs = tuple(self.points)
        self.pay(win_payments(self.rules, self.table(), wins, how, source, worth, self.forced))
        self._end(WON, how, kongs, source=source, tile=tile, wins=wins, ma=ma)

    def _turn_ma(self, seat: int, how: str, tile: int) -> tuple[tuple[int, ...], int]:
        """Turn the tiles of 买马 (Rule 9); return them and what they add to each share."""
        rules = self.rules
        if rules.mai_ma == "off" or how not in SELF_DRAWN:
            return (), 0
        if rules.mai_ma_when == "liang_zimo" and self.revealed[seat] is None:
            return (), 0
        turned = tuple(self.wall[self.at : min(self.end_at, self.at + (1 if rules.mai_ma == "du" else 6))])
        if turned:
            self.emit("ma", seat, *[TILE_TEXTS[at] for at in turned])
        if rules.mai_ma == "liu":
            return turned, liu_ma_worth(tile, turned)
        return turned, ma_worth(turned[0]) if turned else 0

    def _draw_out(self) -> None:
        """End the round in 黄庄 (Rule 8)."""
        fans = []
        for seat in range(SEATS):
            waits = waits_of(self.hands[seat], self.melds[seat])
            fans.append(best_fan(self.rules, self.hands[seat], self.melds[seat], waits))
        ready = [Ready(fan, self.revealed[seat] is not None) for seat, fan in enumerate(fans)]
        first = self.reveal_order[0] if self.reveal_order else -1
        kongs = tuple(self.points)
        self.pay(draw_payments(self.rules, self.stake, ready, first))
        self._end(DRAW, HUANGZHUANG, kongs, waiting=tuple(fans))

    def _end(
        self,
        end: str,
        how: str,
        kong_points: tuple[int, ...],
        source: int = -1,
        tile: int = -1,
        wins: tuple[tuple[int, Win], ...] = (),
        ma: tuple[int, ...] = (),
        waiting: tuple[int, ...] = (0, 0, 0),
    ) -> None:
        """End the round and show every hand."""
        outcome = self.ended = Outcome(
            end=end,
            how=how,
            source=source,
            tile=tile,
            points=tuple(self.points),
            kong_points=kong_points,
            wins=wins,
            payments=tuple(self.payments),
            stake=self.stake,
            ma=ma,
            waiting=waiting,
            last_drawer=self.last_drawer,
        )
        self.phase = OVER
        for seat in range(SEATS):
            self.emit("show", seat, hand_word(self.hands[seat]), *[meld.text for meld in self.melds[seat]])
        winners = outcome.winners
        self.emit("end", winners[0] if winners else -1, outcome.how, *outcome.points)
