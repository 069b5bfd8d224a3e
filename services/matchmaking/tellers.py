"""Notices to players about their tickets and rooms. They may get lost: each can be asked for too."""

from __future__ import annotations

from collections.abc import Iterable

from paiju.gateway.v1.gateway_service_pb2 import Notice

from services.chassis import log
from services.chassis.bus import Bus, subject_of
from services.chassis.errors import Outage
from services.matchmaking.core.room import Room
from services.matchmaking.store.tickets import Ticket

_log = log.get(service="matchmaking")


class Tellers:
    """Says what has changed, after it was committed."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus

    async def tickets(self, tickets: Iterable[Ticket]) -> None:
        """Tell each ticket to its player."""
        for ticket in tickets:
            await self._tell(ticket.player_id, Notice(ticket=ticket.message()))

    async def room(self, room: Room, also: Iterable[str] = ()) -> None:
        """Tell a room to everybody in it, and to those who just left."""
        notice = Notice(room=room.message())
        for player_id in dict.fromkeys((*room.humans, *also)):
            await self._tell(player_id, notice)

    async def invite(self, room: Room, player_ids: Iterable[str]) -> None:
        """Tell the people of the last room that it goes on in this one."""
        for player_id in player_ids:
            await self._tell(player_id, Notice(invite=room.message()))

    async def _tell(self, player_id: str, notice: Notice) -> None:
        try:
            await self._bus.tell(subject_of(Notice, key=player_id), notice.SerializeToString())
        except Outage as outage:
            _log.warning("notice_lost", player_id=player_id, why=str(outage))
