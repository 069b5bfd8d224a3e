"""gRPC: what players ask of matchmaking."""

from __future__ import annotations

import re
from typing import Any, Final

from paiju.matchmaking.v1 import matchmaking_service_pb2 as pb

from services.chassis import auth
from services.chassis.auth import AccessTable
from services.chassis.errors import Refusal
from services.chassis.limits import Rate, RateLimits
from services.chassis.run import Parts
from services.matchmaking.core.halls import ROUNDS_MAX
from services.matchmaking.entrance import Seen
from services.matchmaking.rooms import RoomsDesk, Wish
from services.matchmaking.settings import MatchmakingSettings
from services.matchmaking.tickets import HallsDesk
from services.matchmaking.whereabouts import People

ROUNDS: Final = 8
"""Rounds of a room that names none."""

WAITING: Final = "waiting"
"""The state of a ticket, as its player sees it, until there is a table."""

OPTIONS_BYTES_MAX: Final = 8192

ACCESS: Final[AccessTable] = {
    "ListHalls": "player",
    "CreateTicket": "player",
    "GetTicket": "player",
    "CancelTicket": "player",
    "CreateRoom": "player",
    "GetRoom": "player",
    "JoinRoom": "player",
    "LeaveRoom": "player",
    "SetRoomReady": "player",
    "FillRoomWithBots": "player",
    "GetWhereabouts": "player",
}

_REQUEST_ID = re.compile(r"[A-Za-z0-9_.:-]{1,64}")
_ROOM_CODE = re.compile(r"[0-9]{6}")
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}")
_PRESET = re.compile(r"[a-z0-9][a-z0-9@_-]{0,63}")

Context = Any


class Api:
    """The servicer."""

    def __init__(
        self, parts: Parts, settings: MatchmakingSettings, halls: HallsDesk, rooms: RoomsDesk, people: People
    ) -> None:
        self._halls = halls
        self._rooms = rooms
        self._people = people
        self._writes = RateLimits(Rate(settings.writes_per_s, settings.writes_burst), parts.clock)

    async def ListHalls(self, request: pb.ListHallsRequest, context: Context) -> pb.ListHallsResponse:  # noqa: N802 - the proto names it
        """The halls that are open, as the caller sees them."""
        seen, coins = await self._halls.list_halls(auth.current().player_id, request.game)
        return pb.ListHallsResponse(halls=[_hall(one) for one in seen], coins=coins)

    async def CreateTicket(  # noqa: N802 - the proto names it
        self, request: pb.CreateTicketRequest, context: Context
    ) -> pb.CreateTicketResponse:
        """Wait for a match."""
        player_id = auth.player()
        _match(_REQUEST_ID, request.request_id, "request_id")
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

    async def CreateRoom(self, request: pb.CreateRoomRequest, context: Context) -> pb.CreateRoomResponse:  # noqa: N802 - the proto names it
        """Open a room."""
        player_id = auth.player()
        _match(_REQUEST_ID, request.request_id, "request_id")
        _match(_NAME, request.game, "game")
        _match(_PRESET, request.preset, "preset")
        rounds = request.rounds or ROUNDS
        if not 1 <= rounds <= ROUNDS_MAX:
            raise Refusal("INVALID_ARGUMENT", field="rounds")
        if len(request.options_json.encode()) > OPTIONS_BYTES_MAX:
            raise Refusal("INVALID_ARGUMENT", field="options_json")
        self._writes.take(player_id)
        if request.level:
            _match(_NAME, request.level, "level")
        wish = Wish(request.game, request.preset, request.options_json, rounds, request.level)
        room = await self._rooms.create(player_id, request.request_id, wish)
        return pb.CreateRoomResponse(room=room.message())

    async def GetRoom(self, request: pb.GetRoomRequest, context: Context) -> pb.GetRoomResponse:  # noqa: N802 - the proto names it
        """A room by its code."""
        room = await self._rooms.get(auth.player(), _code(request.room_code))
        return pb.GetRoomResponse(room=room.message())

    async def JoinRoom(self, request: pb.JoinRoomRequest, context: Context) -> pb.JoinRoomResponse:  # noqa: N802 - the proto names it
        """Take a place."""
        room = await self._rooms.join(auth.player(), _code(request.room_code))
        return pb.JoinRoomResponse(room=room.message())

    async def LeaveRoom(self, request: pb.LeaveRoomRequest, context: Context) -> pb.LeaveRoomResponse:  # noqa: N802 - the proto names it
        """Free one's place."""
        await self._rooms.leave(auth.player(), _code(request.room_code))
        return pb.LeaveRoomResponse()

    async def SetRoomReady(  # noqa: N802 - the proto names it
        self, request: pb.SetRoomReadyRequest, context: Context
    ) -> pb.SetRoomReadyResponse:
        """Say ready or not."""
        room = await self._rooms.set_ready(auth.player(), _code(request.room_code), request.ready)
        return pb.SetRoomReadyResponse(room=room.message())

    async def FillRoomWithBots(  # noqa: N802 - the proto names it
        self, request: pb.FillRoomWithBotsRequest, context: Context
    ) -> pb.FillRoomWithBotsResponse:
        """Fill the free places with bots."""
        room = await self._rooms.fill_with_bots(auth.player(), _code(request.room_code), request.bot)
        return pb.FillRoomWithBotsResponse(room=room.message())

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


def _match(pattern: re.Pattern[str], value: str, field: str) -> None:
    if not pattern.fullmatch(value):
        raise Refusal("INVALID_ARGUMENT", field=field)


def _code(room_code: str) -> str:
    if not _ROOM_CODE.fullmatch(room_code):
        raise Refusal("ROOM_UNKNOWN")
    return room_code
