"""Wiring of finished rounds: their RPCs, hearing of people who are gone, sweeping what is old."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from google.protobuf.message import Message
from paiju.accounts.v1.events_pb2 import AccountDeleted
from paiju.table.v1 import replay_service_pb2_grpc

from engine.face import Game
from services.chassis.bus.port import Consumer, Delivery
from services.chassis.run import Consumes, Parts
from services.table.reading import Reading
from services.table.records_api import ACCESS, RecordsApi
from services.table.records_store import HistoryStore
from services.table.retention import Retention, sweep_for_ever
from services.table.settings import TableSettings
from services.table.store import RecordStore

DELETIONS = Consumes("table-deletions", (AccountDeleted,))


class Library:
    """The finished rounds, running."""

    def __init__(
        self, settings: TableSettings, parts: Parts, games: Mapping[str, Game], records: RecordStore
    ) -> None:
        self._parts = parts
        self._history = HistoryStore(parts.db("table"))
        self._reading = Reading(parts.clock)
        self._retention = Retention(settings.record_days, settings.favourite_days)
        self._consumer: Consumer | None = None
        api = RecordsApi(
            games, records, self._history, self._reading, self._retention, parts.clock, parts.ids
        )
        add = replay_service_pb2_grpc.add_ReplayServiceServicer_to_server
        parts.rpc.serve("table", add, api, ACCESS)

    async def start(self) -> None:
        """Hear of people who are gone, and sweep."""
        parts = self._parts
        self._consumer = await parts.bus.consume(
            DELETIONS.durable, DELETIONS.types, self._on_deleted, batch=20
        )
        parts.spawn("table-sweep", sweep_for_ever(self._history, self._retention, parts.clock, parts.ids))

    async def stop(self) -> None:
        """Hear no more, and read no more."""
        if self._consumer is not None:
            await self._consumer.stop()
        self._reading.close()

    async def _on_deleted(self, deliveries: Sequence[Delivery[Message]]) -> None:
        """Forget what was a person's own; twice does nothing."""
        for delivery in deliveries:
            if isinstance(delivery.message, AccountDeleted):
                await self._history.forget_player(delivery.message.player_id)
