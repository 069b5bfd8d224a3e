"""What people make of finished rounds: history, favourites, links; and the end of what is too old."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Delete,
    and_,
    delete,
    func,
    or_,
    select,
    update,
)

from services.chassis.db import Database
from services.chassis.db.inserts import upsert
from services.chassis.errors import Refusal
from services.table.records_filters import Filters, history
from services.table.records_schema import favourites, shares
from services.table.store import Kept, cursor_of, kept_of, record_players, records

FAVOURITES_MAX: Final = 200
SHARES_MAX: Final = 100
"""Per player; of links those that still open something."""

FROM_ABOVE: Final = -1
"""As the seat of a share."""


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
        query = history(player_id, filters, cursor_of(token)).limit(size + 1)

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
            # The same person may keep it twice at once.
            kept = upsert(connection, favourites).values(row)
            connection.execute(
                kept.on_conflict_do_update(index_elements=list(favourites.primary_key), set_={"note": note})
            )

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
            # Asked for twice at once it is one link all the same.
            connection.execute(upsert(connection, shares).values(vars(made)).on_conflict_do_nothing())
            return _share(connection.execute(select(shares).where(same)).one())

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

    async def shares(
        self, player_id: str, round_id: str, now_ms: int, size: int = SHARES_MAX, token: str = ""
    ) -> tuple[list[Share], str]:
        """Return a player's links that still open something, newest first, and the token of the next page.

        Args:
            player_id: Whose.
            round_id: Only those of this round; empty = of all.
            now_ms: Unix milliseconds.
            size: How many at most.
            token: As the last page gave it; empty = from the newest.

        Raises:
            Refusal: INVALID_ARGUMENT: not a token of ours.
        """
        mine = shares.c
        query = (
            select(shares)
            .where(mine.player_id == player_id, mine.expires_at_ms > now_ms)
            .order_by(mine.created_at_ms.desc(), mine.token)
            .limit(size + 1)
        )
        if round_id:
            query = query.where(mine.round_id == round_id)
        if (after := cursor_of(token)) is not None:
            at, last = after
            query = query.where(
                or_(mine.created_at_ms < at, and_(mine.created_at_ms == at, mine.token > last))
            )
        found = await self._db.read(lambda connection: [_share(row) for row in connection.execute(query)])
        if len(found) <= size:
            return found, ""
        return found[:size], f"{found[size - 1].created_at_ms}:{found[size - 1].token}"

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


def _do(connection: Connection, query: Delete) -> None:
    connection.execute(query)


def _favourite(player_id: str, round_id: str) -> ColumnElement[bool]:
    return and_(favourites.c.player_id == player_id, favourites.c.round_id == round_id)


def _share(row: Any) -> Share:
    return Share(row.token, row.round_id, row.player_id, row.seat, row.created_at_ms, row.expires_at_ms)
