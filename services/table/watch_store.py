"""Likes of plays, on SQLite or PostgreSQL."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Index,
    Integer,
    Table,
    Text,
    delete,
    func,
    select,
    tuple_,
)

from services.chassis import log
from services.chassis.clock import Clock
from services.chassis.db import Database
from services.chassis.db.inserts import upsert
from services.chassis.errors import Outage
from services.chassis.ids import Ids
from services.table.store import metadata

DAY_MS = 86_400_000
FORGET_EVERY_S = 3_600.0

PLAYS_MAX = 1_000
"""Liked plays of a round that are listed."""

_log = log.get(service="table")

play_likes = Table(
    "play_likes",
    metadata,
    Column("round_id", Text, primary_key=True),
    Column("event_no", Integer, primary_key=True, autoincrement=False),
    Column("player_id", Text, primary_key=True),
    Column("at_ms", BigInteger, nullable=False),
    Index("play_likes_at", "at_ms"),
    Index("play_likes_player", "player_id", "at_ms"),
)
"""The key makes a like count once."""


@dataclass(frozen=True, order=True)
class Like:
    """That somebody liked a play; the order is that of time, then of the play."""

    at_ms: int
    round_id: str
    event_no: int


@dataclass(frozen=True)
class LikedPlay:
    """A play that was liked."""

    event_no: int
    likes: int
    mine: bool


class LikeStore:
    """Keeps likes."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def add(self, round_id: str, event_no: int, player_id: str, now_ms: int) -> int:
        """Like a play, once; return how many like it.

        Raises:
            Outage: The database can't be reached.
        """

        def work(connection: Connection) -> int:
            likes = play_likes.c
            of_play = (likes.round_id == round_id) & (likes.event_no == event_no)
            row = {"round_id": round_id, "event_no": event_no, "player_id": player_id, "at_ms": now_ms}
            # The same person may like it by two gateways at once.
            connection.execute(upsert(connection, play_likes).values(row).on_conflict_do_nothing())
            counted = select(func.count()).select_from(play_likes).where(of_play)
            return int(connection.execute(counted).scalar_one())

        return await self._db.run(work)

    async def of_round(
        self, round_id: str, player_id: str, most: int = PLAYS_MAX, after: int = 0
    ) -> list[LikedPlay]:
        """Return at most so many liked plays of a round after one of them, in the order they were played.

        Raises:
            Outage: The database can't be reached.
        """

        def read(connection: Connection) -> list[LikedPlay]:
            likes = play_likes.c
            mine = func.max(func.coalesce(likes.player_id == player_id, False).cast(Integer))
            query = (
                select(likes.event_no, func.count().label("likes"), mine.label("mine"))
                .where(likes.round_id == round_id, likes.event_no > after)
                .group_by(likes.event_no)
                .order_by(likes.event_no)
                .limit(most)
            )
            return [LikedPlay(row.event_no, row.likes, bool(row.mine)) for row in connection.execute(query)]

        return await self._db.read(read)

    async def of_player(self, player_id: str, most: int, before: Like | None = None) -> list[Like]:
        """Return at most so many likes of a player, newest first, those before one of them.

        Raises:
            Outage: The database can't be reached.
        """

        def read(connection: Connection) -> list[Like]:
            likes = play_likes.c
            key = (likes.at_ms, likes.round_id, likes.event_no)
            query = select(*key).where(likes.player_id == player_id)
            if before is not None:
                query = query.where(tuple_(*key) < (before.at_ms, before.round_id, before.event_no))
            query = query.order_by(*(column.desc() for column in key)).limit(most)
            return [Like(*row) for row in connection.execute(query)]

        return await self._db.read(read)

    async def forget(self, before_ms: int) -> int:
        """Forget the likes that are older; return how many.

        Raises:
            Outage: The database can't be reached.
        """

        def work(connection: Connection) -> int:
            return connection.execute(delete(play_likes).where(play_likes.c.at_ms < before_ms)).rowcount

        return await self._db.run(work)


async def forget_likes(likes: LikeStore, days: int, clock: Clock, ids: Ids) -> None:
    """Forget now and then the likes that are older than so many days, until cancelled."""
    while True:
        await clock.sleep(FORGET_EVERY_S * (0.5 + ids.jitter()))
        try:
            gone = await likes.forget(clock.now_ms() - days * DAY_MS)
        except Outage as outage:
            _log.warning("likes_not_forgotten", why=str(outage))
            continue
        if gone:
            _log.info("likes_forgotten", likes=gone)
