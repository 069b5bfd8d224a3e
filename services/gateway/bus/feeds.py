"""Watched tables: this process listens to each once, whoever watches, and passes on what it hears.

A table knows of one session per gateway, so a thousand who watch cost it no more than one. Who comes later is
given the view that was heard last and the frames since. How late all of that is, the table decides: nothing
comes here that may not be shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from paiju.gateway.v1.gateway_service_pb2 import PlayResponse, TableDetached, TableSnapshot, TableWatching
from paiju.table.v1.play_pb2 import Attach, CommandAnswer, TableView
from paiju.table.v1.wire_pb2 import Out, Watching

from services.chassis.clock import Clock
from services.chassis.errors import Refusal
from services.chassis.metrics import Metrics
from services.gateway.core.attachment import Attachment, Verdict
from services.gateway.core.framing import leading_number
from services.gateway.core.refusals import command_refused
from services.gateway.listener import Listener

SESSION = "feed"
"""The session of this gateway at every table it listens to for others; those of clients begin with `s`."""

FRAMES_MAX = 128
"""Frames kept behind a view; who comes after more is given a new view, asked for once."""

LEAVE_NEEDED = "WATCH_LEAVE_NEEDED"
"""The table's answer to a feed where a seat lets people in, one by one."""

LINGER_S = 20.0
"""A table that nobody watches any more is listened to for so long: who comes back costs it nothing."""

COUNT_EVERY_S = 1.0
"""The number of viewers is told no more often."""


@dataclass(slots=True)
class Feed:
    """One watched table."""

    table_id: str
    shard: int
    attachment: Attachment
    began_at: float
    viewers: dict[str, Listener] = field(default_factory=dict)
    """By session."""
    joining: dict[str, tuple[Listener, int, int]] = field(default_factory=dict)
    """Who waits for the table's word: listener, its request, the last frame it has seen."""
    players: frozenset[str] = frozenset()
    """These may not watch."""
    watching: TableWatching = field(default_factory=TableWatching)
    base: bytes = b""
    """A view."""
    base_number: int = 0
    frames: list[bytes] = field(default_factory=list)
    """Those behind it."""
    is_view_asked: bool = False
    counted: int = 0
    """Viewers as the table knows it."""
    counted_at: float = float("-inf")
    empty_since: float | None = None

    @property
    def is_ready(self) -> bool:
        """Whether somebody may be let in at once."""
        return bool(self.base) and not self.is_view_asked


def watching_of(table_id: str, said: Watching) -> TableWatching:
    """Return what a table says of those who watch it, as clients hear it."""
    return TableWatching(
        table_id=table_id,
        viewers=said.viewers,
        delay_ms=said.delay_ms,
        begins_at_ms=said.begins_at_ms,
        liked=said.liked,
        asks=said.asks,
        let_in=said.let_in,
    )


class Feeds:
    """See the module.

    Args:
        clock: Time.
        metrics: Of the process.
        attach: Sends an `attach` for a feed with its number of viewers; returns the tag, 0 = no room.
        detach: Says goodbye to a table.
        alone: Lets a session watch by itself where that needs leave: listener, its request, table, shard,
            the last frame it has seen.
    """

    def __init__(
        self,
        clock: Clock,
        metrics: Metrics,
        attach: Callable[[Feed, Attach], int],
        detach: Callable[[str, int], None],
        alone: Callable[[Listener, int, str, int, int], None],
    ) -> None:
        self._clock = clock
        self._attach = attach
        self._detach = detach
        self._alone = alone
        self._feeds: dict[str, Feed] = {}
        self._of: dict[str, dict[str, None]] = {}
        """The tables that a session watches."""
        metrics.gauge("gateway_tables_watched", "Tables listened to for viewers").set_function(
            lambda: len(self._feeds)
        )
        metrics.gauge("gateway_viewers", "Sessions that watch a table").set_function(
            lambda: sum(len(feed.viewers) for feed in self._feeds.values())
        )
        self._frames = metrics.counter("gateway_frames_watched", "Frames sent on to viewers")

    # From sessions

    def join(self, listener: Listener, reply_to: int, table_id: str, shard: int, number: int) -> None:
        """Let a session watch, as soon as the table has said who may; the answer goes to `listener`.

        Raises:
            Refusal: TOO_MANY_CALLS (it waits for that already), TABLE_UNAVAILABLE.
        """
        feed = self._feeds.get(table_id)
        if feed is not None and listener.session_id in feed.joining:
            raise Refusal("TOO_MANY_CALLS", most=1)
        if feed is None:
            now = self._clock.monotonic()
            attachment = Attachment(table_id, shard, SESSION, True, 0, 0, now)
            feed = Feed(table_id, shard, attachment, now)
            feed.joining[listener.session_id] = listener, reply_to, number
            if not self._ask(feed, is_view=True):
                raise Refusal("TABLE_UNAVAILABLE")
            self._feeds[table_id] = feed
        else:
            feed.joining[listener.session_id] = listener, reply_to, number
            if feed.is_ready and len(feed.frames) <= FRAMES_MAX:
                self._let_in(feed)
            elif not feed.attachment.asking:
                self._ask(feed, is_view=True)
        self._of.setdefault(listener.session_id, {})[table_id] = None

    def leave(self, session: str, table_id: str) -> bool:
        """A session watches no more; False = it did not."""
        tables = self._of.get(session, {})
        if tables.pop(table_id, ...) is ...:
            return False
        if not tables:
            del self._of[session]
        feed = self._feeds.get(table_id)
        if feed is not None:
            feed.viewers.pop(session, None)
            feed.joining.pop(session, None)
        return True

    def close(self, session: str) -> None:
        """A session has ended."""
        for table_id in list(self._of.get(session, {})):
            self.leave(session, table_id)

    def tables_of(self, session: str) -> Iterable[str]:
        """Return the tables that a session watches."""
        return self._of.get(session, {})

    # From owners

    def answered(self, table_id: str, tag: int, answer: CommandAnswer, attached: int) -> None:
        """The table has answered an `attach` of ours."""
        feed = self._feeds.get(table_id)
        if feed is None or feed.attachment.asking != tag:
            return
        feed.attachment.asking = 0
        feed.attachment.heard_at = self._clock.monotonic()
        feed.is_view_asked = False
        if not answer.reason:
            feed.attachment.order = attached or feed.attachment.order
            if feed.base:
                self._let_in(feed)
            return
        joining, feed.joining = feed.joining, {}
        for session, (listener, reply_to, number) in joining.items():
            self._forget(session, table_id)
            if answer.reason == LEAVE_NEEDED:
                self._alone(listener, reply_to, table_id, feed.shard, number)
            else:
                listener.send(PlayResponse(reply_to=reply_to, command_answer=answer))
        if not feed.viewers or answer.reason != "SHARD_BUSY":
            self._end(feed, answer.reason)

    def gave_up(self, table_id: str, tag: int) -> None:
        """The table did not answer in time."""
        feed = self._feeds.get(table_id)
        if feed is None or feed.attachment.asking != tag:
            return
        feed.attachment.asking = 0
        feed.is_view_asked = False
        joining, feed.joining = feed.joining, {}
        for session, (listener, reply_to, _) in joining.items():
            self._forget(session, table_id)
            listener.send(command_refused(reply_to, Refusal("TABLE_UNAVAILABLE")))
        if not feed.viewers:
            del self._feeds[table_id]

    def hear(self, shard: int, epoch: int, out: Out, kind: str) -> None:
        """Take what a table says to those who watch it."""
        feed = self._feeds.get(out.table_id)
        if feed is None:
            if kind == "last_number":
                self._detach(out.table_id, shard)
            return
        now = self._clock.monotonic()
        attachment = feed.attachment
        attachment.epoch = epoch
        verdict = Verdict.DROP
        if kind == "frame":
            verdict = attachment.judge_frame(leading_number(out.frame), now)
            if verdict is Verdict.FORWARD:
                self._frame(feed, epoch, out.frame)
        elif kind == "view":
            before, number = attachment.last, leading_number(out.view)
            verdict = attachment.judge_view(number, now)
            if verdict is Verdict.FORWARD:
                self._view(feed, out.view, number, is_known=bool(feed.base) and number == before)
        elif kind == "watching":
            attachment.heard_at = now
            self._watching(feed, out.watching)
        elif kind == "last_number":
            verdict = attachment.judge_last(out.last_number, now)
        elif kind == "detached":
            self._end(feed, out.detached.reason)
        if verdict is Verdict.ASK:
            self._ask(feed, is_gap=True)

    def _frame(self, feed: Feed, epoch: int, frame: bytes) -> None:
        if feed.base:
            feed.frames.append(frame)
        self._frames.inc(len(feed.viewers))
        for listener in list(feed.viewers.values()):
            listener.send_frame(feed.table_id, epoch, frame)

    def _view(self, feed: Feed, view: bytes, number: int, *, is_known: bool) -> None:
        feed.base, feed.base_number, feed.frames = view, number, []
        feed.players = frozenset(seat.player_id for seat in TableView.FromString(view).seats)
        if is_known:
            return
        snapshot = PlayResponse(
            table_snapshot=TableSnapshot(table_id=feed.table_id, epoch=feed.attachment.epoch, view=view)
        )
        for listener in list(feed.viewers.values()):
            listener.send(snapshot)

    def _watching(self, feed: Feed, said: Watching) -> None:
        response = PlayResponse(table_watching=watching_of(feed.table_id, said))
        feed.watching.CopyFrom(response.table_watching)
        # Who comes later has not seen what was liked.
        feed.watching.ClearField("liked")
        for listener in list(feed.viewers.values()):
            listener.send(response, is_droppable=True)

    # Viewers

    def _let_in(self, feed: Feed) -> None:
        """Show the table to those who wait for it."""
        joining, feed.joining = feed.joining, {}
        for session, (listener, reply_to, number) in joining.items():
            if listener.player_id in feed.players:
                self._forget(session, feed.table_id)
                listener.send(command_refused(reply_to, Refusal("SEATED_HERE")))
                continue
            feed.viewers[session] = listener
            feed.empty_since = None
            listener.send(PlayResponse(table_watching=feed.watching))
            self._show(feed, listener, number)
            answer = CommandAnswer(number=feed.attachment.last)
            listener.send(PlayResponse(reply_to=reply_to, command_answer=answer))

    def _show(self, feed: Feed, listener: Listener, number: int) -> None:
        """Give a viewer what he lacks, who has seen the frames up to a number."""
        epoch, behind = feed.attachment.epoch, number - feed.base_number
        if not (number and 0 <= behind <= len(feed.frames)):
            behind = 0
            snapshot = TableSnapshot(table_id=feed.table_id, epoch=epoch, view=feed.base)
            listener.send(PlayResponse(table_snapshot=snapshot))
        for frame in feed.frames[behind:]:
            listener.send_frame(feed.table_id, epoch, frame)

    def _end(self, feed: Feed, reason: str) -> None:
        self._feeds.pop(feed.table_id, None)
        detached = PlayResponse(table_detached=TableDetached(table_id=feed.table_id, reason=reason))
        for session, listener in feed.viewers.items():
            self._forget(session, feed.table_id)
            listener.send(detached)
        for session, (listener, reply_to, _) in feed.joining.items():
            self._forget(session, feed.table_id)
            listener.send(command_refused(reply_to, Refusal("TABLE_UNAVAILABLE")))

    def _forget(self, session: str, table_id: str) -> None:
        tables = self._of.get(session, {})
        tables.pop(table_id, None)
        if not tables:
            self._of.pop(session, None)

    # To owners

    def _ask(self, feed: Feed, *, is_view: bool = False, is_gap: bool = False) -> bool:
        """Attach (again), from the last frame that went out, or for a whole view."""
        now = self._clock.monotonic()
        if is_gap:
            attach = feed.attachment.ask(-1, now)
        else:
            attach = Attach(epoch=feed.attachment.epoch, number=feed.attachment.last, spectate=True)
        if is_view:
            attach.number = 0
        feed.is_view_asked = is_view
        feed.counted, feed.counted_at = len(feed.viewers) + len(feed.joining), now
        tag = self._attach(feed, attach)
        feed.attachment.asking = tag
        return bool(tag)

    def new_owner(self, shard: int) -> None:
        """Somebody else serves a shard: listen there."""
        for feed in list(self._feeds.values()):
            if feed.shard == shard and not feed.attachment.asking:
                self._ask(feed, is_view=not feed.base)

    def sweep(self) -> Iterator[int]:
        """Look after every feed; yield the shards that are listened to."""
        now = self._clock.monotonic()
        for feed in list(self._feeds.values()):
            if self._is_over(feed, now):
                del self._feeds[feed.table_id]
                self._detach(feed.table_id, feed.shard)
                continue
            yield feed.shard
            if feed.attachment.asking:
                continue
            is_news = feed.counted != len(feed.viewers) and now - feed.counted_at >= COUNT_EVERY_S
            if feed.joining or is_news or feed.attachment.is_silent(now):
                self._ask(feed, is_view=bool(feed.joining) or not feed.base)

    def _is_over(self, feed: Feed, now: float) -> bool:
        if feed.viewers or feed.joining:
            feed.empty_since = None
            return False
        feed.empty_since = now if feed.empty_since is None else feed.empty_since
        return now - feed.empty_since >= LINGER_S

    def stop(self) -> None:
        """Say goodbye to all tables."""
        for feed in self._feeds.values():
            self._detach(feed.table_id, feed.shard)
        self._feeds.clear()
        self._of.clear()
