"""Friends' rooms and their places."""

from __future__ import annotations

from dataclasses import dataclass, replace

from paiju.matchmaking.v1.matchmaking_service_pb2 import Room as RoomMessage
from paiju.matchmaking.v1.matchmaking_service_pb2 import RoomPlace
from paiju.table.v1.table_service_pb2 import SeatSpec, TableSpec
from sqlalchemy import Connection, Row, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from services.chassis.errors import Refusal
from services.matchmaking.core.halls import Stakes, stakes_of
from services.matchmaking.store import engagements
from services.matchmaking.store.schema import engagements as engaged
from services.matchmaking.store.schema import places, rooms

BOT = "bot:"


class CodeTaken(Exception):
    """A living room has this code."""


class PlaceTaken(Exception):
    """Somebody was quicker; look again."""


@dataclass(frozen=True, slots=True)
class Place:
    """A taken place."""

    seat: int
    player_id: str
    ready: bool

    @property
    def is_bot(self) -> bool:
        """Whether the house plays here."""
        return self.player_id.startswith(BOT)


@dataclass(frozen=True, slots=True)
class Room:
    """One row, with its places in seat order."""

    room_id: str
    room_code: str
    owner_id: str
    request_id: str
    game: str
    preset: str
    options_json: str
    rounds: int
    seats: int
    state: str
    created_at_ms: int
    expires_at_ms: int
    stakes: Stakes | None = None
    """None: plays for points."""
    table_id: str | None = None
    places: tuple[Place, ...] = ()

    @property
    def humans(self) -> list[str]:
        """The people in it."""
        return [place.player_id for place in self.places if not place.is_bot]

    @property
    def can_start(self) -> bool:
        """Whether all places are taken and ready."""
        return (
            self.state == "open"
            and len(self.places) == self.seats
            and all(place.ready for place in self.places)
        )

    def place_of(self, player_id: str) -> Place | None:
        """Return the place of a player."""
        return next((place for place in self.places if place.player_id == player_id), None)

    def spec(self, fill: str = "") -> TableSpec:
        """Return what its table is made from; empty places are taken by `fill` (to check the options)."""
        by_seat = {place.seat: place.player_id for place in self.places}
        return TableSpec(
            game=self.game,
            preset=self.preset,
            options_json=self.options_json,
            rounds=self.rounds,
            seats=[SeatSpec(player_id=by_seat.get(seat, fill)) for seat in range(self.seats)],
            room_code=self.room_code,
            stake=self.stakes.spec() if self.stakes else None,
        )

    def message(self) -> RoomMessage:
        """Return it as its people see it: while its table is being made it is still open."""
        by_seat = {place.seat: place for place in self.places}
        stakes = self.stakes
        is_placing = self.state == "placing"
        return RoomMessage(
            room_code=self.room_code,
            owner_id=self.owner_id,
            game=self.game,
            preset=self.preset,
            options_json=self.options_json,
            rounds=self.rounds,
            places=[
                RoomPlace(seat=seat, player_id=place.player_id, ready=place.ready)
                if (place := by_seat.get(seat))
                else RoomPlace(seat=seat)
                for seat in range(self.seats)
            ],
            state="open" if is_placing else self.state,
            table_id="" if is_placing else self.table_id or "",
            expires_at_ms=self.expires_at_ms,
            level=stakes.level if stakes else "",
            base_stake=stakes.base_stake if stakes else 0,
            buy_in=stakes.buy_in if stakes else 0,
            fee=stakes.fee if stakes else 0,
            entry_min=stakes.entry_min if stakes else 0,
            entry_max=stakes.entry_max if stakes else 0,
        )


def _room(connection: Connection, row: Row[tuple[object, ...]] | None) -> Room | None:
    if row is None:
        return None
    taken = connection.execute(select(places).where(places.c.room_id == row.room_id).order_by(places.c.seat))
    return Room(
        row.room_id,
        row.room_code,
        row.owner_id,
        row.request_id,
        row.game,
        row.preset,
        row.options_json,
        row.rounds,
        row.seats,
        row.state,
        row.created_at_ms,
        row.expires_at_ms,
        stakes_of(row.stakes),
        row.table_id,
        tuple(Place(place.seat, place.player_id, bool(place.ready)) for place in taken),
    )


def find(connection: Connection, room_id: str) -> Room | None:
    """Return a room by its id."""
    return _room(connection, connection.execute(select(rooms).where(rooms.c.room_id == room_id)).first())


def find_code(connection: Connection, room_code: str) -> Room | None:
    """Return the living room with this code, else the last one that had it."""
    row = connection.execute(select(rooms).where(rooms.c.live_code == room_code)).first()
    if row is None:
        had_it = select(rooms).where(rooms.c.room_code == room_code).order_by(rooms.c.created_at_ms.desc())
        row = connection.execute(had_it.limit(1)).first()
    return _room(connection, row)


def find_request(connection: Connection, owner_id: str, request_id: str) -> Room | None:
    """Return the room that a request made."""
    is_it = (rooms.c.owner_id == owner_id) & (rooms.c.request_id == request_id)
    return _room(connection, connection.execute(select(rooms).where(is_it)).first())


def create(connection: Connection, room: Room) -> Room:
    """Open a room with its owner in the first place; a repeat of its request returns the room that is there.

    Raises:
        CodeTaken: Try another code.
        Engaged: The owner is engaged in something else.
    """
    there = find_request(connection, room.owner_id, room.request_id)
    if there is not None:
        return there
    engagements.engage(connection, room.owner_id, "room", room.room_id)
    try:
        with connection.begin_nested():
            connection.execute(
                insert(rooms).values(
                    room_id=room.room_id,
                    room_code=room.room_code,
                    live_code=room.room_code,
                    owner_id=room.owner_id,
                    request_id=room.request_id,
                    game=room.game,
                    preset=room.preset,
                    options_json=room.options_json,
                    rounds=room.rounds,
                    seats=room.seats,
                    state="open",
                    created_at_ms=room.created_at_ms,
                    expires_at_ms=room.expires_at_ms,
                    stakes=room.stakes.as_json() if room.stakes else "",
                )
            )
    except IntegrityError:
        raise CodeTaken from None
    _take(connection, room.room_id, 0, room.owner_id, ready=False)
    return replace(room, state="open", places=(Place(0, room.owner_id, False),))


def join(connection: Connection, room: Room, player_id: str, now_ms: int) -> Room:
    """Give a player the first free place; one who has a place keeps it.

    Raises:
        Refusal: ROOM_FULL, ROOM_PLAYING, ROOM_CLOSED.
        Engaged: He is engaged in something else.
        PlaceTaken: Somebody took the place meanwhile: try again.
    """
    now = _lock(connection, room.room_id)
    if now.place_of(player_id) is not None and now.state != "closed":
        return now
    check_open(now, now_ms)
    free = [seat for seat in range(now.seats) if seat not in {place.seat for place in now.places}]
    if not free:
        raise Refusal("ROOM_FULL")
    engagements.engage(connection, player_id, "room", now.room_id)
    _take(connection, now.room_id, free[0], player_id, ready=False)
    return _lock(connection, room.room_id)


def leave(connection: Connection, room: Room, player_id: str) -> Room:
    """Free the place of a player; the owner's leaving closes the room. Without a place nothing changes.

    Raises:
        Refusal: ROOM_PLAYING.
    """
    now = _lock(connection, room.room_id)
    if now.place_of(player_id) is None or now.state == "closed":
        return now
    if now.state != "open":
        raise Refusal("ROOM_PLAYING")
    if player_id == now.owner_id:
        return close(connection, now)
    mine = (places.c.room_id == now.room_id) & (places.c.player_id == player_id)
    connection.execute(delete(places).where(mine))
    engagements.release(connection, now.room_id, player_id)
    return _lock(connection, room.room_id)


def set_ready(connection: Connection, room: Room, player_id: str, ready: bool, now_ms: int) -> Room:
    """Say whether a player is ready.

    Raises:
        Refusal: NOT_IN_ROOM, ROOM_PLAYING, ROOM_CLOSED.
    """
    now = _lock(connection, room.room_id)
    if now.place_of(player_id) is None:
        raise Refusal("NOT_IN_ROOM")
    check_open(now, now_ms)
    mine = (places.c.room_id == now.room_id) & (places.c.player_id == player_id)
    connection.execute(update(places).where(mine).values(ready=ready))
    return _lock(connection, room.room_id)


def fill(connection: Connection, room: Room, player_id: str, bot: str, now_ms: int) -> Room:
    """Let bots take the free places.

    Raises:
        Refusal: NOT_ROOM_OWNER, ROOM_PLAYING, ROOM_CLOSED.
        PlaceTaken: Somebody took a place meanwhile: try again.
    """
    now = _lock(connection, room.room_id)
    if now.owner_id != player_id:
        raise Refusal("NOT_ROOM_OWNER")
    check_open(now, now_ms)
    for seat in sorted(set(range(now.seats)) - {place.seat for place in now.places}):
        _take(connection, now.room_id, seat, bot, ready=True)
    return _lock(connection, room.room_id)


def start(connection: Connection, room: Room, table_id: str) -> bool:
    """Take a room that can start for a table; False = it was taken, or can't start."""
    is_it = (rooms.c.room_id == room.room_id) & (rooms.c.state == "open")
    values = {"state": "placing", "table_id": table_id}
    return room.can_start and bool(connection.execute(update(rooms).where(is_it).values(values)).rowcount)


def placed(connection: Connection, room_id: str) -> Room | None:
    """Say that its table is there."""
    is_it = (rooms.c.room_id == room_id) & (rooms.c.state == "placing")
    connection.execute(update(rooms).where(is_it).values(state="playing"))
    return find(connection, room_id)


def refused(connection: Connection, room_id: str) -> Room | None:
    """Say that its table will never be: it is open again, and nobody is ready."""
    is_it = (rooms.c.room_id == room_id) & (rooms.c.state == "placing")
    if connection.execute(update(rooms).where(is_it).values(state="open", table_id=None)).rowcount:
        are_they = (places.c.room_id == room_id) & places.c.player_id.not_like(f"{BOT}%")
        connection.execute(update(places).where(are_they).values(ready=False))
    return find(connection, room_id)


def close(connection: Connection, room: Room) -> Room:
    """Close a room: its people and its code are free."""
    connection.execute(
        update(rooms).where(rooms.c.room_id == room.room_id).values(state="closed", live_code=None)
    )
    engagements.release(connection, room.room_id)
    return replace(room, state="closed")


def expired(connection: Connection, now_ms: int) -> list[Room]:
    """Close the open rooms whose time is over; return them."""
    is_due = (rooms.c.state == "open") & (rooms.c.expires_at_ms <= now_ms)
    rows = connection.execute(select(rooms).where(is_due).order_by(rooms.c.expires_at_ms).limit(100)).all()
    found = [room for row in rows if (room := _room(connection, row)) is not None]
    return [close(connection, room) for room in found]


def forget(connection: Connection, before_ms: int) -> int:
    """Forget closed rooms made before then; return how many."""
    is_over = (rooms.c.state == "closed") & (rooms.c.created_at_ms < before_ms)
    gone = select(rooms.c.room_id).where(is_over)
    connection.execute(delete(places).where(places.c.room_id.in_(gone)))
    connection.execute(delete(engaged).where(engaged.c.ref.in_(gone)))
    return connection.execute(delete(rooms).where(is_over)).rowcount


def check_open(room: Room, now_ms: int) -> None:
    """Let through what only an open room allows.

    Raises:
        Refusal: ROOM_CLOSED, ROOM_PLAYING.
    """
    if room.state == "closed" or (room.state == "open" and room.expires_at_ms <= now_ms):
        raise Refusal("ROOM_CLOSED")
    if room.state != "open":
        raise Refusal("ROOM_PLAYING")


def _lock(connection: Connection, room_id: str) -> Room:
    """Return a room that nobody else changes until this transaction ends (SQLite has one writer anyway)."""
    row = connection.execute(select(rooms).where(rooms.c.room_id == room_id).with_for_update()).first()
    room = _room(connection, row)
    if room is None:
        raise Refusal("ROOM_UNKNOWN")
    return room


def _take(connection: Connection, room_id: str, seat: int, player_id: str, *, ready: bool) -> None:
    try:
        with connection.begin_nested():
            connection.execute(
                insert(places).values(room_id=room_id, seat=seat, player_id=player_id, ready=ready)
            )
    except IntegrityError:
        raise PlaceTaken from None
