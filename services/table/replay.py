"""Reading a shard's log again: its tables as its last owner had them, and how far back it is needed."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence

from engine.face import Game
from services.chassis import log
from services.table.core import events as e
from services.table.core.events import UnreadableLog
from services.table.core.frames import Ring
from services.table.core.state import decode_state
from services.table.core.table import Table
from services.table.journal import Entry

CLOSED_MAX = 4_096
"""Closed tables whose fingerprints are remembered: a late repeat of their creation makes no second one."""

BROKEN_FRAMES = 10_000
"""The frames of a table that cannot be replayed go on after so many that may have been shown before."""

_AFTER_BREAK = (
    e.TableFrozen,
    e.CloseAsked,
    e.RoundVoided,
    e.MatchEnded,
    e.OutboxDone,
    e.Audited,
    e.Settled,
    e.TableClosed,
)
"""What may still happen at a table whose cards are lost."""

_log = log.get(service="table")


class Floor:
    """Below which message a log is not needed any more.

    That is the smallest of: the last checkpoint of each live table, or its creation; and each `RoundEnded`
    whose round has not been acknowledged by the stream of rounds.
    """

    def __init__(self) -> None:
        self.kept: OrderedDict[str, int] = OrderedDict()
        """Table → sequence of its last checkpoint or its creation, oldest first."""
        self._unpublished: dict[tuple[str, str], int] = {}

    def note(self, seq: int, entries: Sequence[Entry]) -> None:
        """Take note of a message of the log."""
        for table_id, event in entries:
            if isinstance(event, e.TableCheckpoint):
                self.kept[event.table_id] = seq
                self.kept.move_to_end(event.table_id)
            elif isinstance(event, e.TableCreated):
                self.kept[table_id] = seq
            elif isinstance(event, e.TableClosed):
                self.kept.pop(table_id, None)
            elif isinstance(event, e.RoundEnded):
                self._unpublished[table_id, f"finished/{event.round_no}"] = seq
            elif isinstance(event, e.OutboxDone):
                self._unpublished.pop((table_id, event.key), None)

    def below(self, last: int) -> int:
        """Return the first sequence that is still needed, `last` being the last one written."""
        oldest = next(iter(self.kept.values()), last)
        return min(oldest, min(self._unpublished.values(), default=last))


class _Kept:
    """What the log holds of one table that is not folded yet."""

    __slots__ = ("events", "origin")

    def __init__(self, origin: e.TableCreated | e.TableCheckpoint) -> None:
        self.origin = origin
        self.events: list[e.TableEvent] = []


class Replay:
    """Reads a log, message after message; `fold` makes its tables, now or between messages.

    A table is made from its last checkpoint in the log, so what stands before that is only read over. A
    table whose events this program cannot fold (its rules have changed, or are broken) does not take the
    others with it: it stands as it stood before, and `broken` names it; its owner freezes it.
    """

    def __init__(self, games: Mapping[str, Game]) -> None:
        self._games = games
        self._kept: dict[str, _Kept] = {}
        self.live: dict[str, Table] = {}
        self.closed: OrderedDict[str, bytes] = OrderedDict()
        self.broken: set[str] = set()
        self.last_at = 0

    def take(self, entries: Sequence[Entry]) -> None:
        """Take the entries of the next message."""
        kept = self._kept
        for table_id, event in entries:
            if event.at > self.last_at:
                self.last_at = event.at
            if isinstance(event, e.TableCheckpoint):
                if event.table_id in self.broken:
                    # Its owner could fold what we could not, and went on from there.
                    self.broken.discard(event.table_id)
                    del self.live[event.table_id]
                if event.table_id not in self.live:
                    kept[event.table_id] = _Kept(event)
            elif isinstance(event, e.TableCreated):
                kept[table_id] = _Kept(event)
            elif isinstance(event, e.ShardTaken | e.ShardStalled | e.ShardCut):
                for every in kept.values():
                    every.events.append(event)
                for made in list(self.live):
                    self._apply(made, event)
            elif isinstance(event, e.TableClosed):
                if table_id in self.live:
                    self.broken.discard(table_id)
                    self.note_closing(table_id, event)
                else:
                    self._close(table_id)
            elif isinstance(event, e.ShardReleased):
                continue
            elif table_id in kept:
                kept[table_id].events.append(event)
            elif table_id in self.live:
                self._apply(table_id, event)
            # Events before a table's first known checkpoint are of no use: it is still to come.

    @property
    def is_behind(self) -> bool:
        """Whether tables were read that are not made yet."""
        return bool(self._kept)

    def fold(self) -> bool:
        """Make the next table of those that were read; return whether there was one."""
        if not self._kept:
            return False
        table_id = next(iter(self._kept))
        kept = self._kept.pop(table_id)
        if isinstance(kept.origin, e.TableCheckpoint):
            self._restore(kept.origin)
        else:
            self.live[table_id] = Table.create(table_id, kept.origin, self._games)
        for event in kept.events:
            self._apply(table_id, event)
        return True

    def note_closing(self, table_id: str, event: e.AnyEvent) -> None:
        """Forget a table that is closed, but for its fingerprint."""
        if isinstance(event, e.TableClosed):
            table = self.live.pop(table_id, None)
            if table is not None:
                self._remember(table_id, table.s.fingerprint)

    def _close(self, table_id: str) -> None:
        kept = self._kept.pop(table_id, None)
        if kept is None:
            return
        origin: e.TableEvent | e.TableCheckpoint = kept.origin
        if isinstance(origin, e.TableCheckpoint):
            if origin.base:
                self._remember(table_id, decode_state(origin.base).fingerprint)
                return
            origin = origin.since[0]
        assert isinstance(origin, e.TableCreated), "a checkpoint without a base begins with the creation"
        self._remember(table_id, origin.fingerprint)

    def _remember(self, table_id: str, fingerprint: bytes) -> None:
        self.closed[table_id] = fingerprint
        if len(self.closed) > CLOSED_MAX:
            self.closed.popitem(last=False)

    def _apply(self, table_id: str, event: e.TableEvent) -> None:
        table = self.live[table_id]
        if table_id in self.broken and not isinstance(event, _AFTER_BREAK):
            return
        try:
            table.apply(event)
        except Exception as error:  # noqa: BLE001 - one table must not take its shard with it
            _log.error(
                "table_not_replayed", table_id=table_id, event_name=type(event).__name__, exc_info=error
            )
            mended = Table.restore(table_id, table.base, tuple(table.since[:-1]), self._games)
            self.live[table_id] = self._broken(table_id, mended)
            return
        table.outputs.clear()
        if isinstance(event, e.TableFrozen):
            self.broken.discard(table_id)

    def _restore(self, event: e.TableCheckpoint) -> None:
        table_id, since = event.table_id, event.since
        for count in range(len(since), -1, -1):
            try:
                table = Table.restore(table_id, event.base, since[:count], self._games)
            except Exception as error:  # noqa: BLE001 - as above
                _log.error("table_not_restored", table_id=table_id, events=count, exc_info=error)
                continue
            self.live[table_id] = table if count == len(since) else self._broken(table_id, table)
            return
        raise UnreadableLog(f"the checkpoint of {table_id} cannot be read")

    def _broken(self, table_id: str, table: Table) -> Table:
        self.broken.add(table_id)
        table.s.frozen = "REPLAY"
        table.rings = [Ring() for _ in table.rings]
        for listener in table.s.listeners:
            if listener is not None:
                listener.number += BROKEN_FRAMES
        return table
