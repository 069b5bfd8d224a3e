"""Finished rounds, kept for replay, on SQLite or PostgreSQL. The stream ROUNDS is where they come from."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from paiju.table.v1.events_pb2 import RoundFinished
from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Index,
    LargeBinary,
    MetaData,
    Table,
    Text,
    and_,
    insert,
    or_,
    select,
)

from services.chassis.db import Database
from services.chassis.errors import Refusal

metadata = MetaData()

records = Table(
    "records",
    metadata,
    Column("round_id", Text, primary_key=True),
    Column("game", Text, nullable=False),
    Column("preset", Text, nullable=False),
    Column("players", Text, nullable=False),
    Column("points", Text, nullable=False),
    Column("ended_at_ms", BigInteger, nullable=False),
    Column("record", LargeBinary, nullable=False),
    Column("room_code", Text),
    Index("records_ended", "ended_at_ms"),
)
"""`players` and `points` are JSON lists by seat. `room_code`: empty in a hall, NULL where it was not kept."""

record_players = Table(
    "record_players",
    metadata,
    Column("player_id", Text, primary_key=True),
    Column("ended_at_ms", BigInteger, primary_key=True, autoincrement=False),
    Column("round_id", Text, primary_key=True),
    Column("points", BigInteger),
)
"""The key is the order in which a player's rounds are listed. `points`: the player's own."""


@dataclass(frozen=True)
class Kept:
    """A finished round."""

    round_id: str
    game: str
    preset: str
    players: tuple[str, ...]
    points: tuple[int, ...]
    ended_at_ms: int
    room_code: str | None = None
    """Empty in a hall; None if it was not kept."""


class RecordStore:
    """Keeps and finds finished rounds."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def keep(self, fact: RoundFinished) -> None:
        """Keep a finished round; the same again does nothing.

        Raises:
            Outage: The database can't be reached.
        """
        record = bytes(fact.record)
        result = json.loads(record.rsplit(b"\nResult: ", 1)[1])
        players = [seat.player_id for seat in fact.seats]
        row = {
            "round_id": fact.round_id,
            "game": fact.game,
            "preset": fact.preset,
            "players": json.dumps(players),
            "points": json.dumps(result["points"]),
            "ended_at_ms": fact.ended_at_ms,
            "record": record,
            "room_code": fact.room_code,
        }
        listed = [
            {
                "player_id": seat.player_id,
                "ended_at_ms": fact.ended_at_ms,
                "round_id": fact.round_id,
                "points": result["points"][at],
            }
            for at, seat in enumerate(fact.seats)
            if not seat.is_bot
        ]
        await self._db.run(lambda connection: _keep(connection, row, listed))

    async def get(self, round_id: str) -> tuple[Kept, bytes]:
        """Return a finished round and its record.

        Raises:
            Refusal: ROUND_UNKNOWN.
        """
        found = await self.find(round_id)
        if found is None:
            raise Refusal("ROUND_UNKNOWN")
        return found

    async def find(self, round_id: str) -> tuple[Kept, bytes] | None:
        """Return a finished round and its record, None if it is not kept."""

        def read(connection: Connection) -> tuple[Kept, bytes] | None:
            row = connection.execute(select(records).where(records.c.round_id == round_id)).one_or_none()
            return (kept_of(row), bytes(row.record)) if row is not None else None

        return await self._db.read(read)

    async def page(self, player_id: str, size: int, token: str) -> tuple[list[Kept], str]:
        """Return a player's rounds, newest first, and the token of the next page (empty = no more).

        Raises:
            Refusal: INVALID_ARGUMENT: not a token of ours.
        """
        before = cursor_of(token)

        def read(connection: Connection) -> list[Kept]:
            listed, kept = record_players.c, records.c
            query = (
                select(records)
                .join(record_players, listed.round_id == kept.round_id)
                .where(listed.player_id == player_id)
                .order_by(listed.ended_at_ms.desc(), listed.round_id.desc())
                .limit(size + 1)
            )
            if before is not None:
                at, round_id = before
                query = query.where(
                    or_(listed.ended_at_ms < at, and_(listed.ended_at_ms == at, listed.round_id < round_id))
                )
            return [kept_of(row) for row in connection.execute(query)]

        found = await self._db.read(read)
        if len(found) <= size:
            return found, ""
        last = found[size - 1]
        return found[:size], f"{last.ended_at_ms}:{last.round_id}"


def _keep(connection: Connection, row: dict[str, Any], listed: list[dict[str, Any]]) -> None:
    known = select(records.c.round_id).where(records.c.round_id == row["round_id"])
    if connection.execute(known).one_or_none() is not None:
        return
    connection.execute(insert(records), row)
    if listed:
        connection.execute(insert(record_players), listed)


def kept_of(row: Any) -> Kept:
    """Return a round from its row of `records`."""
    return Kept(
        row.round_id,
        row.game,
        row.preset,
        tuple(json.loads(row.players)),
        tuple(json.loads(row.points)),
        row.ended_at_ms,
        row.room_code,
    )


def cursor_of(token: str) -> tuple[int, str] | None:
    """Return after which round a page begins: when it ended, and its id; None: from the newest.

    Raises:
        Refusal: INVALID_ARGUMENT: not a token of ours.
    """
    if not token:
        return None
    at, _, round_id = token.partition(":")
    if not at.isascii() or not at.isdigit() or not 0 < len(round_id) <= 80 or len(at) > 15:
        raise Refusal("INVALID_ARGUMENT", field="page_token")
    return int(at), round_id
