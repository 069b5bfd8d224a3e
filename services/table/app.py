"""Wiring of table."""

from __future__ import annotations

from paiju.table.v1 import evidence_service_pb2_grpc, table_service_pb2_grpc, watch_service_pb2_grpc
from paiju.table.v1.events_pb2 import MatchFinished, RoundFinished, RoundOpened, RoundVoided
from paiju.table.v1.wire_pb2 import ShardOwned

from engine import GAMES
from engine.registry import Games
from services.chassis.bus import LogSpec, subject, subject_of
from services.chassis.bus.port import Consumer
from services.chassis.clock import SystemClock
from services.chassis.lease import Ownership
from services.chassis.memory import set_aside
from services.chassis.run import Parts, Service, Wiring
from services.table.api import ACCESS, TableApi
from services.table.bank import EconomyBank
from services.table.bus import DISPUTES, SETTLEMENTS, Ears
from services.table.calls import Calls, serve_call
from services.table.evidence_api import ACCESS as EVIDENCE_ACCESS
from services.table.evidence_api import EvidenceApi
from services.table.friends import FriendBook
from services.table.journal import Writer
from services.table.library import DELETIONS, Library
from services.table.marks import MarkStore
from services.table.means import Means
from services.table.minds import Minds
from services.table.owner import TableOwner
from services.table.protection import Guard
from services.table.ratings import RatingBook
from services.table.settings import TableSettings
from services.table.store import RecordStore
from services.table.watch_api import ACCESS as WATCH_ACCESS
from services.table.watch_api import WatchApi
from services.table.watch_store import LikeStore, forget_likes

TABLE_LOG = LogSpec("TABLE_LOG", "table")


class TableService:
    """The tables, running."""

    name = "table"

    def __init__(self, settings: TableSettings, parts: Parts) -> None:
        self._parts = parts
        records = RecordStore(parts.db(self.name))
        is_real = isinstance(parts.clock, SystemClock) and settings.bot_processes
        self._minds = Minds(settings.bot_processes, parts.clock, parts.metrics) if is_real else None
        self._ratings = RatingBook(parts.rpc, parts.clock, parts.metrics)
        means = Means(
            bus=parts.bus,
            clock=parts.clock,
            ids=parts.ids,
            metrics=parts.metrics,
            games=GAMES,
            bank=EconomyBank(parts.rpc),
            records=records,
            process=parts.process,
            writer=Writer(parts.incarnation),
            rpc=serve_call,
            spawn=parts.spawn,
            grace_ms=settings.grace_ms,
            log_kept=settings.log_kept,
            minds=self._minds,
            marks=MarkStore(parts.db(self.name)),
            guard=Guard(parts.rpc, parts.clock, parts.metrics, parts.spawn) if settings.protection else None,
            ratings=self._ratings,
        )
        self.owner = TableOwner(means, settings.standby)
        shards = parts.registry.shards()
        self._ownership = Ownership(
            parts.bus,
            parts.clock,
            group=self.name,
            process=parts.process,
            incarnation=parts.incarnation,
            shards=shards,
            owner=self.owner,
            load=self.owner.load,
            expects=self.owner.expects,
            warm=self.owner.warm,
        )
        self.owner.on_warm = self._ownership.say
        self.owner.on_lost = self._ownership.lost
        self.owner.on_failed = self._ownership.failed
        self._calls = Calls(parts.bus, self.owner.shard)
        self._library = Library(settings, parts, GAMES, records)
        self._consumers: list[Consumer] = []
        parts.rpc.serve(
            self.name,
            table_service_pb2_grpc.add_TableServiceServicer_to_server,
            TableApi(Games(*(GAMES[name] for name in settings.games)), shards, self._calls, records),
            ACCESS,
        )
        parts.rpc.serve(
            self.name,
            evidence_service_pb2_grpc.add_EvidenceServiceServicer_to_server,
            EvidenceApi(GAMES, records),
            EVIDENCE_ACCESS,
        )
        self._likes = LikeStore(parts.db(self.name))
        self._like_days = settings.like_days
        parts.rpc.serve(
            self.name,
            watch_service_pb2_grpc.add_WatchServiceServicer_to_server,
            WatchApi(shards, self._calls, self._likes, parts.clock, FriendBook(parts.rpc, parts.clock)),
            WATCH_ACCESS,
        )

    async def start(self) -> None:
        """Take shards, and hear what becomes of rounds."""
        self._parts.spawn("table-lease", self._ownership.run())
        self._parts.spawn("table-ratings", self._ratings.run())
        if isinstance(self._parts.clock, SystemClock):
            self._parts.spawn("table-memory", set_aside(self._parts.clock, lambda: self.owner.let_go))
        self._parts.spawn(
            "table-likes", forget_likes(self._likes, self._like_days, self._parts.clock, self._parts.ids)
        )
        ears = Ears(self._calls)
        self._consumers = [
            await self._parts.bus.consume(
                SETTLEMENTS.durable, SETTLEMENTS.types, ears.on_settlements, batch=64
            ),
            await self._parts.bus.consume(DISPUTES.durable, DISPUTES.types, ears.on_settlements, batch=64),
        ]
        await self._library.start()

    async def stop(self) -> None:
        """Hand every shard over."""
        for consumer in self._consumers:
            await consumer.stop()
        await self._library.stop()
        await self._ownership.drain()
        if self._minds is not None:
            self._minds.close()


async def wire(settings: TableSettings, parts: Parts) -> Service:
    """Make the table service and offer its RPCs."""
    return TableService(settings, parts)


WIRING = Wiring(
    "table",
    wire,
    TableSettings,
    says=(RoundOpened, RoundFinished, RoundVoided, MatchFinished),
    hears=(DELETIONS, DISPUTES, SETTLEMENTS),
    tells=(
        subject("gateway", "out", "*"),
        subject("table", "rpc", "*"),
        subject_of(ShardOwned, key="*"),
    ),
    listens=(subject("table", "cmd", "*"), subject("table", "rpc", "*")),
    logs=(TABLE_LOG,),
    has_database=True,
)
