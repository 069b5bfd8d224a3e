"""Where a player is: waiting, in a room, at a table; and whether he is free for something new."""

from __future__ import annotations

from dataclasses import dataclass

from paiju.table.v1 import table_service_pb2_grpc
from paiju.table.v1.table_service_pb2 import ListSeatsRequest
from sqlalchemy import Connection

from services.chassis.errors import Outage, Refusal
from services.chassis.run import Parts
from services.matchmaking.core.room import Room
from services.matchmaking.placer import OVER, Placer
from services.matchmaking.store import engagements, rooms, tickets
from services.matchmaking.store.tickets import Ticket


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """What a player is engaged in."""

    ticket: Ticket | None = None
    room: Room | None = None

    @property
    def table_id(self) -> str:
        """The table of it, once there is one."""
        if self.ticket is not None:
            return self.ticket.message().table_id
        return self.room.message().table_id if self.room is not None else ""


class People:
    """See the module."""

    def __init__(self, parts: Parts, placer: Placer) -> None:
        self._db = parts.db("matchmaking")
        self._placer = placer
        self._tables = parts.rpc.client(table_service_pb2_grpc.TableServiceStub, "table")

    async def find(self, player_id: str) -> Whereabouts:
        """Return what a player is engaged in."""
        return await self._db.read(lambda connection: _find(connection, player_id))

    async def table_of(self, player_id: str) -> str:
        """Return the table where a player has a seat in a match that is not over; empty = none.

        Raises:
            Outage: The tables can't be asked.
        """
        listed = await self._tables.ListSeats(ListSeatsRequest(player_id=player_id))
        return next((table.table_id for table in listed.tables if table.phase not in OVER), "")

    async def check_free(self, player_id: str) -> None:
        """Let a player through who is engaged in nothing. A match whose end was missed does not count.

        Raises:
            Refusal: ALREADY_WAITING, ALREADY_IN_ROOM, ALREADY_PLAYING.
            Outage: Nobody knows now.
        """
        await self.check_unengaged(player_id)
        table_id = await self.table_of(player_id)
        if table_id:
            raise Refusal("ALREADY_PLAYING", table_id=table_id)

    async def check_unengaged(self, player_id: str) -> None:
        """As `check_free`, by our own book only.

        Raises:
            Refusal: ALREADY_WAITING, ALREADY_IN_ROOM, ALREADY_PLAYING.
            Outage: Whether his match is over can't be known now.
        """
        where = await self.find(player_id)
        if where.table_id:
            if not await self._placer.is_over(where.table_id):
                raise Refusal("ALREADY_PLAYING", table_id=where.table_id)
        elif where.ticket is not None:
            raise Refusal("ALREADY_WAITING", ticket_id=where.ticket.ticket_id)
        elif where.room is not None:
            raise Refusal("ALREADY_IN_ROOM", room_code=where.room.room_code)

    async def now(self, player_id: str) -> tuple[Whereabouts, str]:
        """Return what a player is engaged in, and his table: from the tables if they answer, else from our
        book.
        """
        where = await self.find(player_id)
        try:
            return where, await self.table_of(player_id) or where.table_id
        except Outage:
            return where, where.table_id


def _find(connection: Connection, player_id: str) -> Whereabouts:
    engagement = engagements.find(connection, player_id)
    if engagement is None:
        return Whereabouts()
    if engagement.kind == "ticket":
        return Whereabouts(ticket=tickets.find(connection, engagement.ref))
    return Whereabouts(room=rooms.find(connection, engagement.ref))
