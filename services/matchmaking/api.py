"""gRPC: what players ask of matchmaking."""

from __future__ import annotations

from typing import Any, Final

from paiju.matchmaking.v1 import matchmaking_service_pb2 as pb

from services.chassis import auth
from services.chassis.auth import AccessTable
from services.chassis.limits import Rate, RateLimits
from services.chassis.run import Parts
from services.matchmaking.core.room_rules import Prices
from services.matchmaking.entrance import Seen
from services.matchmaking.evenings import Evenings
from services.matchmaking.room_calls import REQUEST_ID, ROOMS_ACCESS, RoomsApi, matched
from services.matchmaking.room_changes import RoomChanges
from services.matchmaking.rooms import RoomsDesk
from services.matchmaking.settings import MatchmakingSettings
from services.matchmaking.tickets import HallsDesk
from services.matchmaking.whereabouts import People

WAITING: Final = "waiting"
"""The state of a ticket, as its player sees it, until there is a table."""

ACCESS: Final[AccessTable] = {
    "ListHalls": "player",
    "CreateTicket": "player",
    "GetTicket": "player",
    "CancelTicket": "player",
    "GetWhereabouts": "player",
    **ROOMS_ACCESS,
}

Context = Any


class Api(RoomsApi):
    """The servicer; what it says of rooms is in `room_calls`."""

    def __init__(
        self,
        parts: Parts,
        settings: MatchmakingSettings,
        halls: HallsDesk,
        rooms: RoomsDesk,
        changes: RoomChanges,
        evenings: Evenings,
        prices: Prices,
        people: People,
    ) -> None:
        writes = RateLimits(Rate(settings.writes_per_s, settings.writes_burst), parts.clock)
        super().__init__(rooms, changes, evenings, prices, writes)
        self._halls = halls
        self._people = people

    async def ListHalls(self, request: pb.ListHallsRequest, context: Context) -> pb.ListHallsResponse:  # noqa: N802 - the proto names it
        """The halls that are open, as the caller sees them."""
        seen, coins = await self._halls.list_halls(auth.current().player_id, request.game)
        return pb.ListHallsResponse(halls=[_hall(one) for one in seen], coins=coins)

    async def CreateTicket(  # noqa: N802 - the proto names it
        self, request: pb.CreateTicketRequest, context: Context
    ) -> pb.CreateTicketResponse:
        """Wait for a match."""
        player_id = auth.player()
        matched(REQUEST_ID, request.request_id, "request_id")
        self._writes.take(player_id)
        ticket = await self._halls.create(player_id, request.request_id, request.hall_id, request.bots_now)
        return pb.CreateTicketResponse(ticket=ticket.message())

    async def GetTicket(self, request: pb.GetTicketRequest, context: Context) -> pb.GetTicketResponse:  # noqa: N802 - the proto names it
        """One's own ticket."""
        ticket = await self._halls.get(auth.player(), request.ticket_id)
        return pb.GetTicketResponse(ticket=ticket.message())

    async def CancelTicket(  # noqa: N802 - the proto names it
        self, request: pb.CancelTicketRequest, context: Context
    ) -> pb.CancelTicketResponse:
        """Stop waiting."""
        ticket = await self._halls.cancel(auth.player(), request.ticket_id)
        return pb.CancelTicketResponse(ticket=ticket.message())

    async def GetWhereabouts(  # noqa: N802 - the proto names it
        self, request: pb.GetWhereaboutsRequest, context: Context
    ) -> pb.GetWhereaboutsResponse:
        """Where the caller is."""
        where, table_id = await self._people.now(auth.player())
        response = pb.GetWhereaboutsResponse(table_id=table_id)
        if where.ticket is not None and where.ticket.message().state == WAITING:
            response.ticket.CopyFrom(where.ticket.message())
        if where.room is not None:
            response.room.CopyFrom(where.room.message())
        return response


def _hall(seen: Seen) -> pb.Hall:
    message = seen.hall.message(seen.waiting, seen.playing)
    if seen.refusal is not None:
        message.refusal = seen.refusal.reason
        message.refusal_zh, message.refusal_en = seen.refusal.text("zh-CN"), seen.refusal.text("en")
        message.fitting_hall_id = str(seen.refusal.details.get("fitting_hall_id", ""))
    return message
