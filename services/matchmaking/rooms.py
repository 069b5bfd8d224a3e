"""Friends' rooms: opened, joined, made ready, started, left."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from hashlib import sha256

from paiju.table.v1 import table_service_pb2_grpc
from paiju.table.v1.table_service_pb2 import CheckTableSpecRequest
from sqlalchemy import Connection

from services.chassis import auth
from services.chassis.addresses import counted, of_peer
from services.chassis.errors import Refusal
from services.chassis.guesses import Guesses
from services.chassis.limits import Rate, RateLimits
from services.chassis.rpc.methods import peer
from services.chassis.run import Parts
from services.matchmaking.core.halls import Hall, Stakes
from services.matchmaking.core.room import Room
from services.matchmaking.core.room_rules import Prices, Rules
from services.matchmaking.entrance import Entrance
from services.matchmaking.games import Catalogue
from services.matchmaking.placer import Placer
from services.matchmaking.settings import MatchmakingSettings
from services.matchmaking.store import placements, places, rooms
from services.matchmaking.store.engagements import Engaged
from services.matchmaking.store.rooms import CodeTaken, PlaceTaken
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
    rules: Rules = field(default_factory=Rules)

    @property
    def hash(self) -> str:
        """What tells a repeat from another wish."""
        return sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:32]


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
        prices: Prices,
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
        self._prices = prices
        guesses = settings.code_guesses_per_minute
        self._guesses = RateLimits(Rate(guesses / 60, guesses), parts.clock)
        wrong = Rate(settings.wrong_codes_per_s, settings.wrong_codes_burst)
        self._wrong_of_address = Guesses(wrong, parts.clock)

    async def create(self, owner_id: str, request_id: str, wish: Wish) -> Room:
        """Open a room; a repeat of the request returns the room as it is now.

        Raises:
            Refusal: As `CheckTableSpec`; REQUEST_ID_REUSED, ALREADY_WAITING, ALREADY_IN_ROOM,
                ALREADY_PLAYING, ROOM_CODES_EXHAUSTED; HALL_UNKNOWN: the preset has no such level; as
                `Entrance.admit`, and why he may not play (`Guard.check`); ROOM_CARDS_TOO_FEW.
            Outage: The tables can't be asked.
        """
        there = await self._db.read(lambda c: rooms.find_request(c, owner_id, request_id))
        if there is not None:
            return _same(there, wish)
        stakes = self.stakes_of(wish)
        seats = (await self._games.game(wish.game)).seats
        now = self._clock.now_ms()
        for _ in range(TRIES):
            room = Room(
                room_id=self.new_room_id(),
                room_code=self.new_code(),
                owner_id=owner_id,
                request_id=request_id,
                game=wish.game,
                preset=wish.preset,
                options_json=wish.options_json,
                rounds=wish.rounds,
                seats=seats,
                state="open",
                created_at_ms=now,
                expires_at_ms=self.expiry(now),
                stakes=stakes,
                rules=wish.rules,
                cards=self._prices.cards(wish.rounds, wish.rules),
                wish=wish.hash,
            )
            await self.check_playable(room)
            try:
                await self._entrance.check(owner_id, wish.game)
                await self._people.check_free(owner_id)
                await self._admit(owner_id, stakes)
                if wish.rules.payer == "owner":
                    await self._entrance.check_cards(owner_id, room.cards)
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

        Wrong codes are limited by address too, since guests are free: by the gateway, and here those of who
        calls here by himself.

        Raises:
            Refusal: ROOM_UNKNOWN, RATE_LIMITED.
        """
        room = await self._db.read(lambda connection: rooms.find_code(connection, room_code))
        if room is not None and room.place_of(player_id) is not None:
            return room
        self._guesses.take(player_id)
        if auth.current().kind != "service":
            async with self._wrong_of_address.one(counted(of_peer(peer()))) as guess:
                if room is None:
                    guess.wrong()
        if room is None:
            raise Refusal("ROOM_UNKNOWN")
        return room

    async def join(self, player_id: str, room_code: str) -> Room:
        """Take a place; one who has one keeps it.

        Raises:
            Refusal: ROOM_UNKNOWN, RATE_LIMITED, ROOM_FULL, ROOM_PLAYING, ROOM_CLOSED, KICKED_FROM_ROOM,
                ALREADY_WAITING, ALREADY_IN_ROOM, ALREADY_PLAYING; why he may not play (`Guard.check`), or
                put his coins at stake (`Entrance.admit`): said last.
        """
        room = await self.get(player_id, room_code)
        if room.place_of(player_id) is None:
            # What keeps him out whatever he has is said first.
            now = self._clock.now_ms()
            await self._db.read(lambda c: places.free_for(c, room, player_id, now))
            await self._entrance.check(player_id, room.game)
            await self._admit(player_id, room.stakes)
        for _ in range(TRIES):
            try:
                return await self.change(lambda c: places.join(c, room, player_id, self._clock.now_ms()))
            except PlaceTaken:
                continue
            except Engaged:
                await self._people.check_unengaged(player_id)
        raise Refusal("ROOM_FULL")

    async def leave(self, player_id: str, room_code: str) -> None:
        """Free one's place; without one nothing happens. The owner's room goes to the next person.

        Raises:
            Refusal: ROOM_PLAYING.
        """
        where = await self._people.find(player_id)
        room = where.room
        if room is not None and room.room_code == room_code:
            await self.change(lambda connection: places.leave(connection, room, player_id), also=player_id)

    async def set_ready(self, player_id: str, room_code: str, ready: bool, rules_no: int = 0) -> Room:
        """Say ready or not, for the rules of this number (0 = whatever); the last one starts the match.

        Raises:
            Refusal: ROOM_UNKNOWN, RATE_LIMITED, NOT_IN_ROOM, ROOM_PLAYING, ROOM_CLOSED, ROOM_RULES_CHANGED,
                ROOM_CARDS_TOO_FEW, and why he may not play (`Guard.check`).
        """
        room = await self.get(player_id, room_code)
        if ready and room.place_of(player_id) is not None:
            await self._entrance.check(player_id, room.game)
            await self._admit(player_id, room.stakes)
            if room.rules.payer != "owner" or room.owner_id == player_id:
                await self._entrance.check_cards(player_id, room.price)
        # What was checked is what was read: other rules since then have to be looked at again.
        seen = rules_no or (room.rules_no if room.place_of(player_id) is not None else 0)
        now = self._clock.now_ms()
        return await self.change(lambda c: places.set_ready(c, room, player_id, ready, seen, now))

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
                return await self.change(
                    lambda c: places.fill(c, room, player_id, filler, self._clock.now_ms())
                )
            except PlaceTaken:
                continue
        raise Refusal("ROOM_FULL")

    # What rooms are made of

    def new_room_id(self) -> str:
        """Return the id of a room that is to be."""
        return self._ids.new("room")

    def new_code(self) -> str:
        """Return six digits that may be taken."""
        return str(CODE_MIN + self._ids.below(CODES))

    def expiry(self, now_ms: int) -> int:
        """Return when a room that is opened now closes if it is still open."""
        return now_ms + self._settings.room_minutes * 60_000

    async def check_playable(self, room: Room) -> None:
        """See that the tables would play it.

        Raises:
            Refusal: As `CheckTableSpec`.
        """
        spec = room.spec(fill=f"bot:{BOT}", timing=self._settings.room_timing)
        await self._tables.CheckTableSpec(CheckTableSpecRequest(spec=spec))

    def stakes_of(self, wish: Wish) -> Stakes | None:
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

    async def change(self, change: Change, also: str = "") -> Room:
        """Make a change and tell it; if the room can start by it, it starts in the same transaction."""
        table_id, now = self._placer.new_table_id(), self._clock.now_ms()

        def write(connection: Connection) -> tuple[Room, bool]:
            room = change(connection)
            if not rooms.start(connection, room, table_id):
                return room, False
            timing, delay_ms = self._settings.room_timing, self._settings.watch_delay_ms
            spec = room.spec(timing=timing, watch_delay_ms=delay_ms).SerializeToString(deterministic=True)
            placements.create(connection, table_id, "room", room.room_id, spec, now)
            return room, True

        room, is_starting = await self._db.run(write)
        if is_starting:
            self._placer.poke()
        await self._tellers.room(room, also=(also,) if also else ())
        return room


def _same(room: Room, wish: Wish) -> Room:
    level = room.stakes.level if room.stakes else ""
    # Rooms of before have no hash, and have agreed on nothing.
    first = room.wish or Wish(room.game, room.preset, room.options_json, room.rounds, level).hash
    if first != wish.hash:
        raise Refusal("REQUEST_ID_REUSED")
    return room
