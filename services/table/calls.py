"""Calls about a table, wherever its shard is owned: the owner answers, everyone else forwards over NATS."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from paiju.table.v1.table_service_pb2 import TableSummary
from paiju.table.v1.watch_service_pb2 import LiveTable

from services.chassis.bus import subject
from services.chassis.bus.port import Bus
from services.chassis.errors import Outage, Refusal
from services.table.core import events as e
from services.table.core.events import Spec
from services.table.core.match import is_gone
from services.table.core.spec import fingerprint_of, shard_of
from services.table.core.table import Table
from services.table.encode import outside_of, summary_of
from services.table.shard import Shard
from services.table.watch_calls import Liked, Live, LiveAmong, MayLike, answer_watch

FORWARD_S = 3.0
TABLES_PER_SHARD_MAX = 20_000
"""Live tables; more are refused."""


class Create(msgspec.Struct, frozen=True, array_like=True, tag=1):
    """Make a table."""

    table_id: str
    spec: Spec


class Get(msgspec.Struct, frozen=True, array_like=True, tag=2):
    """Describe a table in short."""

    table_id: str
    player: str = ""
    """Who asks: without a seat he is told only what never changes. Empty = a service, which is told all."""


class Close(msgspec.Struct, frozen=True, array_like=True, tag=3):
    """End the match after the current round."""

    table_id: str
    reason: str


class Seats(msgspec.Struct, frozen=True, array_like=True, tag=4):
    """Say where a player has a seat in this shard."""

    player: str


class Note(msgspec.Struct, frozen=True, array_like=True, tag=5):
    """Take note of what scoring or economy has said of a round."""

    table_id: str
    said: e.Audited | e.Settled


AnyCall = Create | Get | Close | Seats | Note | Live | LiveAmong | MayLike | Liked


class Answer(msgspec.Struct, frozen=True, array_like=True):
    """Summaries, or a refusal."""

    summaries: tuple[bytes, ...] = ()
    reason: str = ""
    details: dict[str, str | int] = {}
    total: int = 0
    """Live tables in all."""
    unrated: int = 0
    """Live tables left out because their rating is not known."""


_encoder = msgspec.msgpack.Encoder()
_call_decoder: msgspec.msgpack.Decoder[AnyCall] = msgspec.msgpack.Decoder(AnyCall)
_answer_decoder = msgspec.msgpack.Decoder(Answer)


async def serve_call(shard: Shard, payload: bytes) -> bytes | None:
    """Answer a forwarded call; silence if the shard was lost meanwhile."""
    try:
        return _encoder.encode(await _answer(shard, _call_decoder.decode(payload)))
    except Refusal as refusal:
        return _encoder.encode(Answer((), refusal.reason, refusal.details))
    except Outage:
        return None


class Calls:
    """Sends calls to owners.

    Args:
        bus: The way to other processes.
        local: Returns the shard if this process serves it.
    """

    def __init__(self, bus: Bus, local: Callable[[str], Shard | None]) -> None:
        self._bus = bus
        self._local = local

    async def call(self, shard_name: str, call: AnyCall) -> tuple[TableSummary, ...]:
        """Return the summaries that answer a call.

        Raises:
            Refusal: The owner says no.
            Outage: No owner answers; unknown whether it was done.
        """
        answer = await self._ask(shard_name, call)
        return tuple(TableSummary.FromString(summary) for summary in answer.summaries)

    async def live(self, shard_name: str, call: Live) -> tuple[list[LiveTable], int]:
        """Return live tables of a shard, and how many there are in all.

        Raises:
            Outage: No owner answers.
        """
        answer = await self._ask(shard_name, call)
        return [LiveTable.FromString(table) for table in answer.summaries], answer.total

    async def live_among(self, shard_name: str, call: LiveAmong) -> tuple[list[LiveTable], int, int]:
        """Return live tables of a shard, how many there are in all, and how many of unknown rating are not
        among them.

        Raises:
            Outage: No owner answers, or none that knows these filters.
        """
        answer = await self._ask(shard_name, call)
        return [LiveTable.FromString(table) for table in answer.summaries], answer.total, answer.unrated

    async def watch(self, call: MayLike | Liked) -> None:
        """Ask, or tell, the owner of a table something of those who watch it.

        Raises:
            Refusal: The owner says no.
            Outage: No owner answers.
        """
        await self._ask(shard_of(call.table_id), call)

    async def _ask(self, shard_name: str, call: AnyCall) -> Answer:
        shard = self._local(shard_name)
        if shard is not None:
            answer = await _answer(shard, call)
        else:
            reply = await self._bus.request(
                subject("table", "rpc", shard_name), _encoder.encode(call), timeout_s=FORWARD_S
            )
            answer = _answer_decoder.decode(reply)
        if answer.reason:
            raise Refusal(answer.reason, **answer.details)
        return answer

    async def about(self, call: Create | Get | Close | Note) -> tuple[TableSummary, ...]:
        """Return what the owner of a table answers."""
        return await self.call(shard_of(call.table_id), call)


async def _answer(shard: Shard, call: AnyCall) -> Answer:
    if shard.tables.is_closing or shard.is_dropped:
        raise Outage(f"shard {shard.name} is being handed over")
    match call:
        case Create():
            return await _create(shard, call)
        case Get():
            table = await _known(shard, call.table_id)
            is_outside = call.player and table.seat_of(call.player) is None
            summary = outside_of(table, shard.tables.now()) if is_outside else summary_of(table)
            await shard.done()
            return Answer((summary.SerializeToString(),))
        case Close():
            return await _close(shard, call)
        case Seats():
            found = [
                table
                for table in shard.tables.live.values()
                if table.s.phase != "finished"
                and (seat := table.seat_of(call.player)) is not None
                and not is_gone(table.s, table.s.seats[seat])
            ]
            found.sort(key=lambda table: table.s.created_at)
            summaries = tuple(summary_of(table).SerializeToString() for table in found)
            await shard.done()
            return Answer(summaries)
        case Note():
            return await _note(shard, call)
        case Live() | LiveAmong() | MayLike() | Liked():
            listed, total, unrated = answer_watch(shard, call)
            return Answer(listed, total=total, unrated=unrated)


async def _known(shard: Shard, table_id: str) -> Table:
    """Return a table of the shard.

    Raises:
        Refusal: TABLE_UNKNOWN, when it is sure that this owner would know.
        Outage: The shard is lost, or the log out of reach.
    """
    table = shard.tables.live.get(table_id)
    if table is None:
        await shard.check_owner()
        table = shard.tables.live.get(table_id)
    if table is None:
        raise Refusal("TABLE_UNKNOWN")
    shard.tables.settle(table_id)
    return table


async def _create(shard: Shard, call: Create) -> Answer:
    tables = shard.tables
    fingerprint = fingerprint_of(call.spec)
    table = tables.live.get(call.table_id)
    if table is None and call.table_id in tables.closed:
        raise Refusal("TABLE_EXISTS" if tables.closed[call.table_id] != fingerprint else "MATCH_OVER")
    if table is None:
        if len(tables.live) >= TABLES_PER_SHARD_MAX:
            raise Refusal("SHARD_BUSY")
        tables.do(call.table_id, (e.TableCreated(tables.now(), call.spec, fingerprint),))
        table = tables.live[call.table_id]
    elif table.s.fingerprint != fingerprint:
        raise Refusal("TABLE_EXISTS")
    summary = summary_of(table)
    await shard.done()
    return Answer((summary.SerializeToString(),))


async def _close(shard: Shard, call: Close) -> Answer:
    table = await _known(shard, call.table_id)
    if not table.s.closing and table.s.phase != "finished":
        shard.tables.do(call.table_id, (e.CloseAsked(shard.tables.now(), call.reason or "CLOSED"),))
    await shard.done()
    return Answer()


async def _note(shard: Shard, call: Note) -> Answer:
    try:
        table = await _known(shard, call.table_id)
    except Refusal:
        # Closed and forgotten: nobody is left to be told.
        return Answer()
    said = msgspec.structs.replace(call.said, at=shard.tables.now())
    round_ = table.s.round
    if round_ is not None and said.round_no <= round_.no and said.round_no not in _heard_of(table, said):
        shard.tables.do(call.table_id, (said,))
    await shard.done()
    return Answer()


def _heard_of(table: Table, said: e.Audited | e.Settled) -> list[int]:
    """Return the rounds of which the like was said before: a repeat does nothing.

    That a round waits for a person can be news though scoring agreed to it: economy could not settle it.
    """
    state = table.s
    if isinstance(said, e.Settled):
        return state.settled
    return state.audited if said.is_agreed else [*state.disputed, *state.settled]
