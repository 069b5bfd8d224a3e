"""Makes the tables that matches were written for, and frees players once a match is over.

The id of a table is chosen, and written with the match, before anybody is asked to make it; a request
whose outcome is unknown is repeated with the same id and the same bytes until it is known. So one match
has one table, whatever dies in between.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from google.protobuf.message import Message
from paiju.economy.v1 import economy_service_pb2_grpc, room_card_service_pb2_grpc
from paiju.economy.v1.economy_service_pb2 import GetStakesRequest
from paiju.economy.v1.room_card_service_pb2 import HoldRoomCardsRequest, ReturnRoomCardsRequest
from paiju.table.v1 import table_service_pb2_grpc
from paiju.table.v1.events_pb2 import MatchFinished
from paiju.table.v1.table_service_pb2 import (
    CloseTableRequest,
    CreateTableRequest,
    GetTableRequest,
    TableSpec,
)
from sqlalchemy import Connection

from services.chassis import log
from services.chassis.bus import Delivery
from services.chassis.db import Database
from services.chassis.errors import Defect, Outage, Refusal
from services.chassis.run import Parts
from services.matchmaking.core.room import Room
from services.matchmaking.settings import MatchmakingSettings
from services.matchmaking.shards import Shards
from services.matchmaking.store import placements, rooms, tickets
from services.matchmaking.store.placements import Placement
from services.matchmaking.store.tickets import Ticket
from services.matchmaking.tellers import Tellers

RETRY_S = 0.5
AT_ONCE = 64
"""Tables asked for at a time."""
OVER = frozenset({"finished"})
"""Phases of a table whose match is over."""

Changed = tuple[list[Ticket], list[Room]]

_log = log.get(service="matchmaking")


class Placer:
    """See the module."""

    def __init__(self, parts: Parts, settings: MatchmakingSettings, tellers: Tellers) -> None:
        self._clock = parts.clock
        self._ids = parts.ids
        self.shards = Shards(parts)
        self._db: Database = parts.db("matchmaking")
        self._tables = parts.rpc.client(table_service_pb2_grpc.TableServiceStub, "table")
        self._stakes = parts.rpc.client(economy_service_pb2_grpc.EconomyServiceStub, "economy")
        self._cards = parts.rpc.client(room_card_service_pb2_grpc.RoomCardServiceStub, "economy")
        self._tellers = tellers
        self._settings = settings
        self._poked = asyncio.Event()
        self._spawn = parts.spawn
        self._under_way: set[str] = set()
        tables = parts.metrics.counter("matchmaking_tables", "Tables asked for, by outcome", ["outcome"])
        self._created, self._refused, self._unknown, self._ended = (
            tables.labels(outcome) for outcome in ("created", "refused", "unknown", "ended")
        )

    def new_table_id(self) -> str:
        """Return the id of a table that is to be: `<shard in hex>-<random>`."""
        return self._ids.new(self.shards.pick(), "-")

    def poke(self) -> None:
        """Say that a placement was written."""
        self._poked.set()

    async def run(self) -> None:
        """Make what is to be made, until cancelled."""
        while True:
            self._poked.clear()
            try:
                await self.place_all()
            except Outage as outage:
                _log.warning("placements_not_read", why=str(outage))
            try:
                async with self._clock.timeout(RETRY_S * (0.5 + self._ids.jitter())):
                    await self._poked.wait()
            except TimeoutError:
                continue

    async def place_all(self) -> None:
        """Begin to ask for each table that is to be made and isn't asked for already.

        A table whose shard has no owner now keeps nobody else's waiting.
        """
        for placement in await self._db.read(placements.creating):
            if len(self._under_way) >= AT_ONCE:
                return
            if placement.table_id not in self._under_way:
                self._under_way.add(placement.table_id)
                self._spawn(f"matchmaking-table-{placement.table_id}", self._place_one(placement))

    async def _place_one(self, placement: Placement) -> None:
        try:
            await self._place(placement)
        except Outage as outage:
            _log.warning("placement_not_settled", table_id=placement.table_id, why=str(outage))
        finally:
            self._under_way.discard(placement.table_id)

    async def _place(self, placement: Placement) -> None:
        request = CreateTableRequest(table_id=placement.table_id, spec=TableSpec.FromString(placement.spec))
        try:
            await self._pay(placement)
            await self._tables.CreateTable(request)
        except (Outage, Defect) as problem:
            # A defect over there leaves the outcome as unknown as an outage does.
            self._unknown.inc()
            _log.warning("table_outcome_unknown", table_id=placement.table_id, why=str(problem))
            return
        except Refusal as refusal:
            reason = refusal.reason
            self._refused.inc()
            # Somebody without cards is his room's affair; anything else is ours.
            say = _log.info if reason == "ROOM_CARDS_TOO_FEW" else _log.error
            say("table_refused", table_id=placement.table_id, reason=reason, why=str(refusal))
            await self._give_back(placement)
            await self._tell(await self._db.run(lambda connection: _refuse(connection, placement, reason)))
            return
        self._created.inc()
        await self._tell(await self._db.run(lambda connection: _placed(connection, placement)))

    # Room cards: taken before the table is made, given back when it will never be

    async def _pay(self, placement: Placement) -> None:
        """See that a room is paid for.

        Raises:
            Refusal: ROOM_CARDS_TOO_FEW; ROOM_CARDS_CLOSED: the table was refused before.
            Outage, Defect: Nobody knows.
        """
        room = await self._room(placement)
        if room is None or not room.price:
            return
        spec = TableSpec.FromString(placement.spec)
        await self._cards.HoldRoomCards(
            HoldRoomCardsRequest(
                match_id=placement.table_id,
                payer=room.rules.payer,
                cards=room.price,
                seats=[seat.player_id for seat in spec.seats],
                owner_id=room.owner_id,
            )
        )

    async def _give_back(self, placement: Placement) -> None:
        """See that a match that will never be, or whose end nobody knows, has cost nothing."""
        room = await self._room(placement)
        if room is None or not room.price:
            return
        try:
            await self._cards.ReturnRoomCards(ReturnRoomCardsRequest(match_id=placement.table_id))
        except Defect as defect:
            raise Outage(str(defect)) from defect

    async def _room(self, placement: Placement) -> Room | None:
        if placement.kind != "room":
            return None
        return await self._db.read(lambda connection: rooms.find(connection, placement.ref))

    # The end of matches

    async def matches_finished(self, deliveries: Sequence[Delivery[Message]]) -> None:
        """Free the players of finished matches, and close their rooms."""
        await self.end(
            {
                d.message.table_id: tuple(d.message.scores)
                for d in deliveries
                if isinstance(d.message, MatchFinished)
            }
        )

    async def end(self, ended: Mapping[str, tuple[int, ...]]) -> None:
        """Say that the matches at these tables are over, with the final points where they are known."""
        changed = await self._db.run(lambda connection: _end(connection, ended))
        self._ended.inc(len(changed[0]) + len(changed[1]))
        await self._tell(([], changed[1]))

    async def is_over(self, table_id: str) -> bool:
        """Return whether the match at a table is over; if so, its players are free by then.

        Raises:
            Outage: Nobody knows now.
        """
        try:
            table = (await self._tables.GetTable(GetTableRequest(table_id=table_id))).table
        except Refusal as refusal:
            if refusal.entry.code != "NOT_FOUND":
                raise
            await self._return_stakes(table_id)
            is_over = True
        else:
            is_over = table.phase in OVER
        if is_over:
            await self.end({table_id: ()})
        return is_over

    async def _return_stakes(self, table_id: str) -> None:
        """See that no stake stays at a table that nobody knows: its log was lost with all of it.

        The table is made again under its id and its spec, and closed: so its match ends as any other, void,
        and its stakes go back.
        """
        placement = await self._db.read(lambda connection: placements.find(connection, table_id))
        if placement is not None:
            await self._give_back(placement)
        if placement is None or not TableSpec.FromString(placement.spec).HasField("stake"):
            return
        held = (await self._stakes.GetStakes(GetStakesRequest(match_id=table_id))).stakes
        if not any(stake.state == "open" for stake in held):
            return
        _log.error("table_lost", table_id=table_id)
        spec = TableSpec.FromString(placement.spec)
        try:
            await self._tables.CreateTable(CreateTableRequest(table_id=table_id, spec=spec))
            await self._tables.CloseTable(CloseTableRequest(table_id=table_id, reason="LOG_CUT"))
        except Refusal as refusal:
            _log.error("stakes_not_returned", table_id=table_id, reason=refusal.reason)

    async def look_after(self) -> None:
        """Look at matches that have not been heard of for long: their end may have been missed."""
        now = self._clock.now_ms()
        before = now - self._settings.look_after_minutes * 60_000
        for table_id in await self._db.run(lambda connection: placements.unheard(connection, before, now)):
            if await self.is_over(table_id):
                _log.warning("match_end_was_missed", table_id=table_id)

    async def _tell(self, changed: Changed) -> None:
        await self._tellers.tickets(changed[0])
        for room in changed[1]:
            await self._tellers.room(room)


def _placed(connection: Connection, placement: Placement) -> Changed:
    if not placements.settle(connection, placement.table_id, "created"):
        return [], []
    if placement.kind == "room":
        room = rooms.placed(connection, placement.ref)
        return [], [room] if room else []
    return tickets.placed(connection, placement.table_id), []


def _refuse(connection: Connection, placement: Placement, reason: str) -> Changed:
    if not placements.settle(connection, placement.table_id, "refused", reason):
        return [], []
    if placement.kind == "room":
        room = rooms.refused(connection, placement.ref, reason)
        return [], [room] if room else []
    return tickets.refused(connection, placement.table_id, "TABLE_REFUSED"), []


def _end(connection: Connection, ended: Mapping[str, tuple[int, ...]]) -> Changed:
    freed: Changed = ([], [])
    for table_id, scores in ended.items():
        placement = placements.find(connection, table_id)
        if placement is None or not placements.end(connection, table_id):
            continue
        if placement.kind == "room":
            room = rooms.find(connection, placement.ref)
            if room is not None:
                freed[1].append(rooms.close(connection, room, scores))
        else:
            freed[0].extend(tickets.ended(connection, table_id))
    return freed
