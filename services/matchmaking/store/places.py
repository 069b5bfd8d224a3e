"""The places of a room: taken, left, changed. Whoever changes one holds the row of its room."""

from __future__ import annotations

from sqlalchemy import Connection, delete, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from services.chassis.errors import Refusal
from services.matchmaking.core.room import Place, Room, check_open
from services.matchmaking.store import engagements
from services.matchmaking.store.rooms import PlaceTaken, close, lock, lock_owned, own, unready
from services.matchmaking.store.schema import places, room_kicks, room_swaps

MINUTE_MS = 60_000


def join(connection: Connection, room: Room, player_id: str, now_ms: int, wanted: int = -1) -> Room:
    """Give a player the place he wants, else the first free one; one who has a place keeps it.

    Raises:
        Refusal: ROOM_FULL, ROOM_PLAYING, ROOM_CLOSED, KICKED_FROM_ROOM.
        Engaged: He is engaged in something else.
        PlaceTaken: Somebody took the place meanwhile: try again.
    """
    now = lock(connection, room.room_id)
    if now.place_of(player_id) is not None and now.state != "closed":
        return now
    free = free_for(connection, now, player_id, now_ms)
    engagements.engage(connection, player_id, "room", now.room_id)
    _take(connection, now.room_id, wanted if wanted in free else free[0], player_id, ready=False)
    return lock(connection, room.room_id)


def free_for(connection: Connection, room: Room, player_id: str, now_ms: int) -> list[int]:
    """Return the seats that a player may take.

    Raises:
        Refusal: ROOM_FULL, ROOM_PLAYING, ROOM_CLOSED, KICKED_FROM_ROOM.
    """
    check_open(room, now_ms)
    is_he = (room_kicks.c.room_id == room.room_id) & (room_kicks.c.player_id == player_id)
    until = connection.execute(select(room_kicks.c.until_ms).where(is_he)).scalar_one_or_none() or 0
    if until > now_ms:
        raise Refusal("KICKED_FROM_ROOM", minutes=-(-(until - now_ms) // MINUTE_MS), again_at_ms=until)
    free = [seat for seat in range(room.seats) if room.at(seat) is None]
    if not free:
        raise Refusal("ROOM_FULL")
    return free


def leave(connection: Connection, room: Room, player_id: str) -> Room:
    """Free the place of a player. The owner's leaving hands the room to the next person; without one it
    closes. Without a place nothing changes.

    Raises:
        Refusal: ROOM_PLAYING.
    """
    now = lock(connection, room.room_id)
    if now.place_of(player_id) is None or now.state == "closed":
        return now
    if now.state != "open":
        raise Refusal("ROOM_PLAYING")
    heir = now.heir(player_id)
    if not heir:
        return close(connection, now)
    if player_id == now.owner_id:
        own(connection, now.room_id, heir)
    _free(connection, now, player_id)
    return lock(connection, room.room_id)


def kick(
    connection: Connection, room: Room, player_id: str, target: Place, now_ms: int, until_ms: int
) -> Room:
    """Send somebody away until then; one who is not there any more stays away too.

    Raises:
        Refusal: NOT_ROOM_OWNER, ROOM_PLAYING, ROOM_CLOSED; NOT_IN_ROOM: the bot is not in this place;
            INVALID_ARGUMENT: the owner does not send himself away.
    """
    now = lock_owned(connection, room.room_id, player_id, now_ms)
    if target.player_id == player_id:
        raise Refusal("INVALID_ARGUMENT", field="player_id")
    if target.is_bot:
        at = now.at(target.seat)
        if at is None or at.player_id != target.player_id:
            raise Refusal("NOT_IN_ROOM")
        is_it = (places.c.room_id == now.room_id) & (places.c.seat == target.seat)
        connection.execute(delete(places).where(is_it))
        return lock(connection, room.room_id)
    is_he = (room_kicks.c.room_id == now.room_id) & (room_kicks.c.player_id == target.player_id)
    there = connection.execute(select(room_kicks.c.until_ms).where(is_he)).scalar_one_or_none()
    if now.place_of(target.player_id) is None:
        if there is None:
            raise Refusal("NOT_IN_ROOM")
        return now  # a repeat
    connection.execute(delete(room_kicks).where(is_he))
    connection.execute(
        insert(room_kicks).values(room_id=now.room_id, player_id=target.player_id, until_ms=until_ms)
    )
    _free(connection, now, target.player_id)
    return lock(connection, room.room_id)


def set_ready(
    connection: Connection, room: Room, player_id: str, ready: bool, rules_no: int, now_ms: int
) -> Room:
    """Say whether a player is ready, for the rules of this number (0 = whatever they are).

    Raises:
        Refusal: NOT_IN_ROOM, ROOM_PLAYING, ROOM_CLOSED, ROOM_RULES_CHANGED.
    """
    now = lock(connection, room.room_id)
    if now.place_of(player_id) is None:
        raise Refusal("NOT_IN_ROOM")
    check_open(now, now_ms)
    if ready and rules_no not in (0, now.rules_no):
        raise Refusal("ROOM_RULES_CHANGED")
    mine = (places.c.room_id == now.room_id) & (places.c.player_id == player_id)
    connection.execute(update(places).where(mine).values(ready=ready))
    return lock(connection, room.room_id)


def fill(connection: Connection, room: Room, player_id: str, bot: str, now_ms: int) -> Room:
    """Let bots take the free places.

    Raises:
        Refusal: NOT_ROOM_OWNER, ROOM_PLAYING, ROOM_CLOSED.
        PlaceTaken: Somebody took a place meanwhile: try again.
    """
    now = lock_owned(connection, room.room_id, player_id, now_ms)
    for seat in range(now.seats):
        if now.at(seat) is None:
            _take(connection, now.room_id, seat, bot, ready=True)
    return lock(connection, room.room_id)


def move(connection: Connection, room: Room, player_id: str, seat: int, now_ms: int) -> Room:
    """Let a player have another place: a free one or a bot's at once; who sits there is asked. Two who ask
    each other change places.

    Raises:
        Refusal: NOT_IN_ROOM, ROOM_PLAYING, ROOM_CLOSED; INVALID_ARGUMENT: there is no such place.
        PlaceTaken: Somebody took the place meanwhile: try again.
    """
    now = lock(connection, room.room_id)
    mine = now.place_of(player_id)
    if mine is None:
        raise Refusal("NOT_IN_ROOM")
    check_open(now, now_ms)
    if not 0 <= seat < now.seats:
        raise Refusal("INVALID_ARGUMENT", field="seat")
    there = now.at(seat)
    if there == mine:
        return now
    if there is not None and not there.is_bot and (there.player_id, player_id) not in now.swaps:
        asks = (room_swaps.c.room_id == now.room_id) & (room_swaps.c.from_id == player_id)
        connection.execute(delete(room_swaps).where(asks))
        connection.execute(
            insert(room_swaps).values(room_id=now.room_id, from_id=player_id, to_id=there.player_id)
        )
    elif there is None:
        _unask(connection, now.room_id, player_id)
        is_it = (places.c.room_id == now.room_id) & (places.c.seat == mine.seat)
        connection.execute(delete(places).where(is_it))
        _take(connection, now.room_id, seat, player_id, ready=False)
    else:
        _change(connection, now, mine, there)
    return lock(connection, room.room_id)


def swap(connection: Connection, room: Room, player_id: str, asks: str, accept: bool, now_ms: int) -> Room:
    """Answer somebody who asks to change places.

    Raises:
        Refusal: NOT_IN_ROOM, ROOM_PLAYING, ROOM_CLOSED, SWAP_UNKNOWN.
    """
    now = lock(connection, room.room_id)
    mine, his = now.place_of(player_id), now.place_of(asks)
    if mine is None:
        raise Refusal("NOT_IN_ROOM")
    check_open(now, now_ms)
    if his is None or (asks, player_id) not in now.swaps:
        raise Refusal("SWAP_UNKNOWN")
    if accept:
        _change(connection, now, his, mine)
    else:
        _unask(connection, now.room_id, asks, player_id)
    return lock(connection, room.room_id)


def hand_over(connection: Connection, room: Room, player_id: str, to_id: str, now_ms: int) -> Room:
    """Make another person the owner; a repeat by who was it changes nothing.

    Raises:
        Refusal: NOT_ROOM_OWNER, ROOM_PLAYING, ROOM_CLOSED, NOT_IN_ROOM.
    """
    now = lock(connection, room.room_id)
    if now.owner_id == to_id and now.place_of(player_id) is not None:
        return now
    now = lock_owned(connection, room.room_id, player_id, now_ms)
    if to_id not in now.humans:
        raise Refusal("NOT_IN_ROOM")
    own(connection, now.room_id, to_id)
    return lock(connection, room.room_id)


def close_owned(connection: Connection, room: Room, player_id: str, now_ms: int) -> Room:
    """Close an open room; one that is closed stays so.

    Raises:
        Refusal: NOT_ROOM_OWNER, ROOM_PLAYING.
    """
    now = lock(connection, room.room_id)
    if now.state == "closed" and now.owner_id == player_id:
        return now
    return close(connection, lock_owned(connection, room.room_id, player_id, now_ms))


def _change(connection: Connection, room: Room, one: Place, other: Place) -> None:
    """Change two places: neither person is ready any more, as another sits before and after him."""
    mine = (places.c.room_id == room.room_id) & places.c.seat.in_((one.seat, other.seat))
    connection.execute(delete(places).where(mine))
    for seat, who in ((one.seat, other), (other.seat, one)):
        _take(connection, room.room_id, seat, who.player_id, ready=who.is_bot)
    for who in (one, other):
        if not who.is_bot:
            _unask(connection, room.room_id, who.player_id)
    unready(connection, room.room_id, [who.player_id for who in (one, other) if not who.is_bot])


def _free(connection: Connection, room: Room, player_id: str) -> None:
    mine = (places.c.room_id == room.room_id) & (places.c.player_id == player_id)
    connection.execute(delete(places).where(mine))
    _unask(connection, room.room_id, player_id)
    engagements.release(connection, room.room_id, player_id)


def _unask(connection: Connection, room_id: str, asks: str, asked: str = "") -> None:
    """Forget what somebody asks, and is asked; or only what he asks of one."""
    which = (
        (room_swaps.c.from_id == asks) & (room_swaps.c.to_id == asked)
        if asked
        else or_(room_swaps.c.from_id == asks, room_swaps.c.to_id == asks)
    )
    connection.execute(delete(room_swaps).where((room_swaps.c.room_id == room_id) & which))


def _take(connection: Connection, room_id: str, seat: int, player_id: str, *, ready: bool) -> None:
    try:
        with connection.begin_nested():
            connection.execute(
                insert(places).values(room_id=room_id, seat=seat, player_id=player_id, ready=ready)
            )
    except IntegrityError:
        raise PlaceTaken from None
