"""gRPC: what players ask about friends' rooms."""

from __future__ import annotations

import re
from typing import Any, Final

from paiju.matchmaking.v1 import matchmaking_service_pb2 as pb

from services.chassis import auth
from services.chassis.auth import AccessTable
from services.chassis.errors import Refusal
from services.chassis.limits import RateLimits
from services.matchmaking.core.halls import ROUNDS_MAX
from services.matchmaking.core.room import Place, shown_to
from services.matchmaking.core.room_rules import WATCHING, Prices, asked_for
from services.matchmaking.evenings import Evenings, round_no
from services.matchmaking.room_changes import RoomChanges
from services.matchmaking.rooms import RoomsDesk, Wish
from services.matchmaking.store.rooms import Wanted

ROUNDS: Final = 8
"""Rounds of a room that names none."""

OPTIONS_BYTES_MAX: Final = 8192
PAGE: Final = 20
PAGE_MAX: Final = 100
STATES: Final = ("", "open", "playing", "closed")

ROOMS_ACCESS: Final[AccessTable] = dict.fromkeys(
    (
        "CreateRoom",
        "GetRoom",
        "JoinRoom",
        "LeaveRoom",
        "SetRoomReady",
        "FillRoomWithBots",
        "KickFromRoom",
        "MoveSeat",
        "SwapSeats",
        "HandOverRoom",
        "SetRoomRules",
        "CloseRoom",
        "Rematch",
        "GetRoomSheet",
        "ListRooms",
        "ListRoomPrices",
    ),
    "player",
)

REQUEST_ID: Final = re.compile(r"[A-Za-z0-9_.:-]{1,64}")
_ROOM_CODE = re.compile(r"[0-9]{6}")
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}")
_PRESET = re.compile(r"[a-z0-9][a-z0-9@_-]{0,63}")
_PLAYER = re.compile(r"(p_[A-Za-z0-9_-]{1,64}|bot:[a-z0-9_-]{1,32})")
_TABLE = re.compile(r"[0-9a-f]{1,4}-[0-9a-z]{4,48}")
_ROUND_NO = re.compile(r"[0-9]{1,9}")
_PAGE_TOKEN = re.compile(r"([0-9]{1,15})~([A-Za-z0-9_-]{1,64})")

Context = Any


class RoomsApi:
    """The part of the servicer that is about rooms."""

    def __init__(
        self,
        rooms: RoomsDesk,
        changes: RoomChanges,
        evenings: Evenings,
        prices: Prices,
        writes: RateLimits,
    ) -> None:
        self._rooms = rooms
        self._changes = changes
        self._evenings = evenings
        self._prices = prices
        self._writes = writes

    async def CreateRoom(self, request: pb.CreateRoomRequest, context: Context) -> pb.CreateRoomResponse:  # noqa: N802 - the proto names it
        """Open a room."""
        player_id = auth.player()
        matched(REQUEST_ID, request.request_id, "request_id")
        matched(_NAME, request.game, "game")
        wish = _wish(request.game, request)
        self._writes.take(player_id)
        room = await self._rooms.create(player_id, request.request_id, wish)
        return pb.CreateRoomResponse(room=room.message())

    async def GetRoom(self, request: pb.GetRoomRequest, context: Context) -> pb.GetRoomResponse:  # noqa: N802 - the proto names it
        """A room by its code."""
        player_id = auth.player()
        room = await self._rooms.get(player_id, _code(request.room_code))
        return pb.GetRoomResponse(room=shown_to(room, player_id))

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
        room = await self._rooms.set_ready(
            auth.player(), _code(request.room_code), request.ready, request.rules_no
        )
        return pb.SetRoomReadyResponse(room=room.message())

    async def FillRoomWithBots(  # noqa: N802 - the proto names it
        self, request: pb.FillRoomWithBotsRequest, context: Context
    ) -> pb.FillRoomWithBotsResponse:
        """Fill the free places with bots."""
        room = await self._rooms.fill_with_bots(auth.player(), _code(request.room_code), request.bot)
        return pb.FillRoomWithBotsResponse(room=room.message())

    async def KickFromRoom(  # noqa: N802 - the proto names it
        self, request: pb.KickFromRoomRequest, context: Context
    ) -> pb.KickFromRoomResponse:
        """Send somebody away."""
        target = Place(request.seat, matched(_PLAYER, request.player_id, "player_id"), ready=False)
        room = await self._changes.kick(auth.player(), _code(request.room_code), target)
        return pb.KickFromRoomResponse(room=room.message())

    async def MoveSeat(  # noqa: N802 - the proto names it
        self, request: pb.MoveSeatRequest, context: Context
    ) -> pb.MoveSeatResponse:
        """Take another place, or ask for it."""
        room = await self._changes.move(auth.player(), _code(request.room_code), request.seat)
        return pb.MoveSeatResponse(room=room.message())

    async def SwapSeats(  # noqa: N802 - the proto names it
        self, request: pb.SwapSeatsRequest, context: Context
    ) -> pb.SwapSeatsResponse:
        """Answer who asks to change places."""
        asks = matched(_PLAYER, request.from_player_id, "from_player_id")
        room = await self._changes.swap(auth.player(), _code(request.room_code), asks, request.accept)
        return pb.SwapSeatsResponse(room=room.message())

    async def HandOverRoom(  # noqa: N802 - the proto names it
        self, request: pb.HandOverRoomRequest, context: Context
    ) -> pb.HandOverRoomResponse:
        """Make another the owner."""
        to_id = matched(_PLAYER, request.player_id, "player_id")
        room = await self._changes.hand_over(auth.player(), _code(request.room_code), to_id)
        return pb.HandOverRoomResponse(room=room.message())

    async def SetRoomRules(  # noqa: N802 - the proto names it
        self, request: pb.SetRoomRulesRequest, context: Context
    ) -> pb.SetRoomRulesResponse:
        """Change what a room plays."""
        player_id = auth.player()
        wish = _wish("", request)
        self._writes.take(player_id)
        room = await self._changes.set_rules(player_id, _code(request.room_code), wish)
        return pb.SetRoomRulesResponse(room=room.message())

    async def CloseRoom(  # noqa: N802 - the proto names it
        self, request: pb.CloseRoomRequest, context: Context
    ) -> pb.CloseRoomResponse:
        """Close one's room."""
        await self._changes.close(auth.player(), _code(request.room_code))
        return pb.CloseRoomResponse()

    async def Rematch(  # noqa: N802 - the proto names it
        self, request: pb.RematchRequest, context: Context
    ) -> pb.RematchResponse:
        """Once more."""
        player_id = auth.player()
        table_id = matched(_TABLE, request.table_id, "table_id")
        self._writes.take(player_id)
        room = await self._evenings.rematch(player_id, table_id)
        return pb.RematchResponse(room=room.message())

    async def GetRoomSheet(  # noqa: N802 - the proto names it
        self, request: pb.GetRoomSheetRequest, context: Context
    ) -> pb.GetRoomSheetResponse:
        """The score sheet of a room."""
        table_id = matched(_TABLE, request.table_id, "table_id")
        if not 0 <= request.page_size <= ROUNDS_MAX:
            raise Refusal("INVALID_ARGUMENT", field="page_size", maximum=ROUNDS_MAX)
        if request.page_token:
            matched(_ROUND_NO, request.page_token, "page_token")
        size, after = request.page_size or ROUNDS_MAX, int(request.page_token or 0)
        sheet = await self._evenings.sheet(auth.player(), table_id)
        left = [one for one in sheet.rounds if round_no(one.round_id) > after]
        rounds = [
            pb.SheetRound(
                round_id=one.round_id,
                round_no=round_no(one.round_id),
                points=one.points,
                ended_at_ms=one.ended_at_ms,
            )
            for one in left[:size]
        ]
        token = str(rounds[-1].round_no) if len(left) > size else ""
        return pb.GetRoomSheetResponse(room=sheet.room.message(), rounds=rounds, next_page_token=token)

    async def ListRooms(  # noqa: N802 - the proto names it
        self, request: pb.ListRoomsRequest, context: Context
    ) -> pb.ListRoomsResponse:
        """The caller's rooms."""
        if not 0 <= request.page_size <= PAGE_MAX:
            raise Refusal("INVALID_ARGUMENT", field="page_size", maximum=PAGE_MAX)
        if request.state not in STATES:
            raise Refusal("INVALID_ARGUMENT", field="state")
        if request.game:
            matched(_NAME, request.game, "game")
        if request.watching not in ("", *WATCHING):
            raise Refusal("INVALID_ARGUMENT", field="watching", known=", ".join(WATCHING))
        wanted = Wanted(request.state, request.game, request.free_places, request.watching)
        size, before = request.page_size or PAGE, None
        if request.page_token:
            token = _PAGE_TOKEN.fullmatch(request.page_token)
            if token is None:
                raise Refusal("INVALID_ARGUMENT", field="page_token")
            before = int(token[1]), token[2]
        found = await self._evenings.list_rooms(auth.player(), wanted, size + 1, before)
        response = pb.ListRoomsResponse(rooms=[room.message() for room in found[:size]])
        if len(found) > size:
            last = found[size - 1]
            response.next_page_token = f"{last.created_at_ms}~{last.room_id}"
        return response

    async def ListRoomPrices(  # noqa: N802 - the proto names it
        self, request: pb.ListRoomPricesRequest, context: Context
    ) -> pb.ListRoomPricesResponse:
        """What rooms cost."""
        return pb.ListRoomPricesResponse(prices=self._prices.messages())


def _wish(game: str, request: pb.CreateRoomRequest | pb.SetRoomRulesRequest) -> Wish:
    """Return what a request wants a room to play.

    Raises:
        Refusal: INVALID_ARGUMENT with the field.
    """
    matched(_PRESET, request.preset, "preset")
    rounds = request.rounds or ROUNDS
    if not 1 <= rounds <= ROUNDS_MAX:
        raise Refusal("INVALID_ARGUMENT", field="rounds")
    if len(request.options_json.encode()) > OPTIONS_BYTES_MAX:
        raise Refusal("INVALID_ARGUMENT", field="options_json")
    if request.level:
        matched(_NAME, request.level, "level")
    return Wish(game, request.preset, request.options_json, rounds, request.level, asked_for(request.rules))


def matched(pattern: re.Pattern[str], value: str, field: str) -> str:
    """Return a text that has a form.

    Raises:
        Refusal: INVALID_ARGUMENT with the field.
    """
    if not pattern.fullmatch(value):
        raise Refusal("INVALID_ARGUMENT", field=field)
    return value


def _code(room_code: str) -> str:
    if not _ROOM_CODE.fullmatch(room_code):
        raise Refusal("ROOM_UNKNOWN")
    return room_code
