"""Wiring of matchmaking."""

from __future__ import annotations

from functools import partial

from paiju.matchmaking.v1 import matchmaking_service_pb2_grpc
from paiju.table.v1.events_pb2 import MatchFinished
from sqlalchemy import Connection

from services.chassis import log
from services.chassis.bus import subject
from services.chassis.errors import Outage
from services.chassis.run import Consumes, Parts, Service, Wiring
from services.matchmaking.api import ACCESS, Api
from services.matchmaking.core.halls import parse_halls
from services.matchmaking.core.room_rules import parse_prices
from services.matchmaking.entrance import Entrance
from services.matchmaking.evenings import Evenings
from services.matchmaking.games import Catalogue
from services.matchmaking.matcher import Matcher
from services.matchmaking.placer import Placer
from services.matchmaking.protection import Guard
from services.matchmaking.room_changes import RoomChanges
from services.matchmaking.rooms import RoomsDesk
from services.matchmaking.settings import MatchmakingSettings
from services.matchmaking.store import placements, rooms, tickets
from services.matchmaking.tellers import Tellers
from services.matchmaking.tickets import HallsDesk
from services.matchmaking.whereabouts import People

TIDY_S = 10.0
FINISHED = Consumes("matchmaking-finished", (MatchFinished,))

_log = log.get(service="matchmaking")


class Matchmaking:
    """The service."""

    name = "matchmaking"

    def __init__(
        self, parts: Parts, settings: MatchmakingSettings, placer: Placer, matcher: Matcher, desk: RoomsDesk
    ) -> None:
        self.placer = placer
        self.matcher = matcher
        self._parts = parts
        self._settings = settings
        self._desk = desk
        self._db = parts.db("matchmaking")

    async def start(self) -> None:
        """Own queues, make matches and their tables, hear of their end."""
        parts = self._parts
        await parts.bus.consume(
            FINISHED.durable, list(FINISHED.types), self.placer.matches_finished, batch=100
        )
        parts.spawn("matchmaking-lease", self.matcher.ownership.run())
        parts.spawn("matchmaking-matcher", self.matcher.run())
        parts.spawn("matchmaking-shards", self.placer.shards.run())
        parts.spawn("matchmaking-placer", self.placer.run())
        parts.spawn("matchmaking-tidy", self._tidy())

    async def stop(self) -> None:
        """Give the queues to others. What is written goes on in any process."""
        await self.matcher.ownership.drain()

    async def _tidy(self) -> None:
        while True:
            await self._parts.clock.sleep(TIDY_S * (0.5 + self._parts.ids.jitter()))
            before = self._parts.clock.now_ms() - self._settings.keep_hours * 3_600_000
            try:
                await self._desk.close_expired()
                await self.placer.look_after()
                await self._db.run(partial(_forget, before_ms=before))
            except Outage as outage:
                _log.warning("tidying_interrupted", why=str(outage))


def _forget(connection: Connection, before_ms: int) -> None:
    tickets.forget(connection, before_ms)
    rooms.forget(connection, before_ms)
    placements.forget(connection, before_ms)


async def wire(settings: MatchmakingSettings, parts: Parts) -> Service:
    """Make the service.

    Raises:
        BadHalls: The data of the halls is not usable.
        BadPrices: Nor what rooms cost.
    """
    halls = parse_halls(settings.halls_file.read_text(encoding="utf-8"))
    prices = parse_prices(settings.room_cards_file.read_text(encoding="utf-8"))
    tellers = Tellers(parts.bus)
    placer = Placer(parts, settings, tellers)
    games = Catalogue(parts)
    matcher = Matcher(parts, settings, halls, games, placer)
    people = People(parts, placer)
    entrance = Entrance(parts, halls, Guard(parts) if settings.protection else None)
    desk = RoomsDesk(parts, settings, games, people, placer, tellers, halls, entrance, prices)
    changes = RoomChanges(parts, settings, desk, prices, entrance)
    evenings = Evenings(parts, desk, people, placer, tellers, entrance)
    waiting = HallsDesk(parts, settings, halls, games, people, matcher, tellers, entrance)
    api = Api(parts, settings, waiting, desk, changes, evenings, prices, people)
    parts.rpc.serve(
        "matchmaking", matchmaking_service_pb2_grpc.add_MatchmakingServiceServicer_to_server, api, ACCESS
    )
    return Matchmaking(parts, settings, placer, matcher, desk)


WIRING = Wiring(
    "matchmaking",
    wire,
    MatchmakingSettings,
    hears=(FINISHED,),
    tells=(subject("gateway", "notice", "*"),),
)
