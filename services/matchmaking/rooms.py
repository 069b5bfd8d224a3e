"""Friends' rooms: opened, joined, made ready, started, closed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from paiju.table.v1 import table_service_pb2_grpc
from paiju.table.v1.table_service_pb2 import CheckTableSpecRequest
from sqlalchemy import Connection

from services.chassis.errors import Refusal
from services.chassis.limits import Rate, RateLimits
from services.chassis.run import Parts
from services.matchmaking.core.halls import Hall, Stakes
from services.matchmaking.entrance import Entrance
from services.matchmaking.games import Catalogue
from services.matchmaking.placer import Placer
from services.matchmaking.settings import MatchmakingSettings
from services.matchmaking.store import placements, rooms
from services.matchmaking.store.engagements import Engaged
from services.matchmaking.store.rooms import CodeTaken, PlaceTaken, Room
from services.matchmaking.tellers import Tellers
from services.matchmaking.whereabouts import People

TRIES = 20
"""Codes tried for a new room, and places for somebody who joins."""

BOT_CHARS_MAX = 64

CODES = 900_000
CODE_MIN = 100_000
BOT = "normal"
"""Who fills free places where the owner names nobody."""

Change = Callable[[Connection], Room]


@dataclass(frozen=True, slots=True)
class Wish:
    """What a room shall play."""

    game: str
    preset: str
    options_json: str
    rounds: int
    level: str = ""
    """For coins, at the stakes of this level of the halls; empty = for points."""


class RoomsDesk:
    """See the module."""

    def __init__(
        self,
        parts: Parts,
        settings: MatchmakingSettings,
        games: Catalogue,
        people: People,
        placer: Placer,
        tellers: Tellers,
        halls: Mapping[str, Hall],
        entrance: Entrance,
    ) -> None:
        self._clock = parts.clock
        self._ids = parts.ids
        self._db = parts.db("matchmaking")
        self._tables = parts.rpc.client(table_service_pb2_grpc.TableServiceStub, "table")
        self._settings = settings
        self._games = games
        self._people = people
        self._placer = placer
        self._tellers = tellers
        self._halls = halls
        self._entrance = entrance
        guesses = settings.code_guesses_per_minute
        self._guesses = RateLimits(Rate(guesses / 60, guesses), parts.clock)

    async def create(self, owner_id: str, request_id: str, wish: Wish) -> Room:
        """Open a room; a repeat of the request returns the room as it is now.

        Raises:
            Refusal: As `CheckTableSpec`; REQUEST_ID_REUSED, ALREADY_WAITING, ALREADY_IN_ROOM,
                ALREADY_PLAYING, ROOM_CODES_EXHAUSTED; HALL_UNKNOWN: the preset has no such level; as
                `Entrance.admit`, and why he may not play (`Guard.check`).
            Outage: The tables can't be asked.
        """
        there = await self._db.read(lambda c: rooms.find_request(c, owner_id, request_id))
        if there is not None:
            return _same(there, wish)
        stakes = self._stakes(wish)
        seats = (await self._games.game(wish.game)).seats
        now = self._clock.now_ms()
        for _ in range(TRIES):
            room = Room(
                room_id=self._ids.new("room"),
                room_code=str(CODE_MIN + self._ids.below(CODES)),
                owner_id=owner_id,
                request_id=request_id,
                game=wish.game,
                preset=wish.preset,
                options_json=wish.options_json,
                rounds=wish.rounds,
                seats=seats,
                state="open",
                created_at_ms=now,
                expires_at_ms=now + self._settings.room_minutes * 60_000,
                stakes=stakes,
            )
            await self._tables.CheckTableSpec(CheckTableSpecRequest(spec=room.spec(fill=f"bot:{BOT}")))
            try:
                await self._check_play(owner_id, wish.game)
                await self._people.check_free(owner_id)
                await self._admit(owner_id, stakes)
            except Refusal:
                # The first try of a repeated request may have gone through since the look above.
                there = await self._db.read(lambda c: rooms.find_request(c, owner_id, request_id))
                if there is None:
                    raise
                return _same(there, wish)
            try:
                return _same(await self._db.run(partial(rooms.create, room=room)), wish)
            except (CodeTaken, Engaged):
                continue
        raise Refusal("ROOM_CODES_EXHAUSTED")

    async def get(self, player_id: str, room_code: str) -> Room:
        """Return a room. Looking up rooms one is not in is limited: codes can be guessed.

        Raises:
            Refusal: ROOM_UNKNOWN, RATE_LIMITED.
        """
        room = await self._db.read(lambda connection: rooms.find_code(connection, room_code))
        if room is None or room.place_of(player_id) is None:
            self._guesses.take(player_id)
        if room is None:
            raise Refusal("ROOM_UNKNOWN")
        return room

    async def join(self, player_id: str, room_code: str) -> Room:
        """Take a place; one who has one keeps it.

        Raises:
            Refusal: ROOM_UNKNOWN, RATE_LIMITED, ROOM_FULL, ROOM_PLAYING, ROOM_CLOSED, ALREADY_WAITING,
            ALREADY_IN_ROOM,
                ALREADY_PLAYING, and why he may not play (`Guard.check`).
        """
        room = await self.get(player_id, room_code)
        if room.place_of(player_id) is None:
            await self._check_play(player_id, room.game)
            await self._admit(player_id, room.stakes)
        for _ in range(TRIES):
            try:
                return await self._change(lambda c: rooms.join(c, room, player_id, self._clock.now_ms()))
            except PlaceTaken:
                continue
            except Engaged:
                await self._people.check_unengaged(player_id)
        raise Refusal("ROOM_FULL")

    async def leave(self, player_id: str, room_code: str) -> None:
        """Free one's place; without one nothing happens.

        Raises:
            Refusal: ROOM_PLAYING.
        """
        where = await self._people.find(player_id)
        room = where.room
        if room is not None and room.room_code == room_code:
            await self._change(lambda connection: rooms.leave(connection, room, player_id), also=player_id)

    async def set_ready(self, player_id: str, room_code: str, ready: bool) -> Room:
        """Say ready or not; the last one to be ready starts the match.

        Raises:
            Refusal: ROOM_UNKNOWN, RATE_LIMITED, NOT_IN_ROOM, ROOM_PLAYING, ROOM_CLOSED, and why he may not
                play (`Guard.check`).
        """
        room = await self.get(player_id, room_code)
        if ready and room.place_of(player_id) is not None:
            await self._check_play(player_id, room.game)
            await self._admit(player_id, room.stakes)
        now = self._clock.now_ms()
        return await self._change(lambda c: rooms.set_ready(c, room, player_id, ready, now))

    async def fill_with_bots(self, player_id: str, room_code: str, bot: str) -> Room:
        """Let bots of the game take the free places: those of this name, empty = `normal`.

        Raises:
            Refusal: ROOM_UNKNOWN, RATE_LIMITED, NOT_ROOM_OWNER, ROOM_PLAYING, ROOM_CLOSED, UNKNOWN_BOT,
                BOTS_NOT_FOR_COINS.
            Outage: The tables can't be asked.
        """
        room = await self.get(player_id, room_code)
        if room.stakes is not None:
            # The house puts no coins at stake for rules that a guest has chosen.
            raise Refusal("BOTS_NOT_FOR_COINS")
        known = (await self._games.game(room.game)).bots
        name = bot or BOT
        if name not in known:
            raise Refusal("UNKNOWN_BOT", name=name[:BOT_CHARS_MAX], known=", ".join(known))
        filler = f"bot:{name}"
        for _ in range(TRIES):
            try:
                return await self._change(
                    lambda c: rooms.fill(c, room, player_id, filler, self._clock.now_ms())
                )
            except PlaceTaken:
                continue
        raise Refusal("ROOM_FULL")

    def _stakes(self, wish: Wish) -> Stakes | None:
        """Return what a wished room plays for.

        Raises:
            Refusal: HALL_UNKNOWN.
        """
        if not wish.level:
            return None
        hall_id = f"{wish.game}/{wish.preset}/{wish.level}"
        if hall_id not in self._halls:
            raise Refusal("HALL_UNKNOWN", hall_id=hall_id)
        return self._halls[hall_id].stakes

    async def _check_play(self, player_id: str, game: str) -> None:
        await self._entrance.check(player_id, game)

    async def _admit(self, player_id: str, stakes: Stakes | None) -> None:
        """Let a player take a place in a room whose coins he has.

        Raises:
            Refusal: As `Entrance.admit`.
        """
        if stakes is not None:
            await self._entrance.admit(player_id, stakes)

    async def close_expired(self) -> None:
        """Close the rooms whose people never came."""
        now = self._clock.now_ms()
        for room in await self._db.run(lambda connection: rooms.expired(connection, now)):
            await self._tellers.room(room)

    async def _change(self, change: Change, also: str = "") -> Room:
        """Make a change and tell it; if the room can start by it, it starts in the same transaction."""
        table_id, now = self._placer.new_table_id(), self._clock.now_ms()

        def write(connection: Connection) -> tuple[Room, bool]:
            room = change(connection)
            if not rooms.start(connection, room, table_id):
                return room, False
            spec = room.spec().SerializeToString(deterministic=True)
            placements.create(connection, table_id, "room", room.room_id, spec, now)
            return room, True

        room, is_starting = await self._db.run(write)
        if is_starting:
            self._placer.poke()
        await self._tellers.room(room, also=(also,) if also else ())
        return room


def _same(room: Room, wish: Wish) -> Room:
    level = room.stakes.level if room.stakes else ""
    if Wish(room.game, room.preset, room.options_json, room.rounds, level) != wish:
        raise Refusal("REQUEST_ID_REUSED")
    return room
