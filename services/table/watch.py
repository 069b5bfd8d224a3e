"""Those who watch the tables of a shard: one session for each gateway, shown public frames some time late.

Gateways pass on what they hear to all who watch through them, so the owner of a table does the same work for
one viewer and for thousands. What is too young to be shown never leaves this process.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

from paiju.table.v1.wire_pb2 import Command, Liked, WatchAsk, Watching

from engine.face import Game
from services.chassis import log
from services.chassis.clock import Clock
from services.chassis.limits import Rate, TokenBucket
from services.table.core import frames as f
from services.table.core.lagging import Lagging, empty_board, look_back
from services.table.core.state import SPECTATORS
from services.table.core.table import Table
from services.table.encode import FrameEncoder, answer_of, view_from
from services.table.journal import Journal
from services.table.sessions import Outgoing, Sender, Session, Sessions
from services.table.tables import Tables

TICK_S = 0.1
"""Frames that grow old enough are looked for so often."""

SAID_EVERY_TICKS = 10
"""The number of viewers is told once in so many ticks, if it has changed."""

LOOKS_BACK = Rate(per_s=10, burst=50)
"""Tables of a shard that somebody begins to watch: each costs some 10 ms, once for all who watch."""

VIEWERS_MAX = 1_000_000
"""Per gateway; more are not believed."""

LIKED_MAX = 16
"""Plays of a table that are told to have been liked at once."""

_log = log.get(service="table")


@dataclass(slots=True)
class _Watched:
    """A table that somebody watches."""

    lagging: Lagging
    is_begun: bool
    durable: int
    """The number of the last public frame that may leave at all."""
    viewers: dict[tuple[str, str], int] = field(default_factory=dict)
    """By session: a gateway counts for many."""
    said: int = -1
    liked: dict[tuple[int, int], int] = field(default_factory=dict)
    """Likes by (round, event), that are still to be told."""


class Watchers:
    """See the module.

    Args:
        clock: Time.
        games: The rules, for looking back.
        tables: The shard's tables.
        journal: Its log.
        sessions: Who listens.
        out: The way to the gateways.
    """

    def __init__(
        self,
        clock: Clock,
        games: Mapping[str, Game],
        tables: Tables,
        journal: Journal,
        sessions: Sessions,
        out: Outgoing,
    ) -> None:
        self._clock = clock
        self._games = games
        self._tables = tables
        self._journal = journal
        self._sessions = sessions
        self._out = out
        self._frames = FrameEncoder()
        self._watched: dict[str, _Watched] = {}
        self._looks = TokenBucket(LOOKS_BACK, clock)
        self._work = asyncio.Event()

    # From the desk

    def attach(self, sender: Sender, table: Table, command: Command, order: int) -> str:
        """Let a session watch, and answer its `attach`; return why not, or empty.

        Args:
            sender: Its session is a gateway's for all its viewers, or one person's.
            table: What it watches.
            command: With an `attach`; a gateway's says for how many.
            order: Of the `attach`.
        """
        table_id, number = table.s.table_id, command.command.attach.number
        viewers = command.feed.viewers if command.HasField("feed") else None
        session = Session(sender.gateway, sender.session, table_id, command.player_id, SPECTATORS, 0, order)
        watched = self._watched.get(table_id)
        if watched is None:
            if not self._looks.allow():
                return "SHARD_BUSY"
            watched = self._begin(table_id, table)
            if watched is None:
                return "TABLE_FROZEN"
        self._sessions.add(session)
        watchers = 1 if viewers is None else min(viewers, VIEWERS_MAX)
        watched.viewers[session.gateway, session.session] = watchers
        lagging = watched.lagging
        if viewers is not None and number > lagging.listener.number:
            # An owner of before has shown so much.
            lagging.catch_up(number, watched.durable)
            watched.is_begun = not lagging.begins_at(self._tables.now())
        shown = lagging.listener.number if watched.is_begun else 0
        session.from_number = shown
        gap = None
        if 0 < number <= shown:
            gap = [] if number == shown else lagging.ring.after(number)
        view = self._view(table, watched) if gap is None else b""
        said = self._said(watched)

        def release() -> None:
            self._out.watching(session, said)
            if gap is None:
                self._out.view(session, view)
            else:
                for frame in gap:
                    self._out.frame(session, self._frames.encode(frame))
            self._out.answer(sender, table_id, answer_of("", shown), order)

        self._journal.hold(release)
        return ""

    def _begin(self, table_id: str, table: Table) -> _Watched | None:
        try:
            lagging = look_back(table, self._games, self._tables.now())
        except Exception as error:  # noqa: BLE001 - the rules do not know their past: nobody watches this round
            _log.error("table_not_watchable", table_id=table_id, exc_info=error)
            return None
        is_begun = not lagging.begins_at(self._tables.now())
        watched = _Watched(lagging, is_begun, durable=table.listener(SPECTATORS).number)
        if not self._tables.is_durable(table_id):
            # What is not in the log yet is told once more when it is.
            watched.durable = lagging.listener.number
        self._watched[table_id] = watched
        self._work.set()
        return watched

    def show(self, table: Table, frame: f.Shown) -> None:
        """Take a public frame that may leave: now, or when it is old enough."""
        watched = self._watched.get(table.s.table_id)
        if watched is None:
            return
        watched.durable = max(watched.durable, frame.number)
        watched.lagging.add(frame)
        if not watched.lagging.delay_ms:
            self._release(table.s.table_id, watched)

    def left(self, session: Session) -> None:
        """Forget a session of spectators that is gone."""
        watched = self._watched.get(session.table_id)
        if watched is None:
            return
        watched.viewers.pop((session.gateway, session.session), None)
        if not watched.viewers:
            del self._watched[session.table_id]
            table = self._tables.live.get(session.table_id)
            if table is not None:
                self.tell_seats(table)

    def closed(self, table_id: str) -> None:
        """Forget a table."""
        self._watched.pop(table_id, None)

    def last_number(self, table_id: str) -> int:
        """Return the number of the last frame that the spectators of a table were shown."""
        watched = self._watched.get(table_id)
        return watched.lagging.listener.number if watched is not None and watched.is_begun else 0

    # For calls

    def watched(self) -> Mapping[str, int]:
        """Return how many watch, by table; tables that nobody watches are left out."""
        return {table_id: sum(watched.viewers.values()) for table_id, watched in self._watched.items()}

    def has_shown(self, table_id: str, round_no: int, event_no: int) -> bool:
        """Say whether the spectators of a table are shown this event of a round now."""
        watched = self._watched.get(table_id)
        return watched is not None and watched.is_begun and watched.lagging.has_shown(round_no, event_no)

    def liked(self, table_id: str, round_no: int, event_no: int, likes: int) -> None:
        """Tell everybody who watches that a play is liked."""
        watched = self._watched.get(table_id)
        if watched is not None and len(watched.liked) < LIKED_MAX:
            watched.liked[round_no, event_no] = likes

    # Time

    async def run(self) -> None:
        """Show what has grown old enough, until cancelled."""
        ticks = 0
        while True:
            if not self._watched:
                self._work.clear()
                await self._work.wait()
            for table_id, watched in list(self._watched.items()):
                self._release(table_id, watched)
                if ticks % SAID_EVERY_TICKS == 0:
                    self._say(table_id, watched)
            ticks += 1
            await self._clock.sleep(TICK_S)

    def _release(self, table_id: str, watched: _Watched) -> None:
        table = self._tables.live.get(table_id)
        if table is None:
            return
        now = self._tables.now()
        lagging = watched.lagging
        if not watched.is_begun:
            if lagging.begins_at(now):
                return
            watched.is_begun = True
            lagging.release(now, watched.durable)
            view, said = self._view(table, watched), self._said(watched)
            for session in self._spectators(table_id):
                session.from_number = lagging.listener.number
                self._hold_view(session, said, view)
            return
        for frame in lagging.release(now, watched.durable):
            encoded = self._frames.encode(frame)
            for session in self._spectators(table_id):
                if frame.number > session.from_number:
                    self._hold_frame(session, encoded)

    def _hold_view(self, session: Session, said: bytes, view: bytes) -> None:
        def release() -> None:
            self._out.watching(session, said)
            self._out.view(session, view)

        self._journal.hold(release)

    def _hold_frame(self, session: Session, encoded: bytes) -> None:
        # After an `attach` of the session that is still held back.
        self._journal.hold(lambda: self._out.frame(session, encoded))

    def _say(self, table_id: str, watched: _Watched) -> None:
        """Tell how many watch, and what was liked, if that is news."""
        table = self._tables.live.get(table_id)
        viewers = sum(watched.viewers.values())
        if table is None or (viewers == watched.said and not watched.liked):
            return
        said = self._said(watched)
        watched.said = viewers
        watched.liked.clear()
        to_seats = self.told_to_seats(table)
        for session in self._sessions.listening(table_id):
            self._out.watching(session, said if session.seat == SPECTATORS else to_seats)

    def told_to_seats(self, table: Table) -> bytes:
        """Return what the seats of a table are told of those who watch, or ask to; empty = there are none."""
        watched = self._watched.get(table.s.table_id)
        asks = [WatchAsk(player_id=player, until_ms=ask.until_ms) for player, ask in table.asks.items()]
        if watched is None and not asks and not table.s.let_in:
            return b""
        said = Watching(
            viewers=sum(watched.viewers.values()) if watched is not None else 0,
            delay_ms=table.s.spec.watch_delay_ms,
            asks=asks,
            let_in=table.s.let_in,
        )
        return said.SerializeToString()

    def tell_seats(self, table: Table) -> None:
        """Tell the seats of a table who asks to watch it, and who is let in."""
        said = self.told_to_seats(table)
        for session in self._sessions.listening(table.s.table_id):
            if session.seat != SPECTATORS:
                self._out.watching(session, said)

    def _said(self, watched: _Watched) -> bytes:
        lagging = watched.lagging
        said = Watching(
            viewers=sum(watched.viewers.values()),
            delay_ms=lagging.delay_ms,
            begins_at_ms=0 if watched.is_begun else lagging.begins_at(self._tables.now()),
            liked=[
                Liked(round_no=round_no, event_no=event_no, likes=likes)
                for (round_no, event_no), likes in watched.liked.items()
            ],
        )
        return said.SerializeToString()

    def _view(self, table: Table, watched: _Watched) -> bytes:
        if not watched.is_begun:
            return view_from(table, SPECTATORS, empty_board(table), f.Listener())
        lagging = watched.lagging
        return view_from(table, SPECTATORS, lagging.board, lagging.listener)

    def _spectators(self, table_id: str) -> list[Session]:
        return [one for one in self._sessions.listening(table_id) if one.seat == SPECTATORS]
