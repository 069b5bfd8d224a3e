"""RPCs of table: the control plane. Playing goes through the gateways."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from paiju.table.v1 import table_service_pb2 as s
from paiju.table.v1 import table_service_pb2_grpc

from engine.face import Game
from services.chassis import auth
from services.chassis.auth import AccessTable
from services.chassis.errors import Refusal
from services.table.calls import Calls, Close, Create, Get, Seats
from services.table.catalog import list_games
from services.table.core.events import Spec, Stake
from services.table.core.spec import make_spec, shard_of
from services.table.store import Kept, RecordStore

ACCESS: AccessTable = {
    "CreateTable": "service",
    "GetTable": "player",
    "CloseTable": "service",
    "GetRecord": "player",
    "ListRecords": "player",
    "ListSeats": "player",
    "ListGames": "public",
    "CheckTableSpec": "player",
}

PAGE_SIZE = 20
PAGE_SIZE_MAX = 100
ID_CHARS_MAX = 128


class TableApi(table_service_pb2_grpc.TableServiceServicer):
    """See protos/paiju/table/v1/table_service.proto."""

    def __init__(
        self, games: Mapping[str, Game], shards: Sequence[str], calls: Calls, records: RecordStore
    ) -> None:
        self._games = games
        self._shards = shards
        self._calls = calls
        self._records = records
        self._catalog = list_games(games)

    async def CreateTable(self, request: s.CreateTableRequest, context: Any) -> s.CreateTableResponse:  # noqa: N802 - gRPC
        """Make a table; a repeat gets the same one."""
        self._check_shard(request.table_id)
        spec = self._spec(request.spec)
        (table,) = await self._calls.about(Create(request.table_id, spec))
        return s.CreateTableResponse(table=table)

    async def GetTable(self, request: s.GetTableRequest, context: Any) -> s.GetTableResponse:  # noqa: N802 - gRPC
        """Describe a table; what changes while it plays is told to its seats and to services."""
        self._check_shard(request.table_id)
        (table,) = await self._calls.about(Get(request.table_id, auth.current().player_id))
        return s.GetTableResponse(table=table)

    async def CloseTable(self, request: s.CloseTableRequest, context: Any) -> s.CloseTableResponse:  # noqa: N802 - gRPC
        """End a match after its round."""
        self._check_shard(request.table_id)
        if len(request.reason) > ID_CHARS_MAX:
            raise Refusal("INVALID_ARGUMENT", field="reason")
        await self._calls.about(Close(request.table_id, request.reason))
        return s.CloseTableResponse()

    async def GetRecord(self, request: s.GetRecordRequest, context: Any) -> s.GetRecordResponse:  # noqa: N802 - gRPC
        """Return the record of a finished round, to those who played it and to services."""
        if not 0 < len(request.round_id) <= ID_CHARS_MAX:
            raise Refusal("INVALID_ARGUMENT", field="round_id")
        kept, record = await self._records.get(request.round_id)
        caller = auth.current()
        if caller.player_id and caller.player_id not in kept.players:
            # The same as of a round that is not over: nobody learns here that it is.
            raise Refusal("ROUND_UNKNOWN")
        return s.GetRecordResponse(record=record)

    async def ListRecords(self, request: s.ListRecordsRequest, context: Any) -> s.ListRecordsResponse:  # noqa: N802 - gRPC
        """List a player's finished rounds."""
        player = _own(request.player_id)
        if not 0 <= request.page_size <= PAGE_SIZE_MAX:
            raise Refusal("INVALID_ARGUMENT", field="page_size")
        size = request.page_size or PAGE_SIZE
        found, token = await self._records.page(player, size, request.page_token)
        return s.ListRecordsResponse(records=[_summary(kept) for kept in found], next_page_token=token)

    async def ListSeats(self, request: s.ListSeatsRequest, context: Any) -> s.ListSeatsResponse:  # noqa: N802 - gRPC
        """List the tables where a player sits."""
        player = _own(request.player_id)
        answers = await asyncio.gather(*(self._calls.call(shard, Seats(player)) for shard in self._shards))
        return s.ListSeatsResponse(tables=[table for tables in answers for table in tables])

    async def ListGames(self, request: s.ListGamesRequest, context: Any) -> s.ListGamesResponse:  # noqa: N802 - gRPC
        """List the games."""
        return self._catalog

    async def CheckTableSpec(  # noqa: N802 - gRPC
        self, request: s.CheckTableSpecRequest, context: Any
    ) -> s.CheckTableSpecResponse:
        """Check a spec and make nothing."""
        spec = self._spec(request.spec)
        return s.CheckTableSpecResponse(preset=spec.label, options_json=spec.options)

    def _check_shard(self, table_id: str) -> None:
        if shard_of(table_id) not in self._shards:
            raise Refusal("INVALID_ARGUMENT", field="table_id")

    def _spec(self, spec: s.TableSpec) -> Spec:
        stake = spec.stake
        return make_spec(
            self._games,
            game=spec.game,
            preset=spec.preset,
            options_json=spec.options_json,
            rounds=spec.rounds,
            players=[seat.player_id for seat in spec.seats],
            stake=Stake(stake.currency, stake.buy_in, stake.base_stake, stake.minimum, stake.fee)
            if spec.HasField("stake")
            else None,
            timing_json=spec.timing_json,
            room_code=spec.room_code,
            spectators=spec.spectators,
            to_score=spec.to_score,
            chat=spec.chat,
            voice=spec.voice,
            watch_delay_ms=spec.watch_delay_ms,
            hall_id=spec.hall_id,
            watch_leave=spec.watch_leave,
        )


def _own(player_id: str) -> str:
    """Return whose things are asked for; players may only ask for their own."""
    caller = auth.current().player_id
    wanted = player_id or caller
    if not 0 < len(wanted) <= ID_CHARS_MAX:
        raise Refusal("INVALID_ARGUMENT", field="player_id")
    if caller and wanted != caller:
        raise Refusal("PERMISSION_DENIED")
    return wanted


def _summary(kept: Kept) -> s.RecordSummary:
    return s.RecordSummary(
        round_id=kept.round_id,
        game=kept.game,
        preset=kept.preset,
        players=kept.players,
        points=kept.points,
        ended_at_ms=kept.ended_at_ms,
    )
