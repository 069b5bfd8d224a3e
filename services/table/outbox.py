"""What tables owe to the world: facts for the streams, stakes to open and to close, records to keep.

Each debt is in the table's log until its acknowledgement is; a new owner does again whatever is not
acknowledged, and everyone who hears of it is idempotent.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import ClassVar, Protocol

from google.protobuf.message import Message
from paiju.table.v1 import events_pb2 as facts

from services.chassis import log
from services.chassis.bus.port import Bus
from services.chassis.clock import Clock
from services.chassis.errors import Outage, Refusal
from services.chassis.ids import Ids
from services.table.core import events as e
from services.table.core.state import Owed
from services.table.core.table import Table
from services.table.tables import Tables

WORKERS = 16
"""Tables of a shard whose debts are paid at the same time."""

BACKOFF_S = (0.05, 0.2, 0.5, 1.0, 2.0, 5.0)

_log = log.get(service="table")


class Bank(Protocol):
    """Where stakes are opened and closed."""

    async def open_stake(self, match_id: str, seat: int, player: str, currency: str, buy_in: int) -> int:
        """Move the buy-in into the stake account, once; return what is in it.

        Raises:
            Refusal: The bank says no, for good.
            Outage: Unknown; ask again.
        """

    async def add_stake(
        self,
        match_id: str,
        seat: int,
        player: str,
        amount: int,
        request_id: str,
        stake_max: int,
        last_round_no: int,
    ) -> int:
        """Move more coins into the stake account, once per request; return what is in it then.

        Args:
            stake_max: It may not hold more afterwards.
            last_round_no: The round that was played last; it is settled.

        Raises:
            Refusal: The bank says no to this request, for good.
            Outage: Unknown; ask again.
        """

    async def close_stake(self, match_id: str, seat: int, last_round_no: int) -> None:
        """Have the stake closed once that round is settled or voided."""


class Records(Protocol):
    """Where finished rounds are kept for replay."""

    async def keep(self, fact: facts.RoundFinished) -> None:
        """Keep a finished round; the same again does nothing."""


class Outbox:
    """Pays the debts of one shard's tables."""

    def __init__(
        self, bus: Bus, clock: Clock, ids: Ids, tables: Tables, bank: Bank, records: Records
    ) -> None:
        self._bus = bus
        self._clock = clock
        self._ids = ids
        self._tables = tables
        self._bank = bank
        self._records = records
        self._owing: dict[str, None] = {}
        self._busy: set[str] = set()
        self._work = asyncio.Event()

    def owes(self, table: Table) -> None:
        """Say that a table has durable debts."""
        self._owing[table.s.table_id] = None
        self._work.set()

    async def run(self) -> None:
        """Pay until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            for _ in range(WORKERS):
                tasks.create_task(self._pay_all())

    async def _pay_all(self) -> None:
        while True:
            table_id = next((owing for owing in self._owing if owing not in self._busy), None)
            if table_id is None:
                self._work.clear()
                await self._work.wait()
                continue
            del self._owing[table_id]
            self._busy.add(table_id)
            try:
                await self._pay_table(table_id)
            finally:
                self._busy.discard(table_id)
                self._work.set()

    async def _pay_table(self, table_id: str) -> None:
        tries = 0
        while (table := self._tables.live.get(table_id)) is not None and table.s.owed:
            if self._tables.is_closing or not self._tables.is_durable(table_id):
                # The acknowledgement says again that the table owes.
                return
            owed = table.s.owed[0]
            try:
                events = await self._pay(table, owed)
            except Outage as outage:
                _log.warning("debt_not_paid", table_id=table_id, key=owed.key, why=str(outage), tries=tries)
                wait_s = BACKOFF_S[min(tries, len(BACKOFF_S) - 1)]
                tries += 1
                await self._clock.sleep(wait_s * (0.5 + self._ids.jitter()))
                continue
            tries = 0
            if any(still.key == owed.key for still in table.s.owed) and table_id in self._tables.live:
                self._tables.do(table_id, events)

    async def _pay(self, table: Table, owed: Owed) -> tuple[e.TableEvent, ...]:
        kind, _, number = owed.key.partition("/")
        return await self._KINDS[kind](self, table, owed, int(number or 0))

    async def _publish(self, fact: Message, event_id: str) -> None:
        await self._bus.publish(fact, event_id)

    async def _stake(self, table: Table, owed: Owed, seat: int) -> tuple[e.TableEvent, ...]:
        state = table.s
        stake = state.spec.stake
        assert stake is not None, "only a coin table owes stakes"
        player = state.seats[seat].player
        try:
            amount = await self._bank.open_stake(state.table_id, seat, player, stake.currency, stake.buy_in)
        except Refusal as refusal:
            return (e.SitRefused(self._tables.now(), seat, refusal.reason),)
        return (e.SeatTaken(self._tables.now(), seat, amount),)

    async def _add(self, table: Table, owed: Owed, seat: int) -> tuple[e.TableEvent, ...]:
        state = table.s
        stake, adding = state.spec.stake, state.seats[seat].adding
        assert stake is not None, "only a coin table owes stakes"
        assert adding is not None, "who owes is adding"
        # A player may use the id of a command again after many others: not in the same pause.
        request_id = f"{table.round.no}/{adding.command_id}"
        player = state.seats[seat].player
        try:
            amount = await self._bank.add_stake(
                state.table_id, seat, player, adding.amount, request_id, stake.buy_in, table.round.no
            )
        except Refusal as refusal:
            return (e.AddRefused(self._tables.now(), seat, refusal.reason),)
        return (e.StakeAdded(self._tables.now(), seat, amount),)

    async def _close(self, table: Table, owed: Owed, seat: int) -> tuple[e.TableEvent, ...]:
        last_round = table.s.round.no if table.s.round is not None else 0
        try:
            await self._bank.close_stake(table.s.table_id, seat, last_round)
        except Refusal as refusal:
            _log.error("stake_not_closed", table_id=table.s.table_id, seat=seat, reason=refusal.reason)
        return (e.OutboxDone(self._tables.now(), owed.key),)

    async def _opened(self, table: Table, owed: Owed, round_no: int) -> tuple[e.TableEvent, ...]:
        round_ = table.round
        fact = facts.RoundOpened(
            round_id=table.round_id,
            match_id=table.s.table_id,
            round_no=round_no,
            table_id=table.s.table_id,
            game=table.s.spec.game,
            preset=table.s.spec.label,
            commitment=round_.commitment,
            seats=seats_of(table),
            opened_at_ms=round_.opened_at,
            nonce_heads=round_.heads,
        )
        await self._publish(fact, f"opened:{fact.round_id}")
        now = self._tables.now()
        wait_ms = table.s.spec.timing.nonce_ms if any(round_.due) else 0
        return (e.RoundAnnounced(now, round_no, now + max(wait_ms, 1)),)

    async def _finished(self, table: Table, owed: Owed, round_no: int) -> tuple[e.TableEvent, ...]:
        state = table.s
        fact = facts.RoundFinished(
            round_id=f"{state.table_id}/{round_no}",
            match_id=state.table_id,
            round_no=round_no,
            table_id=state.table_id,
            game=state.spec.game,
            preset=state.spec.label,
            seats=seats_of(table),
            record=owed.record,
            for_coins=state.spec.stake is not None,
            ended_at_ms=owed.at,
            room_code=state.spec.room_code,
        )
        await self._publish(fact, f"finished:{fact.round_id}")
        await self._records.keep(fact)
        return (e.OutboxDone(self._tables.now(), owed.key),)

    async def _voided(self, table: Table, owed: Owed, round_no: int) -> tuple[e.TableEvent, ...]:
        fact = facts.RoundVoided(
            round_id=f"{table.s.table_id}/{round_no}",
            match_id=table.s.table_id,
            round_no=round_no,
            game=table.s.spec.game,
            reason=owed.reason,
            seed=table.round.seed,
            voided_at_ms=owed.at,
        )
        await self._publish(fact, f"voided:{fact.round_id}")
        return (e.OutboxDone(self._tables.now(), owed.key),)

    async def _match(self, table: Table, owed: Owed, _: int) -> tuple[e.TableEvent, ...]:
        state = table.s
        fact = facts.MatchFinished(
            match_id=state.table_id,
            table_id=state.table_id,
            game=state.spec.game,
            seats=seats_of(table),
            scores=state.scores,
            rounds_played=state.rounds_played,
            cause=state.cause,
            finished_at_ms=owed.at,
            last_round_no=state.round.no if state.round is not None else 0,
        )
        await self._publish(fact, f"match:{fact.match_id}")
        return (e.OutboxDone(self._tables.now(), owed.key),)

    _KINDS: ClassVar[dict[str, Callable[[Outbox, Table, Owed, int], Awaitable[tuple[e.TableEvent, ...]]]]] = {
        "stake": _stake,
        "add": _add,
        "close": _close,
        "opened": _opened,
        "finished": _finished,
        "voided": _voided,
        "match": _match,
    }


def seats_of(table: Table) -> list[facts.RoundSeat]:
    """Return who sits where."""
    return [
        facts.RoundSeat(seat=number, player_id=seat.player, is_bot=bool(seat.bot))
        for number, seat in enumerate(table.s.seats)
    ]
