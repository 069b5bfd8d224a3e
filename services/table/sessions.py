"""Who listens to which table, and what goes out to their gateways, in order and in batches."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from services.chassis.bus import subject
from services.chassis.bus.port import Bus
from services.chassis.errors import Outage
from services.chassis.metrics import Metrics
from services.table import wire

ORDER_BITS = 24
"""So many attaches of one owner have an order of their own; the bits above are its epoch."""

ATTACHES_KEPT = 4_096
"""Attaches whose order is remembered, so that a gateway that repeats one does not make it newer."""

AT_REST_S = 10
"""The sessions of a table without new frames are told their last number once in so many seconds: their
gateway asks after twelve of silence."""

OUTS_PER_BATCH_MAX = 256
OUT_BYTES_MAX = 512 * 1024
"""Of a batch: the server refuses a message of more than 1 MiB."""

OUTS_WAITING_MAX = 20_000
"""Per gateway; the oldest is dropped beyond it, and whoever lacks it asks for the gap."""


@dataclass(slots=True)
class Session:
    """A connection that listens to a table."""

    gateway: str
    session: str
    table_id: str
    player: str
    seat: int
    """-1: spectators, those of a whole gateway."""
    from_number: int
    """It has been given everything up to this frame."""
    order: int
    """Its `attach` among all of the shard, over all owners."""
    head: bytes = field(init=False, repr=False, compare=False)
    """What each `Out` to it begins with."""

    def __post_init__(self) -> None:
        self.head = wire.head(self.table_id, self.session)


@dataclass(frozen=True, slots=True)
class Sender:
    """Where the answer to a command goes."""

    gateway: str
    session: str
    tag: int


class Sessions:
    """The sessions of one shard: one per seat, the newest; and one for the spectators of each gateway."""

    def __init__(self) -> None:
        self._tables: dict[str, dict[tuple[str, str], Session]] = {}
        self._rest: tuple[dict[str, None], ...] = tuple({} for _ in range(AT_REST_S))
        """The same tables, in as many equal parts as there are seconds to look at them."""
        self._next_part = 0
        self._attaches: OrderedDict[tuple[Sender, str], int] = OrderedDict()
        self._count = 0

    def order_of(self, epoch: int, sender: Sender, table_id: str) -> int:
        """Return the order of a client's `attach`, above all before it; a repeat has its own."""
        key = sender, table_id
        order = self._attaches.get(key)
        if order is None:
            self._count += 1
            order = self._attaches[key] = (epoch << ORDER_BITS) + self._count
            if len(self._attaches) > ATTACHES_KEPT:
                self._attaches.popitem(last=False)
        return order

    def is_replaced(self, sender: Sender, table_id: str, seat: int, order: int) -> bool:
        """Say whether a newer connection has the seat."""
        at = self.at_seat(table_id, seat)
        return at is not None and at.order > order and at.session != sender.session

    def of(self, gateway: str) -> Sequence[Session]:
        """Return the sessions at one gateway."""
        return tuple(session for session in self if session.gateway == gateway)

    def add(self, session: Session) -> Session | None:
        """Add (or renew) a session; return the one it replaces at its seat, if that is another."""
        sessions = self._tables.get(session.table_id)
        if sessions is None:
            sessions = self._tables[session.table_id] = {}
            self._rest[self._next_part][session.table_id] = None
            self._next_part = (self._next_part + 1) % AT_REST_S
        replaced = None
        if session.seat >= 0:
            replaced = self.at_seat(session.table_id, session.seat)
            if replaced is not None:
                del sessions[replaced.gateway, replaced.session]
        sessions[session.gateway, session.session] = session
        is_same = replaced is not None and (replaced.gateway, replaced.session) == (
            session.gateway,
            session.session,
        )
        return None if is_same else replaced

    def remove(self, gateway: str, session: str, table_id: str) -> Session | None:
        """Remove exactly this session; a newer one of the same player stays."""
        sessions = self._tables.get(table_id, {})
        gone = sessions.pop((gateway, session), None)
        if not sessions:
            self._forget(table_id)
        return gone

    def is_full(self, table_id: str, sender: Sender, most: int) -> bool:
        """Say whether a table has so many sessions that a new one is too many."""
        sessions = self._tables.get(table_id, {})
        return len(sessions) >= most and (sender.gateway, sender.session) not in sessions

    def at_seat(self, table_id: str, seat: int) -> Session | None:
        """Return the session that listens for a seat."""
        return next((at for at in self._tables.get(table_id, {}).values() if at.seat == seat), None)

    def at_table(self, table_id: str) -> Sequence[Session]:
        """Return the sessions of a table."""
        return tuple(self._tables.get(table_id, {}).values())

    def listening(self, table_id: str) -> Iterable[Session]:
        """Return the sessions of a table as they are: nothing may be added or removed meanwhile."""
        at_table = self._tables.get(table_id)
        return at_table.values() if at_table is not None else ()

    def close(self, table_id: str) -> Iterable[Session]:
        """Remove all sessions of a table and return them."""
        return tuple(self._forget(table_id).values())

    def _forget(self, table_id: str) -> dict[tuple[str, str], Session]:
        for part in self._rest:
            part.pop(table_id, None)
        return self._tables.pop(table_id, {})

    def tables_of(self, second: int) -> Sequence[str]:
        """Return the tables whose sessions are told their last number in a second of `AT_REST_S`."""
        return tuple(self._rest[second % AT_REST_S])

    def __iter__(self) -> Iterator[Session]:
        for sessions in self._tables.values():
            yield from sessions.values()


class Outgoing:
    """Sends to gateways; one send at a time, what comes meanwhile is the next batch."""

    def __init__(self, bus: Bus, metrics: Metrics, shard: int) -> None:
        self._bus = bus
        self._shard = shard
        self.epoch = 0
        self._framed = 0
        """Frames not counted yet."""
        self._outs: dict[str, list[bytes]] = {}
        self._work = asyncio.Event()
        self._frames = metrics.counter("table_frames_out", "Frames sent to gateways")
        self._dropped = metrics.counter(
            "table_outs_dropped", "Messages dropped because a gateway was too slow"
        )

    def frame(self, to: Session, frame: bytes) -> None:
        """Send a serialised frame to a session."""
        self._framed += 1
        self._add(to.gateway, wire.out_frame(to.head, frame))

    def view(self, to: Session, view: bytes) -> None:
        """Send a serialised view to a session."""
        self._add(to.gateway, wire.out_view(to.head, view))

    def answer(self, to: Sender, table_id: str, answer: bytes, attached: int = 0) -> None:
        """Send the serialised answer to a command; with an accepted `attach`, its order."""
        self._add(to.gateway, wire.out_answer(wire.head(table_id, to.session), to.tag, answer, attached))

    def last_number(self, to: Session, number: int) -> None:
        """Tell a session the number of its last frame."""
        self._add(to.gateway, wire.out_last_number(to.head, number))

    def detached(self, gateway: str, session: str, table_id: str, reason: str) -> None:
        """Tell a session that it no longer listens."""
        self._add(gateway, wire.out_detached(wire.head(table_id, session), reason))

    def watching(self, to: Session, watching: bytes) -> None:
        """Tell a session of those who watch its table."""
        self._add(to.gateway, wire.out_watching(to.head, watching))

    def _add(self, gateway: str, out: bytes) -> None:
        outs = self._outs.get(gateway)
        if outs is None:
            outs = self._outs[gateway] = []
            self._work.set()
        if len(outs) >= OUTS_WAITING_MAX:
            del outs[0]
            self._dropped.inc()
        outs.append(out)

    async def run(self) -> None:
        """Send until cancelled."""
        while True:
            await self._work.wait()
            self._work.clear()
            await self.flush()

    async def flush(self) -> None:
        """Send all that waits."""
        while self._outs:
            gateway = next(iter(self._outs))
            outs = self._outs.pop(gateway)
            if len(outs) > OUTS_PER_BATCH_MAX or sum(map(len, outs)) > OUT_BYTES_MAX:
                count = _fitting(outs)
                self._outs[gateway] = outs[count:]
                del outs[count:]
                if not self._outs[gateway]:
                    del self._outs[gateway]
            self._frames.inc(self._framed)
            self._framed = 0
            try:
                await self._bus.tell(
                    subject("gateway", "out", gateway), wire.batch(self._shard, self.epoch, outs)
                )
            except Outage:
                # Told messages may be lost; listeners notice by the numbers.
                continue


def _fitting(outs: Sequence[bytes]) -> int:
    """Return how many of these go into one batch; at least one."""
    size = 0
    for count, out in enumerate(outs[:OUTS_PER_BATCH_MAX]):
        size += len(out)
        if size > OUT_BYTES_MAX:
            return max(1, count)
    return min(len(outs), OUTS_PER_BATCH_MAX)
