"""The tables' data plane: commands of all sessions out, frames and answers back in, nothing lost."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Iterator

from google.protobuf.message import DecodeError
from paiju.gateway.v1.gateway_service_pb2 import PlayResponse, TableDetached, TableSnapshot
from paiju.table.v1.play_pb2 import Attach, CommandAnswer, Detach, TableCommand
from paiju.table.v1.wire_pb2 import Command, Out, OutBatch, ShardOwned

from services.chassis import log
from services.chassis.bus import Subscription, subject, subject_of
from services.chassis.errors import Refusal
from services.chassis.run import Parts
from services.gateway.bus.asked import Asked, Waiting
from services.gateway.bus.feeds import SESSION, Feed, Feeds, watching_of
from services.gateway.bus.shard import ShardLink, Way
from services.gateway.core.attachment import Attachment, Verdict, shard_of
from services.gateway.core.framing import leading_number
from services.gateway.core.refusals import command_refused
from services.gateway.listener import Listener

SWEEP_S = 0.5
COMMANDS_PER_SESSION_MAX = 32
"""Table commands of one session without an answer."""

BY_LEAVE_MAX = 1_000
"""Tables remembered at which everybody who watches needs leave of his own."""

DEPARTED_MAX = 10_000
"""Sessions remembered after their end, to tell an owner that still speaks to them."""

_log = log.get(service="gateway")


class Tables:
    """See the module. `name` is this gateway's: answers and frames come to `paiju.gateway.out.<name>`."""

    def __init__(self, parts: Parts, name: str, *, shards: int, tables_per_session_max: int) -> None:
        self._parts = parts
        self._clock = parts.clock
        self._name = name
        self._shards = shards
        self._tables_max = tables_per_session_max
        self._links: dict[int, ShardLink] = {}
        self._epochs: dict[int, int] = defaultdict(int)
        self._waiting = Waiting()
        self._tag = 0
        self._sessions: dict[str, dict[str, Attachment]] = {}
        self._listeners: dict[str, Listener] = {}
        self._at_table: dict[str, dict[str, Attachment]] = {}
        self._departed: OrderedDict[str, str] = OrderedDict()
        self._by_leave: OrderedDict[str, None] = OrderedDict()
        self._feeds = Feeds(
            parts.clock, parts.metrics, self._send_feed, self._send_feed_detach, self._watch_alone
        )
        self._subscriptions: list[Subscription] = []
        metrics = parts.metrics
        self._frames = metrics.counter("gateway_frames", "Frames sent on to clients")
        self._gaps = metrics.counter("gateway_gaps", "Gaps asked for because frames were missing")
        self._stale = metrics.counter("gateway_stale_batches", "Batches dropped for a lower epoch")
        self._given_up = metrics.counter(
            "gateway_commands_given_up", "Table commands without an answer in time"
        )
        self._latency = metrics.histogram("gateway_command_seconds", "From a table command to its answer")
        metrics.gauge("gateway_commands_waiting", "Table commands without an answer").set_function(
            lambda: len(self._waiting)
        )

    async def start(self) -> None:
        """Listen, and look after what is silent."""
        bus = self._parts.bus
        self._subscriptions = [
            await bus.listen(subject("gateway", "out", self._name), self._hear_out),
            await bus.listen(subject_of(ShardOwned, key="*"), self._hear_owner),
        ]
        self._parts.spawn("gateway-sweep", self._sweep())

    async def stop(self) -> None:
        """Say goodbye to the tables (for a second at most), then hear nothing more."""
        for session in list(self._sessions):
            self.close(session)
        self._feeds.stop()
        try:
            async with self._clock.timeout(1.0):
                while self._waiting:
                    await self._clock.sleep(0.02)
        except TimeoutError:
            _log.info("commands_left_unanswered", commands=len(self._waiting))
        for subscription in self._subscriptions:
            await subscription.stop()

    # From sessions

    def submit(self, listener: Listener, reply_to: int, command: TableCommand) -> None:
        """Take a command of a player; the answer goes to `listener`.

        Raises:
            Refusal: INVALID_ARGUMENT, NOT_FOUND, TOO_MANY_TABLES, TOO_MANY_CALLS, TABLE_UNAVAILABLE.
        """
        kind = command.WhichOneof("body")
        if kind is None:
            raise Refusal("INVALID_ARGUMENT", field="body")
        shard = shard_of(command.table_id)
        if shard >= self._shards:
            raise Refusal("NOT_FOUND", what=command.table_id)
        if kind == "attach":
            self._check_tables(listener, command.table_id)
        if self._waiting.of(listener.session_id) >= COMMANDS_PER_SESSION_MAX:
            raise Refusal("TOO_MANY_CALLS", most=COMMANDS_PER_SESSION_MAX)
        if kind == "attach" and command.attach.spectate and command.table_id not in self._by_leave:
            self._feeds.join(listener, reply_to, command.table_id, shard, command.attach.number)
            return
        if kind == "detach" and self._feeds.leave(listener.session_id, command.table_id):
            listener.send(PlayResponse(reply_to=reply_to, command_answer=CommandAnswer()))
            return
        held = self._sessions.get(listener.session_id, {}).get(command.table_id)
        if kind == "attach" and command.attach.spectate and held is not None and not held.spectates:
            raise Refusal("SEATED_HERE")
        tag = self._send(
            shard,
            Command(player_id=listener.player_id, session=listener.session_id, command=command),
        )
        now = self._clock.monotonic()
        self._waiting.add(tag, Asked(listener, reply_to, command.table_id, listener.session_id, now))
        if kind == "attach":
            self._attach(listener, shard, command, tag)
        elif kind == "detach":
            self._drop(listener.session_id, command.table_id)

    def _watch_alone(self, listener: Listener, reply_to: int, table_id: str, shard: int, number: int) -> None:
        """Let a session watch by itself: the table decides about each person, and shows him what it may."""
        self._by_leave[table_id] = None
        if len(self._by_leave) > BY_LEAVE_MAX:
            self._by_leave.popitem(last=False)
        attach = Attach(number=number, spectate=True)
        try:
            self.submit(listener, reply_to, TableCommand(table_id=table_id, attach=attach))
        except Refusal as refusal:
            listener.send(command_refused(reply_to, refusal))

    def close(self, session: str) -> None:
        """Forget a session that has ended, and tell its tables."""
        self._feeds.close(session)
        attachments = self._sessions.get(session, {})
        listener = self._listeners.get(session)
        for attachment in list(attachments.values()):
            self._drop(session, attachment.table_id)
            assert listener is not None
            self._send_detach(listener.player_id, session, attachment.table_id, attachment.shard)
        if listener is not None:
            self._departed[session] = listener.player_id
            if len(self._departed) > DEPARTED_MAX:
                self._departed.popitem(last=False)
        self._sessions.pop(session, None)
        self._listeners.pop(session, None)

    def is_attached(self, session: str, table_id: str) -> bool:
        """Return whether a session listens to a table."""
        return table_id in self._sessions.get(session, {})

    def players_at(self, table_id: str) -> Iterator[Listener]:
        """Yield the sessions here that the table has let listen for a seat."""
        for attachment in list(self._at_table.get(table_id, {}).values()):
            if attachment.order and not attachment.spectates:
                yield self._listeners[attachment.session]

    def _check_tables(self, listener: Listener, table_id: str) -> None:
        held = {*self._sessions.get(listener.session_id, {}), *self._feeds.tables_of(listener.session_id)}
        if table_id not in held and len(held) >= self._tables_max:
            raise Refusal("TOO_MANY_TABLES", most=self._tables_max)

    def _attach(self, listener: Listener, shard: int, command: TableCommand, tag: int) -> None:
        attach = command.attach
        for other in list(self._at_table.get(command.table_id, {}).values()):
            if attach.spectate or other.spectates:
                continue
            other_listener = self._listeners[other.session]
            if other.session != listener.session_id and other_listener.player_id == listener.player_id:
                self._detached(other_listener, command.table_id, "REPLACED")
        self._listeners[listener.session_id] = listener
        attachment = Attachment(
            command.table_id,
            shard,
            listener.session_id,
            attach.spectate,
            attach.number,
            attach.epoch,
            self._clock.monotonic(),
            asking=tag,
        )
        self._sessions.setdefault(listener.session_id, {})[command.table_id] = attachment
        self._at_table.setdefault(command.table_id, {})[listener.session_id] = attachment

    def _drop(self, session: str, table_id: str) -> bool:
        attachment = self._sessions.get(session, {}).pop(table_id, None)
        at_table = self._at_table.get(table_id, {})
        at_table.pop(session, None)
        if not at_table:
            self._at_table.pop(table_id, None)
        return attachment is not None

    def _detached(self, listener: Listener, table_id: str, reason: str) -> None:
        if self._drop(listener.session_id, table_id):
            listener.send(PlayResponse(table_detached=TableDetached(table_id=table_id, reason=reason)))

    # To owners

    def _send(self, shard: int, message: Command) -> int:
        self._tag = message.tag = self._tag + 1
        if not self._link(shard).add(self._tag, message.SerializeToString()):
            raise Refusal("TABLE_UNAVAILABLE")
        return self._tag

    def _send_own(self, shard: int, message: Command) -> int:
        """Send a command of the gateway itself; 0 = there is no room, a later sweep tries again."""
        try:
            tag = self._send(shard, message)
        except Refusal:
            return 0
        table_id, now = message.command.table_id, self._clock.monotonic()
        self._waiting.add(tag, Asked(None, 0, table_id, message.session, now))
        return tag

    def _send_feed(self, feed: Feed, attach: Attach) -> int:
        command = TableCommand(table_id=feed.table_id, attach=attach)
        message = Command(session=SESSION, command=command, attached=feed.attachment.order)
        message.feed.viewers = feed.counted
        return self._send_own(feed.shard, message)

    def _send_feed_detach(self, table_id: str, shard: int) -> None:
        self._send_detach("", SESSION, table_id, shard)

    def _send_detach(self, player_id: str, session: str, table_id: str, shard: int) -> None:
        command = TableCommand(table_id=table_id, detach=Detach())
        self._send_own(shard, Command(player_id=player_id, session=session, command=command))

    def _ask(self, attachment: Attachment) -> None:
        """Attach again, from the last frame that went out."""
        player_id = self._listeners[attachment.session].player_id
        attach = attachment.ask(-1, self._clock.monotonic())
        command = TableCommand(table_id=attachment.table_id, attach=attach)
        message = Command(
            player_id=player_id, session=attachment.session, command=command, attached=attachment.order
        )
        attachment.asking = self._send_own(attachment.shard, message)

    def _link(self, shard: int) -> ShardLink:
        link = self._links.get(shard)
        if link is None:
            parts = self._parts
            way = Way(parts.bus, parts.clock, parts.ids, self._name, self._heard_epoch, self._gave_up)
            link = self._links[shard] = ShardLink(shard, way)
            parts.spawn(f"gateway-shard-{shard:x}", link.run())
        return link

    def _gave_up(self, tag: int) -> None:
        asked = self._waiting.take(tag)
        if asked is None:
            return
        self._given_up.inc()
        if asked.session == SESSION:
            self._feeds.gave_up(asked.table_id, tag)
            return
        attachment = self._sessions.get(asked.session, {}).get(asked.table_id)
        if attachment is not None and attachment.asking == tag:
            attachment.asking = 0
            if asked.listener is not None:
                self._drop(asked.session, asked.table_id)
        if asked.listener is not None:
            asked.listener.send(command_refused(asked.reply_to, Refusal("TABLE_UNAVAILABLE")))

    # From owners

    async def _hear_owner(self, payload: bytes, heard_subject: str) -> None:
        try:
            owned = ShardOwned.FromString(payload)
        except DecodeError:
            _log.error("message_unreadable", subject=heard_subject)
            return
        self._heard_epoch(owned.shard, owned.epoch)

    def _heard_epoch(self, shard: int, epoch: int) -> bool:
        """Return whether this is the shard's newest epoch; a higher one attaches and sends all again."""
        known = self._epochs[shard]
        if epoch <= known:
            return epoch == known
        self._epochs[shard] = epoch
        if not known:
            return True
        if shard in self._links:
            self._links[shard].resend_all()
        for table in list(self._at_table.values()):
            for attachment in table.values():
                if attachment.shard == shard and not attachment.asking:
                    self._ask(attachment)
        self._feeds.new_owner(shard)
        return True

    async def _hear_out(self, payload: bytes, heard_subject: str) -> None:
        try:
            batch = OutBatch.FromString(payload)
        except DecodeError:
            _log.error("message_unreadable", subject=heard_subject)
            return
        if not self._heard_epoch(batch.shard, batch.epoch):
            self._stale.inc()
            return
        for out in batch.outs:
            kind = out.WhichOneof("body")
            if kind == "answer":
                self._answered(batch.shard, out.answer.tag, out.answer.answer, out.answer.attached)
            elif kind is not None:
                self._hear(batch.shard, batch.epoch, out, kind)

    def _answered(self, shard: int, tag: int, answer: CommandAnswer, attached: int) -> None:
        asked = self._waiting.take(tag)
        if asked is None:
            return
        self._links[shard].forget(tag)
        if asked.session == SESSION:
            self._feeds.answered(asked.table_id, tag, answer, attached)
            return
        attachment = self._sessions.get(asked.session, {}).get(asked.table_id)
        if attachment is not None and attachment.asking == tag:
            attachment.asking = 0
            attachment.order = attached or attachment.order
            attachment.heard_at = self._clock.monotonic()
            if answer.reason:
                self._attach_refused(asked, answer.reason)
        if asked.listener is not None:
            self._latency.observe(self._clock.monotonic() - asked.at)
            asked.listener.send(PlayResponse(reply_to=asked.reply_to, command_answer=answer))

    def _attach_refused(self, asked: Asked, reason: str) -> None:
        if asked.listener is None:
            self._detached(self._listeners[asked.session], asked.table_id, reason)
        else:
            self._drop(asked.session, asked.table_id)

    def _hear(self, shard: int, epoch: int, out: Out, kind: str) -> None:
        if out.session == SESSION:
            self._feeds.hear(shard, epoch, out, kind)
            return
        attachment = self._sessions.get(out.session, {}).get(out.table_id)
        if attachment is None:
            if kind == "last_number":
                self._correct(shard, out)
            return
        listener = self._listeners[out.session]
        now = self._clock.monotonic()
        attachment.epoch = epoch
        verdict = Verdict.DROP
        if kind == "frame":
            verdict = attachment.judge_frame(leading_number(out.frame), now)
            if verdict is Verdict.FORWARD:
                self._frames.inc()
                listener.send_frame(out.table_id, epoch, out.frame)
        elif kind == "view":
            verdict = attachment.judge_view(leading_number(out.view), now)
            if verdict is Verdict.FORWARD:
                snapshot = TableSnapshot(table_id=out.table_id, epoch=epoch, view=out.view)
                listener.send(PlayResponse(table_snapshot=snapshot))
        elif kind == "last_number":
            verdict = attachment.judge_last(out.last_number, now)
        elif kind == "watching":
            listener.send(
                PlayResponse(table_watching=watching_of(out.table_id, out.watching)), is_droppable=True
            )
        elif kind == "detached":
            self._detached(listener, out.table_id, out.detached.reason)
        if verdict is Verdict.ASK:
            self._gaps.inc()
            self._ask(attachment)

    def _correct(self, shard: int, out: Out) -> None:
        """Tell an owner that a session it counts as present is gone (its `detach` got lost)."""
        listener = self._listeners.get(out.session)
        player_id = listener.player_id if listener else self._departed.get(out.session)
        if player_id is not None:
            self._send_detach(player_id, out.session, out.table_id, shard)

    async def _sweep(self) -> None:
        while True:
            await self._clock.sleep(SWEEP_S)
            for link in self._links.values():
                link.give_up_old()
            now = self._clock.monotonic()
            listened_to = set(self._feeds.sweep())
            for table in list(self._at_table.values()):
                for attachment in table.values():
                    listened_to.add(attachment.shard)
                    if attachment.is_silent(now):
                        self._ask(attachment)
            for shard in listened_to:
                self._link(shard).beat()
