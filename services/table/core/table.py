"""A table: the deterministic fold of its events, in numbered frames.

`apply` takes one event of the log; `advance` lets time pass. Both add to `outputs` what is to be shown or
answered, and that may leave the process only once the event is durable. Nothing here reads a clock or draws:
times and seeds stand in the events.

Frames get their number when they are shown, in the order of time. What the rules cause is split into beats:
after a card shown to all the next public event keeps a distance of `claim_pause_ms`, whether or not anybody
was asked, so that time tells nothing. A new owner shows every pending beat before its `resumed` frame, so
that each number has one content whatever the old owner had still shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from msgspec.structs import replace

from engine.face import Game, Position
from engine.record import full_result
from services.table.core import frames as f
from services.table.core.answers import answered
from services.table.core.events import (
    Answered,
    ShardCut,
    ShardStalled,
    ShardTaken,
    TableCreated,
    TableEvent,
)
from services.table.core.fold import FOLDS
from services.table.core.frames import Beat
from services.table.core.looks import looks_like, seat_view
from services.table.core.record import write_record
from services.table.core.spec import shared
from services.table.core.state import (
    SPECTATORS,
    Ask,
    CommandDone,
    OpenQuestion,
    Owed,
    Round,
    Seat,
    State,
    Thought,
    decode_state,
    encode_state,
)

NEVER = 1 << 62
"""A time that does not come."""


RULES_MAX = 512
"""Rule sets that are kept for further tables."""

_OF_THE_SHARD = (ShardTaken, ShardStalled)

Output = f.Shown | CommandDone


@lru_cache(maxsize=RULES_MAX)
def _rules_of(game: Game, label: str, options: str) -> Any:
    """Return a rule set, which is frozen: tables that play by the same rules share it."""
    return game.ruleset_from(label, options)


class Table:
    """One table.

    Args:
        state: Its plain data.
        game: What is played.
    """

    __slots__ = (
        "_round_id",
        "_seats_of",
        "answers",
        "asked",
        "asks",
        "base",
        "durable_version",
        "game",
        "is_asking",
        "outputs",
        "pending",
        "position",
        "questions",
        "refused",
        "rings",
        "rules",
        "s",
        "since",
        "thoughts",
        "turned_away",
        "version",
        "withdrawn",
    )

    def __init__(self, state: State, game: Game) -> None:
        self.s = state
        self.game = game
        state.spec = shared(state.spec)
        self.rules: Any = _rules_of(game, state.spec.label, state.spec.options)  # type: ignore[arg-type] # a game is a value of the registry
        self._seats_of = {seat.player: number for number, seat in enumerate(state.seats) if not seat.bot}
        self._round_id = (0, "")
        self.position: Position | None = None
        self.questions: list[OpenQuestion | None] = [None] * len(state.seats)
        self.withdrawn: list[OpenQuestion | None] = [None] * len(state.seats)
        """Questions that the claim's end has withdrawn, until what ended it is shown: they still take an
        answer, without effect, so that a refusal does not tell what cannot be seen yet."""
        self.thoughts: list[Thought | None] = [None] * len(state.seats)
        """What bots think of elsewhere; None = a bot thinks when its answer is due."""
        self.answers: list[Answered] = []
        self.pending: list[Beat] = []
        self.rings = [f.Ring() for _ in state.listeners]
        self.outputs: list[Output] = []
        self.version = 0
        """Events applied by this object; never part of what is kept."""
        self.durable_version = 0
        """The version that the log has acknowledged, kept by the owner."""
        self.base = b""
        self.since: list[TableEvent] = []
        self.asked = (0, 0.0)
        """After which round its owner asked last who may play on, and when; never part of what is kept."""
        self.is_asking = False
        """He does not know yet: no round is opened."""
        self.refused: dict[tuple[int, str], str] = {}
        """Refusals of this owner by seat and command id, so that a repeat is not done after all."""
        self.asks: dict[str, Ask] = {}
        """Who asks this owner for leave to watch, by player; never part of what is kept."""
        self.turned_away: dict[str, float] = {}
        """Who may not ask again before a moment of its monotonic clock; never part of what is kept."""

    # Making

    @classmethod
    def create(cls, table_id: str, event: TableCreated, games: Mapping[str, Game]) -> Table:
        """Return the table that its first event makes."""
        spec = event.spec
        seats = [
            Seat(player, player[4:] if player.startswith("bot:") else "", taken=False)
            for player in spec.players
        ]
        state = State(
            table_id=table_id,
            spec=spec,
            fingerprint=event.fingerprint,
            created_at=event.at,
            seats=seats,
            listeners=[*(None if seat.bot else f.Listener() for seat in seats), f.Listener()],
            board=f.Board(),
            scores=[0] * len(seats),
            stakes=[0] * len(seats),
            at=event.at,
            shown_at=event.at,
        )
        table = cls(state, games[spec.game])
        table.since.append(replace(event, spec=state.spec))
        table.version = 1
        for number, seat in enumerate(seats):
            if spec.stake is not None and seat.bot:
                state.owed.append(Owed(f"stake/{number}", event.at))
            else:
                seat.taken = bool(seat.bot)
            if not seat.bot:
                seat.bank = seat.shown_bank = spec.bank_ms
                seat.extensions = 1 if spec.extend_ms else 0
        table.tell_seats()
        return table

    @classmethod
    def restore(
        cls, table_id: str, base: bytes, since: tuple[TableEvent, ...], games: Mapping[str, Game]
    ) -> Table:
        """Return the table of a checkpoint; its outputs are dropped, for its old owner has shown them."""
        if base:
            state = decode_state(base)
            table = cls(state, games[state.spec.game])
            table.base = base
        else:
            first, *rest = since
            assert isinstance(first, TableCreated), (
                "a checkpoint without a base begins with the table's creation"
            )
            table, since = cls.create(table_id, first, games), tuple(rest)
        for event in since:
            table.apply(event)
        table.outputs.clear()
        return table

    def rebase(self) -> None:
        """Make the present state the base of checkpoints, if no cards are in play and no beat waits.

        Best when a round has just been announced: nothing of the last one is shown any more.
        """
        if self.position is None and not self.pending:
            self.base = encode_state(self.s)
            self.since = []

    # Folding

    def apply(self, event: TableEvent) -> None:
        """Take the next event."""
        self.since.append(event)
        self.version += 1
        state = self.s
        if isinstance(event, _OF_THE_SHARD):
            self._resume(event)
            return
        if isinstance(event, ShardCut):
            self._skip(event)
            return
        at = event.at
        if self.pending:
            self.advance(at)
        if at > state.at:
            state.at = at
        if isinstance(event, Answered):
            answered(self, event)
        else:
            FOLDS[type(event)](self, event)

    def advance(self, now: int) -> None:
        """Show the beats whose time has come."""
        while self.pending and self.pending[0].show_at <= now:
            beat = self.pending.pop(0)
            self.show_beat(beat)

    def _resume(self, event: ShardTaken | ShardStalled) -> None:
        self.advance(NEVER)
        state = self.s
        state.at = max(state.at, event.at)
        if state.phase == "finished":
            return
        # From when it is shown, as the seats reckon it: behind what waited for its time, which may be ahead.
        state.grace_until = max(state.grace_until, self._shown_at(None) + event.grace_ms)
        # What was still to be shown has been shown now, questions with it.
        self.questions = [
            question and replace(question, shown_at=min(question.shown_at, state.at))
            for question in self.questions
        ]
        self.tell(f.Resumed(event.grace_ms))

    def _skip(self, event: ShardCut) -> None:
        for listener in self.s.listeners:
            if listener is not None:
                listener.number += event.skip
        # Whoever has seen a lost frame must get a view: there is no gap that leads from it to here.
        self.rings = [f.Ring() for _ in self.rings]

    # Showing

    def tell(self, body: f.Body, at: int | None = None) -> None:
        """Show a body to every listener now."""
        self.s.board.fold(body)
        shown_at = self._shown_at(at)
        for number in range(len(self.s.listeners)):
            self._show(number, shown_at, body)

    def tell_one(self, listener: int, body: f.Body) -> None:
        """Show a body to one listener now."""
        self._show(listener, self._shown_at(None), body)

    def queue(self, body: f.Body) -> None:
        """Show a body to everyone, behind what is pending and no earlier than the pause allows."""
        self.queue_beat(Beat(max(self.s.at, self.s.pause_until), common=body))

    def queue_beat(self, beat: Beat) -> None:
        """Show a beat at its time: now, if that has come and nothing is before it."""
        if not self.pending and beat.show_at <= self.s.at:
            self.show_beat(beat)
        else:
            self.pending.append(beat)

    def show_beat(self, beat: Beat) -> None:
        """Show a beat now."""
        state = self.s
        for number, seat in enumerate(state.seats):
            self.withdrawn[number] = None
            seat.shown_auto_play = seat.auto_play
            seat.shown_bank = seat.bank
            seat.shown_misses = seat.missed_turns
        if beat.common is not None:
            self.tell(beat.common, beat.show_at)
            self._shown_figures(beat.common)
        else:
            if beat.public is not None:
                state.board.fold(beat.public)
            shown_at = self._shown_at(beat.show_at)
            for number, body in enumerate(beat.bodies):
                if body is not None:
                    self._show(number, shown_at, body)
        self.tell_seats()

    def tell_seats(self) -> None:
        """Show the seats to everyone, if they look different from what was shown last."""
        state = self.s
        shown = state.board.seats
        if len(shown) == len(state.seats) and all(map(looks_like, state.seats, shown)):
            return
        self.tell(f.SeatsChanged(tuple([seat_view(seat) for seat in state.seats])))

    def _shown_at(self, at: int | None) -> int:
        self.s.shown_at = max(self.s.shown_at, self.s.at if at is None else at)
        return self.s.shown_at

    def _show(self, number: int, at: int, body: f.Body) -> None:
        listener = self.s.listeners[number]
        if listener is None:
            return
        listener.fold(body, at)
        seat = number if number < len(self.s.seats) else SPECTATORS
        frame = f.Shown(seat, listener.number, at, body)
        self.rings[number].add(frame)
        self.outputs.append(frame)

    def _shown_figures(self, body: f.Body) -> None:
        seats = self.s.seats
        if isinstance(body, f.RoundEnd):
            for seat, score in zip(seats, body.scores, strict=True):
                seat.score = score
        elif isinstance(body, f.Settlement) and body.stakes:
            for seat, stake in zip(seats, body.stakes, strict=True):
                seat.stake = stake

    # Reading

    def seat_of(self, player: str) -> int | None:
        """Return the seat of a player."""
        return self._seats_of.get(player)

    def listener(self, seat: int) -> f.Listener:
        """Return a listener by seat, or the spectators'."""
        listener = self.s.listeners[seat]
        assert listener is not None, "a bot listens to nothing"
        return listener

    @property
    def round(self) -> Round:
        """The round opened last."""
        assert self.s.round is not None, "no round was opened yet"
        return self.s.round

    @property
    def round_id(self) -> str:
        """Its name."""
        number, name = self._round_id
        if number != self.round.no:
            number, name = self._round_id = (self.round.no, f"{self.s.table_id}/{self.round.no}")
        return name

    def record(self) -> bytes:
        """Return the record of the round in play, which is over."""
        assert self.position is not None, "only a round in play has a record to write"
        round_ = self.round
        result = full_result(
            self.s.spec.game, self.rules, round_.dealer, round_.draws_in_row, self.position.outcome()
        )
        return write_record(self.s, round_, self.answers, result)

    def owe(self, key: str, at: int, record: bytes = b"", reason: str = "") -> None:
        """Put something into the outbox."""
        self.s.owed.append(Owed(key, at, record, reason))

    def paid(self, key: str) -> None:
        """Take something out of the outbox."""
        self.s.owed = [owed for owed in self.s.owed if owed.key != key]
