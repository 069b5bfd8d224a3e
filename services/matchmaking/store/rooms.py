"""Friends' rooms: opened, changed, started, closed, forgotten. Their places are in `places`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy import ColumnElement, Connection, Row, delete, func, insert, or_, select, tuple_, update
from sqlalchemy.exc import IntegrityError

from services.chassis.errors import Refusal
from services.matchmaking.core.halls import stakes_of
from services.matchmaking.core.room import BOT, Place, Room, check_open
from services.matchmaking.core.room_rules import rules_of
from services.matchmaking.store import engagements
from services.matchmaking.store.schema import engagements as engaged
from services.matchmaking.store.schema import places, room_kicks, room_swaps, rooms


class CodeTaken(Exception):
    """A living room has this code."""


class PlaceTaken(Exception):
    """Somebody was quicker; look again."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which rooms are asked for; what is empty or False is not asked for."""

    state: str = ""
    game: str = ""
    free_places: bool = False
    """Only open rooms in which a place is free."""
    watching: str = ""
    """As `Rules.watching`."""

    @property
    def conditions(self) -> list[ColumnElement[bool]]:
        """It, as conditions on rows of `rooms`."""
        found: list[ColumnElement[bool]] = []
        if self.state:
            states = ("open", "placing") if self.state == "open" else (self.state,)
            found.append(rooms.c.state.in_(states))
        if self.game:
            found.append(rooms.c.game == self.game)
        if self.free_places:
            taken = select(func.count()).where(places.c.room_id == rooms.c.room_id).scalar_subquery()
            found += [rooms.c.state == "open", taken < rooms.c.seats]
        if self.watching:
            # The rules are JSON as `Rules.as_json` writes it, empty in rooms of before: nobody watches them.
            is_so = rooms.c.rules.contains(f'"watching":"{self.watching}"', autoescape=True)
            found.append(or_(is_so, rooms.c.rules == "") if self.watching == "no" else is_so)
        return found


def _room(connection: Connection, row: Row[tuple[object, ...]] | None) -> Room | None:
    if row is None:
        return None
    taken = connection.execute(select(places).where(places.c.room_id == row.room_id).order_by(places.c.seat))
    swaps = select(room_swaps).where(room_swaps.c.room_id == row.room_id).order_by(room_swaps.c.from_id)
    following = select(rooms.c.room_code).where(rooms.c.room_id == row.next_id)
    return Room(
        room_id=row.room_id,
        room_code=row.room_code,
        owner_id=row.host_id or row.owner_id,
        request_id=row.request_id,
        game=row.game,
        preset=row.preset,
        options_json=row.options_json,
        rounds=row.rounds,
        seats=row.seats,
        state=row.state,
        created_at_ms=row.created_at_ms,
        expires_at_ms=row.expires_at_ms,
        stakes=stakes_of(row.stakes),
        table_id=row.table_id,
        places=tuple(Place(place.seat, place.player_id, bool(place.ready)) for place in taken),
        rules=rules_of(row.rules),
        rules_no=row.rules_no,
        cards=row.cards,
        wish=row.wish,
        reason=row.reason,
        next_id=row.next_id,
        next_code=connection.execute(following).scalar_one_or_none() or "" if row.next_id else "",
        swaps=tuple((swap.from_id, swap.to_id) for swap in connection.execute(swaps))
        if row.state == "open"
        else (),
        scores=tuple(json.loads(row.scores or "[]")),
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


def find_request(connection: Connection, creator_id: str, request_id: str) -> Room | None:
    """Return the room that a request made."""
    is_it = (rooms.c.owner_id == creator_id) & (rooms.c.request_id == request_id)
    return _room(connection, connection.execute(select(rooms).where(is_it)).first())


def find_table(connection: Connection, table_id: str) -> Room | None:
    """Return the room that plays, or has played, at a table."""
    return _room(connection, connection.execute(select(rooms).where(rooms.c.table_id == table_id)).first())


def of_player(
    connection: Connection, player_id: str, wanted: Wanted, most: int, before: tuple[int, str] | None
) -> list[Room]:
    """Return at most so many rooms in which a player has, or had at the end, a place, newest first.

    Args:
        connection: The transaction.
        player_id: Who.
        wanted: Which of them.
        most: How many.
        before: Only those made before this one: when, and its id.
    """
    mine = places.alias("mine")
    query = select(rooms).join(mine, mine.c.room_id == rooms.c.room_id)
    query = query.where(mine.c.player_id == player_id, *wanted.conditions)
    if before is not None:
        query = query.where(tuple_(rooms.c.created_at_ms, rooms.c.room_id) < before)
    rows = connection.execute(
        query.order_by(rooms.c.created_at_ms.desc(), rooms.c.room_id.desc()).limit(most)
    ).all()
    return [room for row in rows if (room := _room(connection, row)) is not None]


def create(connection: Connection, room: Room) -> Room:
    """Open a room with its places, its owner in the first if it has none; a repeat of its request returns the
    room that is there.

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
                    state="open",
                    created_at_ms=room.created_at_ms,
                    expires_at_ms=room.expires_at_ms,
                    seats=room.seats,
                    wish=room.wish,
                    **_played(room),
                )
            )
    except IntegrityError:
        raise CodeTaken from None
    taken = room.places or (Place(0, room.owner_id, False),)
    for place in taken:
        connection.execute(
            insert(places).values(
                room_id=room.room_id, seat=place.seat, player_id=place.player_id, ready=place.ready
            )
        )
    return replace(room, state="open", places=taken)


def _played(room: Room) -> dict[str, object]:
    """Return the columns of what a room plays."""
    return {
        "game": room.game,
        "preset": room.preset,
        "options_json": room.options_json,
        "rounds": room.rounds,
        "stakes": room.stakes.as_json() if room.stakes else "",
        "rules": room.rules.as_json(),
        "cards": room.cards,
    }


def change_rules(connection: Connection, room: Room, player_id: str, now_ms: int) -> Room:
    """Let an open room play what is in `room` now; nobody is ready any more.

    Raises:
        Refusal: NOT_ROOM_OWNER, ROOM_PLAYING, ROOM_CLOSED.
    """
    now = lock_owned(connection, room.room_id, player_id, now_ms)
    is_it = rooms.c.room_id == room.room_id
    connection.execute(
        update(rooms).where(is_it).values(rules_no=now.rules_no + 1, reason="", **_played(room))
    )
    unready(connection, room.room_id)
    return lock(connection, room.room_id)


def own(connection: Connection, room_id: str, player_id: str) -> None:
    """Make somebody the owner of a room that this transaction holds."""
    connection.execute(update(rooms).where(rooms.c.room_id == room_id).values(host_id=player_id))


def follow(connection: Connection, room_id: str, next_id: str) -> None:
    """Say which room follows one that this transaction holds."""
    connection.execute(update(rooms).where(rooms.c.room_id == room_id).values(next_id=next_id))


def start(connection: Connection, room: Room, table_id: str) -> bool:
    """Take a room that can start for a table; False = it was taken, or can't start."""
    is_it = (rooms.c.room_id == room.room_id) & (rooms.c.state == "open")
    values = {"state": "placing", "table_id": table_id, "reason": ""}
    return room.can_start and bool(connection.execute(update(rooms).where(is_it).values(values)).rowcount)


def placed(connection: Connection, room_id: str) -> Room | None:
    """Say that its table is there."""
    is_it = (rooms.c.room_id == room_id) & (rooms.c.state == "placing")
    connection.execute(update(rooms).where(is_it).values(state="playing"))
    return find(connection, room_id)


def refused(connection: Connection, room_id: str, reason: str) -> Room | None:
    """Say that its table will never be, and why: it is open again, and nobody is ready."""
    is_it = (rooms.c.room_id == room_id) & (rooms.c.state == "placing")
    values = {"state": "open", "table_id": None, "reason": reason}
    if connection.execute(update(rooms).where(is_it).values(values)).rowcount:
        unready(connection, room_id)
    return find(connection, room_id)


def unready(connection: Connection, room_id: str, player_ids: Sequence[str] = ()) -> None:
    """Let people not be ready: all of a room, or these."""
    are_they = (places.c.room_id == room_id) & places.c.player_id.not_like(f"{BOT}%")
    if player_ids:
        are_they &= places.c.player_id.in_(player_ids)
    connection.execute(update(places).where(are_they).values(ready=False))


def close(connection: Connection, room: Room, scores: Sequence[int] = ()) -> Room:
    """Close a room: its people and its code are free."""
    values = {"state": "closed", "live_code": None, "scores": json.dumps(list(scores)) if scores else ""}
    connection.execute(update(rooms).where(rooms.c.room_id == room.room_id).values(values))
    engagements.release(connection, room.room_id)
    return replace(room, state="closed", scores=tuple(scores))


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
    for table in (places, room_swaps, room_kicks):
        connection.execute(delete(table).where(table.c.room_id.in_(gone)))
    connection.execute(delete(engaged).where(engaged.c.ref.in_(gone)))
    return connection.execute(delete(rooms).where(is_over)).rowcount


def lock(connection: Connection, room_id: str) -> Room:
    """Return a room that nobody else changes until this transaction ends (SQLite has one writer anyway)."""
    row = connection.execute(select(rooms).where(rooms.c.room_id == room_id).with_for_update()).first()
    room = _room(connection, row)
    if room is None:
        raise Refusal("ROOM_UNKNOWN")
    return room


def lock_owned(connection: Connection, room_id: str, player_id: str, now_ms: int) -> Room:
    """Return an open room as `lock`, to its owner only.

    Raises:
        Refusal: NOT_ROOM_OWNER, ROOM_PLAYING, ROOM_CLOSED.
    """
    now = lock(connection, room_id)
    if now.owner_id != player_id:
        raise Refusal("NOT_ROOM_OWNER")
    check_open(now, now_ms)
    return now
