"""Ways to a table: a hall's queue, a room of one's own, or a table made with the service key."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final

import grpc
from google.protobuf.message import Message
from paiju.matchmaking.v1 import matchmaking_service_pb2 as pb
from paiju.table.v1 import table_service_pb2 as tables
from paiju.table.v1.table_service_pb2_grpc import TableServiceStub

from engine import GAMES
from services.chassis.auth import service_token
from services.chassis.clock import Clock
from services.chassis.ids import SystemIds
from services.launch.load.client import GaveUp
from services.launch.load.wires import M, Refused

if TYPE_CHECKING:
    from services.launch.load.player import Player

SERVICE: Final = "paiju.matchmaking.v1.MatchmakingService"

NOT_YET: Final = frozenset(
    {"ALREADY_PLAYING", "COINS_TOO_FEW", "INSUFFICIENT_FUNDS", "ALREADY_WAITING", "ALREADY_IN_ROOM"}
)
"""The end of the last match, or the welcome grant, is not known everywhere yet (who is poor stays so); or a
request is repeated after a lost connection while its first try is still under way."""

MEET_S_MAX: Final = 20.0
"""How long people wait for friends who don't come; bots take their places."""

FIND_S_MAX: Final = 60.0
POLL_S: Final = 2.0
"""Notices tell of a table at once, but may be lost."""


class Meeting:
    """The people of a party before one match."""

    def __init__(self) -> None:
        self.here: list[str] = []
        """Player ids; the leader's first."""
        self.inside = 0
        """Of them, how many are in the room."""
        self.place: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        """The code of the room, or the table."""


class Party:
    """People who play together.

    Args:
        size: How many they are to be.
        clock: Measures how long they wait for each other.
    """

    def __init__(self, size: int, clock: Clock) -> None:
        self.size = size
        self._clock = clock
        self._meetings: dict[int, Meeting] = {}
        self._changed = asyncio.Event()
        self._is_over = False

    def meeting(self, match: int) -> Meeting:
        """Return the meeting before a match."""
        if match not in self._meetings:
            # Who is late may still be at the one before.
            last = {number: self._meetings[number] for number in [*self._meetings][-1:]}
            self._meetings = last | {match: Meeting()}
            if self._is_over:
                self._meetings[match].place.set_result("")
        return self._meetings[match]

    def changed(self) -> None:
        """Somebody came, went inside, or left for good."""
        self._changed.set()

    def leave(self, *, is_leader: bool) -> None:
        """One of the party has left for good; without a leader nobody of it plays any more."""
        self.size -= 1
        self._is_over = self._is_over or is_leader
        if self._is_over:
            for meeting in self._meetings.values():
                if not meeting.place.done():
                    meeting.place.set_result("")
        self.changed()

    async def wait(self, is_so: Callable[[], bool]) -> bool:
        """Wait until something is so, but not for ever; return whether it is."""
        try:
            async with self._clock.timeout(MEET_S_MAX):
                while not is_so():
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            return False
        return True


async def find_table(player: Player, match: int) -> str:
    """Return the table of the player's next match; empty: the party has broken up.

    Raises:
        GaveUp, Refused: There is none.
    """
    seating = player.world.order.seating
    if seating.startswith("quick"):
        return await _by_ticket(player, bots_now=seating == "quick-bots")
    meeting = player.party.meeting(match)
    meeting.here.append(player.account.player_id)
    player.party.changed()
    if not player.is_leader:
        try:
            async with player.clock.timeout(2 * MEET_S_MAX):
                place = await asyncio.shield(meeting.place)
        except TimeoutError:
            raise GaveUp("NO_LEADER") from None
        if not place or seating.startswith("table"):
            return place
        await _call(player, "JoinRoom", pb.JoinRoomRequest(room_code=place), pb.JoinRoomResponse)
        meeting.inside += 1
        player.party.changed()
        return await _ready(player, place)
    await player.party.wait(lambda: len(meeting.here) >= player.party.size)
    if seating.startswith("table"):
        table_id = await _make_table(player, meeting)
        meeting.place.set_result(table_id)
        return table_id
    return await _by_room(player, meeting)


async def _by_ticket(player: Player, *, bots_now: bool) -> str:
    arrival = player.arrival
    wanted = pb.CreateTicketRequest(
        request_id=SystemIds().new(),
        hall_id=f"{arrival.game}/{arrival.preset}/{player.world.order.level}",
        bots_now=bots_now,
    )
    made = await _call(player, "CreateTicket", wanted, pb.CreateTicketResponse)
    mine = made.ticket

    def told() -> str:
        if player.ticket.ticket_id != mine.ticket_id:
            return ""
        if player.ticket.state == "failed":
            raise Refused(player.ticket.reason or "TICKET_FAILED")
        return player.ticket.table_id

    async def ask() -> None:
        asked = pb.GetTicketRequest(ticket_id=mine.ticket_id)
        player.ticket = (await _call(player, "GetTicket", asked, pb.GetTicketResponse)).ticket

    if player.ticket.ticket_id != mine.ticket_id:  # a notice may have been faster
        player.ticket = mine
    return await _told(player, told, ask)


async def _by_room(player: Player, meeting: Meeting) -> str:
    arrival, order = player.arrival, player.world.order
    wanted = pb.CreateRoomRequest(
        request_id=SystemIds().new(), game=arrival.game, preset=arrival.preset, rounds=order.rounds
    )
    made = await _call(player, "CreateRoom", wanted, pb.CreateRoomResponse)
    code = made.room.room_code
    meeting.place.set_result(code)
    friends = len(meeting.here) - 1
    all_in = await player.party.wait(lambda: meeting.inside >= friends)
    if not all_in or friends + 1 < GAMES[arrival.game].seats:
        fill = pb.FillRoomWithBotsRequest(room_code=code, bot=_bot(player))
        await _call(player, "FillRoomWithBots", fill, pb.FillRoomWithBotsResponse)
    return await _ready(player, code)


async def _ready(player: Player, code: str) -> str:
    ready = pb.SetRoomReadyRequest(room_code=code, ready=True)
    answer = await _call(player, "SetRoomReady", ready, pb.SetRoomReadyResponse)
    if player.room.room_code != code:
        player.room = answer.room

    def told() -> str:
        return player.room.table_id if player.room.room_code == code else ""

    async def ask() -> None:
        asked = pb.GetWhereaboutsRequest()
        where = await _call(player, "GetWhereabouts", asked, pb.GetWhereaboutsResponse)
        if where.room.room_code == code:
            player.room = where.room

    return await _told(player, told, ask)


async def _told(player: Player, told: Callable[[], str], ask: Callable[[], Awaitable[None]]) -> str:
    """Wait until a notice names the table; ask where none comes."""
    until = player.clock.monotonic() + FIND_S_MAX
    while not (table_id := told()):
        if player.clock.monotonic() > until:
            raise GaveUp("NO_TABLE")
        player.told.clear()
        try:
            async with player.clock.timeout(POLL_S):
                await player.told.wait()
        except TimeoutError:
            await ask()
    return table_id


async def _make_table(player: Player, meeting: Meeting) -> str:
    arrival, order = player.arrival, player.world.order
    ids = SystemIds()
    people = meeting.here[: GAMES[arrival.game].seats]
    bots = [f"bot:{_bot(player)}"] * (GAMES[arrival.game].seats - len(people))
    request = tables.CreateTableRequest(
        table_id=ids.new(format(ids.below(order.shards), "x"), "-"),
        spec=tables.TableSpec(
            game=arrival.game,
            preset=arrival.preset,
            rounds=order.rounds,
            seats=[tables.SeatSpec(player_id=who) for who in [*people, *bots]],
            timing_json=order.timing_json,
            spectators=True,
        ),
    )
    token = service_token(order.key, "matchmaking", player.clock.now_ms() // 1000)

    async def once() -> str:
        stub = TableServiceStub(player.world.control())
        try:
            await stub.CreateTable(request, timeout=10, metadata=(("authorization", f"Bearer {token}"),))
        except grpc.RpcError as error:
            code = error.code() if isinstance(error, grpc.aio.AioRpcError) else None
            known = code in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED)
            raise Refused("TABLE_UNAVAILABLE" if known else f"CreateTable:{code}") from error
        return request.table_id

    return await player.trying("CreateTable", once)


def _bot(player: Player) -> str:
    policy = player.world.order.policy
    return "random" if policy == "fallback" else policy


async def _call(player: Player, method: str, request: Message, response: type[M]) -> M:
    return await player.call(f"{SERVICE}/{method}", request, response, NOT_YET)
