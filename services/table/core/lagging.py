"""What the spectators of a table are shown: its public frames, some time late.

A lagging view is the fold of the frames up to a moment of the past, so it tells nothing newer. Frames that
are younger wait. Where nobody has watched yet, that moment's view is found by playing the table's own events
again from its last base (`look_back`), as a new owner would.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from engine.face import Game
from services.table.core import frames as f
from services.table.core.events import TableCreated
from services.table.core.state import SPECTATORS, State
from services.table.core.table import Table


class Lagging:
    """The view of a table's spectators.

    Args:
        table_id: Which.
        board: What all listeners had been shown alike when the first of `frames` came.
        listener: The same of the spectators' own numbering.
        frames: What they were shown since, in order.
        begins_at: Unix milliseconds: before this even `board` is too new to be shown.
        delay_ms: How late they are shown everything.
    """

    __slots__ = ("_begins_at", "_waiting", "board", "delay_ms", "listener", "newest", "ring", "table_id")

    def __init__(
        self,
        table_id: str,
        board: f.Board,
        listener: f.Listener,
        frames: Iterable[f.Shown],
        begins_at: int,
        delay_ms: int,
    ) -> None:
        self.table_id = table_id
        self.board = board
        self.listener = listener
        self.delay_ms = delay_ms
        self.ring = f.Ring()
        self._begins_at = begins_at
        self._waiting: deque[f.Shown] = deque()
        self.newest = listener.number
        """The number of the newest frame that is known here."""
        for frame in frames:
            self.add(frame)

    def begins_at(self, now: int) -> int:
        """Return when there is something to be shown; 0 = there is."""
        return self._begins_at if now < self._begins_at else 0

    def add(self, frame: f.Shown) -> None:
        """Take the next public frame; one that is known already does nothing."""
        if frame.number > self.newest:
            self.newest = frame.number
            self._waiting.append(frame)

    def next_at(self) -> int | None:
        """Return when a frame is old enough; None = none waits."""
        return self._waiting[0].at + self.delay_ms if self._waiting else None

    def release(self, now: int, durable: int) -> list[f.Shown]:
        """Return the frames that are old enough now, and count them as shown.

        Args:
            now: Unix milliseconds.
            durable: The number of the last frame that may leave at all.
        """
        shown: list[f.Shown] = []
        waiting = self._waiting
        while waiting and waiting[0].at + self.delay_ms <= now and waiting[0].number <= durable:
            shown.append(waiting.popleft())
            self._fold(shown[-1])
        return shown

    def catch_up(self, number: int, durable: int) -> None:
        """Count the frames up to a number as shown: an owner of before has shown them."""
        waiting = self._waiting
        while waiting and waiting[0].number <= min(number, durable):
            self._fold(waiting.popleft())
            self._begins_at = 0

    def has_shown(self, round_no: int, event_no: int) -> bool:
        """Say whether an event of a round, counted from 1, was shown, and is shown still."""
        return self.board.round_no == round_no and 1 <= event_no <= len(self.listener.events)

    def _fold(self, frame: f.Shown) -> None:
        self.board.fold(frame.body)
        self.listener.fold(frame.body, frame.at)
        # After a cut of the log numbers are left out.
        self.listener.number = frame.number
        self.ring.add(frame)


def look_back(table: Table, games: Mapping[str, Game], now: int) -> Lagging:
    """Return the lagging view of a table that nobody has watched so far.

    Raises:
        Exception: Whatever the rules raise, if they do not know their own past any more.
    """
    delay_ms = table.s.spec.watch_delay_ms
    if not delay_ms:
        state = table.s
        return Lagging(state.table_id, _board(state.board), _listener(state), (), 0, 0)
    past = Table.restore(table.s.table_id, table.base, (), games) if table.base else None
    since = list(table.since)
    if past is None:
        created = since.pop(0)
        assert isinstance(created, TableCreated), "without a base there is the table's creation"
        past = Table.create(table.s.table_id, created, games)
        board, listener, base_at = f.Board(), f.Listener(), created.at
    else:
        board, listener, base_at = _board(past.s.board), _listener(past.s), past.s.shown_at
    for event in since:
        past.apply(event)
    past.advance(now)
    frames = [
        output for output in past.outputs if isinstance(output, f.Shown) and output.listener == SPECTATORS
    ]
    lagging = Lagging(table.s.table_id, board, listener, frames, base_at + delay_ms, delay_ms)
    lagging.release(now, table.listener(SPECTATORS).number)
    return lagging


def is_shown_live(table: Table, now: int) -> bool:
    """Say whether those who watch do not see yet that a match is over.

    Args:
        table: The table.
        now: Unix milliseconds.
    """
    state = table.s
    return state.phase == "finished" and now < state.finished_at + state.spec.watch_delay_ms


def shown_round(table: Table, now: int) -> int:
    """Return the round that those who watch see, from 1; 0 = none yet.

    Args:
        table: The table.
        now: Unix milliseconds.
    """
    state = table.s
    late = sum(now < at + state.spec.watch_delay_ms for at in state.announced)
    return max(0, state.board.round_no - late)


def empty_board(table: Table) -> f.Board:
    """Return what is no secret of a table at any time: who sits there."""
    seats = [
        f.SeatView(
            player=seat.player,
            taken=True,
            online=True,
            auto_play=False,
            left=False,
            ready=False,
            gives_nonces=False,
            score=0,
            stake=0,
        )
        for seat in table.s.seats
    ]
    return f.Board(seats=tuple(seats))


def _board(board: f.Board) -> f.Board:
    return replace(board, nonces=list(board.nonces))


def _listener(state: State) -> f.Listener:
    listener = state.listeners[-1]
    assert listener is not None, "spectators always listen"
    return replace(listener, events=list(listener.events))
