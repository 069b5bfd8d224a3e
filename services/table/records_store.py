"""What people make of finished rounds: history, favourites, links; and the end of what is too old."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Connection,
    Delete,
    Index,
    Select,
    Table,
    Text,
    UniqueConstraint,
    and_,
    delete,
    func,
    insert,
    or_,
    select,
    update,
)

from services.chassis.db import Database
from services.chassis.errors import Refusal
from services.table.store import Kept, cursor_of, kept_of, metadata, record_players, records

FAVOURITES_MAX: Final = 200
SHARES_MAX: Final = 100
"""Per player; of links those that still open something."""

FROM_ABOVE: Final = -1
"""As the seat of a share."""

favourites = Table(
    "favourites",
    metadata,
    Column("player_id", Text, primary_key=True),
    Column("round_id", Text, primary_key=True),
    Column("note", Text, nullable=False),
    Column("at_ms", BigInteger, nullable=False),
    Index("favourites_round", "round_id"),
)

shares = Table(
    "shares",
    metadata,
    Column("token", Text, primary_key=True),
    Column("round_id", Text, nullable=False),
    Column("player_id", Text, nullable=False),
    Column("seat", BigInteger, nullable=False),
    Column("created_at_ms", BigInteger, nullable=False),
    Column("expires_at_ms", BigInteger, nullable=False),
    UniqueConstraint("player_id", "round_id", "seat", name="shares_of_a_round"),
    Index("shares_round", "round_id"),
)


@dataclass(frozen=True)
class Filters:
    """Which of a player's rounds are wanted; what is empty, 0 or None is not asked for."""

    game: str = ""
    preset: str = ""
    """With `@version` exactly that one."""
    is_room: bool | None = None
    room_code: str = ""
    from_ms: int = 0
    to_ms: int = 0
    sign: int | None = None
    """Of the player's points: 1, -1 or 0."""
    opponent: str = ""
    favourites: bool = False


@dataclass(frozen=True)
class Listed:
    """A round in a player's history."""

    kept: Kept
    is_favourite: bool
    note: str


@dataclass(frozen=True)
class Share:
    """A link to a round."""

    token: str
    round_id: str
    player_id: str
    seat: int
    """`FROM_ABOVE`, or the only seat that is shown."""
    created_at_ms: int
    expires_at_ms: int


class HistoryStore:
    """History, favourites and links, on SQLite or PostgreSQL."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def page(self, player_id: str, filters: Filters, size: int, token: str) -> tuple[list[Listed], str]:
        """Return a player's rounds, newest first, and the token of the next page (empty = no more).

        A page begins behind the last round of the one before, whatever has ended since.

        Raises:
            Refusal: INVALID_ARGUMENT: not a token of ours.
        """
        query = _history(player_id, filters, cursor_of(token)).limit(size + 1)

        def read(connection: Connection) -> list[Listed]:
            return [
                Listed(kept_of(row), row.note is not None, row.note or "")
                for row in connection.execute(query)
            ]

        found = await self._db.read(read)
        if len(found) <= size:
            return found, ""
        last = found[size - 1].kept
        return found[:size], f"{last.ended_at_ms}:{last.round_id}"

    async def note_of(self, player_id: str, round_id: str) -> str | None:
        """Return a favourite's note; None: it is none."""
        query = select(favourites.c.note).where(_favourite(player_id, round_id))
        return await self._db.read(lambda connection: connection.execute(query).scalar_one_or_none())

    async def set_favourite(self, player_id: str, round_id: str, note: str, now_ms: int) -> None:
        """Keep a round among the favourites, or change its note.

        Raises:
            Refusal: FAVOURITES_FULL.
        """

        def write(connection: Connection) -> None:
            changed = connection.execute(
                update(favourites).where(_favourite(player_id, round_id)).values(note=note)
            )
            if changed.rowcount:
                return
            mine = select(func.count()).select_from(favourites).where(favourites.c.player_id == player_id)
            if connection.execute(mine).scalar_one() >= FAVOURITES_MAX:
                raise Refusal("FAVOURITES_FULL", most=FAVOURITES_MAX)
            row = {"player_id": player_id, "round_id": round_id, "note": note, "at_ms": now_ms}
            connection.execute(insert(favourites), row)

        await self._db.run(write)

    async def remove_favourite(self, player_id: str, round_id: str) -> None:
        """Take a round out of the favourites; what is none is no matter."""
        query = delete(favourites).where(_favourite(player_id, round_id))
        await self._db.run(lambda connection: _do(connection, query))

    async def share(
        self, player_id: str, round_id: str, seat: int, token: str, now_ms: int, until_ms: int
    ) -> Share:
        """Return a player's link to a round as a seat (or `FROM_ABOVE`): the one there is, with its new end.

        Args:
            token: Of a new link, secret.

        Raises:
            Refusal: SHARES_FULL.
        """
        mine = shares.c.player_id == player_id

        def write(connection: Connection) -> Share:
            connection.execute(delete(shares).where(mine, shares.c.expires_at_ms <= now_ms))
            same = and_(mine, shares.c.round_id == round_id, shares.c.seat == seat)
            if connection.execute(update(shares).where(same).values(expires_at_ms=until_ms)).rowcount:
                return _share(connection.execute(select(shares).where(same)).one())
            if connection.execute(select(func.count()).where(mine)).scalar_one() >= SHARES_MAX:
                raise Refusal("SHARES_FULL", most=SHARES_MAX)
            made = Share(token, round_id, player_id, seat, now_ms, until_ms)
            connection.execute(insert(shares), vars(made))
            return made

        return await self._db.run(write)

    async def shared(self, token: str, now_ms: int) -> Share:
        """Return what a link opens.

        Raises:
            Refusal: SHARE_UNKNOWN: there is none, it was revoked, or its time is over; which, nobody is told.
        """
        query = select(shares).where(shares.c.token == token, shares.c.expires_at_ms > now_ms)
        row = await self._db.read(lambda connection: connection.execute(query).one_or_none())
        if row is None:
            raise Refusal("SHARE_UNKNOWN")
        return _share(row)

    async def revoke(self, player_id: str, token: str) -> None:
        """End a player's own link; one that is not there is no matter."""
        query = delete(shares).where(shares.c.token == token, shares.c.player_id == player_id)
        await self._db.run(lambda connection: _do(connection, query))

    async def shares(self, player_id: str, round_id: str, now_ms: int) -> list[Share]:
        """Return a player's links that still open something, newest first; of all rounds if none is named."""
        query = (
            select(shares)
            .where(shares.c.player_id == player_id, shares.c.expires_at_ms > now_ms)
            .order_by(shares.c.created_at_ms.desc(), shares.c.token)
            .limit(SHARES_MAX)
        )
        if round_id:
            query = query.where(shares.c.round_id == round_id)
        return await self._db.read(lambda connection: [_share(row) for row in connection.execute(query)])

    async def forget_player(self, player_id: str) -> None:
        """Forget what was a person's own: favourites with their notes, links, the list of his rounds."""

        def write(connection: Connection) -> None:
            for table in (favourites, shares, record_players):
                connection.execute(delete(table).where(table.c.player_id == player_id))

        await self._db.run(write)

    async def sweep(self, ended_before_ms: int, favourites_before_ms: int, most: int) -> int:
        """Forget rounds that are too old, a favourite later; return how many (at most `most`)."""
        is_kept = select(favourites.c.round_id).where(favourites.c.round_id == records.c.round_id).exists()
        old = records.c.ended_at_ms
        query = (
            select(records.c.round_id)
            .where(old < ended_before_ms, or_(old < favourites_before_ms, ~is_kept))
            .order_by(old)
            .limit(most)
        )

        def write(connection: Connection) -> int:
            gone = list(connection.execute(query).scalars())
            for table in (shares, favourites, record_players, records):
                connection.execute(delete(table).where(table.c.round_id.in_(gone)))
            return len(gone)

        return await self._db.run(write)


def _history(player_id: str, wanted: Filters, before: tuple[int, str] | None) -> Select[Any]:
    mine, kept = record_players.c, records.c
    query = (
        select(records, favourites.c.note)
        .select_from(record_players)
        .join(records, mine.round_id == kept.round_id)
        .outerjoin(
            favourites,
            and_(favourites.c.player_id == mine.player_id, favourites.c.round_id == mine.round_id),
        )
        .where(mine.player_id == player_id, *_conditions(wanted))
        .order_by(mine.ended_at_ms.desc(), mine.round_id.desc())
    )
    if before is not None:
        at, round_id = before
        query = query.where(
            or_(mine.ended_at_ms < at, and_(mine.ended_at_ms == at, mine.round_id < round_id))
        )
    if wanted.opponent:
        other = record_players.alias("other")
        query = query.join(
            other,
            and_(
                other.c.player_id == wanted.opponent,
                other.c.ended_at_ms == mine.ended_at_ms,
                other.c.round_id == mine.round_id,
            ),
        )
    return query


def _conditions(wanted: Filters) -> Sequence[ColumnElement[bool]]:
    mine, kept = record_players.c, records.c
    found: list[ColumnElement[bool]] = []
    if wanted.game:
        found.append(kept.game == wanted.game)
    if "@" in wanted.preset:
        found.append(kept.preset == wanted.preset)
    elif wanted.preset:
        found.append(kept.preset.startswith(f"{wanted.preset}@", autoescape=True))
    if wanted.is_room is not None:
        found.append(kept.room_code != "" if wanted.is_room else kept.room_code == "")
    if wanted.room_code:
        found.append(kept.room_code == wanted.room_code)
    if wanted.from_ms:
        found.append(mine.ended_at_ms >= wanted.from_ms)
    if wanted.to_ms:
        found.append(mine.ended_at_ms < wanted.to_ms)
    if wanted.sign is not None:
        found.append({1: mine.points > 0, 0: mine.points == 0, -1: mine.points < 0}[wanted.sign])
    if wanted.favourites:
        found.append(favourites.c.note.is_not(None))
    return found


def _do(connection: Connection, query: Delete) -> None:
    connection.execute(query)


def _favourite(player_id: str, round_id: str) -> ColumnElement[bool]:
    return and_(favourites.c.player_id == player_id, favourites.c.round_id == round_id)


def _share(row: Any) -> Share:
    return Share(row.token, row.round_id, row.player_id, row.seat, row.created_at_ms, row.expires_at_ms)
