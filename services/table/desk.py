"""Commands from gateways: each is answered once, after everything its answer rests on is durable."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from functools import partial
from itertools import count

from google.protobuf.message import DecodeError
from paiju.table.v1.wire_pb2 import Command, CommandBatch, CommandBatchReply

from services.chassis import log
from services.chassis.clock import Clock
from services.chassis.errors import Refusal
from services.table.core import commands as c
from services.table.core import events as e
from services.table.core import frames as f
from services.table.core.state import SPECTATORS, CommandDone
from services.table.core.table import Table
from services.table.doubts import Doubts
from services.table.encode import FrameEncoder, answer_of, command_of, view_of
from services.table.gateways import Gateways
from services.table.journal import Journal
from services.table.leave import Leave
from services.table.protection import Guard
from services.table.sessions import Outgoing, Sender, Session, Sessions
from services.table.tables import Tables
from services.table.watch import Watchers

BATCH_COMMANDS_MAX = 256
BATCH_BYTES_MAX = 512 * 1024
"""What is larger is not even parsed; gateways send half of it at most."""
COMMAND_BYTES_MAX = 4_096
BEATS_AT_ONCE = 128
"""Tables whose sessions are told their last number before others have their turn."""

SESSIONS_PER_TABLE_MAX = 500
"""Gateways that listen for spectators beyond it are refused; seats never are."""

ABSENCE_S = 5.0
"""Seats that were present under the old owner have so long to attach here."""

_log = log.get(service="table")


class Desk:
    """Takes commands for the tables of one shard.

    Args:
        clock: Time.
        tables: The shard's tables.
        journal: Its log.
        sessions: Who listens.
        out: The way to the gateways.
        lost: Called when the log shows another owner.
        watchers: Those who watch.
        leave: Those who ask whether they may.
        guard: Is asked before somebody sits down; None = nobody is.
    """

    def __init__(
        self,
        clock: Clock,
        tables: Tables,
        journal: Journal,
        sessions: Sessions,
        out: Outgoing,
        lost: Callable[[], None],
        watchers: Watchers,
        leave: Leave,
        guard: Guard | None = None,
    ) -> None:
        self._clock = clock
        self._tables = tables
        self._journal = journal
        self._sessions = sessions
        self._out = out
        self._watchers = watchers
        self._leave = leave
        self._guard = guard
        self._frames = FrameEncoder()
        self._gateways = Gateways(sessions, journal)
        self._waiting: defaultdict[tuple[str, int, str], list[Sender]] = defaultdict(list)
        """Who waits for the late answer to a command: (table, seat, command id)."""
        self._shown: set[str] = set()
        """Tables that have shown a frame since their sessions were told their last number."""
        self.doubts = Doubts(clock, journal, lost, partial(self.take, is_sure=True))

    # In

    async def handle(self, payload: bytes, _: str) -> bytes | None:
        """Take a batch of a gateway; return the receipt. Silence = the gateway sends it again."""
        if self._journal.is_full:
            return None
        try:
            batch = CommandBatch.FromString(payload) if len(payload) <= BATCH_BYTES_MAX else None
        except DecodeError:
            batch = None
        if batch is None:
            _log.warning("command_batch_unreadable", bytes=len(payload))
            return None
        self._gateways.heard(batch.gateway, beats=batch.beats)
        for command in batch.commands[:BATCH_COMMANDS_MAX]:
            self.take(batch.gateway, command)
        return CommandBatchReply(epoch=self._out.epoch).SerializeToString()

    def take(self, gateway: str, command: Command, *, is_sure: bool = False) -> None:
        """Take one command. `is_sure`: the log has shown that nobody else owns the shard."""
        asked = command.command
        sender = Sender(gateway, command.session, command.tag)
        table = self._tables.live.get(asked.table_id)
        if table is None:
            if is_sure:
                self._refuse(sender, asked.table_id, "TABLE_UNKNOWN")
            else:
                self.doubts.add(gateway, command)
            return
        if table.pending:
            self._tables.settle(asked.table_id)
        if asked.ByteSize() > COMMAND_BYTES_MAX:
            self._reply(sender, table, SPECTATORS, "MESSAGE_TOO_LARGE")
            return
        match asked.WhichOneof("body"):
            case "attach":
                if asked.attach.epoch > self._out.epoch and not is_sure:
                    self.doubts.add(gateway, command)
                else:
                    self._attach(sender, table, command)
            case "detach":
                self._detach(sender, table)
            case None:
                self._reply(sender, table, SPECTATORS, "INVALID_ARGUMENT", field="body")
            case "sit" if self._guard is not None and _waits_for(table, command.player_id):
                self._check_sit(self._guard, gateway, sender, table, command)
            case _:
                self._decide(gateway, sender, table, command, is_sure)

    def _check_sit(self, guard: Guard, gateway: str, sender: Sender, table: Table, asked: Command) -> None:
        """Find out whether a player may play before he takes his seat."""
        command = Command()
        command.CopyFrom(asked)
        seat = table.seat_of(command.player_id)
        assert seat is not None, "it waits for him"

        def known(refusal: Refusal | None) -> None:
            now = self._tables.live.get(command.command.table_id)
            if now is None:
                self.doubts.add(gateway, command)
            elif refusal is None:
                self._decide(gateway, sender, now, command, is_sure=False)
            else:
                self._reply(sender, now, seat, refusal.reason, **refusal.details)

        guard.ask_to_sit(command.player_id, table.s.spec.game, known)

    def _decide(self, gateway: str, sender: Sender, table: Table, command: Command, is_sure: bool) -> None:
        asked = command.command
        core = command_of(asked)
        assert core is not None, "attach, detach and nothing are handled before"
        seat = table.seat_of(command.player_id)
        listener = SPECTATORS if seat is None else seat
        decision = c.decide(
            table,
            command.player_id,
            asked.command_id,
            core,
            self._tables.now(),
            table.durable_version,
        )
        match decision:
            case c.Do():
                if not self._tables.do(asked.table_id, decision.events):
                    # Silent while the shard is handed over: the gateway sends it again.
                    if not self._tables.is_closing:
                        self._reply(sender, table, listener, "TABLE_FROZEN")
                elif decision.later:
                    self._waiting[asked.table_id, listener, asked.command_id].append(sender)
                else:
                    self._reply(sender, table, listener, "")
                    if isinstance(core, c.LetWatch):
                        self._leave.decided(table, core.player, allow=core.allow)
            case c.Again():
                self._reply(sender, table, listener, decision.reason)
            case c.Refused():
                details = {"field": decision.field} if decision.field else {}
                self._reply(sender, table, listener, decision.reason, **details)
            case c.Wait():
                self._waiting[asked.table_id, listener, asked.command_id].append(sender)
            case c.Behind():
                if is_sure:
                    self._reply(sender, table, listener, "UNKNOWN_QUESTION")
                else:
                    self.doubts.add(gateway, command)

    def _reply(self, sender: Sender, table: Table, listener: int, reason: str, **details: str | int) -> None:
        """Answer once all that is decided so far is durable: a refusal rests on it too."""
        table_id = table.s.table_id
        # Whoever has no seat is told no number that is newer than what watchers are shown.
        number = (
            self._watchers.last_number(table_id)
            if listener == SPECTATORS
            else table.listener(listener).number
        )
        answer = answer_of(reason, number, **details)
        self._journal.hold(lambda: self._out.answer(sender, table_id, answer))

    def _refuse(self, sender: Sender, table_id: str, reason: str) -> None:
        answer = answer_of(reason, 0)
        self._journal.hold(lambda: self._out.answer(sender, table_id, answer))

    # Listening

    def _attach(self, sender: Sender, table: Table, command: Command) -> None:
        table_id = table.s.table_id
        player, attach, attached = command.player_id, command.command.attach, command.attached
        seat = table.seat_of(player)
        if attach.spectate:
            self._watch(sender, table, seat, command)
            return
        if seat is None:
            self._reply(sender, table, SPECTATORS, "NOT_SEATED")
            return
        order = attached or self._sessions.order_of(self._out.epoch, sender, table_id)
        if self._sessions.is_replaced(sender, table_id, seat, order):
            # Its gateway has not heard that a newer connection came; the word got lost.
            self._journal.hold(
                lambda: self._out.detached(sender.gateway, sender.session, table_id, "REPLACED")
            )
            self._reply(sender, table, seat, "")
            return
        if not table.s.seats[seat].online and table.s.phase != "finished":
            self._tables.do(table_id, (e.PresenceChanged(self._tables.now(), seat, online=True),))
        number = table.listener(seat).number
        session = Session(sender.gateway, sender.session, table_id, player, seat, number, order)
        replaced = self._sessions.add(session)
        gap = None
        if 0 < attach.number <= number:
            gap = [] if attach.number == number else table.rings[seat].after(attach.number)
        view = view_of(table, seat) if gap is None else b""
        answer = answer_of("", number)
        watching = self._watchers.told_to_seats(table)

        def release() -> None:
            if replaced is not None:
                self._out.detached(replaced.gateway, replaced.session, table_id, "REPLACED")
            if gap is None:
                self._out.view(session, view)
            else:
                for frame in gap:
                    self._out.frame(session, self._frames.encode(frame))
            if watching:
                self._out.watching(session, watching)
            self._out.answer(sender, table_id, answer, order)

        self._journal.hold(release)

    def _watch(self, sender: Sender, table: Table, own: int | None, command: Command) -> None:
        """Let a gateway listen for those who watch; answered with what watchers know, and nothing newer."""
        table_id = table.s.table_id
        reason = "SEATED_HERE" if own is not None else self._why_not(table, command)
        if reason:
            pass
        elif self._sessions.is_full(table_id, sender, SESSIONS_PER_TABLE_MAX):
            reason = "SHARD_BUSY"
        else:
            order = command.attached or self._sessions.order_of(self._out.epoch, sender, table_id)
            reason = self._watchers.attach(sender, table, command, order)
        if reason:
            self._refuse(sender, table_id, reason)

    def _why_not(self, table: Table, command: Command) -> str:
        """Return why nobody, or not this person, may watch; empty if he may."""
        spec = table.s.spec
        if spec.spectators:
            return ""
        if not spec.watch_leave:
            return "SPECTATORS_NOT_ALLOWED"
        if command.HasField("feed"):
            # A gateway listens for many; leave is given to one.
            return "WATCH_LEAVE_NEEDED"
        # What a gateway asks by itself is no wish of anybody to come in again.
        return self._leave.why_not(table, command.player_id, asks=not command.attached)

    def _detach(self, sender: Sender, table: Table) -> None:
        table_id = table.s.table_id
        gone = self._sessions.remove(sender.gateway, sender.session, table_id)
        if gone is not None:
            self._gone(gone, table)
        self._reply(sender, table, SPECTATORS, "")

    def _gone(self, session: Session, table: Table) -> None:
        if session.seat >= 0:
            self._absent(session.table_id, table, session.seat)
        else:
            self._watchers.left(session)

    def _absent(self, table_id: str, table: Table, seat: int) -> None:
        if table.s.seats[seat].online and table.s.phase != "finished":
            self._tables.do(table_id, (e.PresenceChanged(self._tables.now(), seat, online=False),))

    async def run_absences(self) -> None:
        """Say of the seats that have not come back to this owner that they are absent, once."""
        await self._clock.sleep(ABSENCE_S)
        for table_id, table in list(self._tables.live.items()):
            for number, seat in enumerate(table.s.seats):
                if not seat.bot and seat.online and self._sessions.at_seat(table_id, number) is None:
                    self._absent(table_id, table, number)

    # Out

    def show(self, table: Table, frame: f.Shown) -> None:
        """Send a frame that may leave to the sessions that listen."""
        encoded = b""
        table_id = table.s.table_id
        self._shown.add(table_id)
        if frame.listener == SPECTATORS:
            self._watchers.show(table, frame)
            return
        for session in self._sessions.listening(table_id):
            if session.seat == frame.listener and frame.number > session.from_number:
                encoded = encoded or self._frames.encode(frame)
                self._out.frame(session, encoded)

    def done(self, table: Table, answer: CommandDone) -> None:
        """Answer the commands that have waited for a stake."""
        key = (table.s.table_id, answer.seat, answer.command_id)
        for sender in self._waiting.pop(key, ()):
            number = table.listener(answer.seat).number
            self._out.answer(sender, key[0], answer_of(answer.reason, number))

    def closed(self, table_id: str) -> None:
        """Say goodbye to the sessions of a closed table."""
        self._watchers.closed(table_id)
        self._leave.closed(table_id)
        for session in self._sessions.close(table_id):
            self._out.detached(session.gateway, session.session, table_id, "TABLE_CLOSED")

    async def run_heartbeats(self) -> None:
        """Tell each session the number of its last frame, once a second: what was lost is asked for.

        A session to whose table nothing happens is told less often, so that tables at rest cost little: they
        are not even looked at.
        """
        for second in count(0):
            await self._clock.sleep(1.0)
            await self._miss_the_gone()
            shown, self._shown = self._shown, set()
            at_rest = [table_id for table_id in self._sessions.tables_of(second) if table_id not in shown]
            for number, table_id in enumerate((*sorted(shown), *at_rest), 1):
                self._tell_last_numbers(table_id)
                if number % BEATS_AT_ONCE == 0:
                    await self._clock.sleep(0)

    def _tell_last_numbers(self, table_id: str) -> None:
        table = self._tables.live.get(table_id)
        if table is None:
            return
        if not self._tables.is_durable(table_id):
            self._shown.add(table_id)
            return
        for session in self._sessions.listening(table_id):
            if session.seat == SPECTATORS:
                self._out.last_number(session, self._watchers.last_number(table_id))
            else:
                self._out.last_number(session, table.listener(session.seat).number)

    async def _miss_the_gone(self) -> None:
        for session in await self._gateways.beat():
            table = self._tables.live.get(session.table_id)
            if table is not None:
                self._gone(session, table)


def _waits_for(table: Table, player: str) -> bool:
    """Say whether a player's seat is free for him to take: not taken, and not being taken."""
    seat = table.seat_of(player)
    if seat is None or table.s.phase != "seating":
        return False
    return not table.s.seats[seat].taken and table.s.seats[seat].sitting is None
