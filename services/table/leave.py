"""Leave to watch: who asks for it at the tables of a shard, and what the seats are told and answer.

Who is let in stands in the table's log (`WatchLet`), so another owner knows. Who only asks does not: he says
so again every two seconds, to whoever owns the shard then.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial

from services.chassis.clock import Clock
from services.chassis.errors import Refusal
from services.chassis.limits import Rate, RateLimits
from services.table.core.state import SPECTATORS, Ask
from services.table.core.table import Table
from services.table.journal import Journal
from services.table.sessions import Outgoing, Session, Sessions
from services.table.tables import Tables

ASKS_MAX = 8
"""Who ask at a table at once; its people cannot look at more."""

ASK_MS = 60_000
"""Without an answer for so long it is a no."""

SILENT_S = 10.0
"""Who has not asked again for so long does not wait any more."""

REFUSED_S = 60.0
"""After a no, or being sent away, one may not ask again for so long."""

ASKS = Rate(per_s=0.2, burst=ASKS_MAX)
"""New asks of a table: its people play, and are not to be kept busy by strangers."""

TOLD_EVERY_S = 4
"""Seats are told again of those who ask: a word may be lost."""


class Leave:
    """See the module.

    Args:
        clock: Time.
        tables: The shard's tables.
        journal: Its log.
        sessions: Who listens.
        out: The way to the gateways.
        tell: Tells the seats of a table who asks and who is let in.
        left: Is told of a session of a spectator that is gone.
    """

    def __init__(
        self,
        clock: Clock,
        tables: Tables,
        journal: Journal,
        sessions: Sessions,
        out: Outgoing,
        tell: Callable[[Table], None],
        left: Callable[[Session], None],
    ) -> None:
        self._clock = clock
        self._tables = tables
        self._journal = journal
        self._sessions = sessions
        self._out = out
        self._tell = tell
        self._left = left
        self._rates = RateLimits(ASKS, clock)
        self._open: dict[str, None] = {}
        """Tables at which somebody asks, or was told no."""
        self._work = asyncio.Event()

    def why_not(self, table: Table, player: str, *, asks: bool) -> str:
        """Return why somebody may not watch a table now, or empty.

        Args:
            table: It wants leave.
            player: Who.
            asks: He asks for leave, if he has none.
        """
        state, now = table.s, self._clock.monotonic()
        if player in state.let_in:
            return ""
        if state.phase == "finished":
            return "MATCH_OVER"
        if not asks or not player:
            return "WATCH_SENT_AWAY"
        if table.turned_away.get(player, now) > now:
            return "WATCH_LEAVE_REFUSED"
        ask = table.asks.get(player)
        if ask is None:
            if len(table.asks) >= ASKS_MAX or not self._may_ask(state.table_id):
                return "WATCH_ASKS_FULL"
            table.asks[player] = Ask(self._tables.now() + ASK_MS, now)
            self._open[state.table_id] = None
            self._work.set()
            self._tell(table)
        else:
            ask.heard = now
        return "WATCH_LEAVE_PENDING"

    def _may_ask(self, table_id: str) -> bool:
        try:
            self._rates.take(table_id)
        except Refusal:
            return False
        return True

    def decided(self, table: Table, player: str, *, allow: bool) -> None:
        """Do what follows from a seat's answer, which is in the table's state."""
        table.asks.pop(player, None)
        if not allow:
            self._turn_away(table, player)
            for session in self._sessions.at_table(table.s.table_id):
                if session.seat == SPECTATORS and session.player == player:
                    self._send_away(session)
        self._tell(table)

    def _turn_away(self, table: Table, player: str) -> None:
        table.turned_away[player] = self._clock.monotonic() + REFUSED_S
        self._open[table.s.table_id] = None
        self._work.set()

    def _send_away(self, session: Session) -> None:
        self._sessions.remove(session.gateway, session.session, session.table_id)
        self._left(session)
        say = partial(
            self._out.detached, session.gateway, session.session, session.table_id, "WATCH_SENT_AWAY"
        )
        self._journal.hold(say)

    def closed(self, table_id: str) -> None:
        """Forget a table."""
        self._open.pop(table_id, None)

    async def run(self) -> None:
        """Let those go who do not wait any more, and tell seats again, until cancelled."""
        seconds = 0
        while True:
            if not self._open:
                self._work.clear()
                await self._work.wait()
            await self._clock.sleep(1.0)
            seconds += 1
            for table_id in list(self._open):
                table = self._tables.live.get(table_id)
                if table is None or not self._look_after(table, is_told=seconds % TOLD_EVERY_S == 0):
                    del self._open[table_id]

    def _look_after(self, table: Table, *, is_told: bool) -> bool:
        """Return whether there is still something to look after."""
        now, now_ms = self._clock.monotonic(), self._tables.now()
        before = len(table.asks)
        if table.s.phase == "finished":
            table.asks.clear()
        for player, ask in list(table.asks.items()):
            if ask.until_ms <= now_ms:
                self._turn_away(table, player)
            if ask.until_ms <= now_ms or ask.heard + SILENT_S <= now:
                del table.asks[player]
        for player, until in list(table.turned_away.items()):
            if until <= now:
                del table.turned_away[player]
        if len(table.asks) != before or (table.asks and is_told):
            self._tell(table)
        return bool(table.asks or table.turned_away)
