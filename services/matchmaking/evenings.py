"""What remains of a room once its match is over: the score sheet, the list of one's rooms, once more."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from paiju.table.v1 import table_service_pb2_grpc
from paiju.table.v1.table_service_pb2 import ListRecordsRequest, RecordSummary
from sqlalchemy import Connection

from services.chassis import auth
from services.chassis.errors import Refusal
from services.chassis.run import Parts
from services.matchmaking.core.room import Place, Room
from services.matchmaking.entrance import Entrance
from services.matchmaking.placer import Placer
from services.matchmaking.rooms import TRIES, RoomsDesk
from services.matchmaking.store import places, rooms
from services.matchmaking.store.engagements import Engaged
from services.matchmaking.store.rooms import CodeTaken, PlaceTaken, Wanted
from services.matchmaking.tellers import Tellers
from services.matchmaking.whereabouts import People

PAGE: Final = 100
PAGES_MAX: Final = 10
"""So many pages of a player's rounds are looked through for those of one match."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """The rounds of a room, in order."""

    room: Room
    rounds: tuple[RecordSummary, ...]


class Evenings:
    """See the module."""

    def __init__(
        self,
        parts: Parts,
        desk: RoomsDesk,
        people: People,
        placer: Placer,
        tellers: Tellers,
        entrance: Entrance,
    ) -> None:
        self._clock = parts.clock
        self._db = parts.db("matchmaking")
        self._tables = parts.rpc.client(table_service_pb2_grpc.TableServiceStub, "table")
        self._desk = desk
        self._people = people
        self._placer = placer
        self._tellers = tellers
        self._entrance = entrance

    async def list_rooms(
        self, player_id: str, wanted: Wanted, most: int, before: tuple[int, str] | None
    ) -> list[Room]:
        """Return at most so many of a player's rooms, newest first, older than one of them."""
        return await self._db.read(lambda c: rooms.of_player(c, player_id, wanted, most, before))

    async def sheet(self, player_id: str, table_id: str) -> Sheet:
        """Return the finished rounds of a room in which a player has, or had, a place.

        Raises:
            Refusal: ROOM_UNKNOWN.
            Outage: The tables can't be asked.
        """
        room = await self._room_at(player_id, table_id)
        found: list[RecordSummary] = []
        request = ListRecordsRequest(player_id=player_id, page_size=PAGE)
        for _ in range(PAGES_MAX):
            with auth.acting_for(player_id):
                listed = await self._tables.ListRecords(request)
            found += [one for one in listed.records if one.round_id.rpartition("/")[0] == table_id]
            is_older = bool(listed.records) and listed.records[-1].ended_at_ms < room.created_at_ms
            if is_older or not listed.next_page_token:
                break
            request.page_token = listed.next_page_token
        return Sheet(room, tuple(sorted(found, key=lambda one: round_no(one.round_id))))

    async def rematch(self, player_id: str, table_id: str) -> Room:
        """Have a place in the room that follows one whose match is over: the first who asks opens it.

        Raises:
            Refusal: ROOM_UNKNOWN; ROOM_NOT_OVER; ROOM_PLAYING, ROOM_FULL, KICKED_FROM_ROOM: the others play
                on without him; ALREADY_WAITING, ALREADY_IN_ROOM, ALREADY_PLAYING, ROOM_CODES_EXHAUSTED; as
                `Entrance.admit`, and why he may not play (`Guard.check`).
            Outage: The tables can't be asked.
        """
        old = await self._room_at(player_id, table_id)
        if old.state != "closed" and not await self._placer.is_over(table_id):
            raise Refusal("ROOM_NOT_OVER")
        await self._entrance.check(player_id, old.game)
        if old.stakes is not None:
            await self._entrance.admit(player_id, old.stakes)
        for _ in range(TRIES):
            new = self._following(old, player_id)
            opened = [False]

            def write(connection: Connection, new: Room = new, opened: list[bool] = opened) -> Room:
                room, opened[0] = follow(connection, old, new, player_id, self._clock.now_ms())
                return room

            try:
                room = await self._desk.change(write)
            except (CodeTaken, PlaceTaken):
                continue
            except Engaged:
                await self._people.check_unengaged(player_id)
                continue
            if opened[0]:
                others = [one for one in old.humans if one != player_id]
                await self._tellers.invite(room, others)
            return room
        raise Refusal("ROOM_CODES_EXHAUSTED")

    def _following(self, old: Room, owner_id: str) -> Room:
        """Return a new room like an old one: the owner in his place, and the bots in theirs."""
        room_id, now = self._desk.new_room_id(), self._clock.now_ms()
        return replace(
            old,
            room_id=room_id,
            room_code=self._desk.new_code(),
            owner_id=owner_id,
            request_id=f"after:{room_id}"[:64],
            state="open",
            created_at_ms=now,
            expires_at_ms=self._desk.expiry(now),
            table_id=None,
            places=tuple(
                Place(place.seat, place.player_id, ready=place.is_bot)
                for place in old.places
                if place.is_bot or place.player_id == owner_id
            ),
            rules_no=1,
            wish="",
            reason="",
            next_id="",
            next_code="",
            swaps=(),
            scores=(),
        )

    async def _room_at(self, player_id: str, table_id: str) -> Room:
        room = await self._db.read(lambda connection: rooms.find_table(connection, table_id))
        if room is None or room.place_of(player_id) is None:
            raise Refusal("ROOM_UNKNOWN")
        return room


def round_no(round_id: str) -> int:
    """Return the number of a round."""
    return int(round_id.rpartition("/")[2])


def follow(connection: Connection, old: Room, new: Room, player_id: str, now_ms: int) -> tuple[Room, bool]:
    """Take a place in the room that follows, or open it; return it, and whether it was opened now."""
    now = rooms.lock(connection, old.room_id)
    there = rooms.find(connection, now.next_id) if now.next_id else None
    if there is not None and there.state != "closed" and there.expires_at_ms > now_ms:
        mine = old.place_of(player_id)
        return places.join(connection, there, player_id, now_ms, mine.seat if mine else -1), False
    made = rooms.create(connection, new)
    rooms.follow(connection, old.room_id, made.room_id)
    return made, True
